//! The results as one HTML page that needs nothing else.

use super::export::words;
use super::plot;
use super::summary::{Grade, Row};
use super::table::seconds;
use rely_report::escape_html as escape;
use std::collections::BTreeSet;
use std::fmt::Write;

const STYLE: &str = "\
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .15rem .6rem; text-align: left; border-bottom: 1px solid #8884; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.right { color: #0a6e30; } .none { color: #7a5200; } .wrong { color: #b3261e; font-weight: bold; }
@media (prefers-color-scheme: dark) { .right { color: #6fdd96; } .none { color: #f3c55f; } .wrong { color: #ff9a92; } }
.wide { overflow-x: auto; }
h1 { overflow-wrap: anywhere; }
.plots { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0; flex: 1 1 min(26rem, 100%); max-width: 40rem; min-width: 0; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: currentColor; } svg .grid { stroke: #8884; } svg .same { stroke: currentColor; stroke-dasharray: 4 4; }
";

/// The page: the plots, then every cell. `version` is that of Rely.
pub fn render(title: &str, version: &str, rows: &[Row], tools: &[String]) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         <h1>{title}</h1>\n<p>rely {version}</p>\n<div class=\"plots\">\n",
        title = escape(title),
        version = escape(version),
    );
    let mut figure = |caption: &str, svg: &str| {
        let caption = escape(caption);
        writeln!(page, "<figure><figcaption>{caption}</figcaption>\n{svg}</figure>")
            .expect("a string takes everything");
    };
    if let Some(svg) = plot::growth(rows, tools) {
        figure("Growth with size", &svg);
    }
    for count in counts(rows) {
        if let Some(svg) = plot::growth_of_count(rows, tools, count) {
            figure(&format!("Growth with size: {count}"), &svg);
        }
    }
    figure("Tasks decided within a time (lower and further right is better)", &plot::quantile(rows, tools));
    for tool in tools {
        if let Some(svg) = plot::scatter_paper(rows, tool) {
            figure(&format!("{tool} against the papers (below the line is faster)"), &svg);
        }
    }
    for (number, first) in tools.iter().enumerate() {
        for second in &tools[number + 1..] {
            if let Some(svg) = plot::scatter(rows, first, second) {
                figure(&format!("{second} against {first} (below the line is faster)"), &svg);
            }
        }
    }
    page.push_str("</div>\n");
    page.push_str(&table(rows));
    page
}

/// The names of everything that was counted.
fn counts(rows: &[Row]) -> BTreeSet<&str> {
    let cells = rows.iter().flat_map(|row| &row.cells);
    cells.flat_map(|cell| cell.counts.keys()).map(String::as_str).collect()
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"All results\">\n<table>\n<tr><th>task<th>tool<th>verdict<th>s<th>±<th>MB<th>paper s<th>times<th>target s<th>counts</tr>\n",
    );
    let number = |value: Option<String>| format!("<td class=\"number\">{}", value.unwrap_or_default());
    for row in rows {
        for cell in &row.cells {
            let (outcome, reason) = words(&cell.outcome);
            let class = match cell.grade {
                Grade::Right => "right",
                Grade::None => "none",
                Grade::Wrong => "wrong",
            };
            let modular = if cell.modular == Some(true) { ", modular" } else { "" };
            let side = cell.paper.as_ref();
            let target = side.and_then(|side| {
                let mark = if side.is_met? { "met" } else { "missed" };
                Some(format!("{} {mark}", seconds(side.target?)))
            });
            let counts: Vec<String> =
                cell.counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
            let fields = [
                format!("<td>{}<td>{}", escape(&row.task), escape(&cell.tool)),
                format!("<td class=\"{class}\" title=\"{}\">{outcome}{modular}", escape(reason)),
                number(Some(seconds(cell.seconds))),
                number(Some(seconds(cell.spread))),
                number(Some(format!("{:.0}", cell.megabytes))),
                number(side.and_then(|side| side.seconds).map(|seconds| format!("{seconds}"))),
                number(side.and_then(|side| side.ratio).map(|ratio| format!("{ratio:.1}"))),
                number(target),
                format!("<td>{}", escape(&counts.join(", "))),
            ];
            writeln!(text, "<tr>{}</tr>", fields.concat()).expect("a string takes everything");
        }
    }
    text + "</table>\n</div>\n</html>\n"
}
