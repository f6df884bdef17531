//! Systems made at random: small, of all shapes, most of them with an answer.

use rely_base::Random;
use std::fmt::Write;

/// A text of one system. The same seed makes the same text.
pub fn system(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut maker = Maker { random: &mut random, arities: Vec::new() };
    maker.text()
}

struct Maker<'r> {
    random: &'r mut Random,
    /// For each predicate, whether each argument is a truth value.
    arities: Vec<Vec<bool>>,
}

impl Maker<'_> {
    fn text(&mut self) -> String {
        let mut text = String::from("(set-logic HORN)\n");
        for name in 0..1 + self.random.below(3) {
            let arity: Vec<bool> = (0..1 + self.random.below(3)).map(|_| self.random.percent(20)).collect();
            let sorts: Vec<&str> =
                arity.iter().map(|&is_bool| if is_bool { "Bool" } else { "Int" }).collect();
            let _ = writeln!(text, "(declare-fun p{name} ({}) Bool)", sorts.join(" "));
            self.arities.push(arity);
        }
        let (facts, steps, goals) =
            (1 + self.random.below(2), 1 + self.random.below(4), 1 + self.random.below(2));
        for _ in 0..facts {
            text += &self.clause(0, true);
        }
        for _ in 0..steps {
            let body = if self.random.percent(15) { 2 } else { 1 };
            text += &self.clause(body, true);
        }
        for _ in 0..goals {
            let body = if self.random.percent(15) { 2 } else { 1 };
            text += &self.clause(body, false);
        }
        text + "(check-sat)\n"
    }

    fn clause(&mut self, body: usize, has_head: bool) -> String {
        let variables = "(a Int) (b Int) (c Int) (d Bool) (e Bool)";
        let mut parts: Vec<String> = (0..body).map(|_| self.application(true)).collect();
        for _ in 0..self.random.below(3) + usize::from(body == 0) {
            parts.push(self.condition(2));
        }
        let head = if has_head { self.application(false) } else { "false".to_owned() };
        format!("(assert (forall ({variables}) (=> (and true {}) {head})))\n", parts.join(" "))
    }

    fn application(&mut self, in_body: bool) -> String {
        let name = self.random.below(self.arities.len());
        let mut text = format!("(p{name}");
        for is_bool in self.arities[name].clone() {
            let argument = match (is_bool, in_body && self.random.percent(80)) {
                (true, true) => (*self.random.pick(&["d", "e"])).to_owned(),
                (false, true) => (*self.random.pick(&["a", "b", "c"])).to_owned(),
                (true, false) => self.condition(0),
                (false, false) => self.term(1),
            };
            let _ = write!(text, " {argument}");
        }
        text + ")"
    }

    fn term(&mut self, depth: usize) -> String {
        let variable = *self.random.pick(&["a", "b", "c"]);
        let constant = self.constant();
        match self.random.below(if depth == 0 { 3 } else { 8 }) {
            0 => constant,
            1 | 2 => variable.to_owned(),
            3 | 4 => format!("(+ {variable} {constant})"),
            5 => format!("(- {} {})", self.term(depth - 1), self.term(depth - 1)),
            6 => format!("(+ {} {})", self.term(depth - 1), self.term(depth - 1)),
            _ => match self.random.below(4) {
                0 => format!("(* {constant} {variable})"),
                1 => format!("(mod {variable} {})", self.random.between(2, 3)),
                2 => format!("(div {variable} {})", self.random.between(2, 3)),
                _ => format!("(ite {} {} {})", self.condition(0), self.term(0), self.term(0)),
            },
        }
    }

    fn constant(&mut self) -> String {
        let value = self.random.between(-3, 6);
        if value < 0 { format!("(- {})", -value) } else { value.to_string() }
    }

    fn condition(&mut self, depth: usize) -> String {
        let flag = *self.random.pick(&["d", "e"]);
        let relation = *self.random.pick(&["<", "<=", "=", "distinct", ">", ">="]);
        match self.random.below(if depth == 0 { 4 } else { 8 }) {
            0 => flag.to_owned(),
            1 => format!("(not {flag})"),
            2..=5 => format!("({relation} {} {})", self.term(0), self.term(1)),
            6 => format!("(or {} {})", self.condition(depth - 1), self.condition(depth - 1)),
            _ => format!("(and {} {})", self.condition(depth - 1), self.condition(depth - 1)),
        }
    }
}
