//! What of the trees a proof needs.
//!
//! Every node knows every predicate of its thread that happens to be decided there. Most of that
//! has nothing to do with the property, but it splits the states at a control point into many that have to be
//! written down, checked and read. So the proof is made of *classes*: nodes of one control point, reduced to
//! the predicates that are relevant there. At first nothing is. Where the classes do not prove
//! what the nodes do, because a step leads out of them or something forbidden becomes possible, the
//! reason why that does not happen between the nodes becomes relevant, and so on until the classes
//! are closed. In the worst case everything is relevant and the classes are the nodes.

use crate::rely_guarantee::precision::literals::{Literal, Literals, PredicateId};
use crate::rely_guarantee::precision::{Blocks, Precision};
use crate::rely_guarantee::reach::decide::Step;
use crate::rely_guarantee::reach::{Node, NodeId, Trees};
use rely_base::{Budget, Id};
use rely_logic::{Conjunction, Constraint, Domain, LinearForm, VarId, Verdict};
use rely_program::ThreadId;
use rely_symbolic::{BranchEnd, ControlPointId, Move, MoveId, Role, System, before, role_facts, roles};
use std::rc::Rc;

/// Nodes of one control point that agree in what is relevant there.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    /// What they agree in.
    pub(crate) common: Node,
    /// The first of them.
    member: NodeId,
}

impl Class {
    fn covers(&self, other: &Node) -> bool {
        self.common.blocks == other.blocks && self.common.literals.is_subset(&other.literals)
    }
}

/// The classes of each control point of each thread.
pub(crate) struct Classes(Vec<Vec<Rc<Vec<Class>>>>);

impl Classes {
    /// Those of a control point.
    pub(crate) fn at(&self, thread: ThreadId, point: ControlPointId) -> &Rc<Vec<Class>> {
        &self.0[thread.index()][point.index()]
    }
}

/// Reduces complete trees to what is relevant.
pub(crate) fn relevant_classes(trees: &mut Trees<'_, '_>, precision: &Precision, budget: &Budget) -> Classes {
    let system = trees.system();
    let points = |thread: ThreadId| system.thread(thread).points.len();
    let everywhere = |mask: Literals| -> Vec<Vec<Literals>> {
        system.thread_ids().map(|thread| vec![mask.clone(); points(thread)]).collect()
    };
    let mut relevance = Relevance {
        system,
        trees,
        precision,
        budget,
        relevant: everywhere(Literals::default()),
        classes: Classes(system.thread_ids().map(|thread| vec![Rc::default(); points(thread)]).collect()),
        solver: Conjunction::with_limits(Domain::Integers, system.limits.solver),
    };
    if relevance.close().is_none() {
        relevance.relevant = everywhere(precision.all());
        relevance.places().into_iter().for_each(|(thread, point)| relevance.classify(thread, point));
    }
    relevance.classes
}

/// The search for what is relevant.
struct Relevance<'r, 't, 'a> {
    system: &'r System<'a>,
    trees: &'r mut Trees<'t, 'a>,
    precision: &'r Precision,
    budget: &'r Budget,
    /// The relevant literals at each control point of each thread.
    relevant: Vec<Vec<Literals>>,
    classes: Classes,
    /// The solver that gives reasons.
    solver: Conjunction,
}

/// A fact in a reason: the node of which it is known, and the literal.
type Known = (NodeId, Literal);

impl Relevance<'_, '_, '_> {
    /// All control points, later ones first: what is needed there is needed earlier, too.
    fn places(&self) -> Vec<(ThreadId, ControlPointId)> {
        let of = |thread| {
            let points = self.system.thread(thread).points.len();
            (0..points).rev().map(move |point| (thread, ControlPointId::from_index(point)))
        };
        self.system.thread_ids().flat_map(of).collect()
    }

    /// Makes the classes closed; `None` if the budget ends before or a reason is not found.
    fn close(&mut self) -> Option<()> {
        let places = self.places();
        for &(thread, point) in &places {
            self.classify(thread, point);
        }
        loop {
            let mut is_closed = self.exclude_violations()?;
            for &(thread, point) in &places {
                while let Some(reason) = self.escape_from(thread, point) {
                    self.need(&reason)?;
                    is_closed = false;
                }
            }
            if is_closed {
                return Some(());
            }
        }
    }

    /// Puts the nodes of a control point into classes again.
    fn classify(&mut self, thread: ThreadId, point: ControlPointId) {
        let mut classes: Vec<Class> = Vec::new();
        let relevant = &self.relevant[thread.index()][point.index()];
        for &member in self.trees.at(thread, point) {
            let node = &self.trees.nodes[member];
            let common = Node { literals: node.literals.intersection(relevant), ..node.clone() };
            if classes.iter().any(|class| class.covers(&common)) {
                continue;
            }
            let class = Class { common, member };
            classes.retain(|other| !class.covers(&other.common));
            classes.push(class);
        }
        self.classes.0[thread.index()][point.index()] = Rc::new(classes);
    }

    /// Makes facts relevant where they are known; one of the two nodes suffices. `None` if all of
    /// them are relevant already, or the budget has ended.
    fn need(&mut self, reason: &[Vec<Known>]) -> Option<()> {
        self.budget.check_now().ok()?;
        let mut is_new = None;
        for places in reason {
            let is_relevant = |(node, literal): &Known| {
                let node = &self.trees.nodes[*node];
                self.relevant[node.thread.index()][node.point.index()].contains(*literal)
            };
            if places.iter().any(is_relevant) {
                continue;
            }
            let Some((node, literal)) = places.first() else { continue };
            let (thread, point) = (self.trees.nodes[*node].thread, self.trees.nodes[*node].point);
            let relevant = &mut self.relevant[thread.index()][point.index()];
            relevant.insert(*literal);
            self.classify(thread, point);
            is_new = Some(());
        }
        is_new
    }

    /// A step that leads from the classes of a control point out of all classes, told by why no node makes it.
    fn escape_from(&mut self, thread: ThreadId, point: ControlPointId) -> Option<Vec<Vec<Known>>> {
        let classes = Rc::clone(self.classes.at(thread, point));
        classes.iter().find_map(|class| self.escape(class))
    }

    /// Why the nodes of a class do not do what the class can do, if that leads out of all classes.
    fn escape(&mut self, class: &Class) -> Option<Vec<Vec<Known>>> {
        let system = self.system;
        let own = &system.thread(class.common.thread).moves[class.common.point.index()];
        own.iter().find_map(|&by| self.own_escape(class, by)).or_else(|| {
            let moves = (0..system.moves.len()).map(MoveId::from_index);
            let mut moves = moves.filter(|&by| system.get(by).leads_on(system));
            moves.find_map(|by| self.foreign_escape(class, by))
        })
    }

    /// A step of the thread itself.
    fn own_escape(&mut self, class: &Class, by: MoveId) -> Option<Vec<Vec<Known>>> {
        let (node, the_move) = (&class.common, self.system.get(by));
        if !self.trees.can_move(node, by) {
            return None;
        }
        let step = self.trees.own_step(node, by);
        if !self.trees.is_possible(&step) {
            return None;
        }
        let source = Source { step: &step, kept: &node.literals, members: &[class.member] };
        if matches!(the_move.branch.ending, BranchEnd::Fails(_) | BranchEnd::Undefined) {
            return Some(self.reason(&source, None));
        }
        if !the_move.leads_on(self.system) {
            return None;
        }
        let blocks = self.trees.places.after(node, the_move);
        let target = Target { thread: node.thread, point: the_move.target, blocks };
        self.way_out(&source, &target).or_else(|| self.spawned_escape(&source))
    }

    /// The first states of the instances that a step starts.
    fn spawned_escape(&mut self, source: &Source<'_>) -> Option<Vec<Vec<Known>>> {
        let templates = self.system.get(source.step.by).branch.spawned.iter();
        for (position, (template, _)) in templates.enumerate() {
            // What a new instance knows has no parent to be kept from: it is all relevant.
            let known = self.trees.spawned(&source.step.known, source.step.by, position);
            let Some(known) = known else { continue };
            let entry = self.system.thread(*template).entry;
            let is_known = |class: &Class| class.common.literals.is_subset(&known);
            if self.classes.at(*template, entry).iter().any(is_known) {
                continue;
            }
            return Some(self.everything_of(source));
        }
        None
    }

    /// All that the nodes know.
    fn everything_of(&self, source: &Source<'_>) -> Vec<Vec<Known>> {
        let of = |&member: &NodeId| {
            let literals = self.trees.nodes[member].literals.iter().collect::<Vec<_>>();
            literals.into_iter().map(move |literal| vec![(member, literal)])
        };
        source.members.iter().flat_map(of).collect()
    }

    /// A step of another thread from one of its classes.
    fn foreign_escape(&mut self, class: &Class, by: MoveId) -> Option<Vec<Vec<Known>>> {
        if !self.trees.concerns(&class.common, by) {
            return None;
        }
        let the_move = self.system.get(by);
        let actors = Rc::clone(self.classes.at(the_move.thread, the_move.source));
        actors.iter().find_map(|actor| self.seen_escape(class, actor, by))
    }

    /// A step from one class, seen from another one.
    fn seen_escape(&mut self, class: &Class, actor: &Class, by: MoveId) -> Option<Vec<Vec<Known>>> {
        let (node, acting, the_move) = (&class.common, &actor.common, self.system.get(by));
        if !self.trees.can_move(acting, by) || !self.trees.can_meet(node, acting, by) {
            return None;
        }
        let step = self.trees.seen_step(node, &acting.literals, by)?;
        if !self.trees.is_possible(&step) {
            return None;
        }
        let starts = the_move.branch.started.contains(&node.thread);
        let point = if starts { self.system.thread(node.thread).entry } else { node.point };
        let target = Target { thread: node.thread, point, blocks: self.trees.places.after(node, the_move) };
        let members = &[class.member, actor.member];
        self.way_out(&Source { step: &step, kept: &node.literals, members }, &target)
    }

    /// If a step leads to a state that no class covers: why the nodes do not get there.
    fn way_out(&mut self, source: &Source<'_>, target: &Target) -> Option<Vec<Vec<Known>>> {
        let (thread, point) = (target.thread, target.point);
        let relevant = self.relevant[thread.index()][point.index()].clone();
        let result = self.trees.after(source.step, source.kept, (thread, point), &relevant);
        let covers =
            |node: &Node, result: &Literals| node.blocks == target.blocks && node.literals.is_subset(result);
        let classes = self.classes.at(thread, point);
        if classes.iter().any(|class| covers(&class.common, &result)) {
            return None;
        }
        let Some(full) = self.full_step(source) else { return Some(self.reason(source, None)) };
        if !self.trees.is_possible(&full) {
            return Some(self.reason(source, None));
        }
        let kept = self.trees.nodes[source.members[0]].literals.clone();
        let reached = self.trees.after(&full, &kept, (thread, point), &self.precision.all());
        let covering = self.trees.at(thread, point).iter().map(|&node| &self.trees.nodes[node]);
        let mut covering = covering.filter(|node| covers(node, &reached));
        let Some(wanted) = covering.next().map(|node| node.literals.intersection(&relevant)) else {
            return Some(self.everything_of(source));
        };
        let missing = wanted.without(&result).iter().next();
        Some(match missing {
            Some(missing) => self.reason(source, Some(missing)),
            None => self.everything_of(source),
        })
    }

    /// The step with all that the nodes know; `None` if they contradict each other.
    fn full_step(&self, source: &Source<'_>) -> Option<Step> {
        let knows = |index: usize| source.members.get(index).map(|&node| &self.trees.nodes[node].literals);
        let Step { by, observer, ref facts, .. } = *source.step;
        let own = knows(0)?.clone();
        let (known, foreign) = match (knows(1), &source.step.foreign) {
            (Some(actor), Some(_)) => (own, Some(actor.clone())),
            (Some(actor), None) => (own.union(actor)?, None),
            (None, _) => (own, None),
        };
        Some(Step { by, known, foreign, observer, facts: facts.clone() })
    }

    /// What of the nodes' knowledge excludes the step, or implies a literal after it.
    fn reason(&mut self, source: &Source<'_>, after: Option<Literal>) -> Vec<Vec<Known>> {
        let system = self.system;
        let by: &Move = system.get(source.step.by);
        let rename = |cell: VarId| match source.step.foreign {
            Some(_) => system.seen_by(source.step.observer, by.thread, cell),
            None => cell,
        };
        let mut facts: Vec<(Constraint, Vec<Known>)> = Vec::new();
        for (position, &member) in source.members.iter().enumerate() {
            let is_foreign = position == 1 && source.step.foreign.is_some();
            for literal in self.trees.nodes[member].literals.iter() {
                let constraint = self.precision.constraint(literal);
                let constraint = if is_foreign { constraint.rename(rename) } else { constraint.clone() };
                match facts.iter_mut().find(|(known, _)| *known == constraint) {
                    Some((_, places)) => places.push((member, literal)),
                    None => facts.push((constraint, vec![(member, literal)])),
                }
            }
        }
        let mut rest: Vec<Constraint> = by.branch.guard.iter().map(|test| test.rename(rename)).collect();
        rest.extend(system.handle_facts(source.step.observer, by.thread));
        rest.extend(source.step.facts.iter().cloned());
        if let Some(literal) = after {
            let mut updates: Vec<(VarId, LinearForm)> =
                by.branch.updates.iter().map(|(cell, value)| (rename(*cell), value.rename(rename))).collect();
            updates.sort_by_key(|(cell, _)| *cell);
            rest.push(before(self.precision.constraint(literal), &updates).negated());
        }
        self.core(facts, &rest)
    }

    /// Those facts without which the rest is possible. What is relevant already is preferred.
    fn core(&mut self, mut facts: Vec<(Constraint, Vec<Known>)>, rest: &[Constraint]) -> Vec<Vec<Known>> {
        let is_relevant = |(node, literal): &Known| {
            let node = &self.trees.nodes[*node];
            self.relevant[node.thread.index()][node.point.index()].contains(*literal)
        };
        // The solver tries to do without the first ones first.
        facts.sort_by_key(|(_, places)| places.iter().any(is_relevant));
        self.solver.reset();
        for constraint in facts.iter().map(|(constraint, _)| constraint).chain(rest) {
            self.solver.assert(constraint);
        }
        let needed = match self.solver.check(self.budget) {
            Verdict::Unsat => self.solver.minimal_core(self.budget),
            _ => None,
        };
        match needed {
            Some(needed) => {
                let needed = needed.into_iter().filter(|&index| index < facts.len());
                needed.map(|index| facts[index].1.clone()).collect()
            }
            None => facts.into_iter().map(|(_, places)| places).collect(),
        }
    }

    /// Makes relevant what is needed for no classes together to allow a violation; says whether
    /// that was so already.
    fn exclude_violations(&mut self) -> Option<bool> {
        let mut is_closed = true;
        for index in 0..self.system.violations.len() {
            let roles = roles(self.system, &self.system.violations[index]);
            while let Some(reason) = self.cast(index, &roles, &mut Vec::new()) {
                self.need(&reason)?;
                is_closed = false;
            }
        }
        Some(is_closed)
    }

    /// Looks for classes that play all roles; returns why their nodes do not.
    fn cast(&mut self, violation: usize, roles: &[Role], chosen: &mut Vec<Class>) -> Option<Vec<Vec<Known>>> {
        let Some(role) = roles.get(chosen.len()) else { return self.together(violation, roles, chosen) };
        for &point in &role.points {
            for class in self.classes.at(role.thread, point).iter().cloned().collect::<Vec<_>>() {
                let fits = !self.trees.is_waiting(class.member)
                    && chosen.iter().all(|other| self.trees.compatible(class.member, other.member));
                if !fits {
                    continue;
                }
                chosen.push(class);
                let found = self.cast(violation, roles, chosen);
                chosen.pop();
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// Whether classes together allow a violation; if so, why their nodes do not.
    fn together(&mut self, violation: usize, roles: &[Role], chosen: &[Class]) -> Option<Vec<Vec<Known>>> {
        let system = self.system;
        let mut rest = system.violations[violation].guard.clone();
        rest.extend(role_facts(system, roles));
        let standing = chosen.iter().map(|class| (class.common.thread, class.common.point));
        rest.extend(self.trees.facts(&standing.collect::<Vec<_>>()));
        let mut facts = Vec::new();
        let mut possible = rest.clone();
        for (role, class) in roles.iter().zip(chosen) {
            let rename =
                |cell| if role.second { system.seen_by(role.thread, role.thread, cell) } else { cell };
            for literal in self.trees.nodes[class.member].literals.iter() {
                let constraint = self.precision.constraint(literal).rename(rename);
                if class.common.literals.get(literal.predicate).is_some() {
                    possible.push(constraint.clone());
                }
                facts.push((constraint, vec![(class.member, literal)]));
            }
        }
        self.trees.is_satisfiable(&possible).then(|| self.core(facts, &rest))
    }
}

/// A step of classes, and the nodes that stand for them: the observer's, then the actor's.
struct Source<'s> {
    step: &'s Step,
    /// What the observer knows.
    kept: &'s Literals,
    members: &'s [NodeId],
}

/// Where a step leads.
struct Target {
    thread: ThreadId,
    point: ControlPointId,
    blocks: Blocks,
}

impl Precision {
    /// Every predicate, as a mask.
    fn all(&self) -> Literals {
        let predicates = (0..self.predicate_count()).map(PredicateId::from_index);
        predicates.flat_map(|predicate| [true, false].map(|holds| Literal { predicate, holds })).collect()
    }
}
