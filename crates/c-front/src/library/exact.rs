//! Functions of the library that are followed exactly, written in C.

/// How the names of these functions begin.
const PREFIX: &str = "__exact_";

/// The same for those that are used whatever their arguments are.
const WRAPPER: &str = "__wrapper_";

/// The name of the function that does what a function of the library does.
pub(crate) fn exact_name(name: &str) -> String {
    format!("{PREFIX}{}", name.trim_start_matches("__builtin_"))
}

/// The name of the function that makes up a function of the library from others.
pub(crate) fn wrapper_name(name: &str) -> String {
    format!("{WRAPPER}{name}")
}

/// The definitions of the functions that are mentioned.
pub(crate) fn exact_text(is_mentioned: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    let mut is_wanted = false;
    for line in include_str!("exact.c").lines() {
        match line.strip_prefix("//: ") {
            Some(name) => is_wanted = is_mentioned(name) || is_mentioned(&format!("__builtin_{name}")),
            // The parser knows no comments.
            None if is_wanted && !line.starts_with("/*") => {
                text.push_str(line);
                text.push('\n');
            }
            None => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_mentioned_is_there() {
        assert_eq!(exact_text(|_| false), "");
        let text = exact_text(|name| name == "isdigit");
        assert_eq!(text, "int __exact_isdigit(int c) { return c >= '0' && c <= '9'; }\n");
        assert_eq!(exact_name("__builtin_strlen"), "__exact_strlen");
    }
}
