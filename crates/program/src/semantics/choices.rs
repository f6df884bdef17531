//! Nondeterministic values: which are tried, and in which combinations.

use super::Semantics;
use crate::ir::EdgeId;
use crate::types::{Domain, Value};
use rely_base::Arena;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Chooses which values of a domain are tried.
pub trait Chooser {
    /// Appends values of `domain` to `values` and returns whether these are all there are.
    fn choose(&self, domain: Domain, values: &mut Vec<Value>) -> bool;
}

/// Chooses all values of a domain, or none at all if there are too many of them.
#[derive(Clone, Copy, Debug)]
pub struct AllValues {
    /// The largest number of values of one domain.
    pub limit: u128,
}

impl Chooser for AllValues {
    fn choose(&self, domain: Domain, values: &mut Vec<Value>) -> bool {
        match domain {
            Domain::Bool => values.extend([0, 1]),
            Domain::Range { low, high } if domain.size().is_some_and(|size| size <= self.limit) => {
                values.extend(low..=high);
            }
            Domain::Range { .. } | Domain::AllInts => return false,
        }
        true
    }
}

/// The values to try for some choices, one list for each.
#[derive(Clone, Debug)]
pub(super) struct ChoiceValues {
    lists: Vec<Rc<[Value]>>,
    pub(super) complete: bool,
}

impl ChoiceValues {
    /// Whether there is nothing to choose.
    pub(super) fn is_deterministic(&self) -> bool {
        self.lists.is_empty()
    }
}

/// Asks a chooser once for each domain.
pub(super) struct ChoiceLists<'c> {
    chooser: &'c dyn Chooser,
    known: FxHashMap<Domain, (Rc<[Value]>, bool)>,
}

impl<'c> ChoiceLists<'c> {
    pub(super) fn new(chooser: &'c dyn Chooser) -> Self {
        Self { chooser, known: FxHashMap::default() }
    }

    pub(super) fn values(&mut self, domains: impl Iterator<Item = Domain>) -> ChoiceValues {
        let mut all = ChoiceValues { lists: Vec::new(), complete: true };
        for domain in domains {
            let (list, complete) = self.known.entry(domain).or_insert_with(|| {
                let mut values = Vec::new();
                let complete = self.chooser.choose(domain, &mut values);
                (values.into(), complete)
            });
            all.lists.push(Rc::clone(list));
            all.complete &= *complete;
        }
        all
    }
}

/// The values to try on each edge of a program.
#[derive(Debug)]
pub(super) struct ChoiceTable {
    edges: Arena<EdgeId, Rc<ChoiceValues>>,
}

impl ChoiceTable {
    pub(super) fn new(semantics: &Semantics<'_>, chooser: &dyn Chooser) -> Self {
        let mut lists = ChoiceLists::new(chooser);
        let edges = semantics.program.edges.ids();
        Self { edges: edges.map(|edge| Rc::new(lists.values(semantics.choices(edge)))).collect() }
    }

    pub(super) fn of_edge(&self, edge: EdgeId) -> Rc<ChoiceValues> {
        Rc::clone(&self.edges[edge])
    }
}

/// All combinations of the values of some choices, in lexicographic order.
pub(super) struct ChoiceVectors {
    values: Rc<ChoiceValues>,
    positions: Vec<usize>,
    current: Vec<Value>,
    exhausted: bool,
}

impl ChoiceVectors {
    pub(super) fn new(values: Rc<ChoiceValues>) -> Self {
        let exhausted = values.lists.iter().any(|list| list.is_empty());
        Self { positions: vec![0; values.lists.len()], current: Vec::new(), values, exhausted }
    }

    pub(super) fn next(&mut self) -> Option<&[Value]> {
        if self.exhausted {
            return None;
        }
        self.current.clear();
        self.current.extend(self.values.lists.iter().zip(&self.positions).map(|(list, &at)| list[at]));
        self.advance();
        Some(&self.current)
    }

    fn advance(&mut self) {
        for index in (0..self.positions.len()).rev() {
            self.positions[index] += 1;
            if self.positions[index] < self.values.lists[index].len() {
                return;
            }
            self.positions[index] = 0;
        }
        self.exhausted = true;
    }
}
