//! Random sequential programs about arithmetic with all integer types.

use crate::generated::{Generated, TYPES};
use crate::random::Random;
use std::fmt::Write;

const CONSTANTS: [&str; 22] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "-1",
    "-2",
    "-7",
    "100",
    "127",
    "128",
    "255",
    "256",
    "1000u",
    "65535",
    "0x7fffffff",
    "0x80000000",
    "4294967295u",
    "5000000000",
    "'a'",
    "0x7fffffffffffffff",
    "18446744073709551615u",
];

/// The variables of a generated program.
struct Variables {
    scalars: Vec<String>,
    arrays: Vec<(String, usize)>,
    assignable: Vec<String>,
}

pub(crate) fn generate(seed: u64) -> Generated {
    let mut random = Random::new(seed);
    let mut text = String::new();
    let mut cells = Vec::new();
    let mut variables = Variables { scalars: Vec::new(), arrays: Vec::new(), assignable: Vec::new() };
    for index in 0..4 {
        let name = format!("g{index}@");
        let (ty, value) = (random.pick(&TYPES), random.pick(&CONSTANTS));
        writeln!(text, "{ty} {name} = ({ty}){value};").expect("strings take text");
        cells.push((format!("g{index}"), vec![name.clone()]));
        variables.scalars.push(name.clone());
        variables.assignable.push(name);
    }
    // Constants inside of expressions are disguised: gcc drops operands, traps and all, that it
    // sees multiplied by zero.
    writeln!(text, "int z@;").expect("strings take text");
    cells.push(("z".into(), vec!["z@".into()]));
    let array = String::from("a@");
    let length = 2 + random.below(4);
    writeln!(text, "{} {array}[{length}] = {{1, 2}};", random.pick(&TYPES)).expect("strings take text");
    cells.push(("a".into(), (0..length).map(|index| format!("a@[{index}]")).collect()));
    variables.arrays.push((array, length));
    let (result, first, second) = (random.pick(&TYPES), random.pick(&TYPES), random.pick(&TYPES));
    let mut callee =
        Variables { scalars: vec!["p".into(), "q".into()], arrays: Vec::new(), assignable: vec!["p".into()] };
    writeln!(text, "static {result} f@({first} p, {second} q, int *out) {{").expect("strings take text");
    statement(&mut random, &mut text, &mut callee, 1, false);
    writeln!(text, "  *out = *out ^ (int)p;").expect("strings take text");
    writeln!(text, "  if ({}) return q;", expression(&mut random, &callee, 1)).expect("text");
    writeln!(text, "  return {};\n}}", expression(&mut random, &callee, 2)).expect("text");
    writeln!(text, "int main@(void) {{").expect("strings take text");
    for index in 0..3 {
        let (ty, name) = (random.pick(&TYPES), format!("l{index}"));
        writeln!(text, "  {ty} {name} = ({ty}){};", random.pick(&CONSTANTS)).expect("strings take text");
        variables.scalars.push(name.clone());
        variables.assignable.push(name);
    }
    writeln!(text, "  int o = 5;").expect("strings take text");
    variables.scalars.push("o".into());
    for _ in 0..2 + random.below(6) {
        statement(&mut random, &mut text, &mut variables, 2, true);
    }
    for index in 0..3 {
        let global = format!("g{index}@");
        writeln!(text, "  {global} = {global} ^ l{index};").expect("strings take text");
    }
    writeln!(text, "  g3@ = g3@ ^ o;\n  return 0;\n}}").expect("strings take text");
    Generated { template: text, cells }
}

fn statement(random: &mut Random, text: &mut String, variables: &mut Variables, depth: usize, calls: bool) {
    let value = expression(random, variables, 3);
    let target = variables.assignable[random.below(variables.assignable.len())].clone();
    let line = match random.below(if depth > 0 { 12 } else { 6 }) {
        // The order of evaluation of operands is left open, so a call stands alone.
        0 if calls => {
            let second = expression(random, variables, 2);
            format!("{target} = f@({value}, {second}, &o);")
        }
        0..=2 => format!("{target} = {value};"),
        3 => {
            let op = random.pick(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]);
            format!("{target} {op}= {value};")
        }
        4 => format!("{target}{};", random.pick(&["++", "--"])),
        5 => match variables.arrays.first() {
            Some((array, _)) => {
                let index = expression(random, variables, 1);
                format!("{array}[({index}) & 3] {} {value};", random.pick(&["=", "+=", "^="]))
            }
            None => format!("{target} = {value};"),
        },
        kind => compound(kind, &value, random, variables, depth - 1, calls),
    };
    writeln!(text, "  {line}").expect("strings take text");
}

/// A statement of the given kind with statements inside.
fn compound(
    kind: usize,
    value: &str,
    random: &mut Random,
    variables: &mut Variables,
    depth: usize,
    calls: bool,
) -> String {
    match kind {
        6 | 7 => {
            let mut inner = format!("if ({value}) {{\n");
            statement(random, &mut inner, variables, depth, calls);
            if random.chance(50) {
                inner.push_str("} else {\n");
                statement(random, &mut inner, variables, depth, calls);
            }
            inner + "}"
        }
        8 => {
            let mut inner = format!("for (int i = 0; i < {}; i++) {{\n", random.below(4));
            variables.scalars.push("i".into());
            statement(random, &mut inner, variables, depth, calls);
            if random.chance(30) {
                inner.push_str(random.pick(&["if (i == 1) continue;\n", "if (i == 1) break;\n"]));
                statement(random, &mut inner, variables, depth, calls);
            }
            variables.scalars.pop();
            inner + "}"
        }
        9 => {
            let mut inner = format!("switch ({value}) {{\n");
            for label in ["case 0:", "case 1: case 2:", "default:", "case 'a' ... 'd':"] {
                inner.push_str(label);
                statement(random, &mut inner, variables, depth, calls);
                if random.chance(60) {
                    inner.push_str("break;\n");
                }
            }
            inner + "}"
        }
        10 => {
            let mut inner = String::from("{ int n = 3; do {\n");
            statement(random, &mut inner, variables, depth, calls);
            inner + "n--; } while (n > 0); }"
        }
        _ => {
            let mut inner = String::from("__VERIFIER_atomic_begin();\n");
            statement(random, &mut inner, variables, depth, calls);
            inner + "__VERIFIER_atomic_end();"
        }
    }
}

fn expression(random: &mut Random, variables: &Variables, depth: usize) -> String {
    if depth == 0 || random.chance(15) {
        return if random.chance(35) {
            format!("({} + z@)", random.pick(&CONSTANTS))
        } else {
            variables.scalars[random.below(variables.scalars.len())].clone()
        };
    }
    let sub = |random: &mut Random| expression(random, variables, depth - 1);
    let left = sub(random);
    let right = sub(random);
    match random.below(15) {
        0..=4 => {
            let op = random.pick(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]);
            format!("({left} {op} {right})")
        }
        5 | 6 => format!("({left} {} ({right} & 7))", random.pick(&["<<", ">>", "+", "-"])),
        7 | 8 => format!("({left} {} {right})", random.pick(&["<", "<=", ">", ">=", "==", "!="])),
        9 => format!("({left} {} {right})", random.pick(&["&&", "||"])),
        10 => format!("{}({left})", random.pick(&["-", "~", "!", "+"])),
        11 => format!("({})({left})", random.pick(&TYPES)),
        12 => {
            let other = sub(random);
            format!("({left} ? {right} : {other})")
        }
        13 => match variables.arrays.first() {
            Some((array, _)) => format!("{array}[({left}) & 3]"),
            None => left,
        },
        _ => format!("(int)sizeof({left}) * ({right} != 0)"),
    }
}
