//! What goes into a page; what a browser makes of it is tested with the command.

use super::data::{Mover, Page, Section};

use super::{HtmlReport, Subject, margin, page, source::SourceTable};
use crate::explain::{Fact, Sentence};
use crate::finding::{Conclusion, Finding, Problem};
use crate::locks::locks;
use crate::phrase::Phrases;
use expect_test::{Expect, expect};
use rely_base::{Budget, Diagnostic, History, Id, Round, SourceMap, Span};
use rely_evidence::counting::Counting;
use rely_evidence::reduction::{self, Phase, Reduced};
use rely_evidence::{Claim, Exhausted, Proof, Reduction, Verdict, check};
use rely_passes::{BackMap, Restored};
use rely_program::{
    Expr, Goal, Op, Place, Program, ProgramBuilder, Property, PropertyKind, SlotId, Sort, ThreadKind, Trace,
    TraceStep, Violation,
};
use serde_json::Value;
use std::time::Duration;

const SOURCE: &str = "\
lock(m);
x := x + 1;
unlock(m);
t := t + 1;
";

/// Two threads that increment `x` under the lock `m`, and then a local of their own. It is claimed
/// that `x` is never two.
fn program() -> (Program, SourceMap) {
    let mut sources = SourceMap::new();
    let file = sources.add("lock.rely", SOURCE);
    let span = |text: &str| {
        let start = SOURCE.find(text).expect("there") as u32;
        Some(Span { file, start, end: start + text.len() as u32 })
    };
    let mut builder = ProgramBuilder::new("lock");
    let x = builder.global("x", Sort::Int, 0);
    let m = builder.global("m", Sort::Int, 0);
    for name in ["A", "B"] {
        let thread = builder.thread(name, ThreadKind::Instance { running: true });
        let t = builder.local(thread, "t", Sort::Int, 0);
        let increment = |var| Op::assign(Place::Scalar(var), Expr::var(var).add(Expr::int(1)));
        let take = vec![Op::wait(Expr::var(m).eq(Expr::int(0))), Op::assign(Place::Scalar(m), Expr::This)];
        let release = vec![Op::assign(Place::Scalar(m), Expr::int(0))];
        let places: Vec<_> = (0..3).map(|_| builder.location(thread, None)).collect();
        builder.edge(builder.entry(thread), places[0], take, span("lock(m);"));
        builder.edge(places[0], places[1], vec![increment(x)], span("x := x + 1;"));
        builder.edge(places[1], places[2], release, span("unlock(m);"));
        builder.edge(places[2], builder.exit(thread), vec![increment(t)], span("t := t + 1;"));
    }
    let kind = PropertyKind::Always(Expr::var(x).ne(Expr::int(2)));
    builder.property(Property { kind, span: None });
    (builder.finish().expect("well formed"), sources)
}

/// A increments, then B does.
fn verdict(program: &Program) -> Verdict {
    let edges: Vec<_> = program.edges().ids().collect();
    let step = |slot: usize, edge: usize| TraceStep {
        slot: SlotId::from_index(slot),
        edge: edges[edge],
        choices: Vec::new(),
    };
    let steps = vec![step(0, 0), step(0, 1), step(0, 2), step(1, 4), step(1, 5)];
    let trace = Trace { initial: Vec::new(), steps, violation: Violation::Property(0) };
    check(program, Goal::Assert, Claim::Unsafe(trace), &Budget::unlimited()).into_verdict()
}

fn report(file: &str) -> String {
    let (program, sources) = program();
    let verdict = verdict(&program);
    let finding = Finding {
        accepted: None,
        property: Goal::Assert,
        engine: "by hand".to_owned(),
        decided_by: None,
        conclusion: Conclusion::new(&verdict, &program, &sources),
        explanation: Vec::new(),
        race_pairs: None,
        race_freedom: None,
        trusted: vec!["use_ranges".to_owned()],
        assumptions: vec!["an-assumption".to_owned()],
        statistics: vec![("states".to_owned(), 12)],
        time: Duration::from_millis(20),
    };
    let round = Round { headline: "1 new predicate".to_owned(), counts: Vec::new(), found: Vec::new() };
    let history = History { rounds: vec![round], trees: Vec::new() };
    let subject = Subject {
        is_told: true,
        program: &program,
        sources: &sources,
        prepared: &program,
        back: &BackMap::identity(),
        verdict: &verdict,
        history: &history,
        explanation: &[Sentence {
            text: "Because of <this>.".to_owned(),
            facts: vec![
                Fact::Test { step: 3 },
                Fact::Waits { thread: "A".to_owned(), what: None, whom: None },
            ],
        }],
        blocks: None,
    };
    let mut report = HtmlReport::new("0.0.0");
    report.add(file, &finding, &subject);
    report.render()
}

/// The data of a page.
fn data(page: &str) -> Value {
    let start = page.split("id=\"data\">").nth(1).expect("there is data");
    serde_json::from_str(start.split("</script>").next().expect("it ends")).expect("it is JSON")
}

fn check_json(value: &Value, expected: &Expect) {
    expected.assert_eq(&value.to_string());
}

#[test]
fn a_run_has_changes_places_and_locks() {
    let page = report("lock.rely");
    let data = data(&page);
    let section = &data["sections"][0];
    check_json(&section["headline"], &expect![[r#""`x != 2` does not hold""#]]);
    check_json(&section["why"], &expect![[r#"[{"steps":[3],"text":"Because of <this>."}]"#]]);
    assert!(page.contains("Because of &lt;this&gt;</li>"), "without a script, too");
    let run = &section["run"];
    check_json(
        &run["cells"],
        &expect![[
            r#"[{"hidden":false,"lock":false,"name":"x","owner":null},{"hidden":false,"lock":true,"name":"m","owner":null},{"hidden":false,"lock":false,"name":"t","owner":0},{"hidden":false,"lock":false,"name":"t","owner":1}]"#
        ]],
    );
    check_json(&run["initial"], &expect![[r#"[[0,"0"],[1,"0"],[2,"0"],[3,"0"]]"#]]);
    check_json(
        &run["steps"],
        &expect![[
            r#"[{"a":[[0,[0,2]]],"e":0,"r":[["m","free"]],"t":0,"w":[[1,"1"]]},{"a":[[0,[0,3]]],"e":1,"r":[["x","0"]],"t":0,"w":[[0,"1"]]},{"a":[[0,[0,4]]],"e":2,"t":0,"w":[[1,"0"]]},{"a":[[1,[0,2]]],"e":3,"r":[["m","free"]],"t":1,"w":[[1,"2"]]},{"a":[[1,[0,3]]],"e":4,"r":[["x","1"]],"t":1,"w":[[0,"2"]]}]"#
        ]],
    );
    check_json(&run["starts"], &expect![[r#"[0,1,2,3,4]"#]]);
    check_json(&section["history"]["rounds"][0]["headline"], &expect![[r#""1 new predicate""#]]);
    check_json(&data["sources"][0]["parts"][0]["lines"][1], &expect![[r#""x := x + 1;""#]]);
}

/// What stands in the margin beside each line, and the lines of each block.
fn margin_for(proof: &Proof) -> (Vec<(u32, Mover)>, Vec<Vec<u32>>) {
    let (program, sources) = program();
    let verdict = verdict(&program);
    let subject = Subject {
        is_told: true,
        program: &program,
        sources: &sources,
        prepared: &program,
        back: &BackMap::identity(),
        verdict: &verdict,
        history: &History::default(),
        explanation: &[],
        blocks: None,
    };
    let mut table = SourceTable::default();
    table.add_program(&program, &sources);
    let margin = margin::margin(proof, &subject, &table);
    assert_eq!(margin.reduced, matches!(proof, Proof::Reduced(_)));
    let movers = margin.movers.iter().map(|((_, line), mover)| (*line, *mover)).collect();
    (movers, margin.blocks.into_iter().map(|block| block.lines).collect())
}

fn exhausted() -> Proof {
    Proof::Exhausted(Exhausted { states: 1, transitions: 0, reduction: Reduction::None, visited: None })
}

#[test]
fn a_reduction_says_how_lines_move_and_which_are_a_block() {
    let (program, _) = program();
    let mut reduced = Reduced {
        forgotten: Vec::new(),
        held: Counting::default(),
        inside: Vec::new(),
        movers: Vec::new(),
        proof: Box::new(exhausted()),
    };
    for thread in program.threads().ids() {
        let own = |location| program.locations()[location].thread == thread;
        let edges: Vec<_> =
            program.edges().iter().filter(|(_, edge)| own(edge.source)).map(|(id, _)| id).collect();
        let targets: Vec<_> = edges.iter().map(|&edge| program.edges()[edge].target).collect();
        reduced.inside.extend([(targets[0], Phase::BeforeCommit), (targets[1], Phase::AfterCommit)]);
        let movers = [reduction::Mover::Right, reduction::Mover::Both, reduction::Mover::Left];
        reduced.movers.extend(edges.into_iter().zip(movers));
    }
    let (movers, blocks) = margin_for(&Proof::Reduced(reduced.clone()));
    let expected = [(1, Mover::Right), (2, Mover::Both), (3, Mover::Left), (4, Mover::None)];
    assert_eq!(movers, expected);
    assert_eq!(blocks, [[1, 2, 3]]);
    // Two threads do the same lines: a line moves as far as the steps of both.
    reduced.movers[0].1 = reduction::Mover::Left;
    reduced.movers[1].1 = reduction::Mover::Left;
    let (movers, _) = margin_for(&Proof::Reduced(reduced));
    assert_eq!(movers[..2], [(1, Mover::None), (2, Mover::Left)]);
}

#[test]
fn lines_say_whether_their_steps_move_freely() {
    let (movers, _) = margin_for(&exhausted());
    let expected = [(1, Mover::Writes), (2, Mover::Writes), (3, Mover::Writes), (4, Mover::Free)];
    assert_eq!(movers, expected);
}

/// Whether a variable to which one thread does this, beside taking and releasing it, is a lock.
fn is_lock(more: impl Fn(Place) -> Vec<Op>) -> bool {
    let mut builder = ProgramBuilder::new("lock");
    let m = builder.global("m", Sort::Int, 0);
    let thread = builder.thread("A", ThreadKind::Instance { running: true });
    let place = || Place::Scalar(m);
    let take = vec![Op::wait(Expr::var(m).eq(Expr::int(0))), Op::assign(place(), Expr::This)];
    let ends = (builder.entry(thread), builder.exit(thread));
    builder.edge(ends.0, ends.1, take, None);
    builder.edge(ends.0, ends.1, vec![Op::assign(place(), Expr::int(0))], None);
    builder.edge(ends.0, ends.1, more(place()), None);
    let program = builder.finish().expect("well formed");
    locks(&program).contains(&m)
}

#[test]
fn what_is_only_taken_and_released_is_a_lock() {
    assert!(is_lock(|_| Vec::new()));
    // Trying to take it is fine.
    assert!(is_lock(|m| {
        let (is_free, owner) = (m.read().eq(Expr::int(0)), m.read());
        vec![Op::assign(m, Expr::ite(is_free, Expr::This, owner))]
    }));
    // Taking it by force, or setting it to anything else, is not.
    assert!(!is_lock(|m| vec![Op::assign(m, Expr::This)]));
    assert!(!is_lock(|m| vec![Op::assign(m, Expr::int(3))]));
    assert!(!is_lock(|m| {
        let is_free = Op::wait(m.read().eq(Expr::int(0)));
        vec![is_free, Op::assign(m.clone(), Expr::int(0)), Op::assign(m, Expr::This)]
    }));
}

const HOSTILE: &str = "</script><img src=x onerror=alert(1)><!--{{script}}";

#[test]
fn no_text_leaves_its_place() {
    let plain = report("lock.rely");
    let hostile = report(HOSTILE);
    for dangerous in ["<img", "</script", "<!--", "<script"] {
        let count = |page: &str| page.matches(dangerous).count();
        assert_eq!(count(&plain), count(&hostile), "{dangerous}");
    }
    assert_eq!(data(&hostile)["sections"][0]["file"], HOSTILE);
}

#[test]
fn escaped_text_is_only_text() {
    assert_eq!(page::escape_html("<a & \"b's\">"), "&lt;a &amp; &quot;b&#39;s&quot;&gt;");
}

#[test]
fn what_is_no_program_is_reported_too() {
    let mut sources = SourceMap::new();
    let file = sources.add("bad.c", "int main( {\n");
    let diagnostic =
        Diagnostic::error("a parenthesis is missing").at(Span { file, start: 9, end: 10 }, "here");
    let mut report = HtmlReport::new("0.0.0");
    report.add_problem("bad.c", &Problem::new(vec![diagnostic], sources));
    let page = report.render();
    check_json(&data(&page)["sections"][0]["errors"], &expect![[r#"["line 1: a parenthesis is missing"]"#]]);
    assert!(page.contains("<li>bad.c: error (input). line 1: a parenthesis is missing</li>"));
}

#[test]
fn a_page_without_results_is_a_page() {
    let page = page::render(&Page { rely: "0.0.0", sources: Vec::new(), sections: &[] as &[Section] });
    assert!(page.contains("<title>0 results – Rely</title>"));
    assert!(!page.contains("{{"), "every mark of the template is replaced");
}

#[test]
fn places_in_texts_of_engines_get_lines() {
    let (program, sources) = program();
    let restored = Restored::unchanged(&program);
    let phrases = Phrases::new(&restored, &sources);
    let told = phrases.with_places("B at location 2 or location 99; at a location x");
    assert!(told.starts_with("B at line ") && told.ends_with(" or location 99; at a location x"), "{told}");
}
