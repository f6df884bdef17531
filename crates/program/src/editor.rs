//! Programs being changed: what passes build on.
//!
//! A [`Program`] is well formed and stays as it is. A pass takes a copy apart with a [`ProgramEditor`], or
//! puts a new one together from [`ProgramParts`]; either way it gets a program that is well formed again.

use crate::expr::Expr;
use crate::ir::{Check, CheckId, Edge, EdgeId, Location, LocationId, Program, Thread, ThreadId, Var, VarId};
use crate::meaning::Meanings;
use crate::property::Property;
use crate::wellformed;
use rely_base::Arena;
use std::ops::Deref;

/// A program in the middle of a change. Until it is finished it need not be well formed, and the edges that
/// [leave](Program::outgoing) a location are still those from before.
#[derive(Clone, Debug)]
pub struct ProgramEditor {
    program: Program,
}

/// All that a program is made of.
#[derive(Clone, Debug)]
pub struct ProgramParts {
    /// See [`Program::name`].
    pub name: String,
    /// See [`Program::vars`].
    pub vars: Arena<VarId, Var>,
    /// See [`Program::threads`].
    pub threads: Arena<ThreadId, Thread>,
    /// See [`Program::locations`].
    pub locations: Arena<LocationId, Location>,
    /// See [`Program::edges`].
    pub edges: Arena<EdgeId, Edge>,
    /// See [`Program::checks`].
    pub checks: Arena<CheckId, Check>,
    /// See [`Program::properties`].
    pub properties: Vec<Property>,
    /// See [`Program::requires`].
    pub requires: Vec<Expr>,
    /// See [`Program::assumptions`].
    pub assumptions: Vec<&'static str>,
}

impl ProgramParts {
    /// The program of these parts, which must be well formed.
    pub fn assemble(self) -> Program {
        let mut outgoing: Arena<LocationId, Vec<EdgeId>> = self.locations.ids().map(|_| Vec::new()).collect();
        for (id, edge) in self.edges.iter() {
            outgoing[edge.source].push(id);
        }
        let ProgramParts { name, vars, threads, locations, edges, checks, properties, requires, assumptions } =
            self;
        let program = Program {
            name,
            vars,
            threads,
            locations,
            edges,
            checks,
            properties,
            requires,
            assumptions,
            externals: Vec::new(),
            approximations: Vec::new(),
            meanings: Meanings::default(),
            outgoing,
        };
        debug_assert_eq!(wellformed::check(&program), Ok(()), "a pass made a malformed program");
        program
    }
}

impl Deref for ProgramEditor {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.program
    }
}

impl ProgramEditor {
    /// Nothing is changed yet.
    pub fn new(program: Program) -> Self {
        Self { program }
    }

    /// The variables.
    pub fn vars_mut(&mut self) -> &mut Arena<VarId, Var> {
        &mut self.program.vars
    }

    /// The threads.
    pub fn threads_mut(&mut self) -> &mut Arena<ThreadId, Thread> {
        &mut self.program.threads
    }

    /// The locations; new ones are [added](Self::add_location).
    pub fn locations_mut(&mut self) -> &mut Arena<LocationId, Location> {
        &mut self.program.locations
    }

    /// Adds a location, which no edge leaves.
    pub fn add_location(&mut self, location: Location) -> LocationId {
        self.program.outgoing.push(Vec::new());
        self.program.locations.push(location)
    }

    /// The edges.
    pub fn edges_mut(&mut self) -> &mut Arena<EdgeId, Edge> {
        &mut self.program.edges
    }

    /// The checks.
    pub fn checks_mut(&mut self) -> &mut Arena<CheckId, Check> {
        &mut self.program.checks
    }

    /// The properties.
    pub fn properties_mut(&mut self) -> &mut Vec<Property> {
        &mut self.program.properties
    }

    /// What holds in every initial state.
    pub fn requires_mut(&mut self) -> &mut Vec<Expr> {
        &mut self.program.requires
    }

    /// All parts, as they are now.
    pub fn into_parts(self) -> ProgramParts {
        let Program {
            name, vars, threads, locations, edges, checks, properties, requires, assumptions, ..
        } = self.program;
        ProgramParts { name, vars, threads, locations, edges, checks, properties, requires, assumptions }
    }

    /// The program as it is now, which must be well formed.
    pub fn finish(self) -> Program {
        self.into_parts().assemble()
    }
}
