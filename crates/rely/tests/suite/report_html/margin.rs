//! Movers and blocks of a reduction in the margin of the source.

use super::{assert_fits, assert_readable, assert_sound, picture, report, report_of};
use crate::browser::Browser;
use crate::support::{Directory, rely_in_root, text};
use serde_json::Value;
use std::fs;
use std::path::Path;

#[test]
fn movers_and_blocks_stand_in_the_margin() {
    let Some(browser) = Browser::start("reduction") else { return };
    let directory = Directory::new();
    let page = report_of(
        &directory,
        "certify",
        &["examples/locked-counter.proof.json", "examples/locked-counter.rely"],
    );
    assert_sound(&browser, &page);
    assert_eq!(browser.text(".verdict"), "safe");
    // Two threads, each with a block of four lines.
    let counts = ["right", "both", "left", "none"].map(|mover| browser.count(&format!(".mover.{mover}")));
    assert_eq!(counts, [2, 4, 2, 0]);
    assert_eq!(browser.text(".line[data-line='10'] .mover"), "R");
    assert_eq!((browser.count(".source .bar.top"), browser.count(".source .bar.bottom")), (2, 2));
    // What is drawn is said, too.
    assert_eq!(browser.count(".mover[role='img'][aria-label^='right mover']"), 2);
    assert_eq!(browser.count(".bars[aria-label='reducible block: lines 10 to 13']"), 4);
    assert!(browser.text(".legend").contains("right mover"));
    // A line shows which others belong to its block.
    browser.hover(".line[data-line='10']");
    assert_eq!(browser.count(".line.same-block"), 3);
    assert_eq!(browser.count(".line[aria-label^='Line 10, right mover']"), 1);
    assert_readable(&browser);
    picture(&browser, "report-reduction.png");
    browser.resize(360, 740);
    assert_fits(&browser, 360);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

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

/// Without a browser: what the page is made of.
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
