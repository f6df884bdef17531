//! Random models that use locks: nested and unbalanced ones, tried ones, in arrays by a constant and by an index that is
//! not known, given back by somebody else, hand-written spin locks, semaphores, read-write locks, flags that look like
//! locks and are not, and accesses outside of everything.

use rely_base::Random;
use std::fmt::Write;

/// The model of a seed.
pub fn model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::from(
        "var m, n: mutex;\nvar spin, flag, sem, rw, readers, writer: int = 0;\nvar locks: int[2] = 0;\n\
         var x, y: int = 0;\nvar cells: int[2] = 0;\n\n",
    );
    if random.percent(50) {
        text = text.replace("sem, ", "").replace("\n\n", "\nvar sem: int = 1;\n\n");
    }
    for thread in ["A", "B", "C"].iter().take(2 + usize::from(random.percent(35))) {
        let _ = writeln!(text, "thread {thread} {{\n    local r, i: int = 0;");
        for _ in 0..1 + random.below(2) {
            section(&mut random, &mut text, 2);
        }
        text.push_str("}\n\n");
    }
    text.push_str(match random.below(6) {
        0 => "ensures x == y;\n",
        1 => "ensures x != 2;\n",
        2 => "never x == 1 && y == 1;\n",
        3 => "ensures x + y <= 3;\n",
        4 => "invariant x <= 2;\n",
        _ => "",
    });
    text
}

/// How a section begins and ends.
const SECTIONS: [(&str, &str); 14] = [
    ("lock(m);", "unlock(m);"),
    ("lock(n);", "unlock(n);"),
    ("await spin == 0 do { spin := 1; }", "spin := 0;"),
    ("await spin == 0 do { spin := 1; }", "spin := 0;"),
    // No lock: others come in between.
    ("await flag == 0; flag := 1;", "flag := 0;"),
    ("await sem > 0 do { sem := sem - 1; }", "sem := sem + 1;"),
    ("await locks[0] == 0 do { locks[0] := 1; }", "locks[0] := 0;"),
    ("await locks[1] == 0 do { locks[1] := 1; }", "locks[1] := 0;"),
    ("havoc i in 0..1; await locks[i] == 0 do { locks[i] := 1; }", "locks[i] := 0;"),
    ("await writer == 0 do { readers := readers + 1; }", "readers := readers - 1;"),
    ("await writer == 0 && readers == 0 do { writer := 1; }", "writer := 0;"),
    // One number for both: how many read, or that somebody writes.
    ("await rw >= 0 do { rw := rw + 1; }", "rw := rw > 0 ? rw - 1 : 0;"),
    ("await rw == 0 do { rw := -1; }", "rw := rw > 0 ? rw - 1 : 0;"),
    // Only tried: what follows is done whether the lock was free or not.
    ("atomic { if spin == 0 { spin := 1; r := 7; } }", "if r == 7 { spin := 0; r := 0; }"),
];

fn section(random: &mut Random, text: &mut String, depth: u32) {
    let (begin, end) = *random.pick(&SECTIONS);
    let _ = writeln!(text, "    {begin}");
    for _ in 0..1 + random.below(2) {
        if depth > 0 && random.percent(15) {
            section(random, text, depth - 1);
        } else {
            statement(random, text);
        }
    }
    match random.below(20) {
        // Not given back on every way, or not at all, or by somebody who may not hold it.
        0 => {
            let _ = writeln!(text, "    if r == 0 {{ {end} }}");
        }
        1 => {}
        2 => text.push_str("    spin := 0;\n"),
        _ => {
            let _ = writeln!(text, "    {end}");
        }
    }
    if random.percent(20) {
        statement(random, text);
    }
}

fn statement(random: &mut Random, text: &mut String) {
    const STATEMENTS: [&str; 18] = [
        "x := x + 1;",
        "x := x + 1;",
        "y := y + 1;",
        "r := x; x := r + 1;",
        "r := y; y := r + 1;",
        "x := 2 * x;",
        "x := 1;",
        "y := x;",
        "assert x <= 2;",
        "assert x >= y || x == 0;",
        "cells[0] := cells[0] + 1;",
        "cells[i] := x;",
        "assert cells[0] <= 1;",
        "await x > 0;",
        "x := x - 1;",
        "if x > 1 { y := 0; }",
        // What only assumptions look at is forgotten, which may be too much.
        "y := y + 1; assume y <= 2;",
        "assume y <= x;",
    ];
    let _ = writeln!(text, "    {}", random.pick(&STATEMENTS));
}
