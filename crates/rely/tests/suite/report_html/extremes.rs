//! Reports of hostile, long and large programs.

use super::*;

/// Text that would do harm if it became part of the page.
const HOSTILE: &str = "</script><img src=x onerror=window.harm=1><script>window.harm=1</script><!--";

#[test]
fn no_text_becomes_part_of_the_page() {
    let Some(browser) = Browser::start("hostile") else { return };
    let directory = Directory::new();
    let model = format!(
        "// {HOSTILE}\nvar x: int = 0;\n\nthread A {{\n  x := 1; /* {HOSTILE} */\n  assert x == 2 /* {HOSTILE} */ ;\n}}\n"
    );
    // A file name cannot have a slash in it.
    let name = HOSTILE.replace('/', "&#x2f;").replace("window.harm=1", "alert(1)");
    let file = directory.write(&format!("{name}.rely"), &model);
    let page = report(&directory, &[&file]);
    assert_sound(&browser, &page);
    assert_eq!(browser.run("return window.harm === undefined"), Value::Bool(true));
    assert_eq!(browser.count("img"), 0);
    assert_eq!(browser.count("script"), 2);
    assert_eq!(browser.text(".line[data-line='1'] code"), format!("// {HOSTILE}"));
    assert!(browser.text("h2").contains(&name));
}

/// A page must not be larger than this, even for a long program or a long run.
const MOST_BYTES: u64 = 5_000_000;

fn size(page: &Path) -> u64 {
    fs::metadata(page).expect("the page exists").len()
}

/// How long the page that was opened last took, for those who want to know: what depends on the
/// machine is told and not tested.
fn tell_opening_time(browser: &Browser, name: &str, page: &Path) {
    let script = "return [performance.getEntriesByType('navigation')[0].loadEventEnd, \
                  performance.getEntriesByName('first-contentful-paint').map((entry) => entry.startTime)[0]]";
    let times = browser.run(script);
    let milliseconds = |value: &Value| format!("{:.0} ms", value.as_f64().unwrap_or(f64::NAN));
    let (loaded, drawn) = (milliseconds(&times[0]), milliseconds(&times[1]));
    browser::tell(&format!("{name}: {} bytes, loaded after {loaded}, drawn after {drawn}", size(page)));
}

#[test]
fn a_long_run_stays_small_and_usable() {
    let directory = Directory::new();
    // What happens stands far below the beginning of the text.
    let model = "// A remark.\n".repeat(700)
        + "var x: int = 0;\nvar done: bool = false;\n\nthread Count {\n  while x < 2500 {\n    x := x + 1;\n  }\n  \
                 done := true;\n}\n\nthread Watch {\n  await done;\n  assert x < 2500;\n}\n";
    let page = report(&directory, &[&directory.write("long.rely", model)]);
    assert!(size(&page) < MOST_BYTES, "{} bytes", size(&page));
    let Some(browser) = Browser::start("long-run") else { return };
    assert_sound(&browser, &page);
    tell_opening_time(&browser, "a long run", &page);
    let steps = browser
        .run("return JSON.parse(document.getElementById('data').textContent).sections[0].run.steps.length");
    assert!(steps.as_u64() > Some(5000), "{steps}");
    assert!(browser.count(".row") < 200, "only what can be seen exists");
    assert_eq!(browser.text("tr.changed, table.values tr"), "x2500");
    browser.press(HOME);
    browser.press(RIGHT);
    assert_eq!(browser.count(".row.selected"), 1);
    let is_visible = "
        const box = document.querySelector('.source').getBoundingClientRect();
        const line = document.querySelector('.line.current').getBoundingClientRect();
        return line.top >= box.top && line.bottom <= box.bottom;";
    assert_eq!(browser.run(is_visible), Value::Bool(true), "the line of the step can be seen");
}

#[test]
fn a_long_program_stays_small_and_usable() {
    let directory = Directory::new();
    let mut model = String::from("var x: int = 0;\nvar y: int = 0;\n");
    for (name, var) in [("A", "x"), ("B", "y")] {
        let lines = (0..1000).map(|number| format!("  {var} := {var} + {};\n", number % 7));
        model += &format!("thread {name} {{\n{}}}\n", lines.collect::<String>());
    }
    let page = report(&directory, &[&directory.write("long.rely", model)]);
    assert!(size(&page) < MOST_BYTES, "{} bytes", size(&page));
    let Some(browser) = Browser::start("long-program") else { return };
    assert_sound(&browser, &page);
    tell_opening_time(&browser, "a long program", &page);
    assert!(browser.count(".line") > 2000);
}

/// Ten threads at one line leave room for its text, at every width; the next write is found by keyboard.
#[test]
fn many_threads_at_one_line_do_not_squeeze_it() {
    let Some(browser) = Browser::start("crowd") else { return };
    let model = "var total: int = 0;\nthread Worker[10] {\n    local seen: int = 0;\n    seen := total;\n    \
                 total := seen + 1;\n}\nnever total == 1;\n";
    let directory = Directory::new().with("crowd.rely", model);
    let file = directory.path("crowd.rely").display().to_string();
    let page = report(&directory, &[&file]);
    assert_sound(&browser, &page);
    for width in [390, 1000, 1600] {
        browser.resize(width, 900);
        browser.open(&page);
        browser.press(HOME);
        assert_fits(&browser, width);
        let narrowest = browser.run(
            "return Math.min(...[...document.querySelectorAll('.line.has-thread code')].map((code) => code.clientWidth))",
        );
        let tags = browser.count(".stands");
        assert!(tags >= 10, "{tags} tags");
        assert!(narrowest.as_f64().is_some_and(|pixels| pixels > 90.0), "{narrowest} at {width}");
    }
    browser.press(HOME);
    browser.run("document.querySelector('[aria-label=\"Next write to total\"]').focus()");
    browser.press(ENTER);
    assert!(
        browser.text(".line.current code").contains("total := seen + 1"),
        "{}",
        browser.text(".line.current")
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Arrows lead from a write to the step of another thread that reads it; keys follow them, and go from write to write.
#[test]
fn arrows_and_keys_lead_from_reads_to_writes() {
    let Some(browser) = Browser::start("arrows") else { return };
    let directory = Directory::new();
    let page = report(&directory, &["-p", "assert", "examples/bounded-buffer-overwritten.c"]);
    assert_sound(&browser, &page);
    for width in [390, 1000, 1600] {
        browser.resize(width, 900);
        browser.open(&page);
        assert_fits(&browser, width);
        assert!(browser.count(".flow") >= 2, "{}", browser.count(".flow"));
        // The consumer reads what the producer has overwritten.
        browser.press(END);
        browser.press(LEFT);
        assert_eq!(browser.text(".line.current .no"), "28");
        assert!(browser.count(".flow.chosen") >= 1);
        assert!(browser.text(".origins").contains("buffer[0] is 3, from producer#2, line 18"));
        browser.press("r");
        assert_eq!(browser.text(".line.current .no"), "18");
        assert!(selected(&browser).contains("buffer[0] = 3"), "{}", selected(&browser));
        browser.press("p");
        assert!(selected(&browser).contains("produced = 2"), "{}", selected(&browser));
        browser.press("p");
        assert!(selected(&browser).contains("produced = 1"), "{}", selected(&browser));
        browser.press("n");
        assert!(selected(&browser).contains("produced = 2"), "{}", selected(&browser));
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
