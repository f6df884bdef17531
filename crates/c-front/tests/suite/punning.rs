//! Random sequential programs that look at the same memory in several ways: bit-fields, unions, pointers of other
//! types, `memcpy`, `memset` and `memcmp` between types, and allocated memory.
//!
//! All have one behaviour with gcc, which is told not to rely on types where pointers are concerned (`-O0` does not).
//! What lies between the members of a structure is nobody's, so that is not looked at.

use crate::generated::Generated;
use crate::random::Random;
use std::fmt::Write;

const WIDTHS: [(&str, usize); 9] = [
    ("unsigned", 32),
    ("int", 32),
    ("unsigned char", 8),
    ("short", 16),
    ("_Bool", 1),
    ("unsigned short", 16),
    ("int", 20),
    ("unsigned", 11),
    ("signed char", 8),
];

const SCALARS: [&str; 8] =
    ["char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long"];

const VALUES: [&str; 10] =
    ["0", "1", "-1", "3", "-7", "200", "0x1234", "0x89abcdef", "-123456789", "0x123456789abcdefl"];

/// How many numbers a program notes.
const NOTES: usize = 24;

struct Writer {
    random: Random,
    /// The members of the structure of bit-fields.
    fields: Vec<String>,
    /// Members of the union, and how they are accessed.
    members: Vec<String>,
    text: String,
    notes: usize,
}

pub(crate) fn generate(seed: u64) -> Generated {
    let random = Random::new(seed);
    let mut writer =
        Writer { random, fields: Vec::new(), members: Vec::new(), text: String::new(), notes: 0 };
    writer.types();
    writer.body();
    let cells = vec![("o".into(), (0..NOTES).map(|index| format!("o@[{index}]")).collect())];
    Generated { template: writer.text, cells }
}

impl Writer {
    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("strings take text");
    }

    fn value(&mut self) -> String {
        match self.random.below(4) {
            0 => format!("o@[{}]", self.random.below(NOTES)),
            1 => format!("i * {} + {}", self.random.below(90), self.random.below(9)),
            _ => self.random.pick(&VALUES).to_owned(),
        }
    }

    fn types(&mut self) {
        self.line("void *malloc(unsigned long), *calloc(unsigned long, unsigned long);");
        self.line("void free(void *); void *memcpy(void *, const void *, unsigned long), *memset(void *, int, unsigned long);");
        self.line("int memcmp(const void *, const void *, unsigned long);");
        let mut bits = String::new();
        for index in 0..2 + self.random.below(6) {
            let (ty, most) = WIDTHS[self.random.below(WIDTHS.len())];
            let packed = if self.random.chance(10) { " __attribute__((packed))" } else { "" };
            match self.random.below(8) {
                // A `_Bool` of other bytes than 0 and 1 has no value.
                0 if ty != "_Bool" => write!(bits, " {ty} f{index};"),
                1 => write!(bits, " unsigned : {}; {ty} f{index} : 1;", self.random.below(20)),
                _ => write!(bits, " {ty} f{index} : {}{packed};", 1 + self.random.below(most)),
            }
            .expect("strings take text");
            self.fields.push(format!("f{index}"));
        }
        self.line(&format!("struct B@ {{{bits} }};"));
        let mut union = String::from(" unsigned char c[16]; struct { int x; short y, z; } s; struct B@ b;");
        self.members = vec!["c[i & 15]".into(), "c[3]".into(), "s.x".into(), "s.y".into(), "s.z".into()];
        for (index, field) in self.fields.clone().iter().enumerate() {
            if index < 3 {
                self.members.push(format!("b.{field}"));
            }
        }
        for index in 0..1 + self.random.below(3) {
            let ty = self.random.pick(&SCALARS);
            write!(union, " {ty} m{index}, a{index}[2];").expect("strings take text");
            self.members.extend([format!("m{index}"), format!("a{index}[i & 1]"), format!("a{index}[1]")]);
        }
        if self.random.chance(30) {
            // Only some members are used.
            let first = self.random.below(self.members.len());
            self.members = vec![self.members[first].clone()];
        }
        self.line(&format!("union U@ {{{union} }};"));
        self.line("struct W@ { long before; union U@ u; int after; };");
        self.line("struct P@ { int a; short b, c; long d; unsigned char e[8]; };");
        self.line(&format!(
            "long o@[{NOTES}]; struct B@ b@, b2@ = {{ 1, 2 }}; union U@ u@, v@ = {{ {{ 7, 8, 9 }} }};"
        ));
        self.line("struct W@ w@[2]; struct P@ p@ = { 1, 2, 3, 4, \"abc\" }, q@; unsigned char buffer@[32]; int n@[6];");
        self.line("struct L@ { struct L@ *next; int v; }; struct F@ { short k; int a[]; };");
    }

    fn union_place(&mut self) -> String {
        let member = self.random.below(self.members.len());
        let base = self.random.pick(&["u@", "v@", "w@[1].u", "w@[i & 1].u", "(*pu)", "pw->u"]);
        format!("{base}.{}", self.members[member])
    }

    fn bit_place(&mut self) -> String {
        let field = self.random.below(self.fields.len());
        format!("{}.{}", self.random.pick(&["b@", "b2@", "(*pb)"]), self.fields[field])
    }

    /// A place in memory without gaps, through a pointer of some type.
    fn other_place(&mut self) -> String {
        let ty = self.random.pick(&SCALARS);
        let at = self.random.below(8);
        match self.random.below(5) {
            0 => format!("*({ty} *)((char *)&p@ + {at})"),
            1 => format!("*({ty} *)&buffer@[{at}]"),
            2 => format!("*({ty} *)(pc + {at})"),
            3 => format!("(({ty} *)n@)[{}]", at & 1),
            _ => format!("*({ty} *)((char *)n@ + i + {at})"),
        }
    }

    fn place(&mut self) -> String {
        match self.random.below(3) {
            0 => self.union_place(),
            1 => self.bit_place(),
            _ => self.other_place(),
        }
    }

    fn note(&mut self, value: &str) -> String {
        self.notes += 1;
        format!("o@[{}] = {value};", self.notes % NOTES)
    }

    fn statement(&mut self) -> String {
        match self.random.below(16) {
            0..=3 => {
                let (place, value) = (self.place(), self.value());
                format!("{place} = {value};")
            }
            4..=7 => {
                let place = self.place();
                self.note(&place)
            }
            8 => {
                let (place, value) = (self.bit_place(), self.value());
                self.note(&format!("({place} = {value})"))
            }
            9 => {
                let place = self.bit_place();
                let op = self.random.pick(&["++", "--", " += 3", " ^= 5", " <<= 1"]);
                format!("{place}{op};")
            }
            10 => self
                .random
                .pick(&["b@ = b2@;", "u@ = v@;", "w@[0] = w@[1];", "q@ = p@;", "*pu = w@[i & 1].u;"])
                .into(),
            11 => {
                let size = 1 + self.random.below(16);
                let to = self.random.pick(&["buffer@", "&p@", "n@", "&buffer@[5]", "pc"]);
                let from = self.random.pick(&[
                    "&q@",
                    "buffer@ + 16",
                    "&u@",
                    "\"some text in here\"",
                    "(char *)n@ + 8",
                ]);
                format!("memcpy({to}, {from}, {size});")
            }
            12 => {
                let (byte, size) = (self.random.below(300), 1 + self.random.below(16));
                let to = self.random.pick(&["buffer@", "&p@", "n@", "&u@"]);
                format!("memset({to}, {byte}, {size});")
            }
            13 => {
                let size = 1 + self.random.below(16);
                self.note(&format!("memcmp(buffer@, n@, {size}) > 0"))
            }
            14 => {
                let (place, ty) = (self.random.pick(&["&p@.c", "&q@.c"]), "struct P@");
                self.note(&format!("(({ty} *)((char *){place} - __builtin_offsetof({ty}, c)))->a"))
            }
            _ => self.heap(),
        }
    }

    fn heap(&mut self) -> String {
        let value = self.value();
        let kept = match self.random.below(4) {
            0 => "struct L@ *l = 0; for (int k = 0; k < 5; k++) { struct L@ *e = malloc(sizeof *e); e->v = k * 3; \
                  e->next = l; l = e; } long sum = 0; for (; l; l = l->next) sum = sum * 5 + l->v;"
                .to_owned(),
            1 => format!(
                "struct F@ *f = malloc(sizeof *f + 12); f->k = 3; f->a[0] = {value}; f->a[2] = 5; f->a[i & 1] += 2; \
                 long sum = f->a[0] + f->a[2] + f->k; free(f);"
            ),
            2 => format!(
                "int *a = calloc(i + 2, sizeof *a); a[i] = 4; a[i + 1] = {value}; unsigned char *c = (unsigned char *)a; \
                 long sum = c[4 * i + 5] + a[0]; free(a);"
            ),
            _ => format!(
                "int size = i + 3; short a[size]; a[0] = {value}; a[i + 2] = 7; long sum = a[0] + a[i + 2];"
            ),
        };
        let note = self.note("sum");
        format!("{{ {kept} {note} }}")
    }

    fn body(&mut self) {
        self.line("int main@(void) {");
        self.line("  int i = 0; union U@ *pu = &u@; struct W@ *pw = w@; struct B@ *pb = &b2@; char *pc = (char *)n@;");
        for _ in 0..10 + self.random.below(14) {
            let statement = self.statement();
            self.line(&format!("  {statement}"));
            if self.random.chance(20) {
                let change = self.random.pick(&[
                    "i = 1;",
                    "i = 0;",
                    "pu = &v@;",
                    "pw = &w@[1];",
                    "pb = &b@;",
                    "pc = (char *)&buffer@[9];",
                ]);
                self.line(&format!("  {change}"));
            }
        }
        for index in 0..4 {
            let place = self.place();
            self.line(&format!("  o@[{index}] ^= {place};"));
        }
        self.line("  return 0;\n}");
    }
}
