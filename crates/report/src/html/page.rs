//! The frame of the page: style, data, script, and what is readable without a script.

use super::data::{Page, Section};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
/// The script in the order in which its parts refer to each other.
const SCRIPT: [&str; 11] = [
    include_str!("script/tools.js"),
    include_str!("script/source.js"),
    include_str!("script/model.js"),
    include_str!("script/lanes.js"),
    include_str!("script/values.js"),
    include_str!("script/run.js"),
    include_str!("script/counting.js"),
    include_str!("script/proof.js"),
    include_str!("script/history.js"),
    include_str!("script/waiting.js"),
    include_str!("script/main.js"),
];

/// The whole page.
pub(super) fn render(page: &Page<'_>) -> String {
    let json = serde_json::to_string(page).expect("the data has only string keys");
    // No text of a program can end the element in which the data stands.
    let json = json.replace('<', "\\u003c");
    let script = SCRIPT.concat();
    let parts = [
        ("{{title}}", escape_html(&title(page.sections))),
        ("{{style}}", STYLE.to_owned()),
        ("{{summary}}", page.sections.iter().map(summary).collect()),
        ("{{data}}", json),
        ("{{script}}", script),
    ];
    let mut rest = TEMPLATE;
    let mut text = String::new();
    for (mark, part) in &parts {
        // The template is searched, never what was put in.
        let (before, after) = rest.split_once(mark).expect("the template has all marks in this order");
        text += before;
        text += part;
        rest = after;
    }
    text + rest
}

fn title(sections: &[Section]) -> String {
    match sections {
        [only] => format!("{}: {} – Rely", only.file, only.verdict),
        _ => format!("{} results – Rely", sections.len()),
    }
}

/// One line for those whose browser runs no script.
fn summary(section: &Section) -> String {
    let property = section.property.unwrap_or("input");
    let words = [section.headline.as_deref(), section.evidence.as_deref(), section.advice.as_deref()];
    let why = section.why.iter().map(|reason| reason.text.trim_end_matches('.'));
    let words: Vec<&str> =
        words.into_iter().flatten().chain(section.errors.iter().map(String::as_str)).chain(why).collect();
    let text = format!("{}: {} ({property}). {}", section.file, section.verdict, words.join(". "));
    format!("<li>{}</li>\n", escape_html(&text))
}

/// Text inside of HTML and SVG, also inside of attributes.
pub fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            _ => escaped.push(character),
        }
    }
    escaped
}
