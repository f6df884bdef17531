//! Random models: all but a few are correct, and all of them are laid out badly.

use rely_base::Random;

/// A random model.
pub fn model(random: &mut Random) -> String {
    let mut generator = Generator { random, labels: 0, replicated: false, observed: false };
    let text = generator.model();
    messy(random, &text)
}

/// Other spaces, line breaks and comments between the tokens.
pub fn messy(random: &mut Random, text: &str) -> String {
    let mut messy = String::new();
    for character in text.chars() {
        match character {
            ' ' => messy.push_str(match random.below(24) {
                0 => "\n",
                1 => "\n\n\n",
                2 => "  ",
                3 => " // note\n",
                4 => " /* note */ ",
                5 => "\n/* two\n lines */\n",
                6 => "\t",
                _ => " ",
            }),
            other => messy.push(other),
        }
    }
    messy
}

struct Generator<'r> {
    random: &'r mut Random,
    labels: usize,
    replicated: bool,
    /// Whether a property is being made: it sees no locals.
    observed: bool,
}

impl Generator<'_> {
    fn model(&mut self) -> String {
        let mut text = String::from(
            "const N = 2 ; var x , y : int = 0 ; var a : int [ N ] = { 1 , 2 } ; var r : int in 0 .. 3 = * ; \
             var p , q : bool = false ; var m : mutex ; ",
        );
        for name in ["T", "U"] {
            self.labels = 0;
            self.replicated = self.random.below(2) == 0;
            let copies = if self.replicated { "[ N ] " } else { "" };
            let statements = self.statements(3, 4);
            text += &format!(
                "thread {name} {copies}{{ local v : int = 0 ; local h : thread ; {statements} l0 : skip ; }} "
            );
        }
        self.replicated = false;
        self.observed = true;
        let (first, second) = (self.int(2), self.bool(2));
        text += &format!(
            "process worker ( n : int , b : bool ) {{ entry -> c : n > 0 && {second} ; x := {first} ; c -> exit : skip ; }} \
             process main {{ entry -> entry : x < 2 ; x := x + 1 ; spawn worker ( x , p ) ; entry -> exit : skip ; }} start main ; "
        );
        for _ in 0..self.random.below(4) {
            let word = self.random.pick(&["requires", "ensures", "never", "invariant"]);
            let place = self.random.pick(&[
                "T at l0",
                "#( worker at c ) >= 1",
                "#( U ) < 2",
                "x == 0",
                "main at { entry , exit }",
            ]);
            let condition = self.bool(2);
            text += &format!("{word} {place} && {condition} ; ");
        }
        text + *self.random.pick(&["deadlock-free ; ", "terminates ; ", ""])
    }

    fn statements(&mut self, depth: usize, most: usize) -> String {
        (0..1 + self.random.below(most)).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> String {
        let choices = if depth == 0 { 11 } else { 17 };
        match self.random.below(choices) {
            0 => format!("x := {} ; ", self.int(2)),
            1 => format!("x , y := {} , {} ; ", self.int(1), self.int(1)),
            2 => format!("p := {} ; ", self.bool(2)),
            3 => format!("a [ {} ] := {} ; ", self.int(1), self.int(1)),
            4 => format!("assert {} ; ", self.bool(2)),
            5 => format!("await {} ; ", self.bool(2)),
            6 => "havoc r ; v := * in 0 .. 1 ; ".into(),
            7 => "lock ( m ) ; v := v + 1 ; unlock ( m ) ; ".into(),
            8 => format!("h := spawn worker ( {} , {} ) ; join h ; ", self.int(1), self.bool(1)),
            9 => {
                self.labels += 1;
                format!("l{} : skip ; ", self.labels)
            }
            10 => "join worker ; ".into(),
            11 => format!("if {} {{ {}}} ", self.condition(), self.statements(depth - 1, 2)),
            12 => format!(
                "if {} {{ {}}} else if {} {{ {}}} else {{ {}}} ",
                self.condition(),
                self.statements(depth - 1, 2),
                self.condition(),
                self.statements(depth - 1, 2),
                self.statements(depth - 1, 2)
            ),
            13 => {
                let jump = self.random.pick(&["break ; ", "continue ; ", "goto l0 ; ", ""]);
                format!("while {} {{ {}if * {{ {jump}}} }} ", self.condition(), self.statements(depth - 1, 2))
            }
            14 => format!("while {} invariant {} {{ }} ", self.condition(), self.bool(1)),
            15 => format!("atomic {{ {}}} ", self.statements(depth - 1, 3)),
            _ => format!("await {} do {{ {}}} ", self.bool(1), self.statements(depth - 1, 2)),
        }
    }

    fn condition(&mut self) -> String {
        if self.random.below(4) == 0 { "*".into() } else { self.bool(2) }
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 {
            let me = if self.replicated { "me" } else { "7" };
            let local = if self.observed { "y" } else { "v" };
            let leaves = ["x", "y", "r", local, "N", "0", "1", "0x1F", "-3", "1_000", me];
            return (*self.random.pick(&leaves)).to_owned();
        }
        let left = self.int(depth - 1);
        match self.random.below(5) {
            0 => left,
            1 => format!("a [ {left} ]"),
            2 => format!("( {} ? {left} : {} )", self.bool(depth - 1), self.int(depth - 1)),
            3 => format!("( {left} {} {} )", self.random.pick(&["/", "%", "<<", ">>"]), self.int(depth - 1)),
            _ => format!(
                "( {left} {} {} )",
                self.random.pick(&["+", "-", "*", "&", "|", "^"]),
                self.int(depth - 1)
            ),
        }
    }

    fn bool(&mut self, depth: usize) -> String {
        if depth == 0 {
            let handles: &[&str] = if self.observed { &["m == 0"] } else { &["m == this", "h == h"] };
            return (*self.random.pick(&[&["p", "q", "true", "!p"], handles].concat())).to_owned();
        }
        match self.random.below(4) {
            0 => self.bool(depth - 1),
            1 => format!(
                "{} {} {}",
                self.int(depth - 1),
                self.random.pick(&["<", "<=", "==", "!=", ">"]),
                self.int(depth - 1)
            ),
            2 => format!(
                "( {} {} {} )",
                self.bool(depth - 1),
                self.random.pick(&["&&", "||", "==>", "<==>"]),
                self.bool(depth - 1)
            ),
            _ => format!(
                "( {} i in 0 .. 1 : a [ i ] < {} )",
                self.random.pick(&["forall", "exists"]),
                self.int(depth - 1)
            ),
        }
    }
}
