//! Horn clauses with names: what a text says, and what answers speak of.
//!
//! A [`System`] has unknown predicates (HSF calls them query symbols) over integers and truth values,
//! and clauses `constraint ∧ body -> head` over them. It may be recursive, in any way. Its terms live in
//! a [`TermPool`] of the caller's.

use rely_base::Arena;
use rely_logic::interpolate::{Application, Clause, ClauseId, UnknownId};
use rely_logic::{Sort, TermId, TermPool, Value, VarId};
use rustc_hash::FxHashMap;

/// An unknown predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// The variables over which its meaning is written.
    pub parameters: Vec<VarId>,
}

/// What is wrong with a clause.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// The number of arguments is not that of the parameters.
    #[error("`{name}` is applied to {found} arguments instead of {expected}")]
    Arity {
        /// The predicate.
        name: String,
        /// How many parameters it has.
        expected: usize,
        /// How many arguments it got.
        found: usize,
    },
    /// An argument has another sort than the parameter.
    #[error("argument {} of `{name}` has the wrong sort", position + 1)]
    Sort {
        /// The predicate.
        name: String,
        /// Which argument, counted from zero.
        position: usize,
    },
    /// The constraint is no truth value.
    #[error("the constraint of a clause is not a formula")]
    NoFormula,
}

/// Unknown predicates and clauses over them.
///
/// ```
/// use rely_horn::{Application, Clause, System};
/// use rely_logic::{Sort, TermPool};
///
/// // x = 0 -> even(x), even(x) -> even(x + 2), even(x) ∧ x = 7 -> false
/// let mut pool = TermPool::new();
/// let x = pool.int_var("x");
/// let (zero, two, seven) = (pool.int(0), pool.int(2), pool.int(7));
/// let mut system = System::new();
/// let even = system.declare(&mut pool, "even", &[Sort::Int]);
/// let at = |argument| Application { unknown: even, arguments: vec![argument] };
/// let (start, next, wrong) = (pool.eq(x, zero), pool.add(x, two), pool.eq(x, seven));
/// let truth = pool.truth(true);
/// system.add(&pool, Clause { constraint: start, body: vec![], head: Some(at(x)) })?;
/// system.add(&pool, Clause { constraint: truth, body: vec![at(x)], head: Some(at(next)) })?;
/// system.add(&pool, Clause { constraint: wrong, body: vec![at(x)], head: None })?;
/// assert_eq!(system.clauses().len(), 3);
/// # Ok::<(), rely_horn::Malformed>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct System {
    unknowns: Arena<UnknownId, Unknown>,
    clauses: Arena<ClauseId, Clause>,
    /// The lines in which they were written.
    lines: Arena<ClauseId, Option<usize>>,
}

impl System {
    /// A system without predicates and clauses.
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares a predicate over parameters of these sorts.
    pub fn declare(&mut self, pool: &mut TermPool, name: &str, sorts: &[Sort]) -> UnknownId {
        let parameters = sorts.iter().map(|&sort| pool.fresh_variable("p", sort)).collect();
        self.declare_over(name, parameters)
    }

    /// Declares a predicate whose meaning is to be written over these variables.
    pub fn declare_over(&mut self, name: &str, parameters: Vec<VarId>) -> UnknownId {
        self.unknowns.push(Unknown { name: name.to_owned(), parameters })
    }

    /// Adds a clause.
    pub fn add(&mut self, pool: &TermPool, clause: Clause) -> Result<ClauseId, Malformed> {
        self.add_from(pool, clause, None)
    }

    /// Adds a clause that was written in a line of a text.
    pub fn add_from(
        &mut self,
        pool: &TermPool,
        clause: Clause,
        line: Option<usize>,
    ) -> Result<ClauseId, Malformed> {
        if pool.sort(clause.constraint) != Sort::Bool {
            return Err(Malformed::NoFormula);
        }
        for application in clause.body.iter().chain(&clause.head) {
            self.check_application(pool, application)?;
        }
        self.lines.push(line);
        Ok(self.clauses.push(clause))
    }

    /// The line of the text in which a clause was written.
    pub fn line(&self, clause: ClauseId) -> Option<usize> {
        self.lines[clause]
    }

    fn check_application(&self, pool: &TermPool, application: &Application) -> Result<(), Malformed> {
        let Unknown { name, parameters } = &self.unknowns[application.unknown];
        if parameters.len() != application.arguments.len() {
            let (expected, found) = (parameters.len(), application.arguments.len());
            return Err(Malformed::Arity { name: name.clone(), expected, found });
        }
        let pairs = parameters.iter().zip(&application.arguments);
        let mut wrong =
            pairs.map(|(&parameter, &argument)| pool.variable(parameter).sort != pool.sort(argument));
        match wrong.position(|wrong| wrong) {
            Some(position) => Err(Malformed::Sort { name: name.clone(), position }),
            None => Ok(()),
        }
    }

    /// The predicates, in the order of their declarations.
    pub fn unknowns(&self) -> &Arena<UnknownId, Unknown> {
        &self.unknowns
    }

    /// The clauses, in the order in which they were added.
    pub fn clauses(&self) -> &Arena<ClauseId, Clause> {
        &self.clauses
    }

    /// A formula over the parameters of a predicate, at the arguments of an application.
    pub fn instance(&self, pool: &mut TermPool, application: &Application, formula: TermId) -> TermId {
        let parameters = &self.unknowns[application.unknown].parameters;
        let mut replacements: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (&parameter, &argument) in parameters.iter().zip(&application.arguments) {
            replacements.insert(pool.var(parameter), argument);
        }
        pool.substitute(formula, &replacements)
    }
}

/// The variables of a clause, ascending.
pub fn variables(pool: &TermPool, clause: &Clause) -> Vec<VarId> {
    let arguments = clause.body.iter().chain(&clause.head).flat_map(|application| &application.arguments);
    let mut found: Vec<VarId> = pool
        .subterms(arguments.copied().chain([clause.constraint]))
        .into_iter()
        .filter_map(|term| pool.as_var(term))
        .collect();
    found.sort_unstable();
    found
}

/// A formula over the parameters for every predicate.
pub type Model = Arena<UnknownId, TermId>;

/// One step of a derivation: a clause at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivationStep {
    /// The clause that is applied.
    pub clause: ClauseId,
    /// The values of its variables.
    pub values: Vec<(VarId, Value)>,
    /// The steps that derive what its body assumes, in the order of the body: positions of earlier
    /// steps.
    pub premises: Vec<usize>,
}

/// A derivation of false: steps, each from earlier ones. The last one has no head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derivation {
    /// The steps.
    pub steps: Vec<DerivationStep>,
}
