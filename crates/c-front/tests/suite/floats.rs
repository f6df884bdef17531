//! Random programs that compute with floating-point constants, which are followed exactly.

use crate::generated::Generated;
use crate::random::Random;
use std::fmt::Write;

const RESULTS: usize = 12;

pub(crate) fn generate(seed: u64) -> Generated {
    let mut random = Random::new(seed);
    let mut template = format!("long r@[{RESULTS}];\nint main@(void) {{\n");
    for index in 0..RESULTS {
        let value = number(&mut random);
        writeln!(template, "  r@[{index}] = {value};").expect("strings take text");
    }
    template.push_str("  return 0;\n}\n");
    let cells = (0..RESULTS).map(|index| format!("r@[{index}]")).collect();
    Generated { template, cells: vec![("r".into(), cells)] }
}

/// An integer that floating-point numbers decide.
fn number(random: &mut Random) -> String {
    let (one, two) = (float(random, 2), float(random, 2));
    match random.below(6) {
        0 => format!("(int)({one})"),
        1 => format!("{one} {} {two}", random.pick(&["<", "<=", ">", ">=", "==", "!="])),
        2 => format!("!({one}) + 2 * !!({two})"),
        3 => format!("({one}) && ({two}) ? 5 : 6"),
        4 => format!("(_Bool)({one}) + (long long)({two})"),
        _ => format!("sizeof({one}) * 100 + (long)({two})"),
    }
}

/// A small number of a floating-point type.
fn float(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.chance(20) {
        let literals = ["0.1", "0.1f", "2.5", "-1.75f", "1.5e1", "3.0f", "0.0", "-0.0", "1.0 / 3", ".5f"];
        return random.pick(&literals).to_owned();
    }
    let one = float(random, depth - 1);
    match random.below(6) {
        0 => format!("(float)({one})"),
        1 => format!("(double)({one})"),
        2 => format!("-({one})"),
        3 => format!("({one} {} {})", random.pick(&["+", "-", "*"]), random.pick(&["3", "7u", "'a'", "-2L"])),
        4 => format!("({one} / {})", random.pick(&["2", "3.0", "10.0f", "-4"])),
        _ => format!("({one} {} {})", random.pick(&["+", "-", "*"]), float(random, depth - 1)),
    }
}
