//! Errors with an excerpt of the source.

use crate::style::{Role, Style};
use ariadne::{Color, Config, IndexType, Label, Report, ReportKind};
use rely_base::{Diagnostic, SourceMap, Span};
use std::ops::Range;

/// Lines longer than this are shown in part: generated code may have lines of megabytes.
const LONGEST_LINE: usize = 300;
/// How much of a long line is shown on each side of the place.
const CONTEXT: usize = 30;

/// The diagnostic as a person reads it, with the places in the source that it points to.
///
/// ```
/// use rely_base::{Diagnostic, SourceMap, Span};
/// use rely_report::{Style, render_diagnostic};
///
/// let mut sources = SourceMap::new();
/// let file = sources.add("a.rely", "var x: float;");
/// let error = Diagnostic::error("there is no type `float`")
///     .at(Span { file, start: 7, end: 12 }, "not a type");
/// let text = render_diagnostic(&error, &sources, Style::PLAIN);
/// assert!(text.contains("a.rely:1:8"));
/// ```
pub fn render_diagnostic(diagnostic: &Diagnostic, sources: &SourceMap, style: Style) -> String {
    match &diagnostic.primary {
        None => without_place(diagnostic, style),
        Some((span, label)) if touches_long_line(sources, *span) => {
            with_part_of_line(diagnostic, *span, label, sources, style)
        }
        Some((span, label)) => with_places(diagnostic, *span, label, sources, style),
    }
}

fn without_place(diagnostic: &Diagnostic, style: Style) -> String {
    let mut text = format!("{} {}\n", style.paint(Role::Bad, "Error:"), diagnostic.message);
    if let Some(help) = &diagnostic.help {
        text.push_str(&format!("  Help: {help}\n"));
    }
    text
}

type Excerpt = (String, Range<usize>);

fn with_places(
    diagnostic: &Diagnostic,
    span: Span,
    label: &str,
    sources: &SourceMap,
    style: Style,
) -> String {
    let place = |span: Span| (sources.file(span.file).name().to_owned(), clamp(span, sources));
    let mut report = start(diagnostic, place(span), style)
        .with_label(Label::new(place(span)).with_message(label).with_color(Color::Red));
    let mut files = vec![span.file];
    for (other, text) in &diagnostic.secondary {
        if !touches_long_line(sources, *other) {
            files.push(other.file);
            report = report.with_label(Label::new(place(*other)).with_message(text).with_color(Color::Blue));
        }
    }
    let texts = files
        .into_iter()
        .map(|file| sources.file(file))
        .map(|file| (file.name().to_owned(), file.text().to_owned()));
    write(report, ariadne::sources(texts))
}

/// Shows only the surroundings of the place, in the same frame.
fn with_part_of_line(
    diagnostic: &Diagnostic,
    span: Span,
    label: &str,
    sources: &SourceMap,
    style: Style,
) -> String {
    let file = sources.file(span.file);
    let at = file.position(span.start);
    let column = at.column as usize - 1;
    let first = column.saturating_sub(CONTEXT);
    let line = file.line(at.line).unwrap_or("");
    let excerpt: String = line.chars().skip(first).take(2 * CONTEXT).collect();
    let marked = sources.text(span).chars().count().clamp(1, CONTEXT);
    let number = at.line.to_string();
    let margin = " ".repeat(number.len() + 2);
    let indent = " ".repeat(column - first + 1);
    let mut text = without_place(&Diagnostic::error(&diagnostic.message), style);
    text += &format!("{margin}╭─[ {}:{}:{} ]\n{margin}│\n", file.name(), at.line, at.column);
    text += &format!(" {number} │ …{excerpt}…\n{margin}│ {indent}{} {label}\n", "─".repeat(marked));
    if let Some(help) = &diagnostic.help {
        text += &format!("{margin}│\n{margin}│ Help: {help}\n");
    }
    text + &format!("{}╯\n", "─".repeat(margin.len()))
}

fn start<'a>(diagnostic: &Diagnostic, place: Excerpt, style: Style) -> ariadne::ReportBuilder<'a, Excerpt> {
    let config = Config::default().with_color(style.color).with_index_type(IndexType::Byte);
    let mut report =
        Report::build(ReportKind::Error, place).with_config(config).with_message(&diagnostic.message);
    if let Some(help) = &diagnostic.help {
        report = report.with_help(help);
    }
    report
}

fn write(report: ariadne::ReportBuilder<'_, Excerpt>, cache: impl ariadne::Cache<String>) -> String {
    let mut bytes = Vec::new();
    report.finish().write(cache, &mut bytes).expect("writing to memory succeeds");
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

/// The bytes of a span, inside of its file and on the borders of characters.
fn clamp(span: Span, sources: &SourceMap) -> Range<usize> {
    let text = sources.file(span.file).text();
    let border = |at: u32| {
        let mut at = (at as usize).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = border(span.start);
    start..border(span.end).max(start)
}

fn touches_long_line(sources: &SourceMap, span: Span) -> bool {
    let file = sources.file(span.file);
    let (first, last) = (file.position(span.start).line, file.position(span.end).line);
    (first..=last).any(|line| file.line(line).is_some_and(|text| text.len() > LONGEST_LINE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, needle: &str, expected: &Expect) {
        let mut sources = SourceMap::new();
        let file = sources.add("a.rely", text);
        let start = text.find(needle).expect("the needle is in the text") as u32;
        let span = Span { file, start, end: start + needle.len() as u32 };
        let diagnostic = Diagnostic::error("there is no type `float`")
            .at(span, "not a type")
            .help("types are `int` and `bool`");
        expected.assert_eq(&render_diagnostic(&diagnostic, &sources, Style::PLAIN));
    }

    #[test]
    fn the_excerpt_points_at_the_place() {
        check(
            "var é: int;\nvar x: float;\n",
            "float",
            &expect![[r#"
            Error: there is no type `float`
               ╭─[ a.rely:2:8 ]
               │
             2 │ var x: float;
               │        ──┬──
               │          ╰──── not a type
               │
               │ Help: types are `int` and `bool`
            ───╯
        "#]],
        );
    }

    #[test]
    fn of_a_long_line_only_the_surroundings_are_shown() {
        let text = format!("var x: {}float{};", "(".repeat(500), ")".repeat(500));
        check(
            &text,
            "float",
            &expect![[r#"
                Error: there is no type `float`
                   ╭─[ a.rely:1:508 ]
                   │
                 1 │ …((((((((((((((((((((((((((((((float)))))))))))))))))))))))))…
                   │                                ───── not a type
                   │
                   │ Help: types are `int` and `bool`
                ───╯
            "#]],
        );
    }

    #[test]
    fn a_span_behind_the_end_is_shown_at_the_end() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.rely", "var x");
        let diagnostic = Diagnostic::error("`;` is missing").at(Span { file, start: 90, end: 99 }, "here");
        expect![[r#"
            Error: `;` is missing
               ╭─[ a.rely:1:6 ]
               │
             1 │ var x
               │      │
               │      ╰─ here
            ───╯
        "#]]
        .assert_eq(&render_diagnostic(&diagnostic, &sources, Style::PLAIN));
    }

    #[test]
    fn without_a_place_there_is_no_excerpt() {
        let diagnostic = Diagnostic::error("the file is empty");
        expect![[r#"
            Error: the file is empty
        "#]]
        .assert_eq(&render_diagnostic(&diagnostic, &SourceMap::new(), Style::PLAIN));
    }
}
