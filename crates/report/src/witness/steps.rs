//! Which statements of a C text are single steps, and where loops look at their conditions.
//!
//! A statement is taken for one step only if it makes at most one access to memory that threads may share, as
//! far as its tokens show. In doubt it makes more.

use super::c_text::{CText, is_identifier};

/// Words with which statements start that have others inside.
const COMPOUND: [&str; 9] = ["if", "while", "for", "do", "switch", "case", "default", "else", "{"];
/// Words with which statements start behind which nothing is done.
const JUMPS: [&str; 4] = ["return", "goto", "break", "continue"];

impl CText<'_> {
    /// Where the condition of the loop stands whose keyword is at a byte, and whether it is empty.
    pub(super) fn loop_condition(&self, byte: usize) -> Option<(usize, bool)> {
        let keyword = self.at(byte)?;
        let open = match self.text(keyword) {
            "while" if self.ends_do(keyword) => return None,
            "while" | "for" => keyword + 1,
            "do" => self.partners[keyword + 1..].first().copied().flatten()? + 2,
            _ => return None,
        };
        if self.tokens.get(open)?.text != "(" || (open > keyword + 1 && self.text(open - 1) != "while") {
            return None;
        }
        let close = self.partners[open]?;
        let first = match self.text(keyword) {
            "for" => {
                (open..close).find(|&index| self.text(index) == ";" && self.depth_within(open, index) == 1)?
                    + 1
            }
            _ => open + 1,
        };
        Some((self.tokens[first].start, self.text(first) == ";"))
    }

    /// How many brackets from one on are still open at a token.
    fn depth_within(&self, open: usize, index: usize) -> usize {
        let is_around = |bracket: &usize| self.partners[*bracket].is_some_and(|close| close > index);
        (open..index).filter(is_around).count()
    }

    /// Whether another statement can be put before the one that starts at a byte, without any braces.
    pub(super) fn is_in_block(&self, byte: usize) -> bool {
        let before = self.at(byte).and_then(|index| self.before(index));
        before.is_some_and(|(_, text)| matches!(text, "{" | "}" | ";"))
    }

    /// The byte behind a statement that has no others inside.
    pub(super) fn simple_statement_end(&self, byte: usize) -> Option<usize> {
        let mut index = self.at(byte)?;
        if COMPOUND.contains(&self.text(index)) {
            return None;
        }
        loop {
            match self.tokens.get(index)?.text {
                ";" => return Some(self.tokens[index].start + 1),
                "(" | "[" | "{" => index = self.partners[index]? + 1,
                ")" | "]" | "}" | ":" => return None,
                _ => index += 1,
            }
        }
    }

    /// Whether the simple statement between two bytes is a single step.
    pub(super) fn is_single_step(&self, start: usize, end: usize) -> bool {
        let first = self.tokens.partition_point(|token| token.start < start);
        let last = self.tokens.partition_point(|token| token.start < end);
        if first >= last || JUMPS.contains(&self.text(first)) {
            return false;
        }
        let is_call = |index: &usize| {
            is_identifier(self.text(*index))
                && self.tokens.get(index + 1).is_some_and(|next| next.text == "(")
        };
        let calls: Vec<&str> = (first..last).filter(is_call).map(|index| self.text(index)).collect();
        let is_several = |name: &&str| self.definition(name).is_some() || name.contains("wait");
        if calls.len() > 1 || calls.iter().any(is_several) {
            return false;
        }
        let shared: Vec<usize> = (first..last).filter(|&index| self.may_be_shared(index)).collect();
        let is_reached = |index: &usize| match self.text(*index) {
            "*" | ">" => true,
            "[" => !self.is_array(index.saturating_sub(1)),
            _ => false,
        };
        let reached = (first..last).filter(is_reached).count();
        let is_written_twice = self.is_changed_in_place(first, last)
            && !shared.iter().all(|&index| self.is_atomic(self.text(index)));
        shared.len() + reached + usize::from(is_written_twice) <= 1
    }

    /// Whether a name stands for memory that other threads may access: it is declared outside of functions, or
    /// somebody takes its address. The address itself is no access.
    fn may_be_shared(&self, index: usize) -> bool {
        let name = self.text(index);
        if !is_identifier(name) || self.is_address(index) {
            return false;
        }
        self.declared_outside(name).is_some()
            || (0..self.tokens.len()).any(|other| self.text(other) == name && self.is_address(other))
    }

    fn is_address(&self, index: usize) -> bool {
        let Some((and, "&")) = self.before(index) else { return false };
        let before = self.before(and).map_or("", |(_, text)| text);
        !is_identifier(before) && !matches!(before, ")" | "]" | "&")
    }

    /// The token that declares a name outside of all functions.
    fn declared_outside(&self, name: &str) -> Option<usize> {
        let mut index = 0;
        while index < self.tokens.len() {
            match self.text(index) {
                "(" | "{" => index = self.partners[index]?,
                text if text == name => {
                    let next = self.tokens.get(index + 1).map_or("", |next| next.text);
                    if matches!(next, ";" | "=" | "," | "[") {
                        return Some(index);
                    }
                }
                _ => {}
            }
            index += 1;
        }
        None
    }

    /// Whether a name is that of an array: its cells are reached without looking at anything else.
    fn is_array(&self, index: usize) -> bool {
        let declared = self.declared_outside(self.text(index));
        declared.is_some_and(|declared| self.tokens.get(declared + 1).is_some_and(|next| next.text == "["))
    }

    fn is_atomic(&self, name: &str) -> bool {
        let Some(mut index) = self.declared_outside(name) else { return false };
        while let Some((before, text)) = self.before(index) {
            match text {
                ";" | "}" | ")" => return false,
                _ if text == "_Atomic" || text.starts_with("atomic_") => return true,
                _ => index = before,
            }
        }
        false
    }

    /// Whether something is read and written, as by `++` and `+=`.
    fn is_changed_in_place(&self, first: usize, last: usize) -> bool {
        (first..last.saturating_sub(1)).any(|index| {
            let (this, next) = (self.tokens[index], self.tokens[index + 1]);
            let is_adjacent = this.start + this.text.len() == next.start;
            let is_operator = matches!(this.text, "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^");
            let is_shift = matches!(this.text, "<" | ">") && self.text(index.saturating_sub(1)) == this.text;
            let is_step = this.text == next.text && matches!(this.text, "+" | "-");
            is_adjacent && (is_step || ((is_operator || is_shift) && next.text == "="))
        })
    }

    /// Where the first token starts.
    pub(super) fn first_byte(&self) -> Option<usize> {
        self.tokens.first().map(|token| token.start)
    }

    /// The names in the text.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().map(|token| token.text).filter(|text| is_identifier(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
int x, y, a[2]; int *p; _Atomic int n; pthread_mutex_t m;
int f(void) { return 1; }
void g(int k) {
    int i = 0, *q = &i;
    while (x) x = 1;
    for (i = 0; i < k; i++) ;
    for (;;) break;
    do { y = 1; } while (y);
}
";

    fn text(statement: &str) -> String {
        format!("{SOURCE}void h(int j) {{ int l; {statement} }}")
    }

    fn check(is_single: bool, statements: &[&str]) {
        for statement in statements {
            let source = text(statement);
            let c_text = CText::new(&source);
            let start = source.rfind(statement).expect("there");
            assert_eq!(c_text.is_single_step(start, start + statement.len()), is_single, "{statement}");
        }
    }

    #[test]
    fn single_steps_access_shared_memory_once() {
        check(
            true,
            &["x = 1;", "l = x;", "x = l + j;", "a[1] = 0;", "n++;", "n += 2;", "l++;", "x = l == j;"],
        );
        check(true, &["pthread_mutex_lock(&m);", "int o = y;", "l += j;", "l = l << 1;"]);
        check(
            false,
            &[
                "x = y;",
                "x++;",
                "x += 1;",
                "x <<= 1;",
                "x = x + 1;",
                "*p = 1;",
                "p[0] = 1;",
                "a[x] = 0;",
                "n = x;",
            ],
        );
        check(
            false,
            &["l = f();", "x = j + f();", "return;", "break;", "pthread_cond_wait(&c, &m);", "i = x;"],
        );
    }

    #[test]
    fn loops_look_at_their_conditions_somewhere() {
        let c_text = CText::new(SOURCE);
        let condition = |keyword: &str| {
            let at = SOURCE.find(keyword).expect("there");
            c_text.loop_condition(at).map(|(byte, is_empty)| (&SOURCE[byte..byte + 2], is_empty))
        };
        assert_eq!(condition("while (x)"), Some(("x)", false)));
        assert_eq!(condition("for (i = 0"), Some(("i ", false)));
        assert_eq!(condition("for (;;"), Some((";)", true)));
        assert_eq!(condition("do {"), Some(("y)", false)));
        assert_eq!(condition("while (y)"), None);
        assert_eq!(condition("return"), None);
    }

    #[test]
    fn only_simple_statements_end() {
        let c_text = CText::new(SOURCE);
        let end = |statement: &str| {
            let start = SOURCE.find(statement).expect("there");
            c_text.simple_statement_end(start).map(|end| end - start)
        };
        assert_eq!(end("x = 1;"), Some("x = 1;".len()));
        assert_eq!(end("int i = 0, *q = &i;"), Some("int i = 0, *q = &i;".len()));
        assert_eq!(end("while (x)"), None);
        assert!(!c_text.is_in_block(SOURCE.find("x = 1;").expect("there")));
        assert!(c_text.is_in_block(SOURCE.find("y = 1;").expect("there")));
    }
}
