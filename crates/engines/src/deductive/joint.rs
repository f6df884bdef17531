//! The proof with auxiliary variables: where everybody stands, and everybody's locals.
//!
//! Rule AU of the paper adds variables that record what a thread has done. Program counters are the
//! standard ones: with them, assertions can say how often `x := x + 1` has happened; the locals with
//! which loops count say it for loops. Here each combination of places has an assertion of its own,
//! over all variables. It is still a proof by assertions that are repaired until they are stable;
//! there is only nothing left to hide.
//!
//! Combinations near the beginning are worked on before those near the end ([`Order`]): whatever arrives
//! somewhere without going back is merged before it is carried on, and loops settle before what comes
//! behind them. The first iteration is the first work on each combination, the second one the
//! second, and so on.
//!
//! Threads that can be exchanged share their assertions: of the combinations of places that are the
//! same but for an exchange, only the first one is worked on.

use super::assertion::{Assertion, DisjunctId, Growth, Names};
use super::consequence::joint_offence;
use super::guarantee::{Places, admits};
use super::interrupted::Interrupted;
use super::iteration::Iteration;
use super::model::{Model, Step, StepId};
use super::order::Order;
use super::region::{Reasoner, Region};
use super::symmetry::Symmetry;
use super::team::Team;
use rely_evidence::rely_guarantee::ControlPoint;
use rustc_hash::{FxHashMap, FxHashSet};

/// About how many questions it takes to merge something into a node and to carry it on.
const QUESTIONS_PER_NODE: usize = 40;

/// A disjunct of one of the combinations.
pub(super) type DisjunctAt = (usize, DisjunctId);

/// Where a disjunct came from last.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// One of the initial regions.
    Initial(usize),
    /// A step from another disjunct, and the exchanges after it.
    Step(DisjunctAt, StepId, Vec<usize>),
    /// The same disjunct after an exchange.
    Exchanged(DisjunctAt, usize),
}

/// One combination of places.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) places: Places,
    pub(super) assertion: Assertion,
    names: Names,
    /// Where disjuncts came from, by their names.
    origins: FxHashMap<DisjunctId, Origin>,
    carried: FxHashSet<(DisjunctId, StepId)>,
    mirrored: FxHashSet<(DisjunctId, usize)>,
    /// Disjuncts that were confronted with what must not happen.
    judged: FxHashSet<DisjunctId>,
    /// What has arrived and is not part of the assertion yet.
    arrived: Vec<(Region, Origin)>,
    /// How far from the beginning it is.
    level: usize,
    /// How often it was worked on.
    repairs: usize,
}

/// States that a step reaches.
struct Arrival {
    places: Places,
    region: Region,
    origin: Origin,
}

/// Why the combinations cannot be continued: an offence that a disjunct allows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offended {
    pub(super) disjunct: DisjunctAt,
    /// By its position in the model.
    pub(super) offence: usize,
}

/// Assertions for combinations of places.
pub(super) struct Joint<'m, 'p> {
    model: &'m Model<'p>,
    growth: Growth,
    order: Order,
    pub(super) symmetries: &'m [Symmetry],
    /// The combinations, in the order in which they were reached.
    pub(super) nodes: Vec<Node>,
    known: FxHashMap<Vec<ControlPoint>, usize>,
    images_left: usize,
    most_questions: u64,
    pub(super) iterations: Vec<Iteration>,
    pub(super) offended: Option<Offended>,
}

impl<'m, 'p> Joint<'m, 'p> {
    /// Nothing is reached yet. Threads without a bound on their number are too much work.
    pub(super) fn new(
        model: &'m Model<'p>,
        symmetries: &'m [Symmetry],
        growth: Growth,
        most_images: usize,
        most_questions: u64,
    ) -> Self {
        Self {
            model,
            growth,
            order: Order::new(model.program),
            symmetries,
            nodes: Vec::new(),
            known: FxHashMap::default(),
            images_left: most_images,
            most_questions,
            iterations: Vec::new(),
            offended: None,
        }
    }

    /// Repairs until every assertion is stable; then each excludes every offence.
    pub(super) fn run(&mut self, team: &mut Team) -> Result<(), Interrupted> {
        let threads = self.model.program.threads().ids();
        let start: Option<Vec<ControlPoint>> = threads.map(|thread| self.model.start_of(thread)).collect();
        let Some(start) = start else { return Err(Interrupted::TooMuchWork) };
        let start: Places = start.into_iter().collect();
        let first = team.questions();
        for (index, region) in self.model.initial.iter().enumerate() {
            self.arrive(Arrival {
                places: start.clone(),
                region: region.clone(),
                origin: Origin::Initial(index),
            });
        }
        while let Some(level) = self.lowest_waiting() {
            let questions = team.questions();
            let iteration = self.next_repair(level);
            let outcome = self.work_on(level, team);
            let constraints = team.questions() - questions;
            self.count(iteration, *outcome.as_ref().unwrap_or(&0), constraints);
            outcome?;
            if team.questions() - first > self.most_questions {
                return Err(Interrupted::TooMuchWork);
            }
        }
        Ok(())
    }

    /// The lowest level at which something has arrived.
    fn lowest_waiting(&self) -> Option<usize> {
        let waiting = self.nodes.iter().filter(|node| !node.arrived.is_empty());
        waiting.map(|node| node.level).min()
    }

    /// How often the combinations of a level that are next have been worked on, at most.
    fn next_repair(&self, level: usize) -> usize {
        let next = self.nodes.iter().filter(|node| node.level == level && !node.arrived.is_empty());
        next.map(|node| node.repairs).max().unwrap_or(0)
    }

    /// Counts work for an iteration.
    fn count(&mut self, iteration: usize, counterexamples: usize, constraints: u64) {
        if self.iterations.len() <= iteration {
            let transitions = self.model.steps.len();
            self.iterations.resize(iteration + 1, Iteration { transitions, ..Iteration::default() });
        }
        let entry = &mut self.iterations[iteration];
        entry.disjuncts = self.nodes.iter().map(|node| node.assertion.disjuncts().len()).sum();
        entry.counterexamples += counterexamples;
        entry.constraints += constraints;
    }

    /// Remembers what must be merged into the assertion about a combination of places.
    fn arrive(&mut self, arrival: Arrival) {
        let Arrival { places, region, origin } = arrival;
        let key: Vec<ControlPoint> = places.values().copied().collect();
        let index = *self.known.entry(key).or_insert_with(|| {
            let level = self.order.level(&places);
            self.nodes.push(Node::new(places, level));
            self.nodes.len() - 1
        });
        self.nodes[index].arrived.push((region, origin));
    }

    /// Merges what has arrived at one level, and carries new disjuncts through all steps from there;
    /// how many there were. No step leads from one combination of a level to another.
    fn work_on(&mut self, level: usize, team: &mut Team) -> Result<usize, Interrupted> {
        let travel = Travel { model: self.model, growth: &self.growth, symmetries: self.symmetries };
        let nodes = self.nodes.iter_mut().enumerate();
        let mut waiting: Vec<(usize, &mut Node)> =
            nodes.filter(|(_, node)| node.level == level && !node.arrived.is_empty()).collect();
        let results = team.for_each(&mut waiting, QUESTIONS_PER_NODE, |(index, node), reasoner| {
            node.repairs += 1;
            travel.from(*index, node, reasoner)
        });
        let mut counterexamples = 0;
        for result in results {
            let passage = result.map_err(|halt| match halt {
                Halt::Interrupted(reason) => reason,
                Halt::Offended(offended) => {
                    self.offended = Some(offended);
                    Interrupted::Offended
                }
            })?;
            self.images_left =
                self.images_left.checked_sub(passage.images).ok_or(Interrupted::TooMuchWork)?;
            counterexamples += passage.counterexamples;
            passage.arrivals.into_iter().for_each(|arrival| self.arrive(arrival));
        }
        Ok(counterexamples)
    }

    /// Where the disjunct came from last.
    pub(super) fn origin(&self, (node, disjunct): DisjunctAt) -> Option<&Origin> {
        self.nodes[node].origins.get(&disjunct)
    }

    /// The assertions about all combinations of places, also about those that are the same as
    /// others but for an exchange.
    pub(super) fn all_assertions(&self, reasoner: &mut Reasoner) -> Vec<(Places, Vec<Region>)> {
        let mut all: Vec<(Places, Vec<Region>)> = Vec::new();
        let mut seen: FxHashSet<Vec<ControlPoint>> = FxHashSet::default();
        for node in &self.nodes {
            let mut next = all.len();
            if seen.insert(node.places.values().copied().collect()) {
                all.push((node.places.clone(), node.assertion.regions().cloned().collect()));
            }
            while next < all.len() {
                let (places, regions) = all[next].clone();
                for symmetry in self.symmetries {
                    let exchanged = symmetry.places(&places);
                    if seen.insert(exchanged.values().copied().collect()) {
                        let cells = &self.model.cells;
                        let regions = regions.iter().map(|region| symmetry.region(cells, reasoner, region));
                        all.push((exchanged, regions.collect()));
                    }
                }
                next += 1;
            }
        }
        all
    }
}

/// Whether a step can be taken from a combination of places.
pub(super) fn may_take(model: &Model<'_>, places: &Places, step: &Step) -> bool {
    let may_move = places.iter().all(|(other, &point)| other == step.thread || !model.is_atomic(point));
    places[step.thread] == ControlPoint::At(step.source)
        && may_move
        && places.iter().all(|(other, &point)| admits(&step.places, other, point))
}

impl Node {
    fn new(places: Places, level: usize) -> Self {
        Self {
            places,
            level,
            repairs: 0,
            assertion: Assertion::default(),
            names: Names::default(),
            origins: FxHashMap::default(),
            carried: FxHashSet::default(),
            mirrored: FxHashSet::default(),
            judged: FxHashSet::default(),
            arrived: Vec::new(),
        }
    }

    fn merge(&mut self, reasoner: &mut Reasoner, growth: &Growth) -> usize {
        let arrived = std::mem::take(&mut self.arrived);
        arrived.into_iter().filter(|(region, origin)| self.add(reasoner, growth, region, origin)).count()
    }

    fn add(&mut self, reasoner: &mut Reasoner, growth: &Growth, region: &Region, origin: &Origin) -> bool {
        let changed = self.assertion.add(reasoner, growth, &mut self.names, region.clone());
        if changed {
            for disjunct in self.assertion.disjuncts() {
                self.origins.entry(disjunct.id).or_insert_with(|| origin.clone());
            }
        }
        changed
    }
}

/// What is needed to carry disjuncts on.
struct Travel<'t, 'p> {
    model: &'t Model<'p>,
    growth: &'t Growth,
    symmetries: &'t [Symmetry],
}

/// What came of the work on one combination of places.
#[derive(Default)]
struct Passage {
    /// How much of what had arrived was new.
    counterexamples: usize,
    /// How many images were computed.
    images: usize,
    arrivals: Vec<Arrival>,
}

/// Why nothing was carried on.
enum Halt {
    Interrupted(Interrupted),
    Offended(Offended),
}

impl Travel<'_, '_> {
    /// Merges what has arrived at one combination of places; the images of its new disjuncts, or why
    /// there are none.
    fn from(&self, index: usize, node: &mut Node, reasoner: &mut Reasoner) -> Result<Passage, Halt> {
        let mut passage =
            Passage { counterexamples: node.merge(reasoner, self.growth), ..Passage::default() };
        if passage.counterexamples == 0 {
            return Ok(passage);
        }
        self.mirror(index, node, reasoner);
        let judged = &node.judged;
        let unjudged = node.assertion.disjuncts().iter().filter(|disjunct| !judged.contains(&disjunct.id));
        if let Some((disjunct, offence)) = joint_offence(self.model, &node.places, unjudged, reasoner) {
            return Err(Halt::Offended(Offended { disjunct: (index, disjunct), offence }));
        }
        node.judged.extend(node.assertion.disjuncts().iter().map(|disjunct| disjunct.id));
        for (id, step) in self.model.steps.iter() {
            if !may_take(self.model, &node.places, step) {
                continue;
            }
            let target = self.after(&node.places, step);
            for disjunct in node.assertion.disjuncts() {
                if !node.carried.insert((disjunct.id, id)) {
                    continue;
                }
                reasoner.check_budget().map_err(Halt::Interrupted)?;
                passage.images += 1;
                if let Some(region) = image(reasoner, step, &disjunct.region) {
                    let from = (index, disjunct.id);
                    passage.arrivals.push(self.canonical(reasoner, target.clone(), region, from, id));
                }
            }
        }
        Ok(passage)
    }

    /// If exchanged threads stand at the same places, whatever holds there also holds with the
    /// threads exchanged.
    fn mirror(&self, index: usize, node: &mut Node, reasoner: &mut Reasoner) {
        let here: Vec<usize> = (0..self.symmetries.len())
            .filter(|&symmetry| self.symmetries[symmetry].places(&node.places) == node.places)
            .collect();
        loop {
            let unseen = node.assertion.disjuncts().iter().find_map(|disjunct| {
                let symmetry = here.iter().find(|&&by| !node.mirrored.contains(&(disjunct.id, by)))?;
                Some((disjunct.id, disjunct.region.clone(), *symmetry))
            });
            let Some((disjunct, region, symmetry)) = unseen else { return };
            node.mirrored.insert((disjunct, symmetry));
            let mirrored = self.symmetries[symmetry].region(&self.model.cells, reasoner, &region);
            node.add(reasoner, self.growth, &mirrored, &Origin::Exchanged((index, disjunct), symmetry));
        }
    }

    /// The same states at the first of the combinations that are the same but for exchanges.
    fn canonical(
        &self,
        reasoner: &mut Reasoner,
        mut places: Places,
        mut region: Region,
        from: DisjunctAt,
        step: StepId,
    ) -> Arrival {
        let mut done = Vec::new();
        let earlier = |places: &Places| {
            let better = |symmetry: &Symmetry| {
                let exchanged = symmetry.places(places);
                symmetry.is_earlier(&exchanged, places).then_some(exchanged)
            };
            self.symmetries.iter().enumerate().find_map(|(by, symmetry)| Some((by, better(symmetry)?)))
        };
        while let Some((by, exchanged)) = earlier(&places) {
            region = self.symmetries[by].region(&self.model.cells, reasoner, &region);
            places = exchanged;
            done.push(by);
        }
        Arrival { places, region, origin: Origin::Step(from, step, done) }
    }

    fn after(&self, places: &Places, step: &Step) -> Places {
        let mut target = places.clone();
        target[step.thread] = ControlPoint::At(step.target);
        for &started in &step.started {
            target[started] = ControlPoint::At(self.model.program.threads()[started].entry);
        }
        target
    }
}

/// The states after a step; if it divides, in the way in which the proof describes it to others.
fn image(reasoner: &mut Reasoner, step: &Step, region: &Region) -> Option<Region> {
    if !step.transition.has_remainders() {
        return step.transition.image(reasoner, region);
    }
    step.transition.seen_from(reasoner, region, |_| false)?.image(reasoner, region)
}
