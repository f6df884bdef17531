//! Random initializers: nested arrays and structures with and without braces, designators that
//! override and continue, ranges, and strings.

use crate::generated::{Generated, TYPES};
use crate::random::Random;
use std::fmt::Write;

const CONSTANTS: [&str; 14] = [
    "0",
    "1",
    "-1",
    "2",
    "77",
    "-128",
    "255",
    "256",
    "65535",
    "-70000",
    "'\\xff'",
    "'\\''",
    "4294967295u",
    "5000000000",
];

/// Strings for arrays of narrow characters, with the number of their characters.
const STRINGS: [(&str, usize); 7] = [
    ("\"\"", 1),
    ("\"a\"", 2),
    ("\"\\xff\"", 2),
    ("\"ab\" \"c\"", 4),
    ("\"\\200\\n\\e\"", 4),
    ("\"a\\0b\"", 4),
    ("\"'\\\"\\x7f\"", 4),
];

const MAX_LEAVES: usize = 60;

enum Type {
    Scalar(&'static str),
    Array(Box<Type>, usize),
    /// A tag, and members; those without a name are structures.
    Structure(String, Vec<(Option<String>, Type)>),
}

impl Type {
    fn parts(&self) -> usize {
        match self {
            Type::Scalar(_) => 0,
            Type::Array(_, length) => *length,
            Type::Structure(_, members) => members.len(),
        }
    }

    fn part(&self, index: usize) -> &Type {
        match self {
            Type::Array(element, _) => element,
            Type::Structure(_, members) => &members[index].1,
            Type::Scalar(_) => self,
        }
    }

    fn leaves(&self) -> usize {
        match self {
            Type::Scalar(_) => 1,
            _ => (0..self.parts()).map(|index| self.part(index).leaves()).sum(),
        }
    }

    /// What all scalars in here are called.
    fn names(&self, name: &str, names: &mut Vec<String>) {
        match self {
            Type::Scalar(_) => names.push(name.to_owned()),
            Type::Array(element, length) => {
                (0..*length).for_each(|index| element.names(&format!("{name}[{index}]"), names));
            }
            Type::Structure(_, members) => {
                for (own, ty) in members {
                    let inner = own.as_ref().map_or(name.to_owned(), |own| format!("{name}.{own}"));
                    ty.names(&inner, names);
                }
            }
        }
    }

    /// The declaration of a name of this type.
    fn declare(&self, name: &str) -> String {
        match self {
            Type::Scalar(ty) => format!("{ty} {name}"),
            Type::Array(element, length) => element.declare(&format!("{name}[{length}]")),
            Type::Structure(tag, _) => format!("struct {tag} {name}"),
        }
    }

    fn is_text(&self) -> bool {
        matches!(self, Type::Array(element, _)
            if matches!(**element, Type::Scalar("char" | "signed char" | "unsigned char")))
    }
}

struct Writer {
    random: Random,
    /// The definitions of structures.
    definitions: String,
    names: usize,
    /// Whether values must be constants.
    is_static: bool,
}

pub(crate) fn generate(seed: u64) -> Generated {
    let mut writer =
        Writer { random: Random::new(seed), definitions: String::new(), names: 0, is_static: true };
    let ty = loop {
        let ty = writer.ty(3);
        if ty.parts() > 0 && ty.leaves() <= MAX_LEAVES {
            break ty;
        }
    };
    let (mut globals, mut main, mut names) = (String::new(), String::new(), Vec::new());
    let (value, length) = writer.braced(&ty);
    let ty = writer.maybe_open(ty, length);
    let declared = match &ty {
        (Type::Array(element, _), true) => element.declare("g@[]"),
        (ty, _) => ty.declare("g@"),
    };
    writeln!(globals, "{declared} = {value};").expect("strings take text");
    ty.0.names("g@", &mut names);
    writer.is_static = false;
    let value = writer.braced(&ty.0).0;
    writeln!(main, "  {} = {value};", ty.0.declare("l")).expect("strings take text");
    ty.0.names("l", &mut names);
    // Our parser wants values in a compound literal.
    let value = match writer.list(&ty.0).0.as_str() {
        "{}" => "{0}".to_owned(),
        list => list.to_owned(),
    };
    let (pointer, cast) = (ty.0.declare("(*p)"), ty.0.declare(""));
    writeln!(main, "  {pointer} = &({cast}){value};").expect("strings take text");
    ty.0.names("(*p)", &mut names);
    writeln!(main, "  o@[{}] = sizeof(g@);", names.len()).expect("strings take text");
    for (index, name) in names.iter().enumerate() {
        writeln!(main, "  o@[{index}] = {name};").expect("strings take text");
    }
    let count = names.len() + 1;
    let text = format!(
        "{}long o@[{count}]; int n@;\nstatic int f@(int x) {{ n@++; return x; }}\n{globals}int main@(void) \
         {{\n{main}  return 0;\n}}\n",
        writer.definitions
    );
    let cells = vec![
        ("o".into(), (0..count).map(|index| format!("o@[{index}]")).collect()),
        ("n".into(), vec!["n@".into()]),
    ];
    Generated { template: text, cells }
}

impl Writer {
    fn ty(&mut self, depth: usize) -> Type {
        match self.random.below(if depth == 0 { 4 } else { 10 }) {
            0..=2 => Type::Scalar(self.random.pick(&TYPES)),
            3 => {
                let character = self.random.pick(&["char", "signed char", "unsigned char"]);
                Type::Array(Box::new(Type::Scalar(character)), 1 + self.random.below(5))
            }
            4..=6 => Type::Array(Box::new(self.ty(depth - 1)), 1 + self.random.below(4)),
            _ => {
                let tag = format!("t{}@", self.names);
                self.names += 1;
                let members = self.members(depth);
                let written = members_text(&members);
                writeln!(self.definitions, "struct {tag} {{ {written}}};").expect("strings take text");
                Type::Structure(tag, members)
            }
        }
    }

    fn members(&mut self, depth: usize) -> Vec<(Option<String>, Type)> {
        let mut members = Vec::new();
        for _ in 0..1 + self.random.below(4) {
            if depth > 1 && self.random.chance(15) {
                let inner = self.members(depth - 2);
                members.push((None, Type::Structure(String::new(), inner)));
                continue;
            }
            self.names += 1;
            let name = format!("m{}", self.names);
            members.push((Some(name), self.ty(depth.saturating_sub(1))));
        }
        members
    }

    /// Sometimes the length of an array comes from its initializer.
    fn maybe_open(&mut self, ty: Type, length: usize) -> (Type, bool) {
        match ty {
            Type::Array(element, _) if length > 0 && self.random.chance(40) => {
                (Type::Array(element, length), true)
            }
            ty => (ty, false),
        }
    }

    fn scalar(&mut self) -> String {
        let constant = self.random.pick(&CONSTANTS);
        match self.random.below(10) {
            0 if !self.is_static => format!("f@({constant})"),
            _ => constant.to_owned(),
        }
    }

    /// A value for a whole: a list, a string or a scalar. Also how many elements that needs.
    fn braced(&mut self, ty: &Type) -> (String, usize) {
        if ty.is_text() && self.random.chance(50) {
            let (text, length) = STRINGS[self.random.below(STRINGS.len())];
            let length = length.min(ty.parts());
            return match self.random.chance(40) {
                true => (format!("{{{text}}}"), length),
                false => (text.to_owned(), length),
            };
        }
        match ty {
            Type::Scalar(_) => match (self.scalar(), self.random.chance(10)) {
                (scalar, true) => (format!("{{{scalar}}}"), 1),
                (scalar, false) => (scalar, 1),
            },
            _ => self.list(ty),
        }
    }

    fn list(&mut self, ty: &Type) -> (String, usize) {
        let (mut items, mut next, mut longest) = (Vec::new(), 0, 0);
        let (mut is_inside, mut led_inside) = (false, false);
        while items.len() < 6 && !self.random.chance(12) {
            if next >= ty.parts() || is_inside || self.random.chance(35) {
                if self.random.chance(30) && !items.is_empty() {
                    break;
                }
                let (item, last, inside) = self.designated(ty);
                items.push(item);
                (next, is_inside, led_inside) = (last + 1, inside, true);
            } else {
                let part = ty.part(next);
                // gcc takes a string for the array that values have led into before, full or not.
                let is_elided = part.parts() > 0 && self.random.chance(45) || led_inside && part.is_text();
                let (item, inside) = match is_elided {
                    true => self.elided(part, 0),
                    false => (self.braced(part).0, false),
                };
                items.push(item);
                (next, is_inside, led_inside) = (next + 1, inside, is_elided);
            }
            longest = longest.max(next);
        }
        let comma = if self.random.chance(20) && !items.is_empty() { "," } else { "" };
        (format!("{{{}{comma}}}", items.join(", ")), longest)
    }

    /// The scalars of a part from one of its parts on, without braces; sometimes not all of them.
    fn elided(&mut self, part: &Type, from: usize) -> (String, bool) {
        let all: usize = (from..part.parts()).map(|index| part.part(index).leaves()).sum();
        let count = if self.random.chance(70) { all } else { 1 + self.random.below(all) };
        let values: Vec<String> = (0..count).map(|_| self.scalar()).collect();
        (values.join(", "), count < all)
    }

    /// A value with a designator: also the index of the last part that it names, and whether what
    /// follows would go on inside of it.
    fn designated(&mut self, ty: &Type) -> (String, usize, bool) {
        let index = self.random.below(ty.parts());
        if let (Type::Array(element, length), true) = (ty, self.random.chance(25)) {
            let to = index + self.random.below(length - index);
            // gcc does not know what to do with calls in a list for several elements.
            let was_static = self.is_static;
            self.is_static |= element.parts() > 0;
            let value = self.braced(element).0;
            self.is_static = was_static;
            return (format!("[{index} ... {to}] = {value}"), to, false);
        }
        let (name, part) = match ty {
            Type::Structure(_, members) => match &members[index] {
                (Some(name), part) => (format!(".{name}"), part),
                // What has no name is designated by one of its members.
                (None, part) => (String::new(), part),
            },
            _ => (format!("[{index}]"), ty.part(index)),
        };
        if name.is_empty() || part.parts() > 0 && self.random.chance(45) {
            let inner = self.random.below(part.parts());
            let inner_name = match part {
                Type::Structure(_, members) => match &members[inner].0 {
                    Some(own) => format!(".{own}"),
                    None => return self.designated(ty),
                },
                _ => format!("[{inner}]"),
            };
            let value = self.braced(part.part(inner)).0;
            let designator = format!("{name}{inner_name}");
            if inner + 1 < part.parts() {
                if self.random.chance(50) {
                    return (format!("{designator} = {value}"), index, true);
                }
                let (more, inside) = self.elided(part, inner + 1);
                return (format!("{designator} = {value}, {more}"), index, inside);
            }
            return (format!("{designator} = {value}"), index, false);
        }
        if part.parts() > 0 && self.random.chance(45) {
            let (value, inside) = self.elided(part, 0);
            return (format!("{name} = {value}"), index, inside);
        }
        (format!("{name} = {}", self.braced(part).0), index, false)
    }
}

fn members_text(members: &[(Option<String>, Type)]) -> String {
    let mut text = String::new();
    for (name, ty) in members {
        match (name, ty) {
            (Some(name), ty) => write!(text, "{}; ", ty.declare(name)),
            (None, Type::Structure(_, inner)) => write!(text, "struct {{ {}}}; ", members_text(inner)),
            (None, _) => Ok(()),
        }
        .expect("strings take text");
    }
    text
}
