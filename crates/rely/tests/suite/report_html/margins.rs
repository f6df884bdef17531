//! The margin of a page says what `rely show --blocks` says. That needs no browser: it is what the page is made of.

use super::report;
use crate::support::{Directory, rely_in_root, text};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The letter in front of each line of a source that has one, as a page says it.
fn letters(page: &Path) -> Vec<(u64, char)> {
    let page = fs::read_to_string(page).expect("the page was written");
    let data = page.split("id=\"data\">").nth(1).expect("a page has data");
    let data = data.split("</script>").next().expect("an element ends");
    let data: Value = serde_json::from_str(data).expect("data is JSON");
    let movers = data["sections"][0]["margin"]["movers"].as_array().expect("lines have movers");
    let letter = |mover: &Value| match mover.as_str() {
        Some("right") => 'R',
        Some("left") => 'L',
        Some("both") => 'B',
        Some("none") => 'N',
        _ => panic!("{mover}"),
    };
    movers
        .iter()
        .map(|entry| (entry[0][1].as_u64().expect("a line has a number"), letter(&entry[1])))
        .collect()
}

#[test]
fn the_margin_is_that_of_show_blocks() {
    let directory = Directory::new();
    for model in ["benchmarks/redcomp/p1-1.rely", "examples/read-write-lock.c"] {
        let options = ["--engine", "reduction", "--property", "assert"];
        let page = report(&directory, &[&options[..], &[model]].concat());
        let listing = text(&rely_in_root(&["show", "--blocks", model]).stdout);
        let shown = listing.lines().filter_map(|line| {
            let letter = line.chars().next().filter(|letter| "RLBN".contains(*letter))?;
            // The mover, the bracket, then the number.
            let number: String = line.chars().skip(3).take_while(|character| *character != '│').collect();
            Some((number.trim().parse().ok()?, letter))
        });
        let shown: Vec<(u64, char)> = shown.collect();
        assert!(shown.len() > 10 && shown.iter().any(|(_, letter)| *letter == 'L'), "{listing}");
        assert_eq!(letters(&page), shown, "{model}");
    }
}
