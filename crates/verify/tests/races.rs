//! Verdicts about data races against an oracle that runs every edge operation by operation.
//!
//! The oracle visits every state of a generated program and notes, for each thread, which cells it would
//! read and write along each edge until something keeps it from going on. It shares no code with the
//! accesses of `rely_program::race` and knows nothing of properties.

use rely_base::{Budget, Id, Random, Silent};
use rely_engines::locksets::Analysis;
use rely_evidence::rely_guarantee::{RelyGuaranteeDefect, Rule};
use rely_evidence::{Claim, Proof, ProofDefect, Reason, Rejection, Verdict};
use rely_program::race::Racer;
use rely_program::{
    AllValues, BinaryOp, Domain, EdgeId, Expr, Goal, Op, Outcome, Place, Program, ProgramBuilder,
    ProgramEditor, Reached, Scope, Semantics, SlotId, State, ThreadKind, Trace, Value, VarId, Violation,
};
use std::collections::{HashMap, HashSet};

const ALL: AllValues = AllValues { limit: 64 };
const MOST_STATES: usize = 20_000;

/// A cell, and whether it is written, and atomically.
type Touched = ((VarId, Value), bool, bool);

struct Oracle<'p> {
    program: &'p Program,
    semantics: Semantics<'p>,
}

/// What a thread has done so far along an edge.
struct Run<'r> {
    semantics: &'r Semantics<'r>,
    state: &'r State,
    slot: SlotId,
    changed: HashMap<(VarId, Value), Value>,
    touched: Vec<(VarId, Value, bool)>,
}

impl Run<'_> {
    fn value(&self, var: VarId, cell: Value) -> Value {
        if let Some(value) = self.changed.get(&(var, cell)) {
            return *value;
        }
        let values = match self.semantics.program().vars()[var].scope {
            Scope::Global => self.semantics.global(self.state, var),
            Scope::Local(_) => self.semantics.local(self.state, self.slot, var),
        };
        values[cell as usize]
    }

    fn eval(&mut self, expr: &Expr) -> Option<Value> {
        Some(match expr {
            Expr::Int(value) => *value,
            Expr::Bool(value) => Value::from(*value),
            Expr::This => self.slot.handle(),
            Expr::Var(var) => {
                self.touched.push((*var, 0, false));
                self.value(*var, 0)
            }
            Expr::Element(var, index) => {
                let index = self.eval(index)?;
                let cells = self.semantics.program().vars()[*var].cells() as Value;
                if !(0..cells).contains(&index) {
                    return None;
                }
                self.touched.push((*var, index, false));
                self.value(*var, index)
            }
            Expr::Ite(parts) => match self.eval(&parts[0])? {
                0 => self.eval(&parts[2])?,
                _ => self.eval(&parts[1])?,
            },
            Expr::Binary(op, operands) => {
                let left = self.eval(&operands[0])?;
                match (op, left) {
                    (BinaryOp::And, 0) => 0,
                    (BinaryOp::Or, 1..) | (BinaryOp::Implies, 0) => 1,
                    _ => {
                        let right = self.eval(&operands[1])?;
                        self.constant(&Expr::binary(*op, constant(*op, left), constant(*op, right)))?
                    }
                }
            }
            Expr::Unary(op, operand) => {
                let operand = self.eval(operand)?;
                let operand = match op {
                    rely_program::UnaryOp::Not => Expr::Bool(operand != 0),
                    _ => Expr::Int(operand),
                };
                self.constant(&Expr::unary(*op, operand))?
            }
            Expr::Wrap(int_type, operand) => int_type.wrap(self.eval(operand)?),
            Expr::CountAt(_) | Expr::CountRunning(_) => return None,
        })
    }

    fn constant(&self, expr: &Expr) -> Option<Value> {
        self.semantics.evaluate(self.state, expr).ok()
    }

    fn cell(&mut self, place: &Place) -> Option<(VarId, Value)> {
        Some(match place {
            Place::Scalar(var) => (*var, 0),
            Place::Element(var, index) => (*var, self.eval(index)?),
        })
    }

    /// Does an operation; `None` if the edge ends here.
    fn op(&mut self, op: &Op) -> Option<()> {
        match op {
            Op::Assume(condition, _) | Op::Check(condition, _) => (self.eval(condition)? != 0).then_some(()),
            Op::Assign(assignments) => {
                let mut changes = Vec::new();
                for (place, value) in assignments {
                    let value = self.eval(value)?;
                    changes.push((self.cell(place)?, value));
                }
                for ((var, cell), value) in changes {
                    self.touched.push((var, cell, true));
                    self.changed.insert((var, cell), value);
                }
                Some(())
            }
            // What is chosen is not followed any further.
            Op::Havoc(place, _) => {
                let (var, cell) = self.cell(place)?;
                self.touched.push((var, cell, true));
                None
            }
            Op::Spawn { arguments, handle, .. } => {
                for argument in arguments {
                    self.eval(argument)?;
                }
                if let Some(place) = handle {
                    let (var, cell) = self.cell(place)?;
                    self.touched.push((var, cell, true));
                }
                None
            }
            Op::Join(handle) => {
                self.eval(handle);
                None
            }
            Op::Halt => None,
        }
    }
}

fn constant(op: BinaryOp, value: Value) -> Expr {
    if op.is_connective() { Expr::Bool(value != 0) } else { Expr::Int(value) }
}

impl<'p> Oracle<'p> {
    /// Whether a race can be reached; `None` if there are too many states.
    fn has_race(&self) -> Option<bool> {
        let mut pending = vec![self.semantics.initial(&[]).ok()?];
        let mut seen: HashSet<State> = pending.iter().cloned().collect();
        while let Some(state) = pending.pop() {
            if seen.len() > MOST_STATES {
                return None;
            }
            if self.races(&state) {
                return Some(true);
            }
            for slot in state.slots() {
                if self.insides(&state, slot, &mut |inside| self.races(inside)) {
                    return Some(true);
                }
                let mut next = Vec::new();
                let visit = &mut |_: &[rely_program::Taken], reached: Reached<'_>| {
                    if let Reached::State(after) = reached {
                        next.push(after.clone());
                    }
                };
                self.semantics.successors(&state, slot, &ALL, visit).ok()?;
                pending.extend(next.into_iter().filter(|after| seen.insert(after.clone())));
            }
        }
        Some(false)
    }

    /// Whether `is_wanted` holds of a state inside of an atomic block that the thread enters and can finish.
    fn insides(&self, state: &State, slot: SlotId, is_wanted: &mut dyn FnMut(&State) -> bool) -> bool {
        if state.halted() {
            return false;
        }
        let mut pending = vec![state.clone()];
        let mut seen: HashSet<State> = HashSet::new();
        while let Some(before) = pending.pop() {
            let Some(location) = before.location(slot) else { continue };
            for &edge in self.program.outgoing(location) {
                for choices in self.all_choices(edge) {
                    let Ok(Outcome::Moved(after)) = self.semantics.step(&before, slot, edge, &choices) else {
                        continue;
                    };
                    let is_inside =
                        after.location(slot).is_some_and(|at| self.program.locations()[at].atomic);
                    if !is_inside || after.halted() || !seen.insert(after.clone()) {
                        continue;
                    }
                    if is_wanted(&after) && self.can_finish(&after, slot) {
                        return true;
                    }
                    pending.push(after);
                }
            }
        }
        false
    }

    /// All values that can be chosen along an edge; those of large domains are few.
    fn all_choices(&self, edge: EdgeId) -> Vec<Vec<Value>> {
        let mut all = vec![Vec::new()];
        for domain in self.semantics.choices(edge) {
            let values = match domain {
                Domain::Bool => 0..=1,
                Domain::Range { low, high } => low..=high,
                Domain::AllInts => -2..=2,
            };
            let longer = |prefix: Vec<Value>| {
                let values = values.clone();
                values.map(move |value| prefix.iter().copied().chain([value]).collect::<Vec<Value>>())
            };
            all = all.into_iter().flat_map(longer).collect();
        }
        all
    }

    fn can_finish(&self, state: &State, slot: SlotId) -> bool {
        let mut ends = false;
        let visit = &mut |_: &[rely_program::Taken], reached: Reached<'_>| {
            ends |= matches!(reached, Reached::State(_));
        };
        self.semantics.successors(state, slot, &ALL, visit).is_ok() && ends
    }

    fn races(&self, state: &State) -> bool {
        let touched: Vec<Vec<Touched>> = state.slots().map(|slot| self.touched(state, slot)).collect();
        let holder = self.semantics.atomic_slot(state).map(Id::index);
        let conflict = |left: &Touched, right: &Touched| {
            left.0 == right.0 && (left.1 || right.1) && !(left.2 && right.2)
        };
        (0..touched.len()).any(|first| {
            (0..first).any(|second| {
                holder.is_none_or(|holder| holder == first || holder == second)
                    && touched[first]
                        .iter()
                        .any(|left| touched[second].iter().any(|right| conflict(left, right)))
            })
        })
    }

    /// Whether two threads race in a state that is inside of no atomic block.
    fn race_each_other(&self, state: &State, slots: [SlotId; 2]) -> bool {
        let [first, second] = slots.map(|slot| self.touched(state, slot));
        slots[0] != slots[1]
            && first.iter().any(|left| {
                let conflict =
                    |right: &&Touched| left.0 == right.0 && (left.1 || right.1) && !(left.2 && right.2);
                second.iter().any(|right| conflict(&right))
            })
    }

    /// What the thread would touch now.
    fn touched(&self, state: &State, slot: SlotId) -> Vec<Touched> {
        let mut touched = Vec::new();
        let Some(location) = state.location(slot).filter(|_| !state.halted()) else { return touched };
        for &id in self.program.outgoing(location) {
            let mut run =
                Run { semantics: &self.semantics, state, slot, changed: HashMap::new(), touched: Vec::new() };
            for op in &self.program.edges()[id].ops {
                if run.op(op).is_none() {
                    break;
                }
            }
            let cells = run.touched.into_iter().filter(|(var, ..)| self.program.vars()[*var].is_global());
            touched.extend(cells.map(|(var, cell, write)| ((var, cell), write, self.is_atomic(id, var))));
        }
        touched
    }

    fn is_atomic(&self, edge: EdgeId, var: VarId) -> bool {
        let edge = &self.program.edges()[edge];
        let is_inside = |at| self.program.locations()[at].atomic;
        is_inside(edge.source)
            || is_inside(edge.target)
            || edge.atomic.unwrap_or(self.program.vars()[var].atomic)
    }
}

/// The program in which some variables and edges are atomic, and nothing starts with any value.
fn with_atomics(program: &Program, seed: u64) -> Program {
    let mut rng = Random::new(seed);
    let mut builder = ProgramBuilder::new("races");
    for var in program.vars().values() {
        let mut var = var.clone();
        var.atomic = rng.below(3) == 0;
        if matches!(var.initial, rely_program::Initial::Any(_)) {
            var.initial = rely_program::Initial::Values(vec![0; var.cells()]);
        }
        builder.var(var);
    }
    for thread in program.threads().values() {
        let made = builder.thread(thread.name.clone(), thread.kind);
        assert!(thread.kind != ThreadKind::Template || !thread.name.is_empty());
        thread.parameters.iter().for_each(|&parameter| builder.parameter(made, parameter));
    }
    copy_control(program, &mut builder, &mut rng);
    builder.finish().expect("a copy of a program is well formed")
}

fn copy_control(program: &Program, builder: &mut ProgramBuilder, rng: &mut Random) {
    let mut locations = HashMap::new();
    for (id, location) in program.locations().iter() {
        let thread = &program.threads()[location.thread];
        let copy = match id {
            _ if id == thread.entry => builder.entry(location.thread),
            _ if id == thread.exit => builder.exit(location.thread),
            _ => builder.location(location.thread, None),
        };
        if location.atomic {
            builder.set_atomic(copy);
        }
        locations.insert(id, copy);
    }
    for check in program.checks().values() {
        builder.check(check.clone());
    }
    for edge in program.edges().values() {
        let made = builder.edge(locations[&edge.source], locations[&edge.target], edge.ops.clone(), None);
        builder.set_atomic_edge(made, (rng.below(4) == 0).then_some(true));
    }
}

/// How many programs are compared: `RELY_RACES=5000 cargo test -p rely-verify --test races` looks at more.
fn seeds() -> u64 {
    std::env::var("RELY_RACES").ok().and_then(|text| text.parse().ok()).unwrap_or(600)
}

/// What exploration says, evidence checked.
fn verdict(program: &Program) -> Verdict {
    let strategy = rely_verify::strategy("explore").expect("there is exploration");
    rely_verify::verify(program, Goal::Race, strategy.as_ref(), &Budget::unlimited(), &Silent).verdict
}

/// A trace with another end is believed only if its threads race there.
#[test]
fn damaged_traces_are_rejected() {
    let (mut rejected, mut believed) = (0, 0);
    for seed in 0..150 {
        let program = with_atomics(&rely_testing::generate(seed).program, seed);
        let Verdict::Unsafe(shown) = verdict(&program) else { continue };
        let (trace, states) = (shown.replay().trace(), shown.replay().states());
        let Violation::Race(racers) = trace.violation else { panic!("seed {seed}: no race") };
        let oracle = Oracle { program: &program, semantics: Semantics::new(&program) };
        let same = [racers[0], racers[0]];
        let elsewhere = [racers[0], Racer { slot: racers[0].slot, ..racers[1] }];
        for (length, state) in states.iter().enumerate().take(trace.steps.len() + 1) {
            if oracle.semantics.atomic_slot(state).is_some() {
                continue;
            }
            for racers in [racers, same, elsewhere] {
                let mut damaged = Trace { violation: Violation::Race(racers), ..trace.clone() };
                damaged.steps.truncate(length);
                let claim = Claim::Unsafe(damaged);
                let checked = rely_evidence::check(&program, Goal::Race, claim, &Budget::unlimited());
                let is_believed = matches!(checked.into_verdict(), Verdict::Unsafe(_));
                let stand = racers.iter().all(|racer| {
                    racer.slot.index() < state.slots().len()
                        && state.location(racer.slot) == Some(program.edges()[racer.edge].source)
                });
                let slots = racers.map(|racer| racer.slot);
                let expected = stand && oracle.race_each_other(state, slots);
                assert_eq!(is_believed, expected, "seed {seed}, {length} steps, {racers:?}");
                if is_believed { believed += 1 } else { rejected += 1 }
            }
        }
    }
    assert!(believed >= 40 && rejected >= 150, "{believed} believed, {rejected} rejected");
}

/// What lock sets prove is accepted by the checker, and true. Whatever was proved is taken away, and with the
/// rest the default strategy agrees with the oracle.
#[test]
fn lock_sets_agree_with_an_oracle() {
    let (mut proved, mut settled, mut without_meaning) = (0, 0, 0);
    // In the program of 4,943 the step that ends the program starts a thread.
    for seed in (0..seeds()).chain([4_943]) {
        let generated = match seed % 2 {
            0 => rely_testing::generate(seed).program,
            _ => rely_testing::random::locking::program(seed),
        };
        let program = with_atomics(&generated, seed);
        let watched = rely_passes::watch_races(&program, &Budget::unlimited()).expect("there is no limit");
        let analysis = Analysis::infer(&watched.program, &Budget::unlimited()).expect("there is no limit");
        let is_proved = analysis.proved();
        proved += is_proved.iter().filter(|is_proved| **is_proved).count();
        let mut editor = ProgramEditor::new(watched.program.clone());
        let mut kept = is_proved.iter();
        editor.properties_mut().retain(|_| *kept.next().expect("one for each property"));
        let claim = Claim::Safe(Proof::RelyGuarantee(analysis.proof()));
        let checked = rely_evidence::check(&editor.finish(), Goal::Assert, claim, &Budget::unlimited());
        match checked.into_verdict() {
            Verdict::Safe(_) => {}
            // That divisors are not zero and cells exist is not what lock sets are about.
            Verdict::Unknown(Reason::Rejected(Rejection::Proof(ProofDefect::RelyGuarantee(
                RelyGuaranteeDefect::Invalid { subject, .. },
            )))) if subject.rule == Rule::Meaning => {
                without_meaning += 1;
                continue;
            }
            verdict => panic!("seed {seed}: {verdict:?}"),
        }
        if !is_proved.contains(&false) {
            let oracle = Oracle { program: &program, semantics: Semantics::new(&program) };
            assert_ne!(oracle.has_race(), Some(true), "seed {seed}");
            settled += usize::from(!is_proved.is_empty());
        }
    }
    assert!(proved >= 100 && settled >= 20, "{proved} proved, {settled} settled");
    assert!(without_meaning as u64 <= seeds() / 3, "{without_meaning} programs may have no meaning");
}

#[test]
fn exploration_agrees_with_an_oracle() {
    let (mut safe, mut racy, mut open) = (0, 0, 0);
    for seed in 0..seeds() {
        let program = with_atomics(&rely_testing::generate(seed).program, seed);
        let oracle = Oracle { program: &program, semantics: Semantics::new(&program) };
        let Some(expected) = oracle.has_race() else { continue };
        match verdict(&program) {
            Verdict::Safe(_) if !expected => safe += 1,
            Verdict::Unsafe(_) if expected => racy += 1,
            Verdict::Unknown(_) => open += 1,
            verdict => panic!("seed {seed}: {} but the oracle says {expected}", Verdict::name(&verdict)),
        }
    }
    assert!(safe >= 50 && racy >= 200 && open <= seeds() / 10, "{safe} safe, {racy} racy, {open} open");
}
