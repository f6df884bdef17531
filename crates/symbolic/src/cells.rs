//! Which variable of the solver stands for which cell of the program.

use rely_base::{Arena, Id};
use rely_evidence::rely_guarantee::{Atom, Comparison, Moment, Quantity};
use rely_logic::{Constraint, Integer, LinearForm, Relation, VarId};
use rely_program::{self as program, Program, Scope, ThreadId, ThreadKind};

/// The solver's variables. There are four kinds, told apart by their number:
///
/// * the cells of the program's variables, and one handle for each template;
/// * a second copy of them, for the locals of another instance of the same template;
/// * a third copy, for values after a step;
/// * any number of auxiliary ones: nondeterministic values, quotients, remainders.
#[derive(Clone, Debug)]
pub struct Cells {
    cells: Vec<Cell>,
    first: Arena<program::VarId, u32>,
    handles: Arena<ThreadId, Handle>,
}

/// What a variable of the solver stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    quantity: Quantity,
    owner: Option<ThreadId>,
}

/// The handle of a thread: known for an instance, a variable for a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handle {
    Known(program::Value),
    Variable(VarId),
}

impl Cells {
    /// Numbers the cells of all variables of a program.
    pub fn new(program: &Program) -> Self {
        let mut cells = Vec::new();
        let mut first = Arena::new();
        for (var, declaration) in program.vars().iter() {
            first.push(cells.len() as u32);
            let owner = match declaration.scope {
                Scope::Global => None,
                Scope::Local(thread) => Some(thread),
            };
            cells.extend((0..declaration.cells() as u32).map(|index| Cell {
                quantity: Quantity::Cell { var, index, moment: Moment::Before },
                owner,
            }));
        }
        let mut handles = Arena::new();
        for (thread, declaration) in program.threads().iter() {
            handles.push(match (declaration.kind, program.instance_handle(thread)) {
                (ThreadKind::Instance { .. }, Some(handle)) => Handle::Known(handle),
                _ => {
                    cells.push(Cell { quantity: Quantity::Handle, owner: Some(thread) });
                    Handle::Variable(VarId::from_index(cells.len() - 1))
                }
            });
        }
        Self { cells, first, handles }
    }

    /// How many cells there are; their numbers start from zero.
    pub fn count(&self) -> usize {
        self.cells.len()
    }

    /// All cells.
    pub fn all(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.count()).map(VarId::from_index)
    }

    /// The cell of a variable.
    pub fn cell(&self, var: program::VarId, index: usize) -> VarId {
        VarId::from_index(self.first[var] as usize + index)
    }

    /// The variable and the index of a cell; a handle has none.
    pub fn variable(&self, cell: VarId) -> Option<(program::VarId, usize)> {
        match self.cells.get(cell.index())?.quantity {
            Quantity::Cell { var, index, .. } => Some((var, index as usize)),
            Quantity::Handle => None,
        }
    }

    /// The handle of a thread.
    pub fn handle(&self, thread: ThreadId) -> LinearForm {
        match self.handles[thread] {
            Handle::Known(handle) => LinearForm::constant(handle),
            Handle::Variable(variable) => LinearForm::variable(variable),
        }
    }

    /// The variable that stands for the handle of a template's instance.
    pub fn handle_variable(&self, thread: ThreadId) -> Option<VarId> {
        match self.handles[thread] {
            Handle::Known(_) => None,
            Handle::Variable(variable) => Some(variable),
        }
    }

    /// The thread whose local, or handle, a cell is; `None` for a global.
    pub fn owner(&self, cell: VarId) -> Option<ThreadId> {
        self.cells.get(cell.index()).and_then(|cell| cell.owner)
    }

    /// Whether a variable stands for a cell of the program in the state before a step.
    pub fn is_cell(&self, variable: VarId) -> bool {
        variable.index() < self.count()
    }

    /// The copy of a cell that belongs to another instance of the same template.
    pub fn foreign(&self, cell: VarId) -> VarId {
        VarId::from_index(self.count() + cell.index())
    }

    /// The value of a cell after a step.
    pub fn after(&self, cell: VarId) -> VarId {
        VarId::from_index(2 * self.count() + cell.index())
    }

    /// An auxiliary variable.
    pub fn auxiliary(&self, number: u32) -> VarId {
        VarId::from_index(3 * self.count() + number as usize)
    }

    /// The constraint as an atom of a proof; `None` if it mentions an auxiliary variable or the
    /// copy for another instance, or if its numbers are too large. An equation with one auxiliary variable says that
    /// the rest is a multiple of what that is multiplied with.
    pub fn atom(&self, constraint: &Constraint) -> Option<Atom> {
        let is_auxiliary = |variable: &VarId| variable.index() >= 3 * self.count();
        let mut auxiliary = constraint.form().variables().filter(is_auxiliary);
        if let (Some(quotient), None, Relation::Eq) =
            (auxiliary.next(), auxiliary.next(), constraint.relation())
        {
            let divisor = constraint.form().coefficient(quotient);
            let rest = constraint.form().minus(&LinearForm::variable(quotient).scaled(&divisor));
            return self.multiple(&rest, &divisor.abs());
        }
        let comparison = match constraint.relation() {
            Relation::Le => Comparison::Le,
            Relation::Eq => Comparison::Eq,
            Relation::Ne => Comparison::Ne,
            Relation::Lt => return None,
        };
        self.compared(constraint.form(), comparison)
    }

    /// That a form is a multiple of a number, as an atom of a proof.
    pub fn multiple(&self, form: &LinearForm, divisor: &Integer) -> Option<Atom> {
        let divisor = divisor.to_i64().and_then(|divisor| u64::try_from(divisor).ok())?;
        self.compared(form, Comparison::MultipleOf(divisor))
    }

    fn compared(&self, form: &LinearForm, comparison: Comparison) -> Option<Atom> {
        let number = |value: &Integer| value.to_i64().map(program::Value::from);
        let terms = form.terms().iter();
        let terms = terms.map(|(variable, factor)| Some((number(factor)?, self.quantity(*variable)?)));
        let terms = terms.collect::<Option<_>>()?;
        Some(Atom { terms, constant: number(form.constant_term())?, comparison })
    }

    /// What a variable stands for in proofs.
    pub fn quantity(&self, variable: VarId) -> Option<Quantity> {
        let (copy, index) = (variable.index() / self.count(), variable.index() % self.count());
        match (copy, self.cells[index].quantity) {
            (0, quantity) => Some(quantity),
            (2, Quantity::Cell { var, index, .. }) => {
                Some(Quantity::Cell { var, index, moment: Moment::After })
            }
            (2, Quantity::Handle) => Some(Quantity::Handle),
            _ => None,
        }
    }
}
