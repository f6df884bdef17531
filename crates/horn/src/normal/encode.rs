//! Truth values as 0 and 1; conditions inside of terms, quotients and remainders as variables.

use rely_logic::interpolate::{Application, Clause, ClauseId};
use rely_logic::{Integer, Node, Sort, TermId, TermPool, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Use;
use crate::clauses::variables;

/// A clause over integers that still has any formula as its constraint.
pub(super) struct Encoded {
    pub(super) constraint: TermId,
    pub(super) body: Vec<Use<VarId>>,
    pub(super) head: Option<Use<TermId>>,
    pub(super) clause: ClauseId,
    pub(super) originals: Vec<(VarId, TermId)>,
}

pub(super) fn encode(pool: &mut TermPool, id: ClauseId, clause: &Clause) -> Encoded {
    let mut encoder =
        Encoder { images: FxHashMap::default(), conditions: Vec::new(), taken: FxHashSet::default() };
    let mut originals = Vec::new();
    for variable in variables(pool, clause) {
        let image = encoder.variable(pool, variable);
        originals.push((variable, image));
    }
    let mut roots: Vec<TermId> = vec![clause.constraint];
    roots
        .extend(clause.body.iter().chain(&clause.head).flat_map(|application| application.arguments.clone()));
    encoder.define_terms(pool, &roots);
    let constraint = encoder.image(pool, clause.constraint);
    let body = clause.body.iter().map(|application| encoder.body_use(pool, application)).collect();
    let head = clause.head.as_ref().map(|application| encoder.head_use(pool, application));
    let constraint = pool.and(encoder.conditions.into_iter().chain([constraint]));
    Encoded { constraint, body, head, clause: id, originals }
}

struct Encoder {
    /// What terms of the clause are replaced by.
    images: FxHashMap<TermId, TermId>,
    /// What defines new variables.
    conditions: Vec<TermId>,
    /// Variables that are arguments of the body already.
    taken: FxHashSet<VarId>,
}

impl Encoder {
    /// The integer that a variable of the clause becomes.
    fn variable(&mut self, pool: &mut TermPool, variable: VarId) -> TermId {
        let term = pool.var(variable);
        if pool.sort(term) != Sort::Bool {
            return term;
        }
        let flag = self.flag(pool);
        let is_set = is_set(pool, flag);
        self.images.insert(term, is_set);
        flag
    }

    /// A new variable that is 0 or 1.
    fn flag(&mut self, pool: &mut TermPool) -> TermId {
        let variable = pool.fresh_variable("flag", Sort::Int);
        let (flag, zero, one) = (pool.var(variable), pool.int(0), pool.int(1));
        self.conditions.push(pool.ge(flag, zero));
        self.conditions.push(pool.le(flag, one));
        flag
    }

    fn image(&self, pool: &mut TermPool, term: TermId) -> TermId {
        pool.substitute(term, &self.images)
    }

    /// Gives a variable to every term that is not linear for a reason that can be written down.
    fn define_terms(&mut self, pool: &mut TermPool, roots: &[TermId]) {
        for term in pool.subterms(roots.iter().copied()) {
            let image = match pool.node(term).clone() {
                Node::Ite(condition, then, otherwise) => self.choice(pool, condition, then, otherwise),
                Node::Div(dividend, divisor) => self.quotient(pool, dividend, &divisor),
                Node::Mod(dividend, divisor) => {
                    let quotient = match pool.div(dividend, divisor.clone()) {
                        Some(same) if self.images.contains_key(&same) => self.images[&same],
                        _ => self.quotient(pool, dividend, &divisor),
                    };
                    let dividend = self.image(pool, dividend);
                    pool.sum([(dividend, Integer::ONE), (quotient, -divisor)], Integer::ZERO)
                }
                _ => continue,
            };
            self.images.insert(term, image);
        }
    }

    fn fresh(pool: &mut TermPool, name: &str) -> TermId {
        let variable = pool.fresh_variable(name, Sort::Int);
        pool.var(variable)
    }

    fn choice(&mut self, pool: &mut TermPool, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        let condition = self.image(pool, condition);
        let [then, otherwise] = [then, otherwise].map(|term| self.image(pool, term));
        let value = Self::fresh(pool, "choice");
        let negated = pool.not(condition);
        let (is_then, is_otherwise) = (pool.eq(value, then), pool.eq(value, otherwise));
        let cases = [pool.and([condition, is_then]), pool.and([negated, is_otherwise])];
        self.conditions.push(pool.or(cases));
        value
    }

    /// `divisor * quotient <= dividend < divisor * quotient + divisor`; divisors are positive.
    fn quotient(&mut self, pool: &mut TermPool, dividend: TermId, divisor: &Integer) -> TermId {
        let dividend = self.image(pool, dividend);
        let quotient = Self::fresh(pool, "quotient");
        let multiple = pool.scale(divisor.clone(), quotient);
        let next = pool.sum([(multiple, Integer::ONE)], divisor.clone());
        self.conditions.push(pool.le(multiple, dividend));
        self.conditions.push(pool.lt(dividend, next));
        quotient
    }

    /// An argument as an integer.
    fn argument(&mut self, pool: &mut TermPool, argument: TermId) -> TermId {
        if pool.sort(argument) != Sort::Bool {
            return self.image(pool, argument);
        }
        let condition = self.image(pool, argument);
        if let Some(value) = pool.as_truth(condition) {
            return pool.int(i64::from(value));
        }
        if pool.as_var(argument).is_some() {
            return flag_of(pool, condition).unwrap_or(condition);
        }
        let flag = self.flag(pool);
        let is_set = is_set(pool, flag);
        self.conditions.push(pool.iff(is_set, condition));
        flag
    }

    fn body_use(&mut self, pool: &mut TermPool, application: &Application) -> Use<VarId> {
        let arguments = application
            .arguments
            .iter()
            .map(|&argument| {
                let value = self.argument(pool, argument);
                match pool.as_var(value) {
                    Some(variable) if self.taken.insert(variable) => variable,
                    _ => {
                        let variable = pool.fresh_variable("argument", Sort::Int);
                        let term = pool.var(variable);
                        self.conditions.push(pool.eq(term, value));
                        self.taken.insert(variable);
                        variable
                    }
                }
            })
            .collect();
        Use { unknown: application.unknown, arguments }
    }

    fn head_use(&mut self, pool: &mut TermPool, application: &Application) -> Use<TermId> {
        let arguments = application.arguments.iter().map(|&argument| self.argument(pool, argument)).collect();
        Use { unknown: application.unknown, arguments }
    }
}

/// That a flag is 1.
fn is_set(pool: &mut TermPool, flag: TermId) -> TermId {
    let one = pool.int(1);
    pool.ge(flag, one)
}

/// The flag of which a formula says that it is 1.
fn flag_of(pool: &TermPool, condition: TermId) -> Option<TermId> {
    let Node::LeZero(form) = *pool.node(condition) else { return None };
    let Node::Sum(sum) = pool.node(form) else { return None };
    sum.terms.first().map(|(flag, _)| *flag)
}
