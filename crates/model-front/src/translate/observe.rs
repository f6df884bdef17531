//! What a property sees of the threads: where they stand, how many there are, their locals.

use super::expr::{TypedTerm, truth};
use super::{Symbol, Translator, Typed, Viewer, fold};
use crate::ast::{BaseType, CountExpr, Expr, Labels, Name, ThreadRef};
use crate::flow::NodeId;
use rely_base::{Diagnostic, Span};
use rely_program::{BinaryOp, Expr as Term};

impl<'a> Translator<'a> {
    fn only_in_properties(&mut self, span: Span, viewer: Viewer) -> Option<()> {
        if viewer.is_property() {
            return Some(());
        }
        let error = Diagnostic::error("a thread cannot observe other threads")
            .at(span, "only a property can")
            .help("write it as a property behind the threads, as in `never T at cs && ...;`");
        self.error(error);
        None
    }

    /// The threads that are meant, by their places among the copies.
    fn observed_threads(&mut self, thread: &ThreadRef) -> Option<(usize, Vec<usize>)> {
        let name = &thread.name;
        let agent = match self.names.get(name.text.as_str()) {
            Some((Symbol::Agent(agent), _)) => *agent,
            Some((_, declared)) => {
                let error = Diagnostic::error(format!("`{}` is not a thread", name.text))
                    .at(name.span, "not a thread")
                    .see(*declared, "declared here");
                self.error(error);
                return None;
            }
            None => {
                let known = self.agents.iter().map(|agent| agent.name.text.as_str());
                let similar = rely_base::similar(&name.text, known).map(str::to_owned);
                let error = Diagnostic::error(format!("there is no thread `{}`", name.text))
                    .at(name.span, "unknown thread");
                self.error(match similar {
                    Some(similar) => error.help(format!("did you mean `{similar}`?")),
                    None => error,
                });
                return None;
            }
        };
        let mut copies = self.agents[agent].copies.clone();
        if let Some(index) = &thread.index {
            let Some(replicated) = self.agents[agent].replicated else {
                let error = Diagnostic::error(format!("`{}` is not a replicated thread", name.text));
                self.error(error.at(index.span, "there are no copies to choose from"));
                return None;
            };
            let number = self.constant_int(index, None)?;
            if !(0..replicated).contains(&number) {
                let error = Diagnostic::error(format!("there is no thread `{}[{number}]`", name.text));
                self.error(error.at(index.span, format!("copies are numbered from 0 to {}", replicated - 1)));
                return None;
            }
            copies.retain(|&copy| self.copies[copy].me == Some(number));
        }
        Some((agent, copies))
    }

    /// The node of a label in an agent.
    fn label(&mut self, agent: usize, name: &Name) -> Option<NodeId> {
        let declaration = &self.agents[agent];
        let thread = &declaration.name.text;
        let Some(label) = declaration.flow.labels.get(name.text.as_str()) else {
            let known = declaration.flow.labels.keys().copied();
            let similar = rely_base::similar(&name.text, known);
            let error = Diagnostic::error(format!("`{thread}` has no label `{}`", name.text))
                .at(name.span, "unknown label")
                .see(declaration.name.span, "the thread is declared here");
            let error = match similar {
                Some(similar) => error.help(format!("did you mean `{similar}`?")),
                None => error,
            };
            self.error(error);
            return None;
        };
        if label.block.is_some() {
            let error = Diagnostic::error(format!("`{}` is inside an atomic block", name.text))
                .at(name.span, "no other thread, and no property, sees a thread there")
                .see(label.span, "declared here");
            self.error(error);
            return None;
        }
        Some(label.node)
    }

    fn nodes(&mut self, agent: usize, labels: &Labels) -> Option<Vec<NodeId>> {
        let mut nodes = Vec::new();
        for name in &labels.names {
            let node = self.label(agent, name)?;
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
        Some(nodes)
    }

    /// How many of the copy's threads stand at the node.
    fn count_at(&self, copy: usize, node: NodeId) -> Option<Term> {
        let copy = &self.copies[copy];
        copy.locations.get(&node).map(|location| Term::CountAt(*location))
    }

    /// `T at cs`
    pub(super) fn observed_place(
        &mut self,
        thread: &ThreadRef,
        labels: &Labels,
        span: Span,
        viewer: Viewer,
    ) -> Option<TypedTerm> {
        self.only_in_properties(span, viewer)?;
        let (agent, copies) = self.observed_threads(thread)?;
        let nodes = self.nodes(agent, labels)?;
        let mut places = Vec::new();
        if self.joined_exit(agent, &nodes).is_some() {
            // Those that were joined are gone.
            let count = self.count_of(agent, &copies, &nodes);
            places.push(count.ge(Term::int(1)));
        } else {
            let counts = copies.iter().flat_map(|&copy| nodes.iter().map(move |&node| (copy, node)));
            let counts = counts.filter_map(|(copy, node)| self.count_at(copy, node));
            places.extend(counts.map(|count| count.ge(Term::int(1))));
        }
        self.charge(3 * places.len(), span)?;
        truth(fold::balanced(BinaryOp::Or, places, Term::Bool(false)))
    }

    /// `#(P at c && e)`
    pub(super) fn observed_count(
        &mut self,
        count: &CountExpr,
        span: Span,
        viewer: Viewer,
    ) -> Option<TypedTerm> {
        self.only_in_properties(span, viewer)?;
        let (agent, copies) = self.observed_threads(&count.thread)?;
        let nodes = match &count.labels {
            Some(labels) => Some(self.nodes(agent, labels)?),
            None => None,
        };
        let mut terms = Vec::new();
        for copy in &copies {
            let one = std::slice::from_ref(copy);
            let counted = match &nodes {
                Some(nodes) if self.joined_exit(agent, nodes).is_some() => continue,
                Some(nodes) => self.count_of(agent, one, nodes),
                None => Term::CountRunning(self.copies[*copy].thread),
            };
            let counted = match &count.condition {
                None => counted,
                Some(condition) => {
                    let condition = self.counting_condition(condition, *copy)?;
                    fold::conditional(condition, counted, Term::int(0))
                }
            };
            terms.push(counted);
        }
        if let Some(nodes) = &nodes
            && self.joined_exit(agent, nodes).is_some()
        {
            if let Some(condition) = &count.condition {
                let error = Diagnostic::error("threads that can be joined are not counted by a condition");
                self.error(error.at(condition.span, "they have ended"));
                return None;
            }
            terms.push(self.count_of(agent, &copies, nodes));
        }
        self.charge(4 * terms.len(), span)?;
        Some(Typed { value: fold::balanced(BinaryOp::Add, terms, Term::int(0)), ty: BaseType::Int })
    }

    /// The counter of ended threads, if `nodes` has the exit of a process that is joined.
    fn joined_exit(&self, agent: usize, nodes: &[NodeId]) -> Option<rely_program::VarId> {
        let counter = self.ended_counters.get(&agent)?;
        nodes.contains(&self.agents[agent].flow.exit).then_some(*counter)
    }

    fn count_of(&self, agent: usize, copies: &[usize], nodes: &[NodeId]) -> Term {
        let exit = self.agents[agent].flow.exit;
        let counter = self.joined_exit(agent, nodes);
        let mut terms: Vec<Term> = counter.map(Term::Var).into_iter().collect();
        for &copy in copies {
            let nodes = nodes.iter().filter(|node| counter.is_none() || **node != exit);
            terms.extend(nodes.filter_map(|&node| self.count_at(copy, node)));
        }
        fold::balanced(BinaryOp::Add, terms, Term::int(0))
    }

    /// A condition on the threads that are counted: on shared variables, and on the locals of
    /// a thread if there is only one.
    fn counting_condition(&mut self, condition: &Expr, copy: usize) -> Option<Term> {
        if self.copies[copy].template {
            let before = self.errors.len();
            let lowered = self.expect(condition, BaseType::Bool, Viewer::Observer);
            if lowered.is_none() && self.errors.len() > before {
                let name = self.agents[self.copies[copy].agent].name.text.clone();
                self.errors[before].help = Some(format!(
                    "the threads of `{name}` can only be counted by their places and by shared variables"
                ));
            }
            return lowered;
        }
        self.expect(condition, BaseType::Bool, Viewer::Member(copy))
    }

    /// `T.v`, `T.a[2]`
    pub(super) fn observed_local(
        &mut self,
        thread: &ThreadRef,
        local: &Name,
        cell: Option<&Expr>,
        span: Span,
        viewer: Viewer,
    ) -> Option<TypedTerm> {
        self.only_in_properties(span, viewer)?;
        let (agent, copies) = self.observed_threads(thread)?;
        let name = self.agents[agent].name.text.clone();
        let copy = match copies.as_slice() {
            [copy] if !self.copies[*copy].template => *copy,
            _ => {
                let error = Diagnostic::error(format!("there can be several threads `{name}`"))
                    .at(span, "the local of which one?");
                self.error(if self.agents[agent].replicated.is_some() {
                    error.help(format!("write `{name}[0].{}`", local.text))
                } else {
                    error.help("only the locals of a thread that runs once can be seen from outside")
                });
                return None;
            }
        };
        let Some(variable) = self.copies[copy].locals.get(&local.text).copied() else {
            let known = self.copies[copy].locals.keys().map(String::as_str);
            let similar = rely_base::similar(&local.text, known).map(str::to_owned);
            let error = Diagnostic::error(format!("`{name}` has no local variable `{}`", local.text))
                .at(local.span, "unknown name");
            self.error(match similar {
                Some(similar) => error.help(format!("did you mean `{similar}`?")),
                None => error,
            });
            return None;
        };
        let value = match (variable.length, cell) {
            (None, None) => Term::Var(variable.id),
            (Some(_), Some(cell)) => Term::element(variable.id, self.expect(cell, BaseType::Int, viewer)?),
            (None, Some(_)) => return self.no_array(local),
            (Some(_), None) => {
                let error = Diagnostic::error(format!("`{}` is an array", local.text));
                self.error(error.at(local.span, "which of its cells?"));
                return None;
            }
        };
        Some(Typed { value, ty: variable.ty })
    }
}
