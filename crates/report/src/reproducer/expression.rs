//! In which order gcc evaluates an expression.
//!
//! C leaves the order of most operands open. Without optimization gcc goes from left to right,
//! too, but it first puts the operands of commutative operators and comparisons into an order of
//! its own: a plain variable comes behind whatever is not one (`x == y + 1` reads `y` first), and
//! arguments are evaluated from right to left. Here stands which expressions certainly keep the
//! order in which they are written; for all others nothing is claimed. A test compares this with
//! what gcc does.

use super::scan::{Names, tokens};

/// Calls that evaluate their only argument like a condition.
const CONDITIONS: [&str; 4] = ["assert", "__VERIFIER_assert", "__VERIFIER_assume", "assume_abort_if_not"];

/// The variables that a full expression reads from left to right, if gcc certainly reads them in
/// this order. Members are called like `s.x`, elements like their array.
pub(super) fn read_from_left(text: &str, names: &Names) -> Option<Vec<String>> {
    let tokens = tokens(text);
    let value = value_of(&tokens);
    let mut reader = Reader { tokens: value, at: 0, names };
    let part = reader.alternatives()?;
    (reader.at == value.len()).then_some(part.reads)
}

/// Whether the order of evaluation can matter although nobody else does anything: one operand has
/// an effect, and there is another operand.
pub(super) fn has_effects_among_operands(text: &str, names: &Names) -> bool {
    let tokens = tokens(text);
    let value = value_of(&tokens);
    sequenced_parts(value).into_iter().any(|part| {
        let effects = effects(part, names);
        // The effect of an assignment comes last in any order.
        let is_alone = || is_single_call(part, names) || is_single_step(part) || has_assignment(part);
        effects > 1 || (effects == 1 && !is_alone())
    })
}

/// Calls of functions of the program, assignments and steps.
fn effects(tokens: &[&str], names: &Names) -> usize {
    let calls = tokens.windows(2).filter(|pair| pair[1] == "(" && names.is_function(pair[0])).count();
    let steps = tokens.windows(2).filter(|pair| is_step(pair)).count();
    calls + steps + (0..tokens.len()).filter(|&at| is_assignment(tokens, at)).count()
}

fn has_assignment(tokens: &[&str]) -> bool {
    (0..tokens.len()).any(|at| is_assignment(tokens, at))
}

fn is_step(pair: &[&str]) -> bool {
    matches!(pair, ["+", "+"] | ["-", "-"])
}

/// Whether an assignment operator ends here.
fn is_assignment(tokens: &[&str], at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| tokens[before]);
    let is_comparison = match before {
        "=" | "!" => true,
        "<" | ">" => at < 2 || tokens[at - 2] != before,
        _ => false,
    };
    tokens[at] == "=" && tokens.get(at + 1) != Some(&"=") && !is_comparison
}

/// Whether the parentheses that open here close at the end.
fn closes_at_end(tokens: &[&str], open: usize) -> bool {
    closing(tokens, open) == Some(tokens.len() - 1)
}

fn closing(tokens: &[&str], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match *token {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

fn is_single_call(tokens: &[&str], names: &Names) -> bool {
    tokens.len() > 2 && names.is_function(tokens[0]) && tokens[1] == "(" && closes_at_end(tokens, 1)
}

/// `x++`, `--x`.
fn is_single_step(tokens: &[&str]) -> bool {
    let others: Vec<&&str> =
        tokens.iter().filter(|token| !matches!(**token, "+" | "-" | "(" | ")")).collect();
    others.len() == 1
}

/// The value that is computed: without `return`, a condition's call, and the variable that gets it.
fn value_of<'t, 's>(tokens: &'t [&'s str]) -> &'t [&'s str] {
    let mut value = tokens;
    loop {
        let shorter = match value {
            [rest @ .., ";"] | ["return", rest @ ..] => rest,
            [call, "(", rest @ .., ")"] if CONDITIONS.contains(call) && closes_at_end(value, 1) => rest,
            ["(", rest @ .., ")"] if closes_at_end(value, 0) => rest,
            _ => match (0..value.len()).find(|&at| is_assignment(value, at)) {
                Some(at) if value[..at].iter().all(|token| is_word(token) || *token == ".") => {
                    &value[at + 1..]
                }
                _ => return value,
            },
        };
        value = shorter;
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphanumeric() || first == '_')
}

/// The parts between `&&` and `||`, which C evaluates in their order.
fn sequenced_parts<'t, 's>(tokens: &'t [&'s str]) -> Vec<&'t [&'s str]> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < tokens.len() {
        match tokens[at] {
            "(" | "[" => at = closing(tokens, at).unwrap_or(tokens.len()),
            mark @ ("&" | "|") if tokens.get(at + 1) == Some(&mark) => {
                parts.push(&tokens[start..at]);
                start = at + 2;
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(&tokens[start..]);
    parts
}

/// A part of an expression.
#[derive(Debug, Default)]
struct Part {
    reads: Vec<String>,
    constants: usize,
    /// The type, if the part is nothing but a variable.
    plain: Option<String>,
    /// The same if constants are left out, as gcc may do: `x + 1 > y` becomes `x >= y`.
    nearly_plain: Option<String>,
}

/// Operators by how strongly they bind, the weakest first.
const LEVELS: [&[&str]; 8] = [
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

struct Reader<'t, 's> {
    tokens: &'t [&'s str],
    at: usize,
    names: &'t Names,
}

impl<'s> Reader<'_, 's> {
    fn peek(&self, ahead: usize) -> &'s str {
        self.tokens.get(self.at + ahead).copied().unwrap_or("")
    }

    /// Parts between `||` and `&&`, whose order is that of C.
    fn alternatives(&mut self) -> Option<Part> {
        let mut part = self.binary(0)?;
        while matches!((self.peek(0), self.peek(1)), ("|", "|") | ("&", "&")) {
            self.at += 2;
            let next = self.binary(0)?;
            part.reads.extend(next.reads);
            (part.plain, part.nearly_plain) = (None, None);
        }
        Some(part)
    }

    fn operator(&self, level: usize) -> Option<&'static str> {
        let double = [self.peek(0), self.peek(1)].concat();
        // Operators of two marks come first, and none of them is taken for one of one mark.
        let all = LEVELS.iter().flat_map(|level| level.iter());
        let longest = all.filter(|operator| operator.len() == 2).find(|operator| double == **operator);
        if matches!(double.as_str(), "||" | "&&" | "++" | "--" | "->") {
            return None;
        }
        let written = longest.map_or(self.peek(0), |operator| operator);
        LEVELS[level].iter().find(|operator| **operator == written).copied()
    }

    fn binary(&mut self, level: usize) -> Option<Part> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(level) {
            self.at += operator.len();
            let right = self.binary(level + 1)?;
            left = combined(operator, left, right)?;
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Part> {
        if self.peek(0) == "!" {
            self.at += 1;
            return Some(Part { plain: None, nearly_plain: None, ..self.unary()? });
        }
        self.operand()
    }

    fn operand(&mut self) -> Option<Part> {
        let token = self.peek(0);
        self.at += 1;
        if token == "(" {
            let part = self.alternatives()?;
            return self.skip(")").then_some(part);
        }
        if token.starts_with(|first: char| first.is_ascii_digit()) {
            return Some(Part { constants: 1, ..Part::default() });
        }
        if !is_word(token) || self.peek(0) == "(" || token == "sizeof" {
            return None;
        }
        self.variable(token)
    }

    /// A variable, a member or an element.
    fn variable(&mut self, name: &str) -> Option<Part> {
        let mut path = name.to_owned();
        let mut part = Part { plain: self.names.type_of(name).map(str::to_owned), ..Part::default() };
        let mut is_plain = true;
        loop {
            if self.peek(0) == "." && is_word(self.peek(1)) {
                path = format!("{path}.{}", self.peek(1));
                self.at += 2;
            } else if self.skip("[") {
                part.reads.extend(self.binary(0)?.reads);
                if !self.skip("]") {
                    return None;
                }
            } else {
                break;
            }
            is_plain = false;
        }
        if matches!((self.peek(0), self.peek(1)), ("-", ">") | ("+", "+") | ("-", "-")) {
            return None;
        }
        // A variable of an unknown type may need a conversion, behind which it is no variable any more.
        if is_plain && part.plain.is_none() {
            part.plain = Some(String::new());
        }
        part.plain = part.plain.filter(|_| is_plain);
        part.nearly_plain = part.plain.clone();
        part.reads.push(path);
        Some(part)
    }

    fn skip(&mut self, mark: &str) -> bool {
        let is_there = self.peek(0) == mark;
        self.at += usize::from(is_there);
        is_there
    }
}

/// The two operands of an operator, if the left one certainly is evaluated first.
fn combined(operator: &str, left: Part, right: Part) -> Option<Part> {
    let keeps_order = matches!(operator, "-" | "/" | "%" | "<<" | ">>");
    let constants = left.constants + right.constants;
    if !left.reads.is_empty() && !right.reads.is_empty() {
        let stays = match (&left.nearly_plain, &right.plain) {
            (Some(left), Some(right)) => !left.is_empty() && left == right,
            (Some(_), None) => keeps_order,
            (None, _) => true,
        };
        // Constants on both sides are brought together, and variables change sides.
        if !stays || constants > 1 {
            return None;
        }
    }
    let nearly_plain = match (left.reads.is_empty(), right.reads.is_empty()) {
        (true, _) => right.nearly_plain,
        (_, true) => left.nearly_plain,
        (false, false) => None,
    };
    let reads = left.reads.into_iter().chain(right.reads).collect();
    Some(Part { reads, constants, plain: None, nearly_plain })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    const GLOBALS: &str =
        "static int x, y; int z; long l; _Bool b; int a[3]; struct { int u, v; } s; int f(int p) { }";

    fn check(text: &str, expected: &Expect) {
        let names = Names::in_text(GLOBALS);
        let order = read_from_left(text, &names).map_or_else(|| "open".to_owned(), |reads| reads.join(" "));
        let effects = if has_effects_among_operands(text, &names) { ", effects" } else { "" };
        expected.assert_eq(&format!("{order}{effects}"));
    }

    #[test]
    fn variables_of_one_type_are_read_from_left_to_right() {
        check("x == y", &expect!["x y"]);
        check("assert(x + y == z);", &expect!["x y z"]);
        check("int t = x - y;", &expect!["x y"]);
        check("return s.u == s.v;", &expect!["s.u s.v"]);
        check("a[x] < a[y]", &expect!["x a y a"]);
        check("x > 0 && y + 1 == z || !b", &expect!["x y z b"]);
        check("x - a[0]", &expect!["x a"]);
    }

    #[test]
    fn a_variable_that_gcc_puts_behind_others_leaves_the_order_open() {
        check("x == y + 1", &expect!["open"]);
        check("x == s.u", &expect!["open"]);
        check("s.u == x", &expect!["s.u x"]);
        check("x + y * z", &expect!["open"]);
        check("x == l", &expect!["open"]);
        check("x + 1 == y + 2", &expect!["open"]);
        check("x + 1 > s.u", &expect!["open"]);
        check("x + 1 > y", &expect!["x y"]);
        check("-x + y", &expect!["open"]);
        check("f(x) == y", &expect!["open, effects"]);
        check("x == *p", &expect!["open"]);
    }

    #[test]
    fn effects_matter_if_there_is_another_operand() {
        check("f(x);", &expect!["open"]);
        check("z = f(x);", &expect!["open"]);
        check("x++;", &expect!["open"]);
        check("x += y;", &expect!["open"]);
        check("f(1) && f(2)", &expect!["open"]);
        check("f(1) + f(2)", &expect!["open, effects"]);
        check("x + f(1)", &expect!["open, effects"]);
        check("a[x++] = x;", &expect!["open, effects"]);
        check("x <= y", &expect!["x y"]);
        check("x << y", &expect!["x y"]);
    }
}
