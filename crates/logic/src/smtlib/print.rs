//! Queries as SMT-LIB text.

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::arith::Integer;
use crate::linear::VarId;
use crate::term::{FunctionId, Node, Sort, TermId, TermPool};

/// A subterm whose text is longer than this gets a name of its own, so that neither deep nor
/// widely shared terms make the text explode.
const LONGEST_INLINE_TEXT: usize = 1_000;

/// Declarations and assertions for some formulas, and the names that their variables have there.
#[derive(Clone, Debug)]
pub struct Script {
    text: String,
    variables: Vec<(VarId, String)>,
    by_name: FxHashMap<String, VarId>,
}

impl Script {
    /// The script that asserts all the formulas. It contains no `check-sat`.
    pub fn new(pool: &TermPool, formulas: &[TermId]) -> Self {
        let mut printer = Printer::new(pool);
        printer.declare(formulas);
        printer.assert(formulas);
        let by_name = printer.variables.iter().map(|(variable, name)| (name.clone(), *variable)).collect();
        Self { text: printer.out, variables: printer.variables, by_name }
    }

    /// Declarations and assertions, one per line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The variables of the formulas with their names (quoted where SMT-LIB needs it).
    pub fn variables(&self) -> &[(VarId, String)] {
        &self.variables
    }

    /// The variable with a name of this script.
    pub fn variable(&self, name: &str) -> Option<VarId> {
        self.by_name.get(name).copied()
    }
}

/// One term over variables that have these names; what occurs more than once is bound by `let`.
///
/// The caller has made sure that the names are different symbols and that no function occurs
/// that is not a bit operation.
pub fn expression(pool: &TermPool, term: TermId, names: &dyn Fn(VarId) -> String) -> String {
    let mut printer = Printer::new(pool);
    let order = pool.subterms([term]);
    for &subterm in &order {
        match pool.node(subterm) {
            Node::Var(variable) => {
                let name = names(*variable);
                printer.taken.insert(name.clone());
                printer.variable_names.insert(*variable, name);
            }
            Node::Apply(function, _) => {
                printer.function_names.insert(*function, quoted(pool.function_name(*function)));
            }
            _ => {}
        }
    }
    let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
    for &subterm in &order {
        pool.for_each_child(subterm, |child| *uses.entry(child).or_default() += 1);
    }
    uses.insert(term, 1);
    let mut texts: FxHashMap<TermId, String> = FxHashMap::default();
    let (mut opening, mut closing) = (String::new(), String::new());
    for subterm in order {
        let mut text = printer.node_text(subterm, &mut texts, &uses);
        let is_shared = uses[&subterm] > 1 && text.len() > SHORTEST_SHARED_TEXT && text.starts_with('(');
        if is_shared || (text.len() > LONGEST_INLINE_TEXT && subterm != term) {
            let name = printer.new_name("shared");
            let _ = write!(opening, "(let (({name} {text})) ");
            closing.push(')');
            text = name;
        }
        texts.insert(subterm, text);
    }
    opening + &texts.remove(&term).unwrap_or_default() + &closing
}

/// A shorter subterm is written out wherever it occurs.
const SHORTEST_SHARED_TEXT: usize = 24;

struct Printer<'p> {
    pool: &'p TermPool,
    out: String,
    variables: Vec<(VarId, String)>,
    variable_names: FxHashMap<VarId, String>,
    function_names: FxHashMap<FunctionId, String>,
    taken: FxHashSet<String>,
}

impl<'p> Printer<'p> {
    fn new(pool: &'p TermPool) -> Self {
        Self {
            pool,
            out: String::new(),
            variables: Vec::new(),
            variable_names: FxHashMap::default(),
            function_names: FxHashMap::default(),
            taken: FxHashSet::default(),
        }
    }

    fn declare(&mut self, formulas: &[TermId]) {
        for term in self.pool.subterms(formulas.iter().copied()) {
            match self.pool.node(term) {
                Node::Var(variable) => self.declare_variable(*variable),
                Node::Apply(function, arguments) => {
                    self.declare_function(*function, arguments.len(), self.pool.sort(term));
                }
                _ => {}
            }
        }
    }

    fn declare_variable(&mut self, id: VarId) {
        let variable = self.pool.variable(id);
        let symbol = self.pool.symbol_name(variable.symbol);
        let wanted =
            if variable.copy == 0 { symbol.to_string() } else { format!("{symbol}#{}", variable.copy) };
        let name = self.new_name(&wanted);
        let _ = writeln!(self.out, "(declare-fun {name} () {})", sort_name(variable.sort));
        self.variable_names.insert(id, name.clone());
        self.variables.push((id, name));
    }

    fn declare_function(&mut self, function: FunctionId, arity: usize, result: Sort) {
        if self.function_names.contains_key(&function) {
            return;
        }
        let name = self.new_name(self.pool.function_name(function));
        let arguments = vec!["Int"; arity].join(" ");
        let _ = writeln!(self.out, "(declare-fun {name} ({arguments}) {})", sort_name(result));
        self.function_names.insert(function, name);
    }

    /// A name that nothing else has in this script, as near to `wanted` as possible.
    fn new_name(&mut self, wanted: &str) -> String {
        let mut name = quoted(wanted);
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            name = quoted(&format!("{wanted}@{number}"));
            number += 1;
        }
        name
    }

    fn assert(&mut self, formulas: &[TermId]) {
        let order = self.pool.subterms(formulas.iter().copied());
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        for &term in &order {
            self.pool.for_each_child(term, |child| *uses.entry(child).or_default() += 1);
        }
        for &formula in formulas {
            *uses.entry(formula).or_default() += 1;
        }
        let mut texts: FxHashMap<TermId, String> = FxHashMap::default();
        for term in order {
            let mut text = self.node_text(term, &mut texts, &uses);
            let is_shared = uses[&term] > 1 && text.starts_with('(');
            if is_shared || text.len() > LONGEST_INLINE_TEXT {
                let name = self.new_name("shared");
                let sort = sort_name(self.pool.sort(term));
                let _ = writeln!(self.out, "(define-fun {name} () {sort} {text})");
                text = name;
            }
            texts.insert(term, text);
        }
        for formula in formulas {
            let _ = writeln!(self.out, "(assert {})", texts[formula]);
        }
    }

    /// The text of one node. Texts of children that nobody else uses are moved out of `texts`.
    fn node_text(
        &self,
        term: TermId,
        texts: &mut FxHashMap<TermId, String>,
        uses: &FxHashMap<TermId, u32>,
    ) -> String {
        let mut child = |id: TermId| {
            if uses[&id] > 1 { texts[&id].clone() } else { texts.remove(&id).unwrap_or_default() }
        };
        match self.pool.node(term) {
            Node::Bool(value) => value.to_string(),
            Node::Int(value) => integer_text(value),
            Node::Var(variable) => self.variable_names[variable].clone(),
            Node::Sum(sum) => {
                let mut parts: Vec<String> =
                    sum.terms.iter().map(|(id, factor)| scaled_text(factor, child(*id))).collect();
                if !sum.constant.is_zero() {
                    parts.push(integer_text(&sum.constant));
                }
                if parts.len() == 1 { parts.remove(0) } else { format!("(+ {})", parts.join(" ")) }
            }
            Node::Mul(left, right) => format!("(* {} {})", child(*left), child(*right)),
            Node::Div(dividend, divisor) => format!("(div {} {})", child(*dividend), integer_text(divisor)),
            Node::Mod(dividend, divisor) => format!("(mod {} {})", child(*dividend), integer_text(divisor)),
            Node::Ite(condition, then, otherwise) => {
                format!("(ite {} {} {})", child(*condition), child(*then), child(*otherwise))
            }
            Node::LeZero(form) => format!("(<= {} 0)", child(*form)),
            Node::EqZero(form) => format!("(= {} 0)", child(*form)),
            Node::EqArray(left, right) | Node::Iff(left, right) => {
                format!("(= {} {})", child(*left), child(*right))
            }
            Node::Not(operand) => format!("(not {})", child(*operand)),
            Node::And(operands) => list_text("and", operands.iter().map(|id| child(*id))),
            Node::Or(operands) => list_text("or", operands.iter().map(|id| child(*id))),
            Node::Apply(function, arguments) if arguments.is_empty() => self.function_names[function].clone(),
            Node::Apply(function, arguments) => {
                list_text(&self.function_names[function], arguments.iter().map(|id| child(*id)))
            }
            Node::Select(array, index) => format!("(select {} {})", child(*array), child(*index)),
            Node::Store(array, index, value) => {
                format!("(store {} {} {})", child(*array), child(*index), child(*value))
            }
        }
    }
}

fn list_text(head: &str, parts: impl Iterator<Item = String>) -> String {
    let mut text = format!("({head}");
    for part in parts {
        text.push(' ');
        text.push_str(&part);
    }
    text.push(')');
    text
}

fn scaled_text(factor: &Integer, term: String) -> String {
    if factor.is_one() { term } else { format!("(* {} {term})", integer_text(factor)) }
}

fn integer_text(value: &Integer) -> String {
    if value.is_negative() { format!("(- {})", value.abs()) } else { value.to_string() }
}

/// The name of a sort in SMT-LIB.
pub fn sort_name(sort: Sort) -> &'static str {
    match sort {
        Sort::Int => "Int",
        Sort::Bool => "Bool",
        Sort::Array => "(Array Int Int)",
    }
}

/// The words that cannot be names although they look like simple symbols.
const RESERVED: [&str; 14] =
    ["_", "!", "as", "let", "exists", "forall", "match", "par", "true", "false", "and", "or", "not", "ite"];

/// The symbol as SMT-LIB writes it: in bars unless it is simple. Characters that cannot stand
/// between bars are replaced; names that become equal by that are told apart by the caller.
pub fn quoted(name: &str) -> String {
    let is_symbol_char = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let is_simple = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(is_symbol_char)
        && !RESERVED.contains(&name);
    if is_simple {
        return name.to_string();
    }
    let inner: String = name
        .chars()
        .map(|c| if c == '|' || c == '\\' || !(' '..='~').contains(&c) { '_' } else { c })
        .collect();
    format!("|{inner}|")
}
