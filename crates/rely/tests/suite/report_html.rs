//! The HTML report in a real browser: what it shows, what keys and clicks change, that it asks for
//! nothing, complains about nothing, fits on a phone and on a wide screen, and trusts no text.
//!
//! Without chromedriver and Chromium these tests say that they were left out; with
//! `RELY_REQUIRE_BROWSER` set, that is a failure. With `RELY_SCREENSHOTS` set to a folder, the
//! pictures of the book are written there.

mod extremes;
mod several;

use crate::browser::{self, Browser};
use crate::support::{Directory, rely_in_root, root, text};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const RIGHT: &str = "\u{E014}";
const LEFT: &str = "\u{E012}";
const DOWN: &str = "\u{E015}";
const HOME: &str = "\u{E011}";
const END: &str = "\u{E010}";
const ENTER: &str = "\u{E007}";

/// The widths of a phone and of a wide screen.
const WIDTHS: [(u32, u32); 2] = [(360, 740), (1600, 1000)];

/// The page that `rely check` writes about something in the repository.
fn report(directory: &Directory, arguments: &[&str]) -> PathBuf {
    report_of(directory, "check", arguments)
}

/// The page that a command writes.
fn report_of(directory: &Directory, subcommand: &str, arguments: &[&str]) -> PathBuf {
    let page = directory.path("report.html");
    // One that was written before must not be taken for this one.
    fs::remove_file(&page).ok();
    let name = page.display().to_string();
    let output = rely_in_root(&[&[subcommand, "--report", &name], arguments].concat());
    let errors = text(&output.stderr);
    assert!(page.exists(), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    page
}

/// No complaint, no request, and nothing wider than the screen, at both widths.
fn assert_sound(browser: &Browser, page: &Path) {
    for (width, height) in WIDTHS {
        browser.resize(width, height);
        browser.open(page);
        assert_fits(browser, width);
    }
    assert_readable(browser);
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let foreign: Vec<String> =
        browser.requests().into_iter().filter(|address| !address.starts_with("file://")).collect();
    assert_eq!(foreign, Vec::<String>::new(), "a page asks for nothing");
}

/// Elements that stick out of the page; what scrolls inside of its own box does not.
fn assert_fits(browser: &Browser, width: u32) {
    let script = "
        const width = document.documentElement.clientWidth;
        const scrolls = (node) => {
            for (let box = node.parentElement; box && box !== document.body; box = box.parentElement)
                if (getComputedStyle(box).overflowX !== 'visible') return true;
            return false;
        };
        const wide = [...document.querySelectorAll('body *')].filter((node) => {
            const box = node.getBoundingClientRect();
            return box.width > 0 && (box.right > width + 1 || box.left < -1) && !scrolls(node) && !node.matches('.skip');
        });
        const page = document.documentElement.scrollWidth > width ? ['the page scrolls sideways'] : [];
        return page.concat(wide.map((node) => node.tagName + '.' + node.getAttribute('class')));";
    assert_eq!(browser.run(script), Value::Array(Vec::new()), "at {width} pixels");
}

/// Text that is hard to read: with less contrast than WCAG asks for at level AA.
const FAINT_TEXT: &str = r#"
    const channels = (text) => {
        const numbers = (text.match(/-?[\d.]+(e-?\d+)?/g) || []).map(Number);
        const scale = text.startsWith("color(") ? 1 : 255;
        const [red, green, blue, alpha = 1] = numbers;
        return [red / scale, green / scale, blue / scale, alpha];
    };
    const over = (top, bottom) => [0, 1, 2].map((at) => top[at] * top[3] + bottom[at] * (1 - top[3])).concat(1);
    const behind = (node) => {
        const layers = [];
        for (let at = node; at; at = at.parentElement) layers.push(channels(getComputedStyle(at).backgroundColor));
        const page = matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0, 1] : [1, 1, 1, 1];
        return layers.reverse().reduce((below, layer) => over(layer, below), page);
    };
    const luminance = (colour) => {
        const [red, green, blue] = colour.map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const faint = [];
    for (const node of document.querySelectorAll("body *:not(svg *):not(script):not(noscript)")) {
        const own = [...node.childNodes].filter((child) => child.nodeType === 3 && child.data.trim());
        if (own.length === 0 || node.getClientRects().length === 0 || node.closest(":disabled, noscript")) continue;
        const style = getComputedStyle(node);
        const background = behind(node);
        const lights = [luminance(over(channels(style.color), background)), luminance(background)].sort();
        const contrast = (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
        if (contrast < 4.5) faint.push(`${node.tagName}.${node.className}: ${contrast.toFixed(2)} ${own[0].data.slice(0, 20)}`);
    }
    return [...new Set(faint)];"#;

/// In the light and in the dark.
fn assert_readable(browser: &Browser) {
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        // Colours that change slowly must have arrived.
        browser.run("document.getAnimations().forEach((animation) => animation.finish())");
        assert_eq!(browser.run(FAINT_TEXT), Value::Array(Vec::new()), "in the {scheme}");
    }
    browser.prefer("light");
}

/// Writes a picture for the book, if somebody wants new ones.
fn picture(browser: &Browser, name: &str) {
    let Some(folder) = std::env::var_os("RELY_SCREENSHOTS") else { return };
    let folder = root().join(folder);
    fs::create_dir_all(&folder).expect("a folder for pictures");
    fs::write(folder.join(name), from_base64(&browser.screenshot())).expect("the picture is written");
}

fn from_base64(text: &str) -> Vec<u8> {
    let digit = |character: u8| match character {
        b'A'..=b'Z' => character - b'A',
        b'a'..=b'z' => character - b'a' + 26,
        b'0'..=b'9' => character - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'=').map(digit).collect();
    let mut bytes = Vec::new();
    for group in digits.chunks(4) {
        let bits = group.iter().fold(0u32, |bits, digit| bits << 6 | u32::from(*digit));
        let bits = bits << (6 * (4 - group.len()));
        bytes.extend(&bits.to_be_bytes()[1..group.len()]);
    }
    bytes
}

#[test]
fn base64_is_decoded() {
    assert_eq!(from_base64("UmVseQ=="), b"Rely");
    assert_eq!(from_base64("UmVsee4="), b"Rely\xee");
    assert_eq!(from_base64("UmVs"), b"Rel");
}

/// The row that is selected, its line in the source, and what the panel says about a variable.
fn selected(browser: &Browser) -> String {
    browser.run("return document.querySelector('.row.selected').getAttribute('aria-label')").to_string()
}

#[test]
fn a_violation_is_stepped_through() {
    let Some(browser) = Browser::start("violation") else { return };
    let directory = Directory::new();
    let page = report(&directory, &["-p", "assert", "examples/racy-counter.c"]);
    assert_sound(&browser, &page);
    assert!(browser.text(".headline").contains("line 21: assertion counter == 2 fails"));
    // It opens where it goes wrong.
    assert!(selected(&browser).contains("line 21"), "{}", selected(&browser));
    assert_eq!(browser.text(".line.violated .no"), "21");
    assert_eq!(browser.count(".lanes-head .thread"), 3);
    picture(&browser, "report-violation.png");

    // Keys.
    browser.press(LEFT);
    assert!(selected(&browser).contains("pthread_join(two"), "{}", selected(&browser));
    assert_eq!(browser.text(".line.current .no"), "20");
    assert_eq!(browser.count(".failure"), 0);
    // The update that gets lost writes what is there already.
    browser.press("k");
    assert_eq!(browser.text(".line.current .no"), "11");
    assert_eq!(browser.text("tr.written"), "counter1 written, as before");
    browser.press("k");
    browser.press("k");
    assert_eq!(browser.text("tr.changed"), "counter0 → 1");
    browser.press(HOME);
    assert_eq!(browser.text(".counter"), "beginning");
    assert_eq!(browser.count(".line.current"), 0);
    browser.press(RIGHT);
    browser.press(DOWN);
    browser.press("j");
    assert_eq!(browser.text(".line.current .no"), "18");
    browser.press(END);
    assert_eq!(browser.count(".failure"), 1);

    // The mouse.
    browser.click("[aria-label='Step back']");
    browser.click("[aria-label='Step back']");
    assert_eq!(browser.text(".line.current .no"), "11");
    assert_eq!(browser.count("tr.written"), 1);
    browser.click(".row[data-position='2']");
    assert_eq!(browser.text(".line.current .no"), "17");
    assert!(browser.text(".values-frame h3").contains("After step 2"));
    browser.choose(".detail select", "steps");
    assert!(browser.text(".counter").ends_with("of 11"), "{}", browser.text(".counter"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The same sentences as on the terminal, below a heading, above the pictures.
#[test]
fn every_result_says_why() {
    let Some(browser) = Browser::start("why") else { return };
    let directory = Directory::new();
    let violated = report(&directory, &["-p", "assert", "examples/racy-counter.c"]);
    assert_sound(&browser, &violated);
    assert!(browser.text(".why").contains("what increment#2 wrote is lost"), "{}", browser.text(".why"));
    let heading = browser.run(
        "const why = document.querySelector('.why');
         return document.getElementById(why.getAttribute('aria-labelledby')).textContent + ' '
             + (why.compareDocumentPosition(document.querySelector('.run')) & Node.DOCUMENT_POSITION_FOLLOWING)",
    );
    assert_eq!(heading, Value::from("Why 4"), "labelled, and before the run");
    // A sentence leads to the step of which it speaks: here, where the old value is read.
    browser.click(".why button[aria-label='Go to line 11 of increment#3 in the run']");
    assert_eq!(browser.text(".line.current .no"), "11");
    assert!(selected(&browser).contains("increment#3"), "{}", selected(&browser));
    assert_eq!(browser.complaints(), Vec::<String>::new());

    let proved = report(&directory, &["-p", "assert", "--engine", "rely-guarantee", "examples/peterson.c"]);
    assert_sound(&browser, &proved);
    assert!(browser.text(".why").starts_with("WhyThe key: whenever"), "{}", browser.text(".why"));
    assert_eq!(browser.count(".why button"), 0);

    let endless = "var x: int = 0;\nthread A { while true { x := x + 1; } }\nnever x < 0;\n";
    let directory = directory.with("endless.rely", endless);
    let endless = directory.path("endless.rely").display().to_string();
    let stopped = report(&directory, &["--engine", "explore", "--memory", "1", &endless]);
    assert_sound(&browser, &stopped);
    let why = browser.text(".why");
    assert!(why.contains("Tried: the engine explore"), "{why}");
    assert!(!why.contains("the memory limit was reached"), "the headline says that already: {why}");
    assert!(browser.text(".headline").contains("the memory limit was reached"));
}

#[test]
fn locks_are_shown_with_their_owners() {
    let Some(browser) = Browser::start("locks") else { return };
    let directory = Directory::new();
    let page = report(&directory, &["--property", "deadlock", "examples/lock-order.c"]);
    assert_sound(&browser, &page);
    // In the end each of two threads has one of two locks and waits for the other.
    let held =
        browser.run("return [...document.querySelectorAll('.locks tr')].map((row) => row.textContent)");
    let held: Vec<&str> = held.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(held.iter().filter(|row| row.contains("held by")).count(), 2, "{held:?}");
    assert_eq!(browser.count(".failure li"), 3, "both wait, and so does who joins them");
    assert!(browser.count(".row .lane.holds") > 0);
    browser.press(HOME);
    assert_eq!(browser.count(".locks .tag"), 0);
    assert_eq!(browser.count(".locks tr"), 2);
}

#[test]
fn a_race_has_both_accesses_side_by_side() {
    let Some(browser) = Browser::start("race") else { return };
    let directory = Directory::new();
    let page = report(&directory, &["--property", "race", "examples/data-race.c"]);
    assert_sound(&browser, &page);
    let texts = |selector: &str| {
        let script =
            format!("return [...document.querySelectorAll('{selector}')].map((it) => it.textContent)");
        let texts = browser.run(&script);
        texts
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(texts(".row.race .text"), ["int shown = balance;", "balance += 5;"]);
    assert_eq!(browser.count(".row.race .lane.moves"), 2);
    assert_eq!(texts(".line.violated .no"), ["11", "19"]);
    assert_eq!(browser.count(".failure li"), 2);
    picture(&browser, "report-race.png");
    // Before, nothing has gone wrong yet.
    browser.press(LEFT);
    assert_eq!((browser.count(".line.violated"), browser.count(".row.race.selected")), (0, 0));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_proof_is_read_on_the_source() {
    let Some(browser) = Browser::start("proof") else { return };
    let directory = Directory::new();
    let page =
        report(&directory, &["--engine", "rely-guarantee", "--property", "assert", "examples/peterson.rely"]);
    assert_sound(&browser, &page);
    assert_eq!(browser.text(".verdict"), "safe");
    assert_eq!(browser.count(".thread-card"), 2);
    let line = ".line.asserted[data-line='16']";

    // Pointing shows, clicking keeps.
    assert_eq!(browser.count(".card:not([hidden])"), 0);
    browser.hover(line);
    assert_eq!(browser.count(".card:not([hidden]) .formula"), 1);
    assert!(browser.count(".line.disturbs") > 0, "lines of the other thread touch what holds here");
    assert!(browser.count(".arcs path") > 0);
    browser.click(line);
    assert_eq!(browser.count(".pinned .formula"), 1);
    assert!(browser.text(".pinned").contains("flag0"));
    browser.hover(".line.asserted[data-line='25']");
    picture(&browser, "report-proof.png");

    // The same with keys.
    browser.run(&format!("document.querySelector(\"{line}\").focus()"));
    browser.press(DOWN);
    browser.press(ENTER);
    assert_eq!(browser.count(".pinned"), 2);
    browser.press(ENTER);
    assert_eq!(browser.count(".pinned"), 1);
    browser.click(".pin-all");
    assert_eq!(browser.count(".pinned"), browser.count(".line.asserted"));
    assert_fits(&browser, 1600);
    browser.click(".pin-none");
    assert_eq!(browser.count(".pinned"), 0);

    // What the margin says, and which lines interfere.
    assert!(browser.count(".mover.writes") > 0);
    assert!(browser.count(".interference tbody tr") > 0);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn trees_fold_and_rounds_open() {
    let Some(browser) = Browser::start("trees") else { return };
    let directory = Directory::new();
    let page =
        report(&directory, &["--engine", "rely-guarantee", "--property", "assert", "examples/peterson.rely"]);
    browser.resize(1600, 1000);
    browser.open(&page);
    assert!(browser.count(".history figure circle") > 2, "every round has its point");
    assert_eq!(browser.count(".rounds details[open]"), 0);
    browser.click(".rounds summary");
    assert_eq!(browser.count(".rounds details[open]"), 1);
    assert!(browser.count(".rounds details[open] code") > 0);
    let all = browser.count(".tree-node");
    assert!(all > 2);
    browser.click(".tree-node .handle");
    assert_eq!(browser.count(".tree-node"), 1, "a folded root hides everything");
    browser.run("document.querySelector('.tree').focus()");
    browser.press(RIGHT);
    assert_eq!(browser.count(".tree-node"), all);
    browser.press(DOWN);
    assert!(browser.text(".node-detail").contains("after"));
    let texts = browser.run("return document.querySelector('.history-grid').textContent");
    assert!(!texts.to_string().contains("location "), "places have lines: {texts}");
    browser.run("document.querySelector('.flow-details').open = true");
    browser.click(".flow-rows button");
    assert!(browser.count(".flow-detail .formula") > 0);
    assert_fits(&browser, 1600);
    browser.run("document.querySelector('.history').scrollIntoView(); document.querySelector('.tree-box').scrollTop = 0");
    picture(&browser, "report-history.png");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Any number of workers that keep each other out by a lock.
const WORKERS: &str = "\
var count: int = 0;
var m: mutex;

start Main;

process Worker {
    lock(m);
    count := count + 1;
    cs: assert count == 1;
    count := count - 1;
    unlock(m);
}

process Main {
    while true {
        spawn Worker();
    }
}
";

#[test]
fn a_template_is_shown_with_its_places() {
    let Some(browser) = Browser::start("template") else { return };
    let directory = Directory::new();
    let model = directory.write("workers.rely", WORKERS);
    let page = report(&directory, &["--engine", "rely-guarantee", "--sections", "interleaved", &model]);
    assert_sound(&browser, &page);
    assert_eq!(browser.text(".verdict"), "safe");
    let card = ".thread-card:nth-of-type(2)";
    assert_eq!(browser.text(&format!("{card} h4")), "Worker any number of them");
    browser.click(&format!("{card} .flow-details summary"));
    let places = browser.count(&format!("{card} .flow-rows li"));
    assert!(places > 3, "{places}");
    assert_eq!(browser.count(&format!("{card} .flow-arcs circle")), places);
    // From place to place.
    browser.click(&format!("{card} .flow-rows li button"));
    let first = browser.text(&format!("{card} .flow-detail h5"));
    browser.click(&format!("{card} .flow-detail .leaving button"));
    assert_ne!(browser.text(&format!("{card} .flow-detail h5")), first);
    // The whole outline fits on a phone, too.
    browser.click(".pin-all");
    browser.resize(360, 740);
    assert_fits(&browser, 360);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn numbers_of_threads_are_a_diagram() {
    let Some(browser) = Browser::start("counting") else { return };
    let directory = Directory::new();
    let page = report_of(&directory, "certify", &["examples/counting.proof.json", "examples/counting.rely"]);
    assert_sound(&browser, &page);
    assert_eq!(browser.text(".verdict"), "safe");
    assert!(browser.text(".why").contains("In every state wait == #worker.{b, c} and count =="));
    assert_eq!(browser.count(".counting .invariant"), 2);
    assert_eq!(browser.count(".diagram"), 2);
    assert_eq!(browser.count(".counted-rows button"), 5, "each place has a counter");
    assert_eq!(browser.count(".diagram .node"), 5);
    assert_eq!(browser.count(".diagram .edge"), 4, "two edges of each thread");
    let marked = || browser.count(".counted-rows button.counted");
    let first = ".invariants li:nth-child(1) .invariant";

    // Pointing at an invariant shows what it counts, clicking keeps that.
    assert_eq!(marked(), 0);
    browser.hover(first);
    assert_eq!((marked(), browser.count(".diagram .node.counted")), (3, 3));
    browser.hover("h2");
    assert_eq!(marked(), 0);
    browser.click(first);
    browser.hover("h2");
    browser.run("document.activeElement.blur()");
    assert_eq!((marked(), browser.count(".invariant[aria-pressed='true']")), (3, 1));
    assert_readable(&browser);
    picture(&browser, "report-counting.png");

    // The same with keys.
    browser.run(&format!("document.querySelector(\"{first}\").focus()"));
    browser.press(DOWN);
    assert_eq!(marked(), 2, "the second invariant speaks of two places");
    browser.press(ENTER);
    browser.run("document.activeElement.blur()");
    assert_eq!((marked(), browser.count(".invariant[aria-pressed='true']")), (2, 1));

    // A place shows who counts it, and where one goes from there.
    let place = ".diagram:nth-of-type(2) .counted-rows li:nth-child(1) button";
    browser.run(&format!("document.querySelector(\"{place}\").focus()"));
    assert_eq!(browser.count(".invariant.counts"), 1);
    browser.press(ENTER);
    assert!(browser.text(".counting .leaving").contains("wait := wait + 1"));
    browser.click(".counting .leaving button");
    assert_eq!(browser.text(".counting .flow-detail h5"), "#worker.b");
    browser.resize(360, 740);
    assert_fits(&browser, 360);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// A block of the book's chapter about proofs that every run ends.
fn block_about_ends(language: &str) -> String {
    let book = fs::read_to_string(root().join("docs/src/proofs.md")).expect("the chapter exists");
    let section = book.split("## Proofs that every run ends").nth(1).expect("it has this section");
    let block = section.split(&format!("```{language}\n")).nth(1).and_then(|rest| rest.split("```").next());
    block.expect("it has such a block").to_owned()
}

#[test]
fn ranks_are_shown_with_their_places() {
    let Some(browser) = Browser::start("ranks") else { return };
    let directory = Directory::new();
    let model = directory.write("lowered-bound.rely", block_about_ends("rely"));
    let certificate = directory.write("lowered-bound.json", block_about_ends("json"));
    let page = report_of(&directory, "certify", &[&certificate, &model]);
    assert_sound(&browser, &page);
    assert_eq!(browser.text(".verdict"), "safe");
    assert!(browser.text(".why").contains("so every run ends"));
    assert!(browser.text(".ranks-summary").contains("get smaller with every step"));
    assert_eq!(browser.count(".ranks tbody tr"), 4);
    assert!(browser.text(".ranks").contains("(1, n - Counter.i)"));
    // The place of a rank leads to its line, and pinning the line keeps the rank there.
    browser.click(".ranks button.link");
    assert_eq!(
        browser.run("return document.activeElement.classList.contains('asserted')"),
        Value::Bool(true)
    );
    browser.press(ENTER);
    assert!(browser.text(".pinned .rank").contains("(1, n - Counter.i)"));
    assert_readable(&browser);
    browser.resize(360, 740);
    assert_fits(&browser, 360);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

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
