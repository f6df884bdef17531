//! Random expressions about conversions: arguments of library functions, remainders and shifts,
//! characters, sizes, and labels of `switch`.

use crate::generated::{Generated, TYPES};
use crate::random::Random;
use std::fmt::Write;

const VALUES: [&str; 20] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "31",
    "32",
    "63",
    "-128",
    "127",
    "255",
    "256",
    "300",
    "65535",
    "0x7fffffff",
    "-0x7fffffff - 1",
    "0x80000000",
    "0x7fffffffffffffff",
    "-0x7fffffffffffffff - 1",
    "18446744073709551615u",
];

const CHARACTERS: [&str; 22] = [
    "'a'",
    "'\\''",
    "'\"'",
    "'\\\"'",
    "'\\\\'",
    "'\\?'",
    "'\\a'",
    "'\\b'",
    "'\\f'",
    "'\\n'",
    "'\\r'",
    "'\\t'",
    "'\\v'",
    "'\\e'",
    "'\\0'",
    "'\\377'",
    "'\\x80'",
    "'ab'",
    "'\\xffz'",
    "L'\\xff'",
    "u'\\xffff'",
    "'abcd'",
];

/// Operands of `sizeof`, about an array `a`, a pointer `p` and a character `c`.
const OPERANDS: [&str; 25] = [
    "a",
    "(a)",
    "(0, a)",
    "a + 0",
    "1 ? a : 0",
    "1 ? a : a",
    "({ a; })",
    "*&a",
    "&a",
    "a[0]",
    "*a",
    "p",
    "*p",
    "\"abc\"",
    "(\"abc\")",
    "(0, \"abc\")",
    "L\"ab\" \"c\"",
    "u\"abc\"",
    "c",
    "+c",
    "(0, c)",
    "c ? c : c",
    "c++",
    "!c",
    "(char)1",
];

pub(crate) fn generate(seed: u64) -> Generated {
    let mut random = Random::new(seed);
    let mut text = String::from("int abs(int); long labs(long); long long llabs(long long);\n");
    let names: Vec<String> = (0..3).map(|index| format!("v{index}@")).collect();
    for name in &names {
        let (ty, value) = (random.pick(&TYPES), random.pick(&VALUES));
        writeln!(text, "{ty} {name} = ({ty})({value});").expect("strings take text");
    }
    let count = 4;
    writeln!(text, "long a@[3]; char c@; long o@[{count}];\nint main@(void) {{ long *p@ = a@; c@ = 1;")
        .expect("strings take text");
    for index in 0..count {
        let value = statement(&mut random, &names, index);
        writeln!(text, "  {value}").expect("strings take text");
    }
    text.push_str("  return p@ != a@;\n}\n");
    let cells = vec![
        ("o".into(), (0..count).map(|index| format!("o@[{index}]")).collect()),
        ("c".into(), vec!["c@".into()]),
    ];
    Generated { template: text, cells }
}

fn statement(random: &mut Random, names: &[String], index: usize) -> String {
    let operand = |random: &mut Random| {
        let name = names[random.below(names.len())].clone();
        match random.below(4) {
            0 => format!("({})({})", random.pick(&TYPES), random.pick(&VALUES)),
            1 => format!("({}){name}", random.pick(&TYPES)),
            _ => name,
        }
    };
    let (left, right) = (operand(random), operand(random));
    let value = match random.below(12) {
        0..=2 => format!("{}({left})", random.pick(&["abs", "labs", "llabs"])),
        3 => format!("({left}) % ({right})"),
        4 => format!("({left}) / ({right})"),
        5 | 6 => format!("({left}) << ({right})"),
        7 => format!("({left}) >> (({right}) & 31)"),
        8 => format!("({left}) << (({right}) & 7)"),
        9 => random.pick(&CHARACTERS).to_owned(),
        10 => {
            let operand = random.pick(&OPERANDS);
            let named = |name: char| format!("{name}@");
            let is_name = |at: usize| {
                let around = |at: Option<usize>| at.and_then(|at| operand.as_bytes().get(at).copied());
                let is_word =
                    |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                !is_word(around(at.checked_sub(1))) && !is_word(around(Some(at + 1)))
            };
            let is_text = operand.contains('"');
            let renamed: String = operand
                .char_indices()
                .map(|(at, name)| match name {
                    'a' | 'p' | 'c' if !is_text && is_name(at) => named(name),
                    other => other.to_string(),
                })
                .collect();
            format!("sizeof({renamed})")
        }
        _ => return switch(random, &left, index),
    };
    format!("o@[{index}] = {value};")
}

/// A `switch` with labels of which some are the same only after conversion.
fn switch(random: &mut Random, value: &str, index: usize) -> String {
    let mut text = format!("switch ({value}) {{ ");
    let labels = ["0", "1", "-1", "255", "256 ... 300", "65535", "2147483647", "4294967301"];
    let first = random.below(labels.len());
    for (number, label) in labels[first..].iter().enumerate() {
        write!(text, "case {label}: o@[{index}] += {}; ", 1 << number).expect("strings take text");
        if random.chance(50) {
            text.push_str("break; ");
        }
    }
    text + "default: o@[0] ^= 77; }"
}
