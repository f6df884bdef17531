//! Programs and proofs as terms.
//!
//! Every cell of a variable is an integer variable of the logic, booleans are 0 and 1. Globals
//! and locals of instances exist once. The locals of a template exist once for each [`Role`] in
//! which one of its instances appears in an obligation: the one that acts, the one whose assertion
//! is at stake, a new one, a witness. What is true of a variable by itself (a boolean is 0 or 1, a
//! handle is greater than those of the instances) is a *fact*, which goes along with every formula
//! that mentions it.

use super::points::{PointSet, is_instance};
use crate::data::{Atom, Comparison, Moment, Quantity};
use rely_logic::{Integer, Node, Sort as TermSort, TermId, TermPool, VarId as Symbol};
use rely_program::{Domain, Program, Scope, Sort, ThreadId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// In which part an instance of a template appears in an obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Role(u32);

impl Role {
    /// The one that makes the step.
    pub(crate) const ACTOR: Role = Role(1);
    /// The one that looks on while another acts.
    pub(crate) const BYSTANDER: Role = Role(2);

    /// One more, apart from the two.
    pub(crate) fn extra(number: usize) -> Role {
        Role(3 + number as u32)
    }

    /// One that may be the same thread as one in another role.
    pub(crate) fn alias(number: usize) -> Role {
        Role(Self::ALIAS | number as u32)
    }

    const ALIAS: u32 = 1 << 31;

    fn is_alias(self) -> bool {
        self.0 & Self::ALIAS != 0
    }
}

/// A cell of a variable; of a template's local, in one role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Cell {
    pub(crate) var: VarId,
    pub(crate) index: u32,
    /// `None` if there is only one copy.
    role: Option<Role>,
}

/// Values that cells have, as terms. A cell that is not mentioned has the value of its variable.
pub(crate) type Values = FxHashMap<Cell, TermId>;

/// Which logical variables there are, and what is true of them.
#[derive(Debug)]
pub(crate) struct Encoder<'p> {
    pub(crate) program: &'p Program,
    pub(crate) pool: TermPool,
    cells: FxHashMap<(Cell, Moment), TermId>,
    handles: FxHashMap<(ThreadId, Role), TermId>,
    places: FxHashMap<ThreadId, TermId>,
    names: FxHashSet<String>,
    facts: FxHashMap<Symbol, Fact>,
    /// Whether some variable is a number of threads.
    has_counters: bool,
    /// Quotient and remainder by a divisor that is no constant.
    divisions: FxHashMap<(TermId, TermId), [TermId; 2]>,
    /// The variables with facts in each term that was asked for.
    noted: FxHashMap<TermId, Rc<[Symbol]>>,
    /// The variables in each term that was asked for.
    symbols: FxHashMap<TermId, Rc<[Symbol]>>,
    /// The negation of each formula for which it was asked.
    negations: FxHashMap<TermId, TermId>,
}

/// What is true of a variable whenever it is mentioned.
#[derive(Clone, Debug)]
enum Fact {
    /// These formulas.
    Formulas(Vec<TermId>),
    /// It is a number of threads, of which these formulas are true.
    Counter(Vec<TermId>),
    /// It is the handle of a thread made from a template.
    Handle(TermId),
    /// It is the number of the control point of this instance.
    Place(ThreadId),
}

/// The facts about some formulas.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) formulas: Vec<TermId>,
    /// The instances whose places are mentioned.
    pub(crate) places: Vec<ThreadId>,
}

impl<'p> Encoder<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Self {
            program,
            pool: TermPool::new(),
            cells: FxHashMap::default(),
            handles: FxHashMap::default(),
            places: FxHashMap::default(),
            names: FxHashSet::default(),
            facts: FxHashMap::default(),
            has_counters: false,
            divisions: FxHashMap::default(),
            noted: FxHashMap::default(),
            symbols: FxHashMap::default(),
            negations: FxHashMap::default(),
        }
    }

    /// The cell of a variable as the instance in `role` sees it.
    pub(crate) fn cell(&self, var: VarId, index: u32, role: Role) -> Cell {
        let has_copies = match self.program.vars()[var].scope {
            Scope::Global => false,
            Scope::Local(thread) => !is_instance(self.program, thread),
        };
        Cell { var, index, role: has_copies.then_some(role) }
    }

    /// The variable that stands for a cell.
    pub(crate) fn variable(&mut self, cell: Cell, moment: Moment) -> TermId {
        if let Some(&known) = self.cells.get(&(cell, moment)) {
            return known;
        }
        let name = self.cell_name(cell, moment);
        let term = self.new_variable(&name);
        if self.program.vars()[cell.var].sort == Sort::Bool {
            let formulas = self.domain_formulas(term, Domain::Bool);
            self.add_fact(term, Fact::Formulas(formulas));
        }
        self.cells.insert((cell, moment), term);
        term
    }

    /// The value of a cell.
    pub(crate) fn value(&mut self, cell: Cell, values: &Values) -> TermId {
        match values.get(&cell) {
            Some(&value) => value,
            None => self.variable(cell, Moment::Before),
        }
    }

    fn cell_name(&self, cell: Cell, moment: Moment) -> String {
        let var = &self.program.vars()[cell.var];
        let owner = match var.scope {
            Scope::Global => String::new(),
            Scope::Local(thread) => {
                let copy = cell.role.map_or(String::new(), |role| format!("#{}", role.0));
                format!("{}{copy}.", self.program.threads()[thread].name)
            }
        };
        let index = var.length.map_or(String::new(), |_| format!("[{}]", cell.index));
        let prime = if moment == Moment::After { "'" } else { "" };
        format!("{owner}{}{index}{prime}", var.name)
    }

    /// An integer variable with a name of its own.
    pub(crate) fn new_variable(&mut self, wanted: &str) -> TermId {
        let mut name = wanted.to_owned();
        let mut number = 1;
        while !self.names.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}@{number}");
        }
        self.pool.int_var(&name)
    }

    fn add_fact(&mut self, variable: TermId, fact: Fact) {
        let symbol = self.pool.as_var(variable).expect("facts are about variables");
        self.facts.insert(symbol, fact);
    }

    /// Attaches formulas to a variable: they are true whenever it is mentioned.
    pub(crate) fn define(&mut self, variable: TermId, formulas: Vec<TermId>) {
        self.add_fact(variable, Fact::Formulas(formulas));
    }

    /// Like [`define`](Self::define), for a variable that is a number of threads.
    pub(crate) fn define_counter(&mut self, variable: TermId, formulas: Vec<TermId>) {
        self.add_fact(variable, Fact::Counter(formulas));
        self.has_counters = true;
    }

    /// Those of some formulas that do not speak of numbers of threads; `None` if none does.
    pub(crate) fn without_counters(&mut self, formulas: &[TermId]) -> Option<Vec<TermId>> {
        if !self.has_counters {
            return None;
        }
        let mut rest = formulas.to_vec();
        rest.retain(|&formula| {
            let noted = self.noted_symbols(formula);
            !noted.iter().any(|symbol| matches!(self.facts[symbol], Fact::Counter(_)))
        });
        (rest.len() < formulas.len()).then_some(rest)
    }

    /// The handle of a thread; of a template, of the instance in `role`.
    pub(crate) fn handle(&mut self, thread: ThreadId, role: Role) -> TermId {
        if let Some(handle) = self.program.instance_handle(thread) {
            return self.pool.int(handle);
        }
        if let Some(&known) = self.handles.get(&(thread, role)) {
            return known;
        }
        let name = format!("{}#{}.this", self.program.threads()[thread].name, role.0);
        let term = self.new_variable(&name);
        let last = self.pool.int(self.instance_count());
        let above = self.pool.gt(term, last);
        // No two threads have the same handle, but an alias may be one of the others.
        self.add_fact(term, if role.is_alias() { Fact::Formulas(vec![above]) } else { Fact::Handle(above) });
        self.handles.insert((thread, role), term);
        term
    }

    /// How many instances there are; their handles are the numbers from one to this.
    pub(crate) fn instance_count(&self) -> Value {
        let threads = self.program.threads().ids();
        threads.filter(|&thread| is_instance(self.program, thread)).count() as Value
    }

    /// The number of the control point at which an instance stands.
    pub(crate) fn place(&mut self, thread: ThreadId) -> TermId {
        if let Some(&known) = self.places.get(&thread) {
            return known;
        }
        let name = format!("{}.place", self.program.threads()[thread].name);
        let term = self.new_variable(&name);
        self.add_fact(term, Fact::Place(thread));
        self.places.insert(thread, term);
        term
    }

    /// An instance stands at one of some control points.
    pub(crate) fn stands_in(&mut self, thread: ThreadId, set: &PointSet) -> TermId {
        let place = self.place(thread);
        let mut cases = Vec::new();
        for (first, last) in set.runs() {
            let (first, last) = (self.pool.int(first as Value), self.pool.int(last as Value));
            cases.push(if first == last {
                self.pool.eq(place, first)
            } else {
                let (above, below) = (self.pool.ge(place, first), self.pool.le(place, last));
                self.pool.and([above, below])
            });
        }
        self.pool.or(cases)
    }

    /// That a term has a value of a domain.
    pub(crate) fn domain_formulas(&mut self, term: TermId, domain: Domain) -> Vec<TermId> {
        let (low, high) = match domain {
            Domain::Bool => (0, 1),
            Domain::Range { low, high } => (low, high),
            Domain::AllInts => return Vec::new(),
        };
        let (low, high) = (self.pool.int(low), self.pool.int(high));
        vec![self.pool.ge(term, low), self.pool.le(term, high)]
    }

    /// An atom of a proof, given what its quantities are.
    pub(crate) fn atom(
        &mut self,
        atom: &Atom,
        quantity: &mut dyn FnMut(&mut Self, Quantity) -> TermId,
    ) -> TermId {
        let mut terms = Vec::with_capacity(atom.terms.len());
        for (factor, part) in &atom.terms {
            terms.push((quantity(self, *part), Integer::from(*factor)));
        }
        self.comparison_with_zero(terms, atom.constant, atom.comparison)
    }

    /// A sum compared with zero.
    pub(crate) fn comparison_with_zero(
        &mut self,
        terms: Vec<(TermId, Integer)>,
        constant: Value,
        comparison: Comparison,
    ) -> TermId {
        let sum = self.pool.sum(terms, Integer::from(constant));
        match comparison {
            Comparison::Le => self.pool.le_zero(sum),
            Comparison::Eq => self.pool.eq_zero(sum),
            Comparison::Ne => {
                let equal = self.pool.eq_zero(sum);
                self.pool.not(equal)
            }
            Comparison::MultipleOf(divisor) => {
                let remainder = self.pool.modulo(sum, divisor).unwrap_or(sum);
                self.pool.eq_zero(remainder)
            }
        }
    }

    /// Quotient and remainder, rounded towards zero, by a divisor that is no constant: variables
    /// of which the facts say everything if the divisor is not zero, and nothing if it is.
    pub(crate) fn divide(&mut self, dividend: TermId, divisor: TermId) -> [TermId; 2] {
        if let Some(&known) = self.divisions.get(&(dividend, divisor)) {
            return known;
        }
        let [quotient, remainder] = ["quotient", "remainder"].map(|name| self.new_variable(name));
        let pool = &mut self.pool;
        let zero = pool.int(0);
        let product = pool.mul(quotient, divisor);
        let sum = pool.add(product, remainder);
        let minus = pool.neg(divisor);
        let (up, down) = (pool.gt(divisor, zero), pool.lt(divisor, zero));
        let within = |pool: &mut TermPool, bound: TermId| {
            let minus = pool.neg(bound);
            let (above, below) = (pool.gt(remainder, minus), pool.lt(remainder, bound));
            pool.and([above, below])
        };
        let (small_up, small_down) = (within(pool, divisor), within(pool, minus));
        let (is_up, is_down) = (pool.ge(dividend, zero), pool.le(dividend, zero));
        let (not_below, not_above) = (pool.ge(remainder, zero), pool.le(remainder, zero));
        let parts = [
            pool.eq(dividend, sum),
            pool.implies(up, small_up),
            pool.implies(down, small_down),
            pool.implies(is_up, not_below),
            pool.implies(is_down, not_above),
        ];
        let defined = pool.ne(divisor, zero);
        let meaning = pool.and(parts);
        let fact = pool.implies(defined, meaning);
        self.define(quotient, vec![fact]);
        self.define(remainder, vec![fact]);
        self.divisions.insert((dividend, divisor), [quotient, remainder]);
        [quotient, remainder]
    }

    /// What is true by itself about the variables in some formulas, and about those in these
    /// facts, and so on.
    pub(crate) fn facts(&mut self, formulas: &[TermId]) -> Facts {
        let mut facts = Facts::default();
        let mut seen: FxHashSet<Symbol> = FxHashSet::default();
        let mut handles = Vec::new();
        let mut pending: Vec<TermId> = formulas.to_vec();
        while let Some(formula) = pending.pop() {
            for &symbol in self.noted_symbols(formula).iter() {
                if !seen.insert(symbol) {
                    continue;
                }
                match &self.facts[&symbol] {
                    Fact::Formulas(list) | Fact::Counter(list) => {
                        pending.extend(list);
                        facts.formulas.extend(list);
                    }
                    Fact::Handle(above) => {
                        facts.formulas.push(*above);
                        handles.push(symbol);
                    }
                    Fact::Place(thread) => facts.places.push(*thread),
                }
            }
        }
        self.add_distinct(&handles, &mut facts.formulas);
        facts.formulas.sort_unstable();
        facts.formulas.dedup();
        facts
    }

    /// No two threads have the same handle.
    fn add_distinct(&mut self, handles: &[Symbol], formulas: &mut Vec<TermId>) {
        for (position, &left) in handles.iter().enumerate() {
            for &right in &handles[position + 1..] {
                let (left, right) = (self.pool.var(left), self.pool.var(right));
                formulas.push(self.pool.ne(left, right));
            }
        }
    }

    /// The variables of a formula about which something is known.
    fn noted_symbols(&mut self, formula: TermId) -> Rc<[Symbol]> {
        if let Some(known) = self.noted.get(&formula) {
            return Rc::clone(known);
        }
        let all = self.symbols(formula);
        let noted: Rc<[Symbol]> =
            all.iter().copied().filter(|symbol| self.facts.contains_key(symbol)).collect();
        self.noted.insert(formula, Rc::clone(&noted));
        noted
    }

    /// The variables of a formula.
    pub(crate) fn symbols(&mut self, formula: TermId) -> Rc<[Symbol]> {
        if let Some(known) = self.symbols.get(&formula) {
            return Rc::clone(known);
        }
        let symbols: Rc<[Symbol]> = self.pool.free_variables(formula).into_iter().collect();
        self.symbols.insert(formula, Rc::clone(&symbols));
        symbols
    }

    /// The negation of a formula.
    pub(crate) fn negation(&mut self, formula: TermId) -> TermId {
        let pool = &mut self.pool;
        *self.negations.entry(formula).or_insert_with(|| pool.not(formula))
    }

    /// A condition as a number: 1 or 0.
    pub(crate) fn number(&mut self, condition: TermId) -> TermId {
        let (one, zero) = (self.pool.int(1), self.pool.int(0));
        match self.pool.as_truth(condition) {
            Some(true) => one,
            Some(false) => zero,
            None => self.pool.ite(condition, one, zero),
        }
    }

    /// A number that is 1 or 0 as a condition.
    pub(crate) fn condition(&mut self, number: TermId) -> TermId {
        debug_assert_eq!(self.pool.sort(number), TermSort::Int);
        let one = self.pool.int(1);
        if let Node::Ite(condition, yes, no) = self.pool.node(number) {
            let (condition, yes, no) = (*condition, *yes, *no);
            if yes == one && self.pool.as_int(no).is_some_and(Integer::is_zero) {
                return condition;
            }
        }
        self.pool.ge(number, one)
    }
}

impl Cell {
    pub(crate) fn role(self) -> Option<Role> {
        self.role
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rely_base::Id;
    use rely_program::ProgramBuilder;

    #[test]
    fn ids_of_different_programs_do_not_matter_to_names() {
        let mut builder = ProgramBuilder::new("names");
        let first = builder.global("x'", Sort::Int, 0);
        let second = builder.global("x", Sort::Bool, 0);
        let program = builder.finish().unwrap();
        let mut encoder = Encoder::new(&program);
        let [first, second] = [first, second].map(|var| encoder.cell(var, 0, Role::ACTOR));
        let one = encoder.variable(first, Moment::Before);
        let other = encoder.variable(second, Moment::After);
        assert_ne!(one, other, "both are written x'");
        assert_eq!(encoder.facts(&[one]).formulas.len(), 0);
        assert_eq!(encoder.facts(&[other]).formulas.len(), 2);
        assert_eq!(first.var.index(), 0);
    }
}
