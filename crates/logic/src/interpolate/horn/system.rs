//! Horn clauses over linear constraints, and what comes out of solving them.

use rely_base::{Arena, define_id};

use crate::interpolate::Unknown;
use crate::linear::VarId;
use crate::term::{Sort, TermId, TermPool, Value};

define_id!(
    /// An unknown predicate of a [`HornSystem`].
    pub struct UnknownId
);
define_id!(
    /// A clause of a [`HornSystem`].
    pub struct ClauseId
);

/// An unknown predicate applied to terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    /// The predicate.
    pub unknown: UnknownId,
    /// One term for each parameter, of its sort.
    pub arguments: Vec<TermId>,
}

/// `constraint ∧ body -> head`, for all values of its variables. Without a head, false is implied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The part that is known.
    pub constraint: TermId,
    /// The unknowns that are assumed.
    pub body: Vec<Application>,
    /// The unknown that is implied.
    pub head: Option<Application>,
}

/// What is known about an unknown.
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    pub(super) parameters: Vec<VarId>,
    /// Whether the solution may mention a parameter.
    pub(super) allowed: Vec<bool>,
    /// Formulas over the parameters that would be welcome, in order of preference.
    pub(super) candidates: Vec<TermId>,
}

/// What is wrong with a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClauseError {
    /// The number of arguments is not the number of parameters.
    #[error("{unknown:?} is applied to {found} arguments instead of {expected}")]
    Arity {
        /// Which predicate.
        unknown: UnknownId,
        /// How many parameters it has.
        expected: usize,
        /// How many arguments it got.
        found: usize,
    },
    /// An argument has another sort than the parameter.
    #[error("argument {position} of {unknown:?} has another sort than the parameter")]
    Sort {
        /// Which predicate.
        unknown: UnknownId,
        /// Which argument.
        position: usize,
    },
    /// The constraint is no truth value.
    #[error("the constraint of a clause is no formula")]
    NoFormula,
}

/// Recursion-free Horn clauses, to be solved for their unknown predicates.
///
/// ```
/// use rely_base::Budget;
/// use rely_logic::interpolate::{Application, Clause, HornOutcome, HornSystem, Limits};
/// use rely_logic::{Notation, TermPool};
///
/// // x = 0 -> before(x), before(x) ∧ y = x + 1 -> after(y), after(x) ∧ x > 10 -> false
/// let mut pool = TermPool::new();
/// let (x, y) = (pool.int_var("x"), pool.int_var("y"));
/// let (zero, one, ten) = (pool.int(0), pool.int(1), pool.int(10));
/// let parameter = pool.as_var(x).unwrap();
/// let mut system = HornSystem::new();
/// let before = system.unknown(vec![parameter]);
/// let after = system.unknown(vec![parameter]);
/// let at = |unknown, argument| Application { unknown, arguments: vec![argument] };
/// let start = pool.eq(x, zero);
/// let next = pool.add(x, one);
/// let step = pool.eq(y, next);
/// let wrong = pool.gt(x, ten);
/// for clause in [
///     Clause { constraint: start, body: vec![], head: Some(at(before, x)) },
///     Clause { constraint: step, body: vec![at(before, x)], head: Some(at(after, y)) },
///     Clause { constraint: wrong, body: vec![at(after, x)], head: None },
/// ] {
///     system.add(&pool, clause).unwrap();
/// }
/// let outcome = system.solve(&mut pool, &Limits::default(), &Budget::unlimited());
/// let HornOutcome::Solved(solution) = outcome else { panic!("no solution") };
/// assert_eq!(pool.display(solution[before], Notation::Mathematics).to_string(), "x = 0");
/// assert_eq!(pool.display(solution[after], Notation::Mathematics).to_string(), "x <= 10");
/// ```
#[derive(Clone, Debug, Default)]
pub struct HornSystem {
    pub(super) unknowns: Arena<UnknownId, Declaration>,
    pub(super) clauses: Arena<ClauseId, Clause>,
}

impl HornSystem {
    /// A system without clauses.
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares a predicate. Its solution will be a formula over the parameters.
    pub fn unknown(&mut self, parameters: Vec<VarId>) -> UnknownId {
        let allowed = vec![true; parameters.len()];
        self.unknowns.push(Declaration { parameters, allowed, candidates: Vec::new() })
    }

    /// Allows only some parameters in the solution of a predicate.
    pub fn restrict(&mut self, unknown: UnknownId, allowed: impl Fn(VarId) -> bool) {
        let declaration = &mut self.unknowns[unknown];
        declaration.allowed = declaration.parameters.iter().map(|&parameter| allowed(parameter)).collect();
    }

    /// Adds formulas over the parameters that would be welcome in the solution of a predicate, the
    /// most welcome ones first.
    pub fn prefer(&mut self, unknown: UnknownId, candidates: impl IntoIterator<Item = TermId>) {
        self.unknowns[unknown].candidates.extend(candidates);
    }

    /// Adds a clause.
    pub fn add(&mut self, pool: &TermPool, clause: Clause) -> Result<ClauseId, ClauseError> {
        if pool.sort(clause.constraint) != Sort::Bool {
            return Err(ClauseError::NoFormula);
        }
        for application in clause.body.iter().chain(&clause.head) {
            self.check_application(pool, application)?;
        }
        Ok(self.clauses.push(clause))
    }

    fn check_application(&self, pool: &TermPool, application: &Application) -> Result<(), ClauseError> {
        let Application { unknown, arguments } = application;
        let parameters = &self.unknowns[*unknown].parameters;
        if parameters.len() != arguments.len() {
            let (expected, found) = (parameters.len(), arguments.len());
            return Err(ClauseError::Arity { unknown: *unknown, expected, found });
        }
        for (position, (&parameter, &argument)) in parameters.iter().zip(arguments).enumerate() {
            if pool.variable(parameter).sort != pool.sort(argument) {
                return Err(ClauseError::Sort { unknown: *unknown, position });
            }
        }
        Ok(())
    }

    /// The clauses, in the order in which they were added.
    pub fn clauses(&self) -> &Arena<ClauseId, Clause> {
        &self.clauses
    }

    /// The parameters of a predicate.
    pub fn parameters(&self, unknown: UnknownId) -> &[VarId] {
        &self.unknowns[unknown].parameters
    }

    /// The clauses that imply a predicate; those that imply false for `None`.
    pub(super) fn implying(&self, unknown: Option<UnknownId>) -> Vec<ClauseId> {
        let head_of = |clause: &Clause| clause.head.as_ref().map(|head| head.unknown);
        let clauses = self.clauses.iter().filter(|(_, clause)| head_of(clause) == unknown);
        clauses.map(|(id, _)| id).collect()
    }

    /// The predicates, each after those that its clauses assume. `None` if they are recursive.
    pub(super) fn order(&self) -> Option<Vec<UnknownId>> {
        let mut missing: Arena<UnknownId, usize> = self.unknowns.ids().map(|_| 0).collect();
        let mut users: Arena<UnknownId, Vec<UnknownId>> = self.unknowns.ids().map(|_| Vec::new()).collect();
        for clause in self.clauses.values() {
            let Some(head) = &clause.head else { continue };
            for application in &clause.body {
                missing[head.unknown] += 1;
                users[application.unknown].push(head.unknown);
            }
        }
        let mut ready: Vec<UnknownId> = missing.ids().filter(|&unknown| missing[unknown] == 0).collect();
        let mut position = 0;
        while let Some(&unknown) = ready.get(position) {
            position += 1;
            for &user in &users[unknown] {
                missing[user] -= 1;
                if missing[user] == 0 {
                    ready.push(user);
                }
            }
        }
        (ready.len() == self.unknowns.len()).then_some(ready)
    }
}

/// A formula over the parameters for every predicate.
pub type Solution = Arena<UnknownId, TermId>;

/// A derivation of false, or of a predicate at some point: a clause with values for its variables,
/// and a derivation of each predicate that its body assumes.
#[derive(Clone, Debug)]
pub struct Derivation {
    /// The clause that is applied.
    pub clause: ClauseId,
    /// The values of the variables of the clause.
    pub values: Vec<(VarId, Value)>,
    /// In the order of the body.
    pub premises: Vec<Derivation>,
}

/// What came out of a system.
#[derive(Clone, Debug)]
pub enum HornOutcome {
    /// With these formulas for the predicates, every clause is valid. This was checked.
    Solved(Solution),
    /// There are no such formulas: false is derivable.
    Unsatisfiable(Derivation),
    /// There are such formulas, but none that keep to the allowed parameters.
    NotInVocabulary,
    /// Neither was found.
    Unknown(Unknown),
}
