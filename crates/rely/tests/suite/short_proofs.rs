//! Printed proofs are read by people: they fit on a screen, and speak of the variables of the source.

use crate::support::{rely_in_root, text};

/// The lines of what is said of a program whose assertions hold.
fn lines(arguments: &[&str]) -> Vec<String> {
    let output = rely_in_root(&[&["check", "-q"], arguments].concat());
    let said = text(&output.stdout);
    assert!(said.contains(": safe"), "{said}");
    said.lines().map(str::to_owned).collect()
}

#[test]
fn what_two_threads_add_up_to_fits_on_a_screen() {
    let properties: [&[&str]; 2] = [&["-p", "assert"], &[]];
    for property in properties {
        let said = lines(&[property, &["--proof", "examples/count-together.c"]].concat());
        assert!(said.len() <= 40, "{} lines:\n{}", said.len(), said.join("\n"));
        let all = said.join("\n");
        assert!(all.contains("counter == count.i + count#2.i") && !all.contains('$'), "{all}");
    }
    let full = lines(&["-p", "assert", "--proof=full", "examples/count-together.c"]);
    assert!(full.len() > 100, "{}", full.join("\n"));
}

/// Examples of each kind, most of which have long proofs.
#[test]
fn proofs_are_short() {
    let examples =
        ["peterson.rely", "mutex-counter.c", "lock-id.rely", "once.c", "spinlock.c", "locked-counter.rely"];
    for example in examples {
        let said = lines(&["-p", "assert", "--proof", &format!("examples/{example}")]);
        let proof = said.iter().skip_while(|line| !line.is_empty()).count() - 1;
        assert!(proof <= 25, "{example}: {proof} lines:\n{}", said.join("\n"));
    }
}

#[test]
fn the_key_has_three_lines_at_most() {
    let said = lines(&["-p", "assert", "--explain", "examples/count-together.c"]);
    let start = said.iter().position(|line| line.contains("The key: ")).expect("there is a key");
    let end = said[start..].iter().position(|line| line.trim_end().ends_with("do.")).expect("its end");
    assert!(end < 3, "{}", said.join("\n"));
}
