//! Statements.

use super::{EFFECTS, LENGTHS, Maker};

impl Maker {
    /// One statement, or several that belong together, with blocks nested at most so deep.
    pub(super) fn statement(&mut self, depth: usize) -> String {
        let line = match self.random.below(if depth > 0 { 24 } else { 12 }) {
            0..=2 => {
                let kind = self.random.below(3);
                let (place, value) = (self.place(kind, true), self.whole(3));
                format!("{place} = {value};")
            }
            3 => {
                let kind = self.random.below(3);
                let (place, value) = (self.place(kind, true), self.whole(2));
                format!("{place} {} {value};", self.random.pick(&["^=", "&=", "|=", "^="]))
            }
            4 => {
                let kind = self.random.below(3);
                let place = self.place(kind, true);
                match self.random.below(3) {
                    0 => format!("({place})++;"),
                    1 => format!("--({place});"),
                    _ => {
                        format!("({place}) {}= {};", self.random.pick(&["+", "-", "*"]), self.random.below(4))
                    }
                }
            }
            5..=7 => self.pointer_assignment(),
            8 => self.structure_assignment(),
            9 | 10 => self.call(),
            11 => {
                let value = self.whole(3);
                format!("{value};")
            }
            12 | 13 => self.choice(depth),
            14 | 15 => self.counted_loop(depth),
            16 => self.walk(depth),
            17 | 18 => self.switch(depth),
            19 => self.forward_jump(depth),
            20 => self.backward_jump(depth),
            21 => self.block(depth),
            22 => {
                let inner = self.statements(depth);
                format!("__VERIFIER_atomic_begin();\n{inner}__VERIFIER_atomic_end();")
            }
            _ => self.conditions(depth),
        };
        format!("  {line}\n")
    }

    fn statements(&mut self, depth: usize) -> String {
        (0..1 + self.random.below(2)).map(|_| self.statement(depth - 1)).collect()
    }

    fn name(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn pointer_assignment(&mut self) -> String {
        let may_be_local = self.function.is_none();
        let index = self.index(2);
        match self.random.below(10) {
            0..=4 => {
                let value = self.pointer(may_be_local);
                let structure = self.structure();
                let place = match self.random.below(6) {
                    0 => "*pp@".into(),
                    1 => format!("pa@[{index}]"),
                    2 => format!("{structure}.p"),
                    other => ["p0@", "p1@", "p1@"][other - 3].to_owned(),
                };
                format!("{place} = {value};")
            }
            5 => {
                let value = self.pointer(true);
                format!("lp = {value};")
            }
            6 => {
                let structure = if may_be_local { self.structure() } else { "s0@".into() };
                let local = if may_be_local { "&lp" } else { "&pa@[1]" };
                let value = match self.random.below(4) {
                    0 => format!("&pa@[{index}]"),
                    1 => format!("&{structure}.p"),
                    2 => self.random.pick(&["&p0@", "&p1@"]).to_owned(),
                    _ => local.to_owned(),
                };
                format!("pp@ = {value};")
            }
            7 => {
                let value = self.structure_pointer();
                format!("ps@ = {value};")
            }
            8 => {
                let place = match self.random.below(4) {
                    0 => "&g1@".to_owned(),
                    1 => format!("&a1@[{}]", self.random.below(LENGTHS[1])),
                    2 if may_be_local => "&l1".to_owned(),
                    _ => "&t@[0].b".to_owned(),
                };
                format!("q0@ = {place};")
            }
            _ => {
                let structure = self.structure();
                let place = match self.random.below(3) {
                    0 => "fp@".to_owned(),
                    1 => format!("tab@[{index}]"),
                    _ => format!("{structure}.f"),
                };
                // Functions call only those before them through pointers: `h2` is never stored.
                format!("{place} = {};", self.random.pick(&["h0@", "&h1@", "tab@[0]", "s1@.f", "fp@"]))
            }
        }
    }

    fn structure_assignment(&mut self) -> String {
        let (to, from) = (self.structure(), self.structure());
        match self.random.below(4) {
            0 => {
                let (number, other) = self.pair(1);
                format!("{to} = mk@({number}, {from}, {other});")
            }
            1 => format!("{to}.in = {from}.in;"),
            _ => format!("{to} = {from};"),
        }
    }

    /// A call of a function that changes variables, directly or through a pointer.
    fn call(&mut self) -> String {
        let call = self.called();
        let target = self.random.pick(&EFFECTS);
        match self.random.below(3) {
            0 => format!("{call};"),
            1 => format!("{target} = {call};"),
            _ => format!("l0 = {call};"),
        }
    }

    fn called(&mut self) -> String {
        if self.function == Some(0) {
            return self.expression(1);
        }
        let (number, pointer) = (self.whole(1), self.pointer(true));
        // `h0` calls nothing and `h1` only `h0`: whatever a pointer points to does not recurse.
        let callees: &[&str] = match self.function {
            None => &["h0@", "h1@", "h2@", "fp@", "(*fp@)", "tab@[1]", "tab@[g0@ & 1]", "s0@.f", "ps@->f"],
            Some(2) => &["h0@", "h1@", "fp@", "tab@[0]", "s1@.f"],
            Some(_) => &["h0@"],
        };
        format!("{}({number}, {pointer})", self.random.pick(callees))
    }

    fn choice(&mut self, depth: usize) -> String {
        let condition = self.whole(2);
        let yes = self.statements(depth);
        if self.random.chance(50) {
            return format!("if ({condition}) {{\n{yes}}}");
        }
        let no = self.statements(depth);
        format!("if ({condition}) {{\n{yes}}} else {{\n{no}}}")
    }

    fn counted_loop(&mut self, depth: usize) -> String {
        let counter = self.name("i");
        let bound = self.random.below(4);
        self.counters.push(counter.clone());
        let mut body = self.statements(depth);
        if self.random.chance(40) {
            let condition = self.whole(1);
            body.push_str(&format!("if ({condition}) {};\n", self.random.pick(&["break", "continue"])));
            body.push_str(&self.statement(depth - 1));
        }
        self.counters.pop();
        match self.random.below(3) {
            0 => format!("{{ int {counter} = 0; while ({counter}++ < {bound}) {{\n{body}}} }}"),
            1 => format!("{{ int {counter} = {bound}; do {{\n{body}}} while ({counter}-- > 0); }}"),
            _ => format!("for (int {counter} = 0; {counter} < {bound}; {counter}++) {{\n{body}}}"),
        }
    }

    /// A pointer walks over an array.
    fn walk(&mut self, depth: usize) -> String {
        let name = self.name("w");
        let may_point = self.function.is_none();
        let (array, length) = match self.random.below(3) {
            0 => ("a0@", LENGTHS[0]),
            1 => ("s0@.v", 3),
            _ if may_point => ("la", 3),
            _ => ("m@[1]", 3),
        };
        let value = self.whole(1);
        let body = self.statements(depth);
        let kind = self.kinds[0];
        match self.random.below(2) {
            0 => format!(
                "for ({kind} *{name} = {array}; {name} < {array} + {length}; {name}++) {{ *{name} ^= {value};\n{body}}}"
            ),
            _ => format!(
                "{{ {kind} *{name} = {array} + {length}; while ({name} != {array}) {{ *--{name} = {value};\n{body}}} }}"
            ),
        }
    }

    fn switch(&mut self, depth: usize) -> String {
        let mut text = format!("switch ({}) {{\n", self.whole(2));
        for label in ["case 0:", "case 1: case K2@:", "default:", "case 3 ... 9:"] {
            text.push_str(label);
            text.push_str(&self.statement(depth - 1));
            if self.random.chance(60) {
                text.push_str("break;\n");
            }
        }
        text + "}"
    }

    fn forward_jump(&mut self, depth: usize) -> String {
        let (label, condition) = (self.name("forward"), self.whole(1));
        let body = self.statements(depth);
        format!("if ({condition}) goto {label};\n{body}{label}: ;")
    }

    fn backward_jump(&mut self, depth: usize) -> String {
        let (label, counter) = (self.name("back"), self.name("n"));
        let body = self.statements(depth);
        format!(
            "{{ int {counter} = 0;\n{label}:\n{body}if (++{counter} < {}) goto {label}; }}",
            1 + self.random.below(3)
        )
    }

    /// A block with a pointer of its own, which often has one value for as long as it exists.
    fn block(&mut self, depth: usize) -> String {
        let name = self.name("b");
        let value = self.pointer(true);
        self.pointers.push(name.clone());
        let body = self.statements(depth);
        self.pointers.pop();
        let qualifier = self.random.pick(&["", "const "]);
        format!("{{ {} *{qualifier}{name} = {value};\n{body}}}", self.kinds[0])
    }

    /// Calls and effects on both sides of operators that have an order.
    fn conditions(&mut self, depth: usize) -> String {
        let (first, second) = (self.called(), self.called());
        let third = self.whole(2);
        let body = self.statement(depth - 1);
        match self.random.below(4) {
            0 => format!("if ({first} && {second}) {{\n{body}}}"),
            1 => format!("if (!({first}) || {third}) {{\n{body}}}"),
            2 => format!("l0 = {third} ? {first} : {second};"),
            _ => format!("{first}, l0 = {second};"),
        }
    }
}
