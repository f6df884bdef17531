//! Assertions: disjunctions of regions that grow, and that stop growing.
//!
//! A new region is dropped if an old one contains it, united with an old one if the union is a
//! region, and otherwise put beside the others. What has grown often is widened, and beyond a
//! number of disjuncts the two that are most alike are joined; so there are only finitely many
//! repairs, whatever the program does.

use super::hull::{Landmarks, exact_union, join, widen};
use super::region::{Reasoner, Region};
use rely_base::define_id;
use rely_logic::VarId;

define_id!(
    /// The name of a disjunct: it is never given to another one, so what was done with a disjunct
    /// need not be done again.
    pub(super) struct DisjunctId
);

/// How assertions grow.
#[derive(Clone, Debug)]
pub(super) struct Growth {
    /// How many disjuncts an assertion has at most.
    pub(super) most_disjuncts: usize,
    /// How often a disjunct grows before it is widened.
    pub(super) widening_delay: usize,
    /// Disjuncts that differ in more constraints than this are not tried for an exact union.
    pub(super) union_differences: usize,
    /// Whether disjuncts are united as soon as their union is a region; otherwise only if there
    /// are too many of them.
    pub(super) unite: bool,
    /// Where widenings stop.
    pub(super) landmarks: Landmarks,
    /// Variables with few values, such as flags: disjuncts that differ in them are joined last.
    pub(super) discrete: Vec<VarId>,
}

/// One disjunct of an assertion.
#[derive(Clone, Debug)]
pub(super) struct Disjunct {
    pub(super) id: DisjunctId,
    pub(super) region: Region,
    /// How often it has grown.
    age: usize,
}

/// A disjunction; without disjuncts it holds nowhere.
#[derive(Clone, Debug, Default)]
pub(super) struct Assertion {
    disjuncts: Vec<Disjunct>,
}

/// Gives out the names of disjuncts.
#[derive(Debug, Default)]
pub(super) struct Names {
    given: usize,
}

impl Names {
    /// A name that nobody has yet.
    pub(super) fn next(&mut self) -> DisjunctId {
        self.given += 1;
        rely_base::Id::from_index(self.given - 1)
    }
}

impl Assertion {
    /// The disjuncts, in the order in which they came.
    pub(super) fn disjuncts(&self) -> &[Disjunct] {
        &self.disjuncts
    }

    /// The regions of the disjuncts.
    pub(super) fn regions(&self) -> impl Iterator<Item = &Region> {
        self.disjuncts.iter().map(|disjunct| &disjunct.region)
    }

    /// The assertion with each region replaced by another.
    pub(super) fn mapped(&self, mut change: impl FnMut(&Region) -> Region) -> Self {
        let disjuncts = self.disjuncts.iter();
        let changed = disjuncts.map(|disjunct| Disjunct { region: change(&disjunct.region), ..*disjunct });
        Self { disjuncts: changed.collect() }
    }

    /// Whether one of the disjuncts contains the region.
    pub(super) fn contains(&self, reasoner: &mut Reasoner, region: &Region) -> bool {
        self.regions().any(|known| known == region)
            || self.regions().any(|known| reasoner.includes(known, region))
    }

    /// Makes the assertion hold in the region too; whether it had to change.
    pub(super) fn add(
        &mut self,
        reasoner: &mut Reasoner,
        growth: &Growth,
        names: &mut Names,
        region: Region,
    ) -> bool {
        if self.contains(reasoner, &region) {
            return false;
        }
        self.insert(reasoner, growth, names, region, 0);
        while self.disjuncts.len() > growth.most_disjuncts {
            self.join_most_alike(reasoner, growth, names);
        }
        true
    }

    fn insert(
        &mut self,
        reasoner: &mut Reasoner,
        growth: &Growth,
        names: &mut Names,
        mut region: Region,
        mut age: usize,
    ) {
        // Each round takes at least one disjunct away.
        while let Some((position, union)) = self.find_union(reasoner, growth, &region) {
            let old = self.disjuncts.remove(position);
            age = age.max(old.age) + usize::from(union != region);
            region = if age > growth.widening_delay && union != region {
                widen(reasoner, &old.region, &union, &growth.landmarks)
            } else {
                union
            };
        }
        self.disjuncts.push(Disjunct { id: names.next(), region, age });
    }

    /// A disjunct with which the region unites exactly.
    fn find_union(
        &self,
        reasoner: &mut Reasoner,
        growth: &Growth,
        region: &Region,
    ) -> Option<(usize, Region)> {
        self.disjuncts.iter().enumerate().find_map(|(position, disjunct)| {
            if !growth.unite {
                return reasoner.includes(region, &disjunct.region).then(|| (position, region.clone()));
            }
            let bounds = (&growth.landmarks, growth.union_differences);
            let union = exact_union(reasoner, &disjunct.region, region, bounds)?;
            Some((position, union))
        })
    }

    fn join_most_alike(&mut self, reasoner: &mut Reasoner, growth: &Growth, names: &mut Names) {
        let mut best: Option<(usize, usize, (usize, usize))> = None;
        for (first, left) in self.disjuncts.iter().enumerate() {
            for (second, right) in self.disjuncts.iter().enumerate().skip(first + 1) {
                let distance = distance(&left.region, &right.region, &growth.discrete);
                if best.is_none_or(|(_, _, least)| distance < least) {
                    best = Some((first, second, distance));
                }
            }
        }
        let Some((first, second, _)) = best else { return };
        let newer = self.disjuncts.remove(second);
        let older = self.disjuncts.remove(first);
        let age = older.age.max(newer.age) + 1;
        let joined = join(reasoner, &older.region, &newer.region, &growth.landmarks);
        let region = if age > growth.widening_delay {
            widen(reasoner, &older.region, &joined, &growth.landmarks)
        } else {
            joined
        };
        self.disjuncts.retain(|disjunct| !reasoner.includes(&region, &disjunct.region));
        self.insert(reasoner, growth, names, region, age);
    }
}

/// How different two regions are: first by the flags on which they disagree, then by the
/// constraints that only one of them has.
fn distance(left: &Region, right: &Region, discrete: &[VarId]) -> (usize, usize) {
    let disagreements = discrete
        .iter()
        .filter(|&&flag| match (left.value_of(flag), right.value_of(flag)) {
            (Some(left), Some(right)) => left != right,
            _ => false,
        })
        .count();
    let missing = |one: &Region, other: &Region| {
        one.constraints().iter().filter(|constraint| !other.constraints().contains(constraint)).count()
    };
    (disagreements, missing(left, right) + missing(right, left))
}

#[cfg(test)]
mod tests {
    use super::super::region::tests::{constraint, show};
    use super::*;
    use rely_base::Budget;
    use rely_logic::Relation::{Eq, Le};

    fn check(values: impl IntoIterator<Item = i64>, most_disjuncts: usize, expected: &[&str]) {
        let budget = Budget::unlimited();
        let mut reasoner = Reasoner::new(&budget);
        let mut landmarks = Landmarks::default();
        landmarks.add(constraint(&[1], -100, Le));
        let growth = Growth {
            most_disjuncts,
            widening_delay: 3,
            union_differences: 4,
            unite: true,
            landmarks,
            discrete: vec![],
        };
        let mut assertion = Assertion::default();
        let mut names = Names::default();
        for value in values {
            let region = reasoner.region(vec![constraint(&[1], -value, Eq)]).expect("a point");
            assertion.add(&mut reasoner, &growth, &mut names, region);
        }
        let shown: Vec<String> = assertion.regions().map(|region| show(Some(region))).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn counting_ends_at_a_landmark() {
        check(0..3, 8, &["v0 >= 0, v0 <= 2"]);
        check(0..9, 8, &["v0 >= 0, v0 <= 100"]);
    }

    #[test]
    fn what_does_not_fit_together_stays_apart() {
        check([0, 1, 20, 21, 40], 8, &["v0 >= 0, v0 <= 1", "v0 >= 20, v0 <= 21", "v0 = 40"]);
    }

    #[test]
    fn too_many_disjuncts_are_joined() {
        check([0, 20, 40], 2, &["v0 = 40", "v0 >= 0, v0 <= 20"]);
    }
}
