//! Expressions, places and pointers.

use super::{EFFECTS, LENGTHS, Maker};

impl Maker {
    /// An expression of its own, between two sequence points.
    pub(super) fn whole(&mut self, depth: usize) -> String {
        self.between_sequence_points(|maker| maker.expression(depth))
    }

    fn between_sequence_points<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        self.effects = EFFECTS.into_iter().filter(|_| self.random.chance(30)).collect();
        self.changed = self.effects.clone();
        let written = write(self);
        self.effects.clear();
        self.changed.clear();
        written
    }

    /// Two expressions without an order between them.
    pub(super) fn pair(&mut self, depth: usize) -> (String, String) {
        self.between_sequence_points(|maker| {
            let first = maker.expression(depth);
            (first, maker.expression(depth))
        })
    }

    /// A number.
    pub(super) fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(15) {
            return self.leaf();
        }
        let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.random.below(22) {
            0 | 1 => format!("({left} {} {right})", self.random.pick(&["&", "|", "^"])),
            2 | 3 => {
                let op = self.random.pick(&["+", "-", "*"]);
                format!("((unsigned {})({left}) {op} {right})", self.random.pick(&["int", "long"]))
            }
            4 | 5 => format!("(({left} & 63) {} ({right} & 31))", self.random.pick(&["+", "-", "*", "<"])),
            6 => format!("({left} {} (({right} & 7) + 1))", self.random.pick(&["/", "%"])),
            7 => format!("({left} >> ({right} & 7))"),
            8 => format!("((unsigned)({left}) << ({right} & 15))"),
            9 | 10 => format!("({left} {} {right})", self.random.pick(&["<", "<=", ">", ">=", "==", "!="])),
            11 => format!("({left} {} {right})", self.random.pick(&["&&", "||"])),
            12 => {
                let op = self.random.pick(&["~", "!", "+"]);
                format!("({op}({left}) ^ {right})")
            }
            13 => format!("(({}){left} | {right})", self.random.pick(&crate::generated::TYPES)),
            14 => {
                let other = self.expression(depth - 1);
                format!("({left} ? {right} : {other})")
            }
            15 | 16 => self.effect(&left),
            17 => self.comparison(),
            18 => self.unusual(&left, &right),
            19 => {
                let index = self.index(3);
                format!("(({}[]){{ {left}, 1, {right} }}[{index}])", self.kinds[0])
            }
            // The rare chance that something is undefined.
            20 if self.random.chance(20) => {
                format!("({left} {} {right})", self.random.pick(&["+", "-", "*", "/", "<<"]))
            }
            _ => format!("({left} ^ (signed char){right} % 5)"),
        }
    }

    fn leaf(&mut self) -> String {
        let index = self.index(4);
        match self.random.below(12) {
            // Disguised: gcc drops operands, traps and all, that it sees multiplied by zero.
            0 | 1 => format!("({} + z@)", self.constant()),
            2 => {
                let readable: Vec<&str> =
                    EFFECTS.into_iter().filter(|effect| !self.changed.contains(effect)).collect();
                if readable.is_empty() { "c0@".into() } else { self.random.pick(&readable).to_owned() }
            }
            3 => match self.counters.last() {
                Some(counter) => counter.clone(),
                None => "c0@".into(),
            },
            4 => match self.function {
                Some(_) => self.random.pick(&["x", "kept"]).to_owned(),
                None => format!("{}@[{index}]", self.random.pick(&["word", "text"])),
            },
            _ => {
                let kind = self.random.below(3);
                self.place(kind, true)
            }
        }
    }

    /// An expression that changes a variable.
    fn effect(&mut self, operand: &str) -> String {
        let Some(variable) = self.effects.pop() else { return operand.to_owned() };
        match self.random.below(5) {
            0 => format!("({variable} = {operand})"),
            1 => format!("({variable} {}= {operand})", self.random.pick(&["^", "&", "|"])),
            2 => format!("{variable}{}", self.random.pick(&["++", "--"])),
            3 => format!("{}{variable}", self.random.pick(&["++", "--"])),
            _ => format!("({variable} = {operand}, {variable} + 1u)"),
        }
    }

    fn comparison(&mut self) -> String {
        let (left, right) = (self.pointer(true), self.pointer(true));
        match self.random.below(6) {
            0 => format!("!{left}"),
            1 => format!("({left} != 0)"),
            2 => {
                let index = self.index(LENGTHS[0]);
                format!("(int)(&a0@[{index}] - a0@)")
            }
            3 => {
                let (structure, other) = (self.structure_pointer(), self.structure_pointer());
                format!("({structure} {} {other})", self.random.pick(&["==", "!="]))
            }
            _ => format!("({left} {} {right})", self.random.pick(&["==", "!="])),
        }
    }

    fn unusual(&mut self, left: &str, right: &str) -> String {
        let structure = self.structure();
        match self.random.below(4) {
            0 => {
                let member = self.random.pick(&["a", "v[1]", "in.x", "b"]);
                format!("mk@({left}, {structure}, {right}).{member}")
            }
            1 => format!("({{ {} n = {left}; n ^ {right}; }})", self.random.pick(&crate::generated::TYPES)),
            2 => format!("((struct In@){{ {left}, .y = {right} }}).y"),
            _ => format!("(int)sizeof({structure}.v) * ({left} != 0)"),
        }
    }

    /// An index of an array, almost always inside.
    pub(super) fn index(&mut self, length: usize) -> String {
        if self.random.chance(1) { length.to_string() } else { self.sure_index(length) }
    }

    /// An index of an array, always inside.
    fn sure_index(&mut self, length: usize) -> String {
        match self.random.below(100) {
            0..=60 => self.random.below(length).to_string(),
            _ => {
                let number = match self.counters.last() {
                    Some(counter) if self.random.chance(50) => counter.clone(),
                    _ => self.random.pick(&["g0@", "g1@", "l0", "l1", "s0@.a"]).to_owned(),
                };
                format!("(unsigned char){number} % {length}")
            }
        }
    }

    /// A place of the given kind; if it may not be a local of a function, it is not one.
    pub(super) fn place(&mut self, kind: usize, may_be_local: bool) -> String {
        let structure = self.structure();
        let is_main = self.function.is_none();
        let inner = self.index(3);
        match kind {
            0 => match self.random.below(14) {
                0 => self.random.pick(&["g0@", "g3@"]).to_owned(),
                1 => {
                    let index = self.index(LENGTHS[0]);
                    format!("a0@[{index}]")
                }
                2 => {
                    let index = self.index(2);
                    format!("m@[{index}][{inner}]")
                }
                3 => format!("{structure}.a"),
                4 => format!("{structure}.v[{inner}]"),
                5 => format!("{structure}.in.y"),
                6 => {
                    let pointer = self.structure_pointer();
                    format!("{pointer}->v[{inner}]")
                }
                7 => "**pp@".into(),
                8 if may_be_local || is_main => self.random.pick(&["l0", "la[1]", "la[2]"]).to_owned(),
                9 if may_be_local || is_main => format!("la[{inner}]"),
                10 => {
                    format!("((struct S@ *)((char *)&{structure}.in - __builtin_offsetof(struct S@, in)))->a")
                }
                _ => {
                    let pointer = self.pointer(may_be_local);
                    format!("*{pointer}")
                }
            },
            1 => match self.random.below(5) {
                0 => "g1@".into(),
                1 => {
                    let index = self.index(LENGTHS[1]);
                    format!("a1@[{index}]")
                }
                2 => format!("{structure}.b"),
                3 => "*q0@".into(),
                _ if may_be_local || is_main => "l1".into(),
                _ => "g1@".into(),
            },
            _ => match self.random.below(3) {
                0 => "g2@".into(),
                1 => format!("{structure}.in.x"),
                _ if may_be_local || is_main => "l2".into(),
                _ => "g2@".into(),
            },
        }
    }

    /// A structure.
    pub(super) fn structure(&mut self) -> String {
        let index = self.index(2);
        match self.random.below(6) {
            0 => "s0@".into(),
            1 => "s1@".into(),
            2 => format!("t@[{index}]"),
            3 => "(*ps@)".into(),
            4 if self.function.is_none() => self.random.pick(&["ls", "(*hs)"]).to_owned(),
            _ => format!("ps@[0 * {index}]"),
        }
    }

    pub(super) fn structure_pointer(&mut self) -> String {
        let index = self.sure_index(2);
        match self.random.below(6) {
            0 => self.random.pick(&["(&s0@)", "(&s1@)"]).to_owned(),
            1 => format!("(&t@[{index}])"),
            2 => format!("(t@ + {})", self.random.below(2)),
            3 if self.function.is_none() => self.random.pick(&["(&ls)", "hs"]).to_owned(),
            _ => "ps@".into(),
        }
    }

    /// A pointer to the first kind; if it may not point to a local of a function, it does not.
    pub(super) fn pointer(&mut self, may_be_local: bool) -> String {
        let is_main = self.function.is_none();
        let index = self.index(2);
        match self.random.below(14) {
            0 | 1 => self.random.pick(&["p0@", "p1@"]).to_owned(),
            2 => format!("pa@[{index}]"),
            3 => "(*pp@)".into(),
            4 => {
                let structure = self.structure();
                format!("{structure}.p")
            }
            5 => {
                let index = self.index(LENGTHS[0]);
                format!("({}a0@ + {index})", self.random.pick(&["", "1 - 1 + "]))
            }
            6 => format!("m@[{index}]"),
            7 => {
                let index = self.random.below(LENGTHS[0]);
                format!("(&a0@[{}] - {})", LENGTHS[0] - 1, index)
            }
            8 | 9 if may_be_local || is_main => {
                let names: Vec<&str> = self.pointers.iter().map(String::as_str).collect();
                let name = self.random.below(names.len());
                names[name].to_owned()
            }
            10 => {
                let (left, right) =
                    (self.random.pick(&["p0@", "&g3@", "a0@"]), self.random.pick(&["p1@", "&s0@.a"]));
                let condition = self.random.pick(&["g0@ > 1", "g1@", "!g2@"]);
                format!("({condition} ? {left} : {right})")
            }
            11 => {
                let k0 = self.kinds[0];
                format!("(({k0} *)(unsigned long)p1@)")
            }
            12 if self.random.chance(8) => format!("({} *)0", self.kinds[0]),
            _ => {
                let place = self.addressable(may_be_local);
                format!("(&{place})")
            }
        }
    }

    /// A place of the first kind that is not behind a pointer.
    fn addressable(&mut self, may_be_local: bool) -> String {
        let (index, inner) = (self.index(LENGTHS[0]), self.random.below(3));
        let is_local = may_be_local || self.function.is_none();
        match self.random.below(8) {
            0 => "g0@".into(),
            1 => "g3@".into(),
            2 => format!("a0@[{index}]"),
            3 => format!("s1@.v[{inner}]"),
            4 => format!("t@[{}].in.y", inner % 2),
            5 if is_local => "l0".into(),
            6 if is_local => format!("la[{inner}]"),
            _ => format!("m@[1][{inner}]"),
        }
    }
}
