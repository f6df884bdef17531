//! Programs that grow with a number: to see how a method scales, not whether it works.
//!
//! Each family makes a model of the modelling language for a size; the models are not kept
//! anywhere, they are made when they are needed.

use rely_program::Goal;
use std::fmt::Write;

/// A family of models.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name on the command line.
    pub name: &'static str,
    /// What the number means.
    pub about: &'static str,
    /// The sizes that make sense.
    pub sizes: (u64, u64),
    generate: fn(u64) -> String,
    /// What is asked of its members, and the answer.
    pub asked: (Goal, bool),
}

/// The question of most families.
const SAFE: (Goal, bool) = (Goal::Assert, true);

/// All families.
pub const FAMILIES: [Family; 12] = [
    Family {
        name: "readers-writer-lock",
        about: "threads at a readers-writer lock, half of them writers",
        sizes: (2, 100),
        generate: |threads| readers_writer_lock(threads / 2, threads - threads / 2),
        asked: SAFE,
    },
    Family {
        name: "one-reader-lock",
        about: "threads at a readers-writer lock, all but one of them writers: has a modular proof",
        sizes: (2, 100),
        generate: |threads| readers_writer_lock(threads - 1, 1),
        asked: SAFE,
    },
    Family {
        name: "reader-flags-lock",
        about: "threads at a lock with a flag for each reader, half of them writers: has a modular proof",
        sizes: (2, 100),
        generate: |threads| reader_flags_lock(threads / 2, threads - threads / 2),
        asked: SAFE,
    },
    Family {
        name: "phases",
        about: "critical sections that two threads go through one after the other, by Peterson's algorithm",
        sizes: (1, 100),
        generate: phases,
        asked: SAFE,
    },
    Family {
        name: "tournament",
        about: "threads in a tree of Peterson's algorithms",
        sizes: (2, 32),
        generate: tournament,
        asked: SAFE,
    },
    Family {
        name: "filter",
        about: "threads at the filter lock",
        sizes: (2, 32),
        generate: filter,
        asked: SAFE,
    },
    Family {
        name: "loops",
        about: "bound of two counting loops that a third thread adds up",
        sizes: (0, u32::MAX as u64),
        generate: loops,
        asked: SAFE,
    },
    Family {
        name: "p1",
        about: "statements in each critical section of three threads with two locks",
        sizes: (1, 1000),
        generate: |statements| sections(statements, false),
        asked: SAFE,
    },
    Family {
        name: "p2",
        about: "the same, with one access outside of the critical sections",
        sizes: (1, 1000),
        generate: |statements| sections(statements, true),
        asked: SAFE,
    },
    Family {
        name: "philosophers",
        about: "philosophers who all take the left fork first: all can wait for each other",
        sizes: (2, 32),
        generate: |count| philosophers(count, false),
        asked: (Goal::Deadlock, false),
    },
    Family {
        name: "philosophers-ordered",
        about: "philosophers, the last of whom takes the right fork first: nobody waits for ever",
        sizes: (2, 32),
        generate: |count| philosophers(count, true),
        asked: (Goal::Deadlock, true),
    },
    Family {
        name: "pipeline",
        about: "stages that begin one after the other and work for any number of rounds: all runs end",
        sizes: (1, 32),
        generate: pipeline,
        asked: (Goal::Termination, true),
    },
];

impl Family {
    /// The family of a name.
    pub fn find(name: &str) -> Option<Self> {
        FAMILIES.into_iter().find(|family| family.name == name)
    }

    /// The model of a size, unless the size makes no sense.
    pub fn model(self, size: u64) -> Option<String> {
        let (smallest, largest) = self.sizes;
        (smallest..=largest).contains(&size).then(|| (self.generate)(size))
    }
}

/// Writing to a string cannot fail.
macro_rules! line {
    ($text:expr, $($argument:tt)*) => {
        writeln!($text, $($argument)*).expect("a string takes everything")
    };
}

fn readers_writer_lock(writers: u64, readers: u64) -> String {
    format!(
        "\
// A readers-writer lock with {writers} writers and {readers} readers: `w` holds the number of the thread
// that writes, `r` counts those that read.

var w, r: int = 0;
var x, y: int = 0;

thread Writer[{writers}] {{
    await w == 0 && r == 0 do {{
        w := me + 1;
    }}
    x := 3;
    w := 0;
}}

thread Reader[{readers}] {{
    local seen: int = 0;
    await w == 0 do {{
        r := r + 1;
    }}
    seen := x;
    y := seen;
    assert y == x;
    r := r - 1;
}}
"
    )
}

fn reader_flags_lock(writers: u64, readers: u64) -> String {
    let nobody_reads =
        (0..readers).map(|reader| format!("reads[{reader}] == 0")).collect::<Vec<_>>().join(" && ");
    format!(
        "\
// A readers-writer lock with {writers} writers and {readers} readers: `w` holds the number of the thread
// that writes, and each reader has a flag of its own.

var w, x: int = 0;
var reads: int[{readers}] = 0;

thread Writer[{writers}] {{
    await w == 0 && {nobody_reads} do {{
        w := me + 1;
    }}
    x := me;
    w := 0;
}}

thread Reader[{readers}] {{
    local seen: int = 0;
    await w == 0 do {{
        reads[me] := 1;
    }}
    seen := x;
    assert seen == x;
    reads[me] := 0;
}}
"
    )
}

fn phases(sections: u64) -> String {
    let mut text = format!(
        "// Two threads go through {sections} critical sections one after the other, each with Peterson's algorithm.\n\n"
    );
    for section in 1..=sections {
        line!(text, "var flag_{section}_0, flag_{section}_1: bool = false;");
        line!(text, "var turn_{section}: int in 0..1 = 0;");
    }
    for thread in 0..2 {
        line!(text, "\nthread T{thread} {{");
        for section in 1..=sections {
            play(&mut text, section, thread);
            line!(text, "    cs_{section}: skip;");
            line!(text, "    flag_{section}_{thread} := false;");
        }
        line!(text, "}}");
    }
    text.push('\n');
    for section in 1..=sections {
        line!(text, "never T0 at cs_{section} && T1 at cs_{section};");
    }
    text
}

/// The entry of Peterson's algorithm, for one of its two sides.
fn play(text: &mut String, game: u64, side: u64) {
    let other = 1 - side;
    line!(text, "    flag_{game}_{side} := true;");
    line!(text, "    turn_{game} := {other};");
    line!(text, "    while flag_{game}_{other} {{");
    line!(text, "        if turn_{game} == {side} {{");
    line!(text, "            break;");
    line!(text, "        }}");
    line!(text, "    }}");
}

/// Everybody eats as often as he likes.
fn philosophers(count: u64, is_ordered: bool) -> String {
    let mut text = format!("// {count} philosophers at a table.\n\n");
    for fork in 0..count {
        line!(text, "var fork_{fork}: mutex;");
    }
    for left in 0..count {
        let right = (left + 1) % count;
        let (first, second) = if is_ordered { (left.min(right), left.max(right)) } else { (left, right) };
        line!(text, "\nthread Philosopher_{left} {{");
        line!(text, "    while * {{");
        line!(text, "        lock(fork_{first});");
        line!(text, "        lock(fork_{second});");
        line!(text, "        unlock(fork_{second});");
        line!(text, "        unlock(fork_{first});");
        line!(text, "    }}");
        line!(text, "}}");
    }
    text
}

fn pipeline(stages: u64) -> String {
    let mut text = format!("// A pipeline of {stages} stages.\n\nvar rounds: int;\n");
    for stage in 0..=stages {
        line!(text, "var done_{stage}: bool = {};", stage == 0);
    }
    for stage in 1..=stages {
        line!(text, "\nthread Stage_{stage} {{");
        line!(text, "    local round: int = 0;");
        line!(text, "    await done_{};", stage - 1);
        line!(text, "    while round < rounds {{");
        line!(text, "        round := round + 1;");
        line!(text, "    }}");
        line!(text, "    done_{stage} := true;");
        line!(text, "}}");
    }
    text
}

/// Node 1 is the root; node `n` has the children `2n` and `2n + 1`. A thread starts at its leaf, and
/// plays for a node against whoever comes from the node's other child.
fn tournament(threads: u64) -> String {
    let leaves = threads.next_power_of_two();
    let mut text = format!(
        "// Peterson's algorithm in a tree, for {threads} threads: the winner of each node plays for the next one.\n\n"
    );
    for node in 1..leaves {
        line!(text, "var flag_{node}_0, flag_{node}_1: bool = false;");
        line!(text, "var turn_{node}: int in 0..1 = 0;");
    }
    for thread in 0..threads {
        let mut games = Vec::new();
        let mut at = leaves + thread;
        while at > 1 {
            games.push((at / 2, at % 2));
            at /= 2;
        }
        line!(text, "\nthread T{thread} {{");
        for &(node, side) in &games {
            play(&mut text, node, side);
        }
        line!(text, "    cs: skip;");
        for (node, side) in games.iter().rev() {
            line!(text, "    flag_{node}_{side} := false;");
        }
        line!(text, "}}");
    }
    never_two_at_cs(&mut text, threads);
    text
}

fn filter(threads: u64) -> String {
    let mut text = format!(
        "// The filter lock for {threads} threads: at each of {} levels one of those who come stays behind.\n\n",
        threads - 1
    );
    for thread in 1..=threads {
        line!(text, "var level_{thread}: int in 0..{} = 0;", threads - 1);
    }
    for level in 1..threads {
        line!(text, "var last_{level}: int in 0..{threads} = 0;");
    }
    for me in 1..=threads {
        line!(text, "\nthread T{} {{", me - 1);
        for level in 1..threads {
            line!(text, "    level_{me} := {level};");
            line!(text, "    last_{level} := {me};");
            for (number, other) in (1..=threads).filter(|other| *other != me).enumerate() {
                let label = if number == 0 { format!("wait_{level}: ") } else { String::new() };
                line!(text, "    {label}if level_{other} >= {level} {{");
                line!(text, "        if last_{level} == {me} {{");
                line!(text, "            goto wait_{level};");
                line!(text, "        }}");
                line!(text, "    }}");
            }
        }
        line!(text, "    cs: skip;");
        line!(text, "    level_{me} := 0;");
        line!(text, "}}");
    }
    never_two_at_cs(&mut text, threads);
    text
}

/// Nobody is in the critical section together with another.
fn never_two_at_cs(text: &mut String, threads: u64) {
    text.push('\n');
    for first in 0..threads {
        for second in first + 1..threads {
            line!(text, "never T{first} at cs && T{second} at cs;");
        }
    }
}

fn loops(bound: u64) -> String {
    let twice = 2 * bound;
    format!(
        "\
// Two loops that count to {bound} and to {twice}, and a thread that waits for both and adds up.

const M = {bound};
const N = {twice};
var x, y, z: int = 0;

thread T1 {{
    while x < M {{
        x := x + 1;
    }}
}}

thread T2 {{
    while y < N {{
        y := y + 1;
    }}
}}

thread T3 {{
    await x == M && y == N do {{
        z := x + y;
    }}
}}

ensures z == M + N;
"
    )
}

/// Figure 1 of the paper on reduction, with so many statements in each critical section. `x` is 7 and `y` is 2 after
/// the first thread alone with one statement, and so on.
fn sections(statements: u64, unprotected: bool) -> String {
    let (name, n) = (if unprotected { "P2" } else { "P1" }, statements);
    let section = |lock: &str, statement: &str| {
        let body = format!("    {statement};\n").repeat(usize::try_from(n).unwrap_or_default());
        format!("    lock({lock});\n{body}    unlock({lock});\n")
    };
    let access = if unprotected { "    y := y + 2;\n" } else { "" };
    let least = 2 + 7 * n + if unprotected { 2 } else { 0 };
    format!(
        "\
// {name}-{n}: two variables, each with a lock of its own, and as many statements in each critical section.
// `x` could be {error} in the end only if T2 came in between of T1. That the sum `y` is right is claimed, too, so
// that the accesses to it matter.

var x, y: int = 2;
var mx, my: mutex;

thread T1 {{
    local a: int = 0;
    lock(mx);
    a := x;
{add}    a := a + 1;
{add}    x := 2 * x + a;
    unlock(mx);
}}

thread T2 {{
{two}}}

thread T3 {{
{three}{access}}}

ensures x != {error};
ensures y == {least} || y == {most};
",
        error = 7 + 4 * n,
        add = section("my", "y := y + a"),
        two = section("mx", "x := x + 2"),
        three = section("my", "y := y + 2"),
        most = least + 4 * n * n,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rely_base::{Budget, Silent, SourceMap};
    use rely_program::Goal;
    use rely_verify::{Language, Source};

    /// Every family really is what it says, as far as exploration can tell.
    #[test]
    fn small_members_are_safe() {
        let engine = rely_verify::strategy("explore").expect("exploration is there");
        for family in FAMILIES {
            for size in [2, 3] {
                let text = family.model(size).expect("a size that makes sense");
                let name = format!("{}-{size}", family.name);
                let input = Source::new(name.as_str(), Language::Rely, text);
                let loaded = rely_verify::load(&input).unwrap_or_else(|problem| panic!("{problem}"));
                let budget = Budget::unlimited();
                let verified =
                    rely_verify::verify(&loaded.program, Goal::Assert, engine.as_ref(), &budget, &Silent);
                assert_eq!(verified.verdict.name(), "safe", "{name}");
            }
        }
    }

    #[test]
    fn models_are_laid_out_in_the_standard_way() {
        for family in FAMILIES {
            let text = family.model(3).expect("a size that makes sense");
            let mut sources = SourceMap::new();
            let file = sources.add(family.name, text.as_str());
            let formatted = rely_model_front::format(&sources, file).expect("this is a model");
            assert_eq!(formatted, text, "{}", family.name);
        }
    }

    #[test]
    fn sizes_that_make_no_sense_are_refused() {
        assert_eq!(Family::find("filter").and_then(|family| family.model(1)), None);
        assert!(Family::find("tower").is_none());
    }
}
