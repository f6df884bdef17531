//! Random sequential programs about evaluation: how often operands are evaluated, and in which
//! order where C has one.
//!
//! Every operand that does something is a call with a number of its own. `f` counts its calls, and
//! `o` writes down their order, too; it stands only where C says what comes first, so that all
//! compilers agree.

use crate::generated::Generated;
use crate::random::Random;
use std::fmt::Write;

/// How many calls a program has at most, and how many are written down.
const CALLS: usize = 64;

struct Maker {
    random: Random,
    calls: usize,
    names: usize,
}

pub(crate) fn generate(seed: u64) -> Generated {
    let mut maker = Maker { random: Random::new(seed ^ 0x5EED), calls: 0, names: 0 };
    let mut template = String::from(NAMES);
    template.push_str("int main@(void) { int l = 1, i = 0; struct S@ ls = { 1, 2 };\n");
    while maker.calls < CALLS / 2 {
        let statement = maker.statement(2);
        writeln!(template, "  {statement}").expect("strings take text");
    }
    template.push_str("  r@ = l + i + ls.a * 3 + ls.b; return 0; }\n");
    let all = |name: &str, count: usize| -> (String, Vec<String>) {
        (name.to_owned(), (0..count).map(|index| format!("{name}@[{index}]")).collect())
    };
    let one = |name: &str| (name.to_owned(), vec![format!("{name}@")]);
    let mut cells = vec![all("n", CALLS), all("log", CALLS), all("a", 4)];
    cells.extend(["logged", "g", "r"].map(one));
    for name in ["s", "t"] {
        for member in ["a", "b"] {
            cells.push((format!("{name}.{member}"), vec![format!("{name}@.{member}")]));
        }
    }
    Generated { template, cells }
}

const NAMES: &str = "
struct S@ { int a, b; };
int n@[64], log@[64], logged@, a@[4], g@, r@; struct S@ s@, t@;
static int f@(int k) { n@[k]++; return (k * 7 + 3) % 11; }
static int o@(int k) { log@[logged@ & 63] = k; logged@++; n@[k]++; return (k * 5 + 1) % 7 - 2; }
static int *place@(int k) { n@[k]++; return &a@[k & 3]; }
static struct S@ make@(int x, int y) { struct S@ m = { x, y }; return m; }
static int sum@(struct S@ m, int k, struct S@ w) { return m.a + w.b * 3 + k; }
static int pair@(int x, int y) { return x * 3 - y; }
static int one@(int x) { return x + 1; }
static int other@(int x) { return 2 - x; }
static int (*select@(int k))(int) { n@[k]++; return k & 1 ? one@ : other@; }
int abs(int);
";

impl Maker {
    fn number(&mut self) -> usize {
        self.calls = (self.calls + 1).min(CALLS - 1);
        self.calls
    }

    /// A call; if it may be, one that is written down.
    fn call(&mut self, is_ordered: bool) -> String {
        let number = self.number();
        format!("{}@({number})", if is_ordered { "o" } else { "f" })
    }

    /// A small number; calls in it are written down if nothing happens beside it.
    fn expression(&mut self, depth: usize, is_ordered: bool) -> String {
        if depth == 0 || self.calls + 8 > CALLS {
            return match self.random.below(5) {
                0 => self.random.pick(&["l", "2", "g@", "a@[1]", "s@.b"]).to_owned(),
                _ => self.call(is_ordered),
            };
        }
        if self.random.chance(45) {
            self.ordered(depth, is_ordered)
        } else {
            self.unordered(depth, is_ordered)
        }
    }

    /// Operators whose operands have an order, or of which one is not evaluated.
    fn ordered(&mut self, depth: usize, is_ordered: bool) -> String {
        let first = self.expression(depth - 1, is_ordered);
        let second = self.expression(depth - 1, is_ordered);
        match self.random.below(12) {
            0 => format!("({first} > 0 && {second})"),
            1 => format!("({first} > 1 || {second})"),
            2 => {
                let third = self.expression(depth - 1, is_ordered);
                format!("({first} ? {second} : {third})")
            }
            3 => format!("({first}, {second})"),
            4 => format!("({{ {first}; {second}; }})"),
            5 => format!("(!({first}) || !{second})"),
            6 => format!("((int)sizeof({first}) + {second} % 5)"),
            7 => format!("_Generic({first}, int: {second}, default: 1)"),
            8 => format!("__builtin_choose_expr({}, {first}, {second})", self.random.below(2)),
            9 => format!("(__builtin_constant_p(f@({})) + {second} % 5)", self.number()),
            10 => format!("({{ int v = {first}; v & 15; }})"),
            _ => format!("(__builtin_expect({first} > 0, 1) ? {second} : 3)"),
        }
    }

    /// Operators whose operands have none: one of them may be written down.
    fn unordered(&mut self, depth: usize, is_ordered: bool) -> String {
        let is_left = self.random.chance(50);
        let first = self.expression(depth - 1, is_ordered && is_left);
        let second = self.expression(depth - 1, is_ordered && !is_left);
        match self.random.below(12) {
            0 => format!("(({first} & 31) {} ({second} & 31))", self.random.pick(&["+", "-", "*", "<"])),
            1 => format!("({first} {} {second})", self.random.pick(&["&", "|", "^", "==", "<="])),
            2 => format!("pair@({first} & 7, {second} & 7)"),
            3 => format!("(a@[{first} & 3] ^ {second})"),
            4 => format!("(*place@({}) ^ {second} & 7)", self.number()),
            5 => format!("make@({first} & 7, {second} & 7).{}", self.random.pick(&["a", "b"])),
            6 => format!("sum@(make@({first} & 7, 2), {second} & 7, s@)"),
            7 => format!("select@({})({second} & 7)", self.number()),
            8 => format!("((int[]){{ {first}, 1, {second} & 3 }})[{}]", self.random.below(3)),
            9 => format!("((struct S@){{ .b = {first} & 3, .a = {second} }}).b"),
            10 => format!("(abs({first} & 7) + {second} % 3)"),
            _ => format!("(-({first} & 7) ^ ~{second})"),
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.random.below(16) {
            0 => format!("g@ = {} & 255;", self.expression(depth, true)),
            1 => format!("l = g@ = r@ = {} & 255;", self.expression(depth, true)),
            2 => {
                let op = self.random.pick(&["^", "&", "|"]);
                format!("g@ {op}= {};", self.expression(depth, true))
            }
            3 => {
                let (left, right) = (self.expression(1, false), self.expression(depth, true));
                format!("a@[{left} & 3] {} {right} & 255;", self.random.pick(&["=", "^=", "|="]))
            }
            4 => {
                let (number, value) = (self.number(), self.expression(depth, true));
                format!("*place@({number}) {} {value} & 255;", self.random.pick(&["=", "^=", "&="]))
            }
            5 => {
                let (index, op) = (self.expression(1, true), self.random.pick(&["++", "--"]));
                format!("a@[{index} & 3]{op}; a@[0] &= 255;")
            }
            6 => {
                let (first, second) = (self.expression(1, true), self.expression(1, false));
                format!("ls = s@ = t@ = make@({first} & 63, {second} & 63);")
            }
            7 => {
                let (first, second) = (self.expression(1, true), self.expression(1, false));
                self.names += 1;
                let name = format!("d{}", self.names);
                format!("int {name}[3] = {{ {first} & 15, {second} & 15 }}; l = {name}[0] ^ {name}[1];")
            }
            kind @ 8..=12 => self.compound(kind, depth),
            13 => format!("{}, {};", self.expression(depth, true), self.expression(depth, true)),
            14 => format!("(void)({});", self.expression(depth, true)),
            _ => format!(
                "int v{0} = {1} & 7, w{0} = {2} & 7; l = v{0} ^ w{0};",
                {
                    self.names += 1;
                    self.names
                },
                self.expression(1, true),
                self.expression(1, true)
            ),
        }
    }

    /// A branch or a loop of the given kind.
    fn compound(&mut self, kind: usize, depth: usize) -> String {
        match kind {
            8 => {
                let (condition, inner) = (self.expression(depth, true), self.inner(depth));
                format!("if ({condition}) {{ {inner} }} else {}", self.inner(depth))
            }
            9 => {
                let (condition, inner) = (self.expression(1, true), self.inner(depth));
                format!("for (i = 0; {condition}, i < 2; i++, {}) {{ {inner} }}", self.call(true))
            }
            10 => {
                let (condition, inner) = (self.expression(1, true), self.inner(depth));
                format!("i = 0; while (i++ < 2 && {condition}) {{ {inner} }}")
            }
            11 => {
                let (condition, inner) = (self.expression(1, true), self.inner(depth));
                format!("i = 0; do {{ {inner} }} while (++i < 2 && {condition});")
            }
            _ => {
                let (value, inner) = (self.expression(depth, true), self.inner(depth));
                format!(
                    "switch ({value} & 3) {{ case 0: {inner} case 1: l++; break; default: {} }}",
                    self.inner(depth)
                )
            }
        }
    }

    fn inner(&mut self, depth: usize) -> String {
        match depth {
            0 => format!("{};", self.call(true)),
            _ => format!("{{ {} }}", self.statement(depth - 1)),
        }
    }
}
