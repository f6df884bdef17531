//! Which files a command is about: those that are named, those in directories, and those that match a pattern.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The endings of programs.
const ENDINGS: [&str; 3] = ["c", "i", "rely"];

/// All files that are meant, each once: in the order in which they are named, those of a directory or a pattern in
/// alphabetical order. And those of them that nobody has named.
pub fn expand(named: &[PathBuf]) -> Result<(Vec<PathBuf>, BTreeSet<PathBuf>), String> {
    let mut seen = BTreeSet::new();
    let mut files = Vec::new();
    for path in named {
        let found = meant(path)?;
        files.extend(found.into_iter().filter(|file| seen.insert(file.clone())));
    }
    seen.retain(|file| !named.contains(file));
    Ok((files, seen))
}

fn meant(path: &Path) -> Result<Vec<PathBuf>, String> {
    let name = path.display();
    let pattern = path.to_string_lossy();
    let is_pattern = !path.exists() && pattern.contains(['*', '?', '[']);
    let mut found = Vec::new();
    if path.is_dir() {
        walk(path, &mut found);
        if found.is_empty() {
            return Err(format!("{name}: there is no program in this directory (`.c`, `.i` or `.rely`)"));
        }
    } else if is_pattern {
        walk(&fixed_part(path), &mut found);
        found.retain(|file| matches(&pattern, &file.to_string_lossy()));
        if found.is_empty() {
            return Err(format!("{name}: no program matches this pattern"));
        }
    } else {
        found.push(path.to_owned());
    }
    found.sort();
    Ok(found)
}

/// The directory in which everything is that can match.
fn fixed_part(pattern: &Path) -> PathBuf {
    let is_fixed =
        |part: &std::path::Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    pattern.components().take_while(is_fixed).collect()
}

/// All programs below a directory; hidden ones and links to directories are passed over.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let at = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = fs::read_dir(at) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_string_lossy().starts_with('.') {
            continue;
        }
        let path = folder.join(&name);
        let is_program =
            || path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&path, found),
            Ok(_) if is_program() && path.is_file() => found.push(path),
            _ => {}
        }
    }
}

/// Whether a path matches a pattern: `*` stands for anything but a slash, `**` for any directories, `?` for one
/// character, `[a-c]` for one of some characters.
pub fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) = (parts(pattern), parts(path));
    parts_match(&pattern, &path)
}

fn parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".").collect()
}

fn parts_match(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        (["**", rest @ ..], _) => (0..=path.len()).any(|skipped| parts_match(rest, &path[skipped..])),
        ([first, rest @ ..], [name, others @ ..]) => {
            let (first, name): (Vec<char>, Vec<char>) = (first.chars().collect(), name.chars().collect());
            name_matches(&first, &name) && parts_match(rest, others)
        }
        _ => false,
    }
}

fn name_matches(pattern: &[char], name: &[char]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        (['*', rest @ ..], _) => (0..=name.len()).any(|skipped| name_matches(rest, &name[skipped..])),
        (['?', rest @ ..], [_, others @ ..]) => name_matches(rest, others),
        (['[', rest @ ..], [first, others @ ..]) => match rest.iter().skip(1).position(|end| *end == ']') {
            Some(end) => is_one_of(&rest[..=end], *first) && name_matches(&rest[end + 2..], others),
            None => *first == '[' && name_matches(rest, others),
        },
        ([wanted, rest @ ..], [first, others @ ..]) => wanted == first && name_matches(rest, others),
        _ => false,
    }
}

/// Whether a character is in a set like `a-cx`, or with `!` in front is not.
fn is_one_of(set: &[char], wanted: char) -> bool {
    let (is_negated, mut set) = match set {
        ['!', rest @ ..] => (true, rest),
        _ => (false, set),
    };
    let mut is_in = false;
    while let [first, rest @ ..] = set {
        let (last, rest) = match rest {
            ['-', last, rest @ ..] => (last, rest),
            _ => (first, rest),
        };
        is_in |= (*first..=*last).contains(&wanted);
        set = rest;
    }
    is_in != is_negated
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, matching: &[&str], others: &[&str]) {
        for path in matching {
            assert!(matches(pattern, path), "`{pattern}` matches `{path}`");
        }
        for path in others {
            assert!(!matches(pattern, path), "`{pattern}` does not match `{path}`");
        }
    }

    #[test]
    fn patterns_match_as_in_a_shell() {
        check("*.c", &["a.c", "./a.c", ".c"], &["a.cc", "d/a.c", "c"]);
        check("src/**/*.c", &["src/a.c", "src/x/y/a.c"], &["a.c", "src/a.h", "tests/src/a.c"]);
        check("**", &["a", "a/b/c"], &[]);
        check("a?.c", &["ab.c"], &["a.c", "abc.c"]);
        check("[a-cx]1", &["a1", "b1", "x1"], &["d1", "-1", "ab1"]);
        check("[!a]*", &["b", "bc"], &["a", "ab"]);
        check("a[b", &["a[b"], &["ab"]);
        check("*a*b", &["ab", "xaxxb", "aab"], &["ba", "abx"]);
        check("x/*/y", &["x/1/y"], &["x/y", "x/1/2/y"]);
    }

    #[test]
    fn directories_are_what_is_below_them() {
        let folder = tempfile::tempdir().expect("a directory");
        for name in ["b.c", "a.rely", "notes.txt", "deep/er/c.i", ".hidden/d.c", ".e.c"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
            fs::write(path, "").expect("writable");
        }
        let names = |named: &str| -> Result<Vec<String>, String> {
            let (found, _) = expand(&[folder.path().join(named), folder.path().join(named)])?;
            let below = found.iter().map(|path| path.strip_prefix(folder.path()).unwrap_or(path));
            Ok(below.map(|path| path.display().to_string()).collect())
        };
        let strings = |names: &[&str]| Ok(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(names(""), strings(&["a.rely", "b.c", "deep/er/c.i"]));
        assert_eq!(names("**/*.[ci]"), strings(&["b.c", "deep/er/c.i"]));
        assert_eq!(names("missing.c"), strings(&["missing.c"]));
        assert!(names("*.x").is_err_and(|error| error.ends_with("no program matches this pattern")));
        assert!(names(".hidden/..").is_ok());
        let (both, found) =
            expand(&[folder.path().to_owned(), folder.path().join("b.c")]).expect("they are there");
        assert_eq!((both.len(), found.len(), found.contains(&folder.path().join("b.c"))), (3, 2, false));
    }
}
