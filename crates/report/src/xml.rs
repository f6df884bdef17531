//! Texts inside of XML documents.

/// A text as the value of an attribute, in which line ends would become spaces.
pub(crate) fn attribute(text: &str) -> String {
    escaped(text, true)
}

/// A text between tags.
pub(crate) fn content(text: &str) -> String {
    escaped(text, false)
}

/// Characters that XML has no way to write become the replacement character.
fn escaped(text: &str, in_attribute: bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' if !in_attribute => escaped.push(character),
            '\n' | '\t' | '\r' => escaped.push_str(&format!("&#{};", u32::from(character))),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_can_end_an_attribute_or_open_a_tag() {
        assert_eq!(attribute("a\"b<c>&'\r\n"), "a&quot;b&lt;c&gt;&amp;'&#13;&#10;");
        assert_eq!(content("]]>\n<b>"), "]]&gt;\n&lt;b&gt;");
    }

    #[test]
    fn what_xml_cannot_write_is_replaced() {
        assert_eq!(content("\0\u{1b}[31m\u{ffff}é"), "\u{fffd}\u{fffd}[31m\u{fffd}é");
    }
}
