//! Random sequential programs about memory: pointers to globals, locals, cells of arrays and
//! members of structures, pointers to pointers and to functions, and all ways on which control
//! can flow between them.
//!
//! Almost all of them have one behaviour. What C leaves open is avoided: an expression changes
//! only variables (`e0` to `e2`) that have no address and that it does not mention again, and
//! functions, which change more, are called where nothing else happens. No pointer outlives
//! what it points to.

mod expression;
mod statement;

use crate::generated::{Generated, TYPES};
use crate::random::Random;
use std::fmt::Write;

/// How many cells the two global arrays have.
const LENGTHS: [usize; 2] = [4, 3];

/// What is being written.
struct Maker {
    random: Random,
    /// The types of the three kinds of variables.
    kinds: [&'static str; 3],
    /// The function being written, `None` for `main`; functions call those before them.
    function: Option<usize>,
    /// Variables that the expression being written may change, once each, and must not read.
    effects: Vec<&'static str>,
    changed: Vec<&'static str>,
    /// Names of locals that exist at this point: loop counters, and pointers to the first kind.
    counters: Vec<String>,
    pointers: Vec<String>,
    names: usize,
}

const EFFECTS: [&str; 3] = ["e0@", "e1@", "e2@"];

pub(crate) fn generate(seed: u64) -> Generated {
    let mut random = Random::new(seed);
    // Conditions are not punned with numbers, so pointers point to proper integers.
    let integers = &TYPES[1..];
    let kinds = [random.pick(integers), random.pick(integers), random.pick(&TYPES)];
    let mut maker = Maker {
        random,
        kinds,
        function: None,
        effects: Vec::new(),
        changed: Vec::new(),
        counters: Vec::new(),
        pointers: Vec::new(),
        names: 0,
    };
    let mut template = maker.globals();
    for index in 0..3 {
        template.push_str(&maker.function(index));
    }
    template.push_str(&maker.main());
    Generated { template, cells: cells() }
}

/// The cells of the globals that are numbers.
fn cells() -> Vec<(String, Vec<String>)> {
    let mut cells = Vec::new();
    let mut add = |name: &str, in_c: Vec<String>| cells.push((name.to_owned(), in_c));
    for name in ["g0", "g1", "g2", "g3", "e0", "e1", "e2", "r"] {
        add(name, vec![format!("{name}@")]);
    }
    let all = |name: &str, count: usize| (0..count).map(|index| format!("{name}@[{index}]")).collect();
    add("a0", all("a0", LENGTHS[0]));
    add("a1", all("a1", LENGTHS[1]));
    add("m", (0..6).map(|cell| format!("m@[{}][{}]", cell / 3, cell % 3)).collect());
    for name in ["s0", "s1", "t"] {
        let parts: Vec<String> = if name == "t" { all("t", 2) } else { vec![format!("{name}@")] };
        for member in ["a", "b", "in.x", "in.y"] {
            add(&format!("{name}.{member}"), parts.iter().map(|part| format!("{part}.{member}")).collect());
        }
        let cells = parts.iter().flat_map(|part| (0..3).map(move |index| format!("{part}.v[{index}]")));
        add(&format!("{name}.v"), cells.collect());
    }
    cells
}

impl Maker {
    fn constant(&mut self) -> &'static str {
        self.random
            .pick(&["0", "1", "2", "3", "5", "7", "-1", "-3", "100", "'b'", "K1@", "K2@", "250u", "1L"])
    }

    fn globals(&mut self) -> String {
        let [k0, k1, k2] = self.kinds;
        let mut text =
            String::from("enum { K1@ = 4, K2@ = -6 };\nvoid *calloc(unsigned long, unsigned long);\n");
        let mut line = |line: String| writeln!(text, "{line}").expect("strings take text");
        line(format!("struct In@ {{ {k2} x; {k0} y; }};"));
        line(format!(
            "struct S@ {{ {k0} a; {k1} b; {k0} v[3]; struct In@ in; {k0} *p; {k0} (*f)({k0}, {k0} *); }};"
        ));
        for (name, kind) in [("g0", k0), ("g1", k1), ("g2", k2), ("g3", k0)] {
            line(format!("{kind} {name}@ = {};", self.constant()));
        }
        for effect in EFFECTS {
            line(format!("{} {effect} = {};", self.random.pick(&TYPES), self.constant()));
        }
        line(format!("{k0} a0@[{}] = {{ {}, [2] = {} }};", LENGTHS[0], self.constant(), self.constant()));
        line(format!("{k1} a1@[] = {{ {}, {}, 9 }};", self.constant(), self.constant()));
        line(format!("{k0} m@[2][3] = {{ 1, 2, 3, {} }};", self.constant()));
        line(format!("const {k0} c0@ = {};", self.constant()));
        line("char word@[] = \"a\\x7f\\0z\"; const char *text@ = \"xyz\"; long r@; int z@;".into());
        line(format!("static {k0} h0@({k0}, {k0} *); static {k0} h1@({k0}, {k0} *);"));
        line(format!("static {k0} h2@({k0}, {k0} *);"));
        line(
            "struct S@ s1@, t@[2] = { { 1, 2, { 3, 4 }, { 5 }, &g0@, h0@ }, \
             { .v[1] = 6, .p = a0@ + 1, .f = &h1@ } };"
                .into(),
        );
        line(
            "struct S@ s0@ = { .p = &s1@.v[1], .in.y = 8, .f = h1@ }, s1@ = { 1, .p = &s0@.a, .f = h0@ };"
                .into(),
        );
        line(format!(
            "{k0} *p0@ = &g0@, *p1@ = a0@ + 2, *pa@[2] = {{ &m@[1][0], &s0@.in.y }}, **pp@ = &p0@;"
        ));
        line(format!("{k1} *q0@ = &s1@.b; struct S@ *ps@ = &t@[1];"));
        line(format!("{k0} (*fp@)({k0}, {k0} *) = h1@, (*tab@[2])({k0}, {k0} *) = {{ h0@, h1@ }};"));
        line(format!(
            "static struct S@ mk@({k0} x, struct S@ s, {k2} z) {{ s.v[1] = x; s.in = (struct In@){{ .y = s.a, .x = z }}; \
             return s; }}"
        ));
        text
    }

    /// The locals that every function has.
    fn locals(&mut self) -> String {
        let [k0, k1, k2] = self.kinds;
        self.pointers = vec!["lp".into()];
        let mut text = format!(
            "  {k0} l0 = {}; {k1} l1 = {}; {k2} l2 = {}; {k0} la[3] = {{ 1, {} }};\n",
            self.constant(),
            self.constant(),
            self.constant(),
            self.constant()
        );
        let start = self.random.pick(&["&l0", "la", "&la[2]", "&g0@", "p0@"]);
        writeln!(text, "  {k0} *lp = {start};").expect("strings take text");
        text
    }

    fn function(&mut self, index: usize) -> String {
        self.function = Some(index);
        let k0 = self.kinds[0];
        let mut text = format!("static {k0} h{index}@({k0} x, {k0} *y) {{\n  static {k0} kept = 2;\n");
        text.push_str(&self.locals());
        self.pointers.push("y".into());
        for _ in 0..1 + self.random.below(3) {
            text.push_str(&self.statement(1));
        }
        if self.random.chance(50) {
            let condition = self.whole(1);
            writeln!(text, "  if ({condition}) return kept;").expect("strings take text");
        }
        let result = self.whole(2);
        writeln!(text, "  kept = kept * 3 & 15;\n  return {result};\n}}").expect("strings take text");
        text
    }

    fn main(&mut self) -> String {
        self.function = None;
        let mut text = String::from("int main@(void) {\n");
        text.push_str(&self.locals());
        text.push_str("  struct S@ ls = s0@, *hs = calloc(1, sizeof *hs); ls.a = 7; *hs = s1@;\n");
        writeln!(text, "  {} *hp = calloc(3, sizeof *hp);", self.kinds[0]).expect("strings take text");
        self.pointers.extend(["hp".into(), "(hp + 1)".into(), "(&hp[2])".into()]);
        for _ in 0..3 + self.random.below(7) {
            text.push_str(&self.statement(2));
        }
        text.push_str("  r@ = (p0@ == p1@) + 2 * (p1@ == &a0@[2]) + 4 * (pp@ == &p1@) + 8 * (ps@ == t@) + 16 * (lp == &l0);\n");
        text.push_str(
            "  r@ = r@ * 16 + (*p1@ & 15); r@ = r@ * 16 + (*lp & 15); r@ = r@ * 16 + (ps@->b & 15);\n",
        );
        text.push_str(
            "  r@ = r@ * 16 + (**pp@ & 15); r@ = r@ * 16 + (*s0@.p & 15); r@ = r@ * 16 + (ls.v[1] & 15);\n",
        );
        text.push_str(
            "  r@ = r@ * 16 + (l0 & 15); r@ = r@ * 16 + (l1 & 15); r@ = r@ * 16 + (l2 & 15) + la[1] % 16;\n",
        );
        text.push_str("  r@ ^= hp[0] + 3ul * hp[1] + 5ul * hp[2] ^ hs->v[2] ^ hs->b;\n");
        text + "  r@ ^= (fp@ == h0@) + 2 * (fp@ == s0@.f);\n  return 0;\n}\n"
    }
}
