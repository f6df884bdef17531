//! Random structures, unions and enumerations, and where their members lie.

use crate::generated::{Generated, LIBRARY_TYPES, TYPES};
use crate::random::Random;
use std::fmt::Write;

/// Types that only have a size.
const OTHERS: [&str; 7] =
    ["float", "double", "long double", "_Float128", "char *", "_Atomic int", "_Atomic(short)"];

const ALIGNMENTS: [usize; 6] = [1, 2, 4, 8, 16, 32];

struct Writer {
    random: Random,
    text: String,
    /// The structures and enumerations that are defined, as one writes them.
    types: Vec<String>,
    names: usize,
    questions: Vec<String>,
}

pub(crate) fn generate(seed: u64) -> Generated {
    let random = Random::new(seed);
    let (text, types, questions) = (String::new(), Vec::new(), Vec::new());
    let mut writer = Writer { random, text, types, names: 0, questions };
    writer.typedefs();
    for _ in 0..1 + writer.random.below(4) {
        writer.definition();
    }
    writer.ask();
    let count = writer.questions.len();
    writeln!(writer.text, "long o@[{count}];\nint main@(void) {{").expect("strings take text");
    for (index, question) in writer.questions.iter().enumerate() {
        writeln!(writer.text, "  o@[{index}] = {question};").expect("strings take text");
    }
    writer.text.push_str("  return 0;\n}\n");
    let cells = vec![("o".into(), (0..count).map(|index| format!("o@[{index}]")).collect())];
    Generated { template: writer.text, cells }
}

impl Writer {
    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}@", self.names)
    }

    fn alignment(&mut self) -> usize {
        ALIGNMENTS[self.random.below(ALIGNMENTS.len())]
    }

    /// Types with an alignment of their own.
    fn typedefs(&mut self) {
        for _ in 0..self.random.below(3) {
            let (ty, name, align) = (self.random.pick(&TYPES), self.fresh("y"), self.alignment());
            let line = match self.random.below(4) {
                0 => format!("typedef {ty} *{name} __attribute__((aligned({align})));"),
                1 => format!("typedef __attribute__((aligned({align}))) {ty} {name};"),
                2 => format!("typedef {ty} {name} __attribute__((packed));"),
                _ => format!("typedef {ty} {name} __attribute__((__aligned__({align})));"),
            };
            writeln!(self.text, "{line}").expect("strings take text");
            self.types.push(name);
        }
    }

    fn definition(&mut self) {
        match self.random.below(6) {
            0 => self.enumeration(),
            _ => self.record(),
        }
    }

    fn enumeration(&mut self) {
        let values =
            ["0", "1", "255", "256", "-1", "-129", "65535", "65536", "0x7fffffff", "0xffffffff", "1l << 40"];
        let (tag, mut constants) = (self.fresh("e"), Vec::new());
        for _ in 0..1 + self.random.below(3) {
            let constant = self.fresh("c");
            let value = self.random.pick(&values);
            // The next number may be too large.
            let is_given = !constants.is_empty() || self.random.chance(70);
            constants.push(if is_given { format!("{constant} = {value}") } else { constant });
        }
        let body = constants.join(", ");
        let (before, behind) = self.split_attributes(&["packed"]);
        writeln!(self.text, "enum {before} {tag} {{ {body} }} {behind};").expect("strings take text");
        self.types.push(format!("enum {tag}"));
    }

    /// Attributes of a type, in front of its tag or behind its members.
    fn split_attributes(&mut self, known: &[&str]) -> (String, String) {
        let mut places = (String::new(), String::new());
        for name in known {
            if !self.random.chance(25) {
                continue;
            }
            let name = match *name {
                "aligned" if self.random.chance(15) => "aligned".to_owned(),
                "aligned" => format!("aligned({})", self.alignment()),
                other => other.to_owned(),
            };
            let place = if self.random.chance(50) { &mut places.0 } else { &mut places.1 };
            write!(place, "__attribute__(({name})) ").expect("strings take text");
        }
        places
    }

    fn record(&mut self) {
        let keyword = if self.random.chance(20) { "union" } else { "struct" };
        let (tag, limit) = (self.fresh("s"), [1, 2, 4, 8, 16][self.random.below(5)]);
        let whole = format!("{keyword} {tag}");
        let is_limited = self.random.chance(25);
        if is_limited {
            let how = if self.random.chance(50) { "push, " } else { "" };
            writeln!(self.text, "\n#pragma pack({how}{limit})").expect("strings take text");
        }
        let (before, behind) = self.split_attributes(&["packed", "aligned"]);
        let body = self.members(&whole, 2);
        writeln!(self.text, "{keyword} {before}{tag} {{ {body}}} {behind};").expect("strings take text");
        if is_limited {
            writeln!(self.text, "#pragma pack({})", if self.text.contains("push") { "" } else { "0" })
                .expect("strings take text");
        }
        self.types.push(whole);
    }

    fn members(&mut self, whole: &str, depth: usize) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.random.below(5) {
            let member = match self.random.below(10) {
                0..=2 => self.bit_field(),
                3 if depth > 0 => {
                    let keyword = self.random.pick(&["struct", "union"]);
                    let (before, behind) = self.split_attributes(&["packed", "aligned"]);
                    let inner = self.members(whole, depth - 1);
                    format!("{keyword} {before}{{ {inner}}} {behind}; ")
                }
                _ => self.member(whole),
            };
            text.push_str(&member);
        }
        text
    }

    fn bit_field(&mut self) -> String {
        let (ty, bits) = [
            ("_Bool", 1),
            ("char", 8),
            ("unsigned char", 8),
            ("short", 16),
            ("int", 32),
            ("unsigned", 32),
            ("long", 64),
        ][self.random.below(7)];
        let width = 1 + self.random.below(bits);
        match self.random.below(8) {
            0 => format!("{ty} : 0; "),
            1 => format!("{ty} : {width}; "),
            2 => format!("{ty} {} : {width} __attribute__((packed)); ", self.fresh("b")),
            3 => {
                format!("{ty} {} : {width} __attribute__((aligned({}))); ", self.fresh("b"), self.alignment())
            }
            _ => format!("{ty} {} : {width}; ", self.fresh("b")),
        }
    }

    fn member(&mut self, whole: &str) -> String {
        let ty = match self.random.below(10) {
            0..=4 => self.random.pick(&TYPES).to_owned(),
            5 | 6 => self.other(),
            _ if self.types.is_empty() => "int".to_owned(),
            _ => self.types[self.random.below(self.types.len())].clone(),
        };
        let name = self.fresh("m");
        self.questions.push(format!("__builtin_offsetof({whole}, {name})"));
        // An array of a type with an alignment of its own is an error.
        let is_own = ty.starts_with('y');
        let length = if self.random.chance(20) && !is_own { "[3]" } else { "" };
        // Less than its own alignment is an error.
        let alignas = match self.random.below(12) {
            0 => format!("_Alignas({}) ", 16 << self.random.below(2)),
            1 => "_Alignas(long double) ".to_owned(),
            _ => String::new(),
        };
        let alignas = if is_own || ty.starts_with(['s', 'u', 'e']) { String::new() } else { alignas };
        let behind = match self.random.below(8) {
            0 => "__attribute__((packed))".to_owned(),
            1 => format!("__attribute__((aligned({})))", self.alignment()),
            2 => format!("__attribute__((packed, aligned({})))", self.alignment()),
            _ => String::new(),
        };
        match self.random.chance(20) {
            true => format!("{behind} {alignas}{ty} {name}{length}; "),
            false => format!("{alignas}{ty} {name}{length} {behind}; "),
        }
    }

    fn other(&mut self) -> String {
        let types = if self.random.chance(50) { &OTHERS[..] } else { &LIBRARY_TYPES[..] };
        self.random.pick(types).to_owned()
    }

    /// The sizes and alignments of everything.
    fn ask(&mut self) {
        let others = (0..3).map(|_| self.other()).collect::<Vec<_>>();
        for ty in self.types.iter().chain(&others) {
            self.questions.push(format!("sizeof({ty})"));
            self.questions.push(format!("_Alignof({ty})"));
        }
    }
}
