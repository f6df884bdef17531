//! Pages with several results, and what other commands make of such pages.

use super::*;

#[test]
fn several_results_have_a_list() {
    let Some(browser) = Browser::start("several") else { return };
    let directory = Directory::new();
    let broken = directory.write("broken.rely", "thread T {\n  x := ;\n}\n");
    let engine = ["--engine", "explore", "--property", "assert,deadlock"];
    let files = ["examples/peterson.rely", "examples/mutex-counter.c", broken.as_str()];
    let page = report(&directory, &[&engine[..], &files[..]].concat());
    assert_sound(&browser, &page);
    assert_eq!(browser.count("#contents a"), 5);
    assert!(browser.text(".explored").contains("All reachable states were visited"));
    browser.click("#contents li:nth-child(3) a");
    assert!(browser.text("h2").contains("mutex-counter.c"));
    browser.click("#contents li:nth-child(5) a");
    assert_eq!(browser.text(".verdict"), "not a program");
    assert!(browser.text(".headline").contains("line 2"));
    for (width, height) in WIDTHS {
        browser.resize(width, height);
        assert_fits(&browser, width);
    }
    // Nothing is known, and the page says why and what to do.
    let page = report(
        &directory,
        &["--engine", "rely-guarantee", "--property", "deadlock", "examples/peterson.rely"],
    );
    assert_sound(&browser, &page);
    assert_eq!(browser.text(".verdict"), "unknown");
    assert!(browser.text(".advice").contains("What you could do"));
}

#[test]
fn the_page_of_a_benchmark_is_sound_too() {
    let Some(browser) = Browser::start("bench") else { return };
    let directory = Directory::new();
    directory.write("reach.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    for name in ["first", "a-second-task-with-a-name-that-is-longer-than-a-phone-is-wide"] {
        directory.write(
            &format!("{name}.rely"),
            "var x: int = 0;\n\nthread T {\n    x := 1;\n}\n\ninvariant x <= 1;\n",
        );
        let definition = format!(
            "format_version: '2.0'\ninput_files: '{name}.rely'\nproperties:\n  - property_file: reach.prp\n    \
             expected_verdict: true\n"
        );
        directory.write(&format!("{name}.yml"), &definition);
    }
    let [tasks, results] = ["", "out"].map(|name| directory.path(name).display().to_string());
    let output = rely_in_root(&["bench", &tasks, "--engine", "explore,rely-guarantee", "--output", &results]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_sound(&browser, &directory.path("out/results.html"));
    assert_eq!(browser.count("td.right"), 4);
}
