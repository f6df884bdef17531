//! Snapshots of whole reports.

use crate::finding::{Conclusion, FileReport, Finding, Kind, Problem, ViolationReport};
use crate::interleaving::{Interleaving, SourceRange, StepTaken};
use crate::{Detail, Style, render_file, render_json, render_run};
use expect_test::{Expect, expect};
use rely_base::{Diagnostic, Id, SourceMap, Span};
use rely_program::{
    Expr, Goal, Op, Outcome, Place as Target, Program, ProgramBuilder, Semantics, SlotId, Sort, State,
    ThreadKind,
};
use std::time::Duration;

const SOURCE: &str = "\
var x: int = 0;
thread A { local t: int = 0; t := x; x := t + 1; }
thread B { local t: int = 0; t := x; x := t + 1; }
ensures x == 2;
";

/// The program of `SOURCE`, with `threads` copies of its thread.
fn increments(threads: usize) -> (Program, SourceMap) {
    let mut sources = SourceMap::new();
    let file = sources.add("increment.rely", SOURCE);
    let mut builder = ProgramBuilder::new("increment");
    let x = builder.global("x", Sort::Int, 0);
    for number in 0..threads {
        let name = char::from(b'A' + number as u8).to_string();
        let thread = builder.thread(name, ThreadKind::Instance { running: true });
        let local = builder.local(thread, "t", Sort::Int, 0);
        let line = SOURCE.find(if number % 2 == 0 { "thread A" } else { "thread B" }).expect("there");
        let span = |text: &str| {
            let start = (line + SOURCE[line..].find(text).expect("there")) as u32;
            Some(Span { file, start, end: start + text.len() as u32 })
        };
        let middle = builder.location(thread, None);
        let read = Op::assign(Target::Scalar(local), Expr::var(x));
        let write = Op::assign(Target::Scalar(x), Expr::var(local).add(Expr::int(1)));
        builder.edge(builder.entry(thread), middle, vec![read], span("t := x;"));
        builder.edge(middle, builder.exit(thread), vec![write], span("x := t + 1;"));
    }
    (builder.finish().expect("well formed"), sources)
}

/// The run in which the threads of `schedule` move in this order.
fn run(program: &Program, sources: &SourceMap, schedule: &[usize]) -> Interleaving {
    let semantics = Semantics::new(program);
    let mut states: Vec<State> = vec![semantics.initial(&[]).expect("there is nothing to choose")];
    let mut taken = Vec::new();
    for &slot in schedule {
        let state = &states[states.len() - 1];
        let slot = SlotId::from_index(slot);
        let edge = program.outgoing(state.location(slot).expect("it runs"))[0];
        let Ok(Outcome::Moved(next)) = semantics.step(state, slot, edge, &[]) else { panic!("it moves") };
        states.push(next);
        taken.push((slot, edge));
    }
    let steps = taken.iter().zip(&states[1..]);
    let steps = steps.map(|(&(slot, edge), after)| StepTaken { slot, edge, after: Some(after) });
    Interleaving::of_run(program, sources, &states[0], steps)
}

fn check_run(threads: usize, schedule: &[usize], detail: Detail, expected: &Expect) {
    let (program, sources) = increments(threads);
    let table = render_run(&run(&program, &sources, schedule), &[], detail, Style::PLAIN);
    assert!(table.lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= 80), "{table}");
    // Snapshots lose an indentation that all lines have in common.
    expected.assert_eq(&format!("run\n{table}"));
}

#[test]
fn each_thread_has_a_column() {
    check_run(
        2,
        &[1, 0, 0, 1],
        Detail::Compact,
        &expect![[r#"
            run
              line │ A           │ B           │ values
              ─────┼─────────────┼─────────────┼───────
                 3 │             │ t := x;     │ t = 0
                 2 │ t := x;     │             │ t = 0
                 2 │ x := t + 1; │             │ x = 1
                 3 │             │ x := t + 1; │ x = 1
        "#]],
    );
}

#[test]
fn all_steps_with_operations_and_old_values() {
    check_run(
        2,
        &[0, 1, 0],
        Detail::Full,
        &expect![[r#"
            run
              initially x = 0, A.t = 0, B.t = 0
              line │ A           │ B       │ values
              ─────┼─────────────┼─────────┼──────────────────────
                 2 │ t := x;     │         │ [t := x] t: 0 → 0
                 3 │             │ t := x; │ [t := x] t: 0 → 0
                 2 │ x := t + 1; │         │ [x := t + 1] x: 0 → 1
        "#]],
    );
}

#[test]
fn threads_that_do_not_move_have_no_column() {
    check_run(
        3,
        &[2, 2],
        Detail::Compact,
        &expect![[r#"
            run
              line │ C           │ values
              ─────┼─────────────┼───────
                 2 │ t := x;     │ t = 0
                 2 │ x := t + 1; │ x = 1
        "#]],
    );
}

#[test]
fn many_threads_share_a_column() {
    check_run(
        7,
        &[6, 5, 4, 3, 2, 1, 0],
        Detail::Compact,
        &expect![[r#"
            run
              line │ thread │ statement │ values
              ─────┼────────┼───────────┼───────
                 2 │ G      │ t := x;   │ t = 0
                 3 │ F      │ t := x;   │ t = 0
                 2 │ E      │ t := x;   │ t = 0
                 3 │ D      │ t := x;   │ t = 0
                 2 │ C      │ t := x;   │ t = 0
                 3 │ B      │ t := x;   │ t = 0
                 2 │ A      │ t := x;   │ t = 0
        "#]],
    );
}

#[test]
fn a_run_without_steps() {
    check_run(
        1,
        &[],
        Detail::Compact,
        &expect![[r#"
            run
              (no step is needed)
        "#]],
    );
}

#[test]
fn long_statements_are_wrapped_and_cut() {
    let mut told = {
        let (program, sources) = increments(3);
        run(&program, &sources, &[0, 1, 0, 2])
    };
    told.steps[1].statement = "if (some_condition_with_a_long_name && another_one || a_third) { ".repeat(3);
    told.steps[2].writes[0].new = "170141183460469231731687303715884105727".to_owned();
    expect![[r#"
        run
          line │ A           │ B                      │ C       │ values
          ─────┼─────────────┼────────────────────────┼─────────┼───────────────────────
             2 │ t := x;     │                        │         │ t = 0
             3 │             │ if                     │         │ t = 0
               │             │ (                      │         │
               │             │ some_condition_with_a… │         │
             2 │ x := t + 1; │                        │         │ x =
               │             │                        │         │ 1701411834604692317316
               │             │                        │         │ 87303715884105727
             2 │             │                        │ t := x; │ t = 1
    "#]]
    .assert_eq(&format!("run\n{}", render_run(&told, &[], Detail::Compact, Style::PLAIN)));
}

fn finding(conclusion: Kind) -> Finding {
    let trusted = match conclusion {
        Kind::Safe { .. } => ["use_ranges", "compress"].map(str::to_owned).to_vec(),
        Kind::Unsafe { .. } | Kind::Unknown { .. } | Kind::Nothing { .. } => Vec::new(),
    };
    Finding {
        accepted: None,
        property: Goal::Assert,
        engine: "explore".to_owned(),
        decided_by: None,
        conclusion: Conclusion(conclusion),
        explanation: Vec::new(),
        race_pairs: None,
        race_freedom: None,
        trusted,
        assumptions: ["sequential-consistency", "no-signed-overflow"].map(str::to_owned).to_vec(),
        statistics: vec![("states".to_owned(), 42), ("transitions".to_owned(), 77)],
        time: Duration::from_millis(1234),
    }
}

fn reports() -> Vec<FileReport> {
    let (program, sources) = increments(2);
    let violation = ViolationReport {
        kind: "property".into(),
        message: "`ensures x == 2` does not hold at the end".to_owned(),
        place: Some(SourceRange {
            file: "increment.rely".to_owned(),
            line: 4,
            column: 1,
            end_line: 4,
            end_column: 16,
        }),
        waiting: vec![],
        race: None,
    };
    let evidence = "all 42 states explored, confirmed without reduction".to_owned();
    let safe = Kind::Safe { evidence, modular: false };
    let refuted = Kind::Unsafe {
        evidence: "a run of 4 steps, replayed".to_owned(),
        violation,
        run: run(&program, &sources, &[0, 1, 0, 1]),
    };
    let unknown = Kind::Unknown {
        reason: "the time limit was reached".to_owned(),
        advice: Some("allow more time with `--timeout`, or make the state space smaller".to_owned()),
    };
    let place = Span { file: rely_base::FileId::from_index(0), start: 7, end: 10 };
    let diagnostic = Diagnostic::error("there is no type `int`").at(place, "not a type").help("think");
    let outcomes = [
        Ok(vec![finding(safe), finding(unknown)]),
        Ok(vec![finding(refuted)]),
        Err(Problem::new(vec![diagnostic], sources)),
    ];
    let names = ["peterson.c", "increment.rely", "bad.rely"];
    let named = names.into_iter().zip(outcomes);
    named.map(|(file, outcome)| FileReport::new(file.to_owned(), outcome)).collect()
}

#[test]
fn findings_as_text() {
    let text: Vec<String> =
        reports().iter().map(|report| render_file(report, Detail::Compact, Style::PLAIN)).collect();
    expect![[r#"
        peterson.c: unknown
          assert       safe: all 42 states explored, confirmed without reduction
          assert       unknown: the time limit was reached; next: allow more time with
                       `--timeout`, or make the state space smaller
          assumptions  sequential-consistency, no-signed-overflow
          trusted      use_ranges, compress
          time         2.47 s

        increment.rely: unsafe (assert)
          violation    increment.rely:4: `ensures x == 2` does not hold at the end

          line │ A           │ B           │ values
          ─────┼─────────────┼─────────────┼───────
             2 │ t := x;     │             │ t = 0
             3 │             │ t := x;     │ t = 0
             2 │ x := t + 1; │             │ x = 1
             3 │             │ x := t + 1; │ x = 1

          evidence     a run of 4 steps, replayed
          engine       explore
          assumptions  sequential-consistency, no-signed-overflow
          time         1.23 s

        Error: there is no type `int`
           ╭─[ increment.rely:1:8 ]
           │
         1 │ var x: int = 0;
           │        ─┬─
           │         ╰─── not a type
           │
           │ Help: think
        ───╯
    "#]]
    .assert_eq(&text.join("\n"));
}

#[test]
fn findings_as_json() {
    expect![[r#"
        {
          "exit_code": 3,
          "files": [
            {
              "file": "peterson.c",
              "notes": [],
              "results": [
                {
                  "assumptions": [
                    "sequential-consistency",
                    "no-signed-overflow"
                  ],
                  "engine": "explore",
                  "evidence": "all 42 states explored, confirmed without reduction",
                  "modular": false,
                  "property": "assert",
                  "seconds": 1.234,
                  "statistics": {
                    "states": 42,
                    "transitions": 77
                  },
                  "trusted": [
                    "use_ranges",
                    "compress"
                  ],
                  "verdict": "safe"
                },
                {
                  "advice": "allow more time with `--timeout`, or make the state space smaller",
                  "assumptions": [
                    "sequential-consistency",
                    "no-signed-overflow"
                  ],
                  "engine": "explore",
                  "fingerprint": "84eee34f447f6acf16860bd9163db0f7",
                  "property": "assert",
                  "reason": "the time limit was reached",
                  "seconds": 1.234,
                  "statistics": {
                    "states": 42,
                    "transitions": 77
                  },
                  "verdict": "unknown"
                }
              ],
              "verdict": "unknown"
            },
            {
              "file": "increment.rely",
              "notes": [],
              "results": [
                {
                  "assumptions": [
                    "sequential-consistency",
                    "no-signed-overflow"
                  ],
                  "engine": "explore",
                  "evidence": "a run of 4 steps, replayed",
                  "fingerprint": "86694ad4b293ab23f2161b6628e1b65f",
                  "interleaving": {
                    "initial": [
                      {
                        "chosen": false,
                        "value": "0",
                        "variable": "x"
                      },
                      {
                        "chosen": false,
                        "value": "0",
                        "variable": "A.t"
                      },
                      {
                        "chosen": false,
                        "value": "0",
                        "variable": "B.t"
                      }
                    ],
                    "steps": [
                      {
                        "essential": true,
                        "operations": "t := x",
                        "place": {
                          "column": 30,
                          "end_column": 37,
                          "end_line": 2,
                          "file": "increment.rely",
                          "line": 2
                        },
                        "reads": [
                          {
                            "value": "0",
                            "variable": "x"
                          }
                        ],
                        "statement": "t := x;",
                        "thread": 0,
                        "writes": [
                          {
                            "new": "0",
                            "old": "0",
                            "variable": "t"
                          }
                        ]
                      },
                      {
                        "essential": true,
                        "operations": "t := x",
                        "place": {
                          "column": 30,
                          "end_column": 37,
                          "end_line": 3,
                          "file": "increment.rely",
                          "line": 3
                        },
                        "reads": [
                          {
                            "value": "0",
                            "variable": "x"
                          }
                        ],
                        "statement": "t := x;",
                        "thread": 1,
                        "writes": [
                          {
                            "new": "0",
                            "old": "0",
                            "variable": "t"
                          }
                        ]
                      },
                      {
                        "essential": true,
                        "operations": "x := t + 1",
                        "place": {
                          "column": 38,
                          "end_column": 49,
                          "end_line": 2,
                          "file": "increment.rely",
                          "line": 2
                        },
                        "reads": [],
                        "statement": "x := t + 1;",
                        "thread": 0,
                        "writes": [
                          {
                            "new": "1",
                            "old": "0",
                            "variable": "x"
                          }
                        ]
                      },
                      {
                        "essential": true,
                        "operations": "x := t + 1",
                        "place": {
                          "column": 38,
                          "end_column": 49,
                          "end_line": 3,
                          "file": "increment.rely",
                          "line": 3
                        },
                        "reads": [],
                        "statement": "x := t + 1;",
                        "thread": 1,
                        "writes": [
                          {
                            "new": "1",
                            "old": "1",
                            "variable": "x"
                          }
                        ]
                      }
                    ],
                    "threads": [
                      "A",
                      "B"
                    ]
                  },
                  "property": "assert",
                  "seconds": 1.234,
                  "statistics": {
                    "states": 42,
                    "transitions": 77
                  },
                  "verdict": "unsafe",
                  "violation": {
                    "kind": "property",
                    "message": "`ensures x == 2` does not hold at the end",
                    "place": {
                      "column": 1,
                      "end_column": 16,
                      "end_line": 4,
                      "file": "increment.rely",
                      "line": 4
                    },
                    "waiting": []
                  }
                }
              ],
              "verdict": "unsafe"
            },
            {
              "errors": [
                {
                  "help": "think",
                  "label": "not a type",
                  "message": "there is no type `int`",
                  "place": {
                    "column": 8,
                    "file": "increment.rely",
                    "line": 1
                  }
                }
              ],
              "file": "bad.rely"
            }
          ],
          "format": "rely-report",
          "rely": "0.0.0",
          "version": 2
        }
    "#]]
    .assert_eq(&render_json(&reports(), "0.0.0", 3));
}

#[test]
fn colour_changes_only_the_looks() {
    let colored = Style { color: true, ..Style::PLAIN };
    let text = |style| render_file(&reports()[1], Detail::Compact, style);
    let mut plain = String::new();
    let mut is_escape = false;
    for character in text(colored).chars() {
        match character {
            '\x1b' => is_escape = true,
            'm' if is_escape => is_escape = false,
            _ if is_escape => {}
            other => plain.push(other),
        }
    }
    assert_eq!(plain, text(Style::PLAIN));
    assert_ne!(text(colored), text(Style::PLAIN));
}
