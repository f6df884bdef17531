//! Names of files as URI references.

/// A path as a URI reference: absolute paths with the scheme `file`, others relative. Whatever
/// is not a plain character of a path is encoded, so nothing in a name can be taken for a scheme,
/// a query or a fragment.
pub(crate) fn of_path(path: &str) -> String {
    let prefix = if path.starts_with('/') { "file://" } else { "" };
    let mut uri = prefix.to_owned();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::of_path;

    #[test]
    fn paths_become_references() {
        assert_eq!(of_path("src/a.c"), "src/a.c");
        assert_eq!(of_path("/src/a b.c"), "file:///src/a%20b.c");
        assert_eq!(of_path("http://x?y#é"), "http%3A//x%3Fy%23%C3%A9");
        assert_eq!(of_path("<stdin>"), "%3Cstdin%3E");
    }
}
