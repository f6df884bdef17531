//! From formulas to clauses.
//!
//! Every connective below the top two layers gets an atom that stands for it, with only those
//! defining clauses that its polarity needs (Plaisted, Greenbaum). Comparisons of integers become
//! atoms of the theory; a comparison and its negation are one atom. All of it is loops over a
//! work list, so deep formulas do no harm.

use rely_base::Id;

use super::clause::{AtomId, Derivation, Scope, Signed};
use super::solver::Solver;
use crate::arith::Integer;
use crate::linear::{Constraint, Relation};
use crate::term::{Node, Sort, TermId, TermPool};

/// A term that this solver does not know; `nonlinear` translates such terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a term is neither boolean structure nor a linear comparison of integers")]
pub struct NotLinear(pub TermId);

/// What an atom stands for.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub(super) term: TermId,
    /// The comparison and its negation, for an atom of the theory.
    pub(super) constraints: Option<Box<[Constraint; 2]>>,
    /// By sign (positive, negative): the scope in which the literal's meaning was first needed.
    /// For a connective its definition is present; for a comparison the theory is told.
    needed: [Option<Scope>; 2],
    /// For an equality: the scope since which its negation is left to two bounds.
    split: Option<Scope>,
}

/// An equality whose negation is needed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disequality {
    atom: AtomId,
    /// The terms of the bounds that it may be split into.
    bounds: Option<[TermId; 2]>,
}

/// Fewer disequalities than this are always left to the theory.
const MANY_DISEQUALITIES: usize = 8;

/// The bounds below and at the constant of an equality: different from `c` is at most `c - 1` or
/// not at most `c`.
fn bounds_of(equality: &Constraint) -> [Constraint; 2] {
    let form = equality.form();
    let below = form.clone().with_constant(form.constant_term() + &Integer::ONE);
    [below, form.clone()].map(|form| Constraint::new(form, Relation::Le))
}

impl Atom {
    /// The constraint that a literal of this atom asserts, if it has one and it is needed.
    pub(super) fn constraint(&self, positive: bool) -> Option<&Constraint> {
        let side = usize::from(!positive);
        self.needed[side]?;
        if !positive && self.split.is_some() {
            return None;
        }
        self.constraints.as_ref().map(|constraints| &constraints[side])
    }

    /// Forgets what deeper scopes needed.
    pub(super) fn leave_scopes_above(&mut self, scope: Scope) {
        for since in self.needed.iter_mut().chain([&mut self.split]) {
            *since = since.filter(|&depth| depth <= scope);
        }
    }
}

/// A formula or, if false, its negation.
type SignedTerm = (TermId, bool);

impl Solver {
    /// Adds the clauses of a formula.
    pub(super) fn encode_formula(
        &mut self,
        pool: &mut TermPool,
        formula: TermId,
        number: u32,
    ) -> Result<(), NotLinear> {
        let clauses: Vec<Vec<SignedTerm>> = operands(pool, (formula, true), true)
            .into_iter()
            .map(|conjunct| operands(pool, conjunct, false))
            .collect();
        // First make sure that everything is understood, then change something.
        self.register(pool, clauses.iter().flatten().map(|part| part.0))?;
        let mut pending = Vec::new();
        for (conjunct, parts) in clauses.iter().enumerate() {
            let literals: Vec<Signed> =
                parts.iter().map(|&part| self.need(pool, part, &mut pending)).collect();
            let derivation = Derivation::Input { formula: number, conjunct: Some(conjunct as u32) };
            self.add_input_clause(&literals, derivation);
        }
        self.define(pool, pending);
        Ok(())
    }

    /// The literal that stands for a formula, defined as far as its truth matters.
    pub(super) fn encode_literal(
        &mut self,
        pool: &mut TermPool,
        formula: TermId,
    ) -> Result<Signed, NotLinear> {
        self.register(pool, [formula])?;
        let mut pending = Vec::new();
        let literal = self.need(pool, (formula, true), &mut pending);
        self.define(pool, pending);
        Ok(literal)
    }

    /// Gives all boolean subterms their atoms.
    fn register(
        &mut self,
        pool: &mut TermPool,
        roots: impl IntoIterator<Item = TermId>,
    ) -> Result<(), NotLinear> {
        let mut stack: Vec<TermId> = roots.into_iter().collect();
        while let Some(term) = stack.pop() {
            if self.literal_of.contains_key(&term) {
                continue;
            }
            match pool.node(term) {
                Node::Not(inner) => stack.push(*inner),
                Node::And(_) | Node::Or(_) | Node::Iff(..) => {
                    pool.for_each_child(term, |child| stack.push(child));
                    self.add_atom(term, None);
                }
                Node::Var(_) if pool.sort(term) == Sort::Bool => {
                    self.add_atom(term, None);
                }
                Node::LeZero(_) | Node::EqZero(_) => {
                    let constraint = pool.constraint(term).ok_or(NotLinear(term))?;
                    let literal = self.comparison_literal(term, constraint);
                    self.literal_of.insert(term, literal);
                }
                _ => return Err(NotLinear(term)),
            }
        }
        Ok(())
    }

    pub(super) fn add_atom(&mut self, term: TermId, constraint: Option<Constraint>) -> AtomId {
        let atom = self.search.add_atom();
        let constraints = constraint.map(|constraint| {
            let negated = constraint.negated();
            Box::new([constraint, negated])
        });
        self.atoms.push(Atom { term, constraints, needed: [None; 2], split: None });
        self.literal_of.insert(term, Signed::new(atom, true));
        atom
    }

    /// The literal of a registered formula; notes that its meaning is needed, and what has to be
    /// defined for it.
    fn need(&mut self, pool: &TermPool, formula: SignedTerm, pending: &mut Vec<Signed>) -> Signed {
        let (term, positive) = strip_not(pool, formula);
        let literal = self.literal_of[&term].with_sign(positive);
        if self.need_literal(literal) {
            pending.push(literal);
        }
        literal
    }

    /// Notes that the meaning of a literal is needed; true if it was not before.
    fn need_literal(&mut self, literal: Signed) -> bool {
        let scope = self.scope();
        let needed = &mut self.atoms[literal.atom().index()].needed[usize::from(!literal.is_positive())];
        if needed.is_some() {
            return false;
        }
        *needed = Some(scope);
        if self.search.value(literal).is_some() {
            // The theory has passed over this literal because nobody needed it.
            self.theory.restart();
        }
        true
    }

    /// Adds the defining clauses of connectives, and of the connectives these need.
    fn define(&mut self, pool: &mut TermPool, mut pending: Vec<Signed>) {
        while let Some(literal) = pending.pop() {
            let term = self.atoms[literal.atom().index()].term;
            match pool.node(term) {
                Node::And(parts) => self.define_junction(pool, term, parts, literal, true, &mut pending),
                Node::Or(parts) => self.define_junction(pool, term, parts, literal, false, &mut pending),
                Node::Iff(left, right) => {
                    self.define_equivalence(pool, term, (*left, *right), literal, &mut pending);
                }
                Node::EqZero(_) if !literal.is_positive() => {
                    self.disequalities.push(Disequality { atom: literal.atom(), bounds: None });
                }
                _ => {}
            }
        }
        self.prepare_disequalities(pool);
    }

    /// `and`: a conjunction; otherwise a disjunction, where all signs are the other way round.
    fn define_junction(
        &mut self,
        pool: &TermPool,
        term: TermId,
        parts: &[TermId],
        literal: Signed,
        and: bool,
        pending: &mut Vec<Signed>,
    ) {
        let positive = literal.is_positive();
        if positive == and {
            for (number, &part) in parts.iter().enumerate() {
                let operand = self.need(pool, (part, positive), pending);
                let derivation = Derivation::Definition { term, operand: Some(number as u32) };
                self.add_input_clause(&[literal.negated(), operand], derivation);
            }
        } else {
            let mut clause = vec![literal.negated()];
            for &part in parts {
                clause.push(self.need(pool, (part, positive), pending));
            }
            self.add_input_clause(&clause, Derivation::Definition { term, operand: None });
        }
    }

    fn define_equivalence(
        &mut self,
        pool: &TermPool,
        term: TermId,
        (left, right): (TermId, TermId),
        literal: Signed,
        pending: &mut Vec<Signed>,
    ) {
        for sign in [true, false] {
            let first = self.need(pool, (left, sign), pending);
            let second = self.need(pool, (right, sign != literal.is_positive()), pending);
            let clause = [literal.negated(), first, second];
            self.add_input_clause(&clause, Derivation::Definition { term, operand: None });
        }
    }

    /// Makes the terms of the bounds that disequalities may be split into, if there are many.
    fn prepare_disequalities(&mut self, pool: &mut TermPool) {
        if self.disequalities.len() < MANY_DISEQUALITIES {
            return;
        }
        for Disequality { atom, bounds } in
            self.disequalities.iter_mut().filter(|entry| entry.bounds.is_none())
        {
            if let Some(constraints) = &self.atoms[atom.index()].constraints {
                *bounds = Some(bounds_of(&constraints[0]).map(|bound| pool.constraint_term(&bound)));
            }
        }
    }

    /// Leaves the choice between less and greater to the search, which learns from it, instead of
    /// the theory, which does not. The bounds are atoms over the same form, so the lemma that
    /// makes them a choice comes with them.
    pub(super) fn split_disequalities(&mut self) {
        let scope = self.scope();
        for place in 0..self.disequalities.len() {
            let Disequality { atom, bounds: Some(terms) } = self.disequalities[place] else { continue };
            let Atom { constraints: Some(constraints), split: None, .. } = &self.atoms[atom.index()] else {
                continue;
            };
            let [below, upper] = bounds_of(&constraints[0]);
            let below = self.comparison_literal(terms[0], below);
            let upper = self.comparison_literal(terms[1], upper);
            self.need_literal(below);
            self.need_literal(upper.negated());
            self.atoms[atom.index()].split = Some(scope);
            self.theory.restart();
        }
    }

    /// Whether some disequality is still up to the theory.
    pub(super) fn has_disequalities(&self) -> bool {
        self.disequalities
            .iter()
            .any(|entry| entry.bounds.is_some() && self.atoms[entry.atom.index()].split.is_none())
    }

    /// Adds a clause on level 0, unless it is always true.
    fn add_input_clause(&mut self, literals: &[Signed], derivation: Derivation) {
        let mut literals = literals.to_vec();
        literals.sort_unstable();
        literals.dedup();
        let tautology = literals.windows(2).any(|pair| pair[0] == pair[1].negated());
        if !tautology {
            let scope = self.scope();
            self.search.add_clause(&literals, derivation, scope);
        }
    }
}

/// The operands of a conjunction (or disjunction), seen through negation.
fn operands(pool: &TermPool, formula: SignedTerm, conjunction: bool) -> Vec<SignedTerm> {
    let (term, positive) = strip_not(pool, formula);
    match pool.node(term) {
        Node::And(parts) if positive == conjunction => parts.iter().map(|&part| (part, positive)).collect(),
        Node::Or(parts) if positive != conjunction => parts.iter().map(|&part| (part, positive)).collect(),
        Node::Bool(value) if *value == (positive == conjunction) => Vec::new(),
        _ => vec![(term, positive)],
    }
}

fn strip_not(pool: &TermPool, (term, positive): SignedTerm) -> SignedTerm {
    match pool.node(term) {
        Node::Not(inner) => (*inner, !positive),
        _ => (term, positive),
    }
}
