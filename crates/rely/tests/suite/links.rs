//! Links of the book and of the project's papers lead somewhere: to a file that exists and, behind `#`, to one
//! of its headings. Links to the network are not followed.

use crate::support::root;
use std::fs;
use std::path::{Path, PathBuf};

/// The name that mdBook and others give to a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
}

/// A page without what stands between fences or backquotes.
fn prose(page: &str) -> String {
    let outside = page.split("\n```").step_by(2).collect::<Vec<_>>().join("\n");
    outside.split('`').step_by(2).collect()
}

/// The anchors of a page; a heading that occurs again gets a number.
fn anchors(page: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let outside = page.split("\n```").step_by(2).collect::<Vec<_>>().join("\n");
    for line in outside.lines().filter(|line| line.starts_with('#')) {
        let name = anchor(line.trim_start_matches('#'));
        let again = found.iter().filter(|known| **known == name).count();
        found.push(if again == 0 { name } else { format!("{name}-{again}") });
    }
    found
}

/// What links and images of a page point to.
fn targets(page: &str) -> Vec<String> {
    let prose = prose(page);
    let of = |rest: &str| rest.split([')', ' ']).next().unwrap_or_default().to_owned();
    prose.split("](").skip(1).map(of).filter(|target| !target.contains("://")).collect()
}

/// Why a link of a page leads nowhere, if it does.
fn broken(page: &Path, target: &str) -> Option<String> {
    let (file, heading) = target.split_once('#').map_or((target, None), |(file, name)| (file, Some(name)));
    let path = if file.is_empty() { page.to_owned() } else { page.parent()?.join(file) };
    if !path.exists() {
        return Some(format!("{}: no file {target}", page.display()));
    }
    let heading = heading?;
    let known = fs::read_to_string(&path).is_ok_and(|text| anchors(&text).iter().any(|one| one == heading));
    (!known).then(|| format!("{}: no heading {target}", page.display()))
}

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

#[test]
fn links_lead_somewhere() {
    let mut found = Vec::new();
    pages(&root().join("docs/src"), &mut found);
    let papers = ["README.md", "ARCHITECTURE.md", "ASSUMPTIONS.md", "CONTRIBUTING.md", "CHANGELOG.md"];
    found.extend(papers.map(|paper| root().join(paper)));
    let mut links = 0;
    let mut complaints = Vec::new();
    for page in found {
        let text = fs::read_to_string(&page).expect("the page can be read");
        let targets = targets(&text);
        links += targets.len();
        complaints.extend(targets.iter().filter_map(|target| broken(&page, target)));
    }
    assert!(links > 20, "the pages have links");
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn broken_links_are_found() {
    let page = root().join("CONTRIBUTING.md");
    assert_eq!(broken(&page, "docs/src/glossary.md"), None);
    assert_eq!(broken(&page, "#habits"), None);
    assert!(broken(&page, "docs/src/nothing.md").is_some());
    assert!(broken(&page, "README.md#nothing").is_some());
    assert_eq!(
        anchors("# One thing\n\n```sh\n# no heading\n```\n## One thing\n"),
        ["one-thing", "one-thing-1"]
    );
    assert_eq!(targets("[a](b.md#c) `[d](e)` [f](https://g)"), ["b.md#c"]);
}
