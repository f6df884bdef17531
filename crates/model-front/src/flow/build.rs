//! How the graph is made.
//!
//! Statements are taken from the last to the first: where one leads is known before it is
//! looked at, so that jumps need no node and no step.

use super::{Action, Flow, FlowEdge, Label, Node, NodeId, atomic, cycles};
use crate::ast::{Block, Body, Branch, Condition, Expr, ExprKind, Name, Stmt, StmtKind, Transition};
use crate::limits;
use rely_base::{Arena, Diagnostic, Span};
use rustc_hash::FxHashMap;

/// The control flow of a body; what is wrong with its labels and jumps is added to `errors`.
pub fn build<'a>(name: &Name, body: &'a Body, errors: &mut Vec<Diagnostic>) -> Flow<'a> {
    let mut nodes = Arena::new();
    let exit = nodes.push(Node { label: Some("exit".into()), ..Node::default() });
    let mut builder = Builder {
        flow: Flow { nodes, edges: Vec::new(), entry: exit, exit, labels: FxHashMap::default() },
        errors,
        blocks: 0,
    };
    let end = Label { node: exit, span: body.span, block: None };
    builder.flow.labels.insert("exit", end);
    builder.collect_labels(&body.statements, None);
    builder.transition_labels(body);
    builder.blocks = 0;
    builder.structured(body);
    for transition in &body.transitions {
        builder.transition(transition);
    }
    builder.check_entry(name, body);
    builder.choose_exit();
    let mut flow = builder.flow;
    cycles::mark(&mut flow);
    atomic::shorten(&mut flow);
    let mut edges = std::mem::take(&mut flow.edges);
    edges.sort_by_key(|edge| flow.position(edge.source));
    flow.edges = edges;
    flow
}

struct Builder<'a, 'e> {
    flow: Flow<'a>,
    errors: &'e mut Vec<Diagnostic>,
    /// How many outermost atomic blocks were met; both passes meet them in the same order.
    blocks: usize,
}

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Context {
    /// The outermost atomic block around it.
    block: Option<usize>,
    /// Where `break` and `continue` lead.
    enclosing_loop: Option<Loop>,
}

#[derive(Clone, Copy)]
struct Loop {
    behind: NodeId,
    head: NodeId,
}

impl<'a> Builder<'a, '_> {
    fn node(&mut self, context: Context, span: Span) -> NodeId {
        self.flow.nodes.push(Node { label: None, atomic: context.block.is_some(), span: Some(span) })
    }

    fn edge(&mut self, source: NodeId, target: NodeId, actions: Vec<Action<'a>>, span: Span) {
        let is_inside = self.flow.nodes[source].atomic || self.flow.nodes[target].atomic;
        let is_atomic = is_inside || matches!(actions.as_slice(), [Action::Await(_), ..]);
        self.flow.edges.push(FlowEdge { source, target, actions, span, repeats: false, is_atomic });
    }

    fn error(&mut self, error: Diagnostic) {
        if self.errors.len() < limits::ERRORS {
            self.errors.push(error);
        }
    }

    // Labels.

    /// Makes a node for each labelled statement.
    fn collect_labels(&mut self, statements: &'a [Stmt], block: Option<usize>) {
        // From the last to the first, as in the second pass.
        for statement in statements.iter().rev() {
            if !statement.labels.is_empty() {
                let first = statement.labels[0].text.clone();
                let node = Node { label: Some(first), atomic: block.is_some(), span: Some(statement.span) };
                let node = self.flow.nodes.push(node);
                for label in &statement.labels {
                    self.declare(label, Label { node, span: label.span, block });
                }
            }
            match &statement.kind {
                StmtKind::Block(inner) => self.collect_labels(&inner.statements, block),
                StmtKind::Atomic(inner) | StmtKind::AwaitDo(_, inner) => {
                    let block = self.enter_block(block);
                    self.collect_labels(&inner.statements, block);
                }
                StmtKind::If { branches, otherwise } => {
                    for inner in otherwise.iter().chain(branches.iter().rev().map(|branch| &branch.block)) {
                        self.collect_labels(&inner.statements, block);
                    }
                }
                StmtKind::While { body, .. } => self.collect_labels(&body.statements, block),
                StmtKind::Simple(_) | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue => {}
            }
        }
    }

    fn declare(&mut self, name: &'a Name, label: Label) {
        match self.flow.labels.get(name.text.as_str()) {
            Some(earlier) => {
                let error = Diagnostic::error(format!("the label `{}` is declared twice", name.text))
                    .at(earlier.span, "declared again")
                    .see(name.span, "first declared here");
                self.error(error);
            }
            None => {
                self.flow.labels.insert(&name.text, label);
            }
        }
    }

    /// The number of the outermost atomic block, for the statements in a block that is atomic.
    fn enter_block(&mut self, block: Option<usize>) -> Option<usize> {
        Some(block.unwrap_or_else(|| {
            self.blocks += 1;
            self.blocks
        }))
    }

    /// Labels that only transitions mention need no declaration.
    fn transition_labels(&mut self, body: &'a Body) {
        if body.statements.is_empty() {
            let node = self.flow.nodes.push(Node { label: Some("entry".into()), ..Node::default() });
            self.flow.entry = node;
            self.flow.labels.insert("entry", Label { node, span: body.span, block: None });
        }
        let ends = body.transitions.iter().flat_map(|transition| [&transition.source, &transition.target]);
        for name in ends {
            if name.text == "entry" || self.flow.labels.contains_key(name.text.as_str()) {
                continue;
            }
            let node = Node { label: Some(name.text.clone()), atomic: false, span: Some(name.span) };
            let node = self.flow.nodes.push(node);
            self.flow.labels.insert(&name.text, Label { node, span: name.span, block: None });
        }
    }

    /// Where a jump leads.
    fn jump_target(&mut self, name: &Name, context: Context) -> Option<NodeId> {
        let Some(label) = self.flow.labels.get(name.text.as_str()).copied() else {
            if self.errors.len() >= limits::ERRORS {
                return None;
            }
            let known = self.flow.labels.keys().copied();
            let similar = rely_base::similar(&name.text, known).map(str::to_owned);
            let error = Diagnostic::error(format!("there is no label `{}` in this thread", name.text))
                .at(name.span, "not a label");
            self.error(match similar {
                Some(similar) => error.help(format!("did you mean `{similar}`?")),
                None => error,
            });
            return None;
        };
        if label.block.is_some() && label.block != context.block {
            let error = Diagnostic::error(format!("`{}` is inside an atomic block", name.text))
                .at(name.span, "a jump into the block")
                .see(label.span, "the label is here")
                .help("an atomic block is entered at its beginning");
            self.error(error);
            return None;
        }
        Some(label.node)
    }

    // Statements.

    fn structured(&mut self, body: &'a Body) {
        if body.statements.is_empty() {
            if body.transitions.is_empty() {
                let (entry, exit) = (self.flow.entry, self.flow.exit);
                self.edge(entry, exit, Vec::new(), body.span);
            }
            return;
        }
        let context = Context { block: None, enclosing_loop: None };
        let exit = self.flow.exit;
        let mut entry = self.statements(&body.statements, exit, context);
        if entry == exit {
            // A thread whose first statement is a jump to its end still takes a step.
            entry = self.node(context, body.span);
            self.edge(entry, exit, Vec::new(), body.span);
        }
        self.flow.entry = entry;
        self.flow.labels.insert("entry", Label { node: entry, span: body.span, block: None });
    }

    /// The node where the statements start, if the last of them leads to `to`.
    fn statements(&mut self, statements: &'a [Stmt], to: NodeId, context: Context) -> NodeId {
        statements.iter().rev().fold(to, |to, statement| self.statement(statement, to, context))
    }

    fn block(&mut self, block: &'a Block, to: NodeId, context: Context) -> NodeId {
        self.statements(&block.statements, to, context)
    }

    fn statement(&mut self, statement: &'a Stmt, to: NodeId, context: Context) -> NodeId {
        let span = statement.span;
        let labelled = statement.labels.first().and_then(|label| self.flow.labels.get(label.text.as_str()));
        let labelled = labelled.map(|label| label.node);
        match &statement.kind {
            StmtKind::Simple(simple) => {
                let from = labelled.unwrap_or_else(|| self.node(context, span));
                self.edge(from, to, vec![Action::Simple(simple, span)], span);
                from
            }
            StmtKind::If { branches, otherwise } => {
                let from = labelled.unwrap_or_else(|| self.node(context, branches[0].head));
                self.conditional(from, branches, otherwise.as_ref(), to, context);
                from
            }
            StmtKind::While { .. } => self.while_loop(statement, labelled, to, context),
            StmtKind::Atomic(block) => {
                let inner = Context { block: self.enter_block(context.block), ..context };
                let start = self.block(block, to, inner);
                if context.block.is_some() {
                    return self.through(labelled, start, span);
                }
                let from = labelled.unwrap_or_else(|| self.node(context, span));
                self.edge(from, start, Vec::new(), span);
                from
            }
            StmtKind::AwaitDo(condition, block) => {
                let inner = Context { block: self.enter_block(context.block), ..context };
                let start = self.block(block, to, inner);
                let from = labelled.unwrap_or_else(|| self.node(context, span));
                self.edge(from, start, vec![Action::Await(condition)], span);
                from
            }
            StmtKind::Block(block) => {
                let start = self.block(block, to, context);
                self.through(labelled, start, span)
            }
            StmtKind::Goto(label) => {
                let target = self.jump_target(label, context).unwrap_or(to);
                self.through(labelled, target, span)
            }
            StmtKind::Break | StmtKind::Continue => {
                let target = self.loop_jump(statement, context).unwrap_or(to);
                self.through(labelled, target, span)
            }
        }
    }

    fn while_loop(
        &mut self,
        statement: &'a Stmt,
        labelled: Option<NodeId>,
        to: NodeId,
        context: Context,
    ) -> NodeId {
        let StmtKind::While { condition, invariants, body, head } = &statement.kind else { return to };
        let from = labelled.unwrap_or_else(|| self.node(context, *head));
        let inner = Context { enclosing_loop: Some(Loop { behind: to, head: from }), ..context };
        let first_edge = self.flow.edges.len();
        let start = self.block(body, from, inner);
        let has_head = labelled.is_some() || !invariants.is_empty() || start == from;
        if is_forever(condition) && !has_head {
            self.redirect(first_edge, from, start);
            return start;
        }
        self.branch(from, condition, invariants, (start, to), *head);
        from
    }

    /// Where a `break` or `continue` leads.
    fn loop_jump(&mut self, statement: &Stmt, context: Context) -> Option<NodeId> {
        let is_break = matches!(statement.kind, StmtKind::Break);
        if context.enclosing_loop.is_none() {
            let word = if is_break { "break" } else { "continue" };
            let error = Diagnostic::error(format!("`{word}` outside of a loop"));
            self.error(error.at(statement.span, "no `while` around it"));
        }
        let around = context.enclosing_loop?;
        Some(if is_break { around.behind } else { around.head })
    }

    /// A statement that is no step, unless it has a label: then a thread can stand there.
    fn through(&mut self, labelled: Option<NodeId>, target: NodeId, span: Span) -> NodeId {
        match labelled {
            Some(from) => {
                self.edge(from, target, Vec::new(), span);
                from
            }
            None => target,
        }
    }

    /// Leads the edges made since `first_edge` from the head of a loop without condition to
    /// its first statement.
    fn redirect(&mut self, first_edge: usize, head: NodeId, start: NodeId) {
        for edge in &mut self.flow.edges[first_edge..] {
            if edge.target == head {
                edge.target = start;
            }
        }
    }

    fn conditional(
        &mut self,
        from: NodeId,
        branches: &'a [Branch],
        otherwise: Option<&'a Block>,
        to: NodeId,
        context: Context,
    ) {
        let mut no = match otherwise {
            Some(block) => self.block(block, to, context),
            None => to,
        };
        for (index, branch) in branches.iter().enumerate().rev() {
            let yes = self.block(&branch.block, to, context);
            let node = if index == 0 { from } else { self.node(context, branch.head) };
            self.branch(node, &branch.condition, &[], (yes, no), branch.head);
            no = node;
        }
    }

    fn branch(
        &mut self,
        from: NodeId,
        condition: &'a Condition,
        invariants: &'a [Expr],
        (yes, no): (NodeId, NodeId),
        span: Span,
    ) {
        for (target, value) in [(yes, true), (no, false)] {
            let mut actions: Vec<Action<'a>> = invariants.iter().map(Action::LoopInvariant).collect();
            if let Condition::Expr(condition) = condition {
                actions.push(Action::Test(condition, value));
            }
            self.edge(from, target, actions, span);
        }
    }

    // Transitions.

    fn transition(&mut self, transition: &'a Transition) {
        let context = Context { block: None, enclosing_loop: None };
        let source = self.jump_target(&transition.source, context);
        let target = self.jump_target(&transition.target, context);
        let (Some(source), Some(target)) = (source, target) else { return };
        if source == self.flow.exit {
            let error = Diagnostic::error("a transition leaves `exit`")
                .at(transition.source.span, "a thread that is here has ended");
            self.error(error);
            return;
        }
        let actions = transition.actions.iter().map(|(simple, span)| Action::Simple(simple, *span)).collect();
        let is_atomic = transition.actions.len() > 1;
        self.edge(source, target, actions, transition.span);
        if let Some(edge) = self.flow.edges.last_mut() {
            edge.is_atomic |= is_atomic;
        }
    }

    fn check_entry(&mut self, name: &Name, body: &Body) {
        let leaves_entry = self.flow.edges.iter().any(|edge| edge.source == self.flow.entry);
        if body.statements.is_empty() && !leaves_entry {
            let error = Diagnostic::error(format!("no transition of `{}` starts at `entry`", name.text))
                .at(name.span, "it can never move")
                .help("a thread starts at the label `entry`");
            self.error(error);
        }
    }

    /// If nothing leads to `exit` and there is one label at which transitions end and none
    /// starts, then this is where the thread ends.
    fn choose_exit(&mut self) {
        let flow = &mut self.flow;
        if flow.edges.iter().any(|edge| edge.target == flow.exit) {
            return;
        }
        let mut leaves: Arena<NodeId, bool> = flow.nodes.ids().map(|_| false).collect();
        for edge in &flow.edges {
            leaves[edge.source] = true;
        }
        let mut ends = flow.nodes.ids().filter(|&node| node != flow.exit && !leaves[node]);
        if let (Some(end), None) = (ends.next(), ends.next()) {
            flow.nodes[flow.exit].label = None;
            flow.exit = end;
            if let Some(label) = flow.labels.get_mut("exit") {
                label.node = end;
            }
        }
    }
}

/// Whether there is nothing to evaluate.
fn is_forever(condition: &Condition) -> bool {
    matches!(condition, Condition::Expr(Expr { kind: ExprKind::Bool(true), .. }))
}
