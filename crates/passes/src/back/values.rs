//! Values that became places, said of variables again.
//!
//! A pass that tells locations apart by the value of a variable makes the variable superfluous:
//! later passes remove it. Engines like that; people want to read about the variable.

use crate::back::BackMap;
use rely_base::Arena;
use rely_program::{Expr, Initial, LocationId, Place, Program, ProgramEditor, Scope, Value, Var, VarId};
use rustc_hash::FxHashMap;

/// What is known of a variable at a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarValues {
    /// The variable, or cell of an array that became one.
    pub var: VarId,
    /// It has one of these values, in ascending order.
    pub values: Vec<Value>,
}

/// What is known at a location that a pass told apart from others.
#[derive(Clone, Debug)]
pub(crate) struct KnownValues {
    /// Its label before.
    pub(crate) label: Option<String>,
    pub(crate) vars: Vec<VarValues>,
}

/// The result of passes, in which the variables are declared again that became places, or that
/// share their place with others, and in which locations that were told apart have the same label
/// again. No edge mentions the new variables; all ids are those of the result.
#[derive(Clone, Debug)]
pub struct Restored {
    /// The result with some more variables behind its own.
    pub program: Program,
    values: Arena<LocationId, Vec<VarValues>>,
    /// Where a variable is to be called by another name.
    names: FxHashMap<(LocationId, VarId), VarId>,
}

impl Restored {
    /// A program that no pass has changed.
    pub fn unchanged(program: &Program) -> Self {
        Self::new(program, program, &BackMap::identity())
    }

    /// What passes made of a program, and their way back.
    pub fn new(old: &Program, new: &Program, back: &BackMap) -> Self {
        let mut program = ProgramEditor::new(new.clone());
        let mut values: Arena<LocationId, Vec<VarValues>> =
            new.locations().ids().map(|_| Vec::new()).collect();
        let mut names = FxHashMap::default();
        let mut declared = Declared::new(new, back);
        for location in new.locations().ids() {
            if let Some(label) = back.label(location) {
                program.locations_mut()[location].label = Some(label.to_owned());
            }
            for (place, known) in back.values(location) {
                if let Some(var) = declared.var(old, &mut program, location, &place) {
                    values[location].push(VarValues { var, values: known });
                }
            }
            for (var, declaration) in new.vars().iter().filter(|(_, var)| var.length.is_none()) {
                let is_own = declaration.scope == Scope::Local(new.locations()[location].thread);
                let place = back.place_at(location, var);
                if is_own
                    && place != back.place(var)
                    && let Some(name) = declared.var(old, &mut program, location, &place)
                {
                    names.insert((location, var), name);
                }
            }
        }
        Self { program: program.finish(), values, names }
    }

    /// What is known whenever the thread of a location is there.
    pub fn values(&self, location: LocationId) -> &[VarValues] {
        &self.values[location]
    }

    /// The variable whose value a scalar has while its thread is at a location.
    pub fn name(&self, location: LocationId, var: VarId) -> VarId {
        self.names.get(&(location, var)).copied().unwrap_or(var)
    }
}

/// The variables of the result by what they were.
struct Declared(Vec<(Place, Scope, VarId)>);

impl Declared {
    fn new(new: &Program, back: &BackMap) -> Self {
        let scalars = new.vars().iter().filter(|(_, var)| var.length.is_none());
        Self(scalars.map(|(id, var)| (back.place(id), var.scope, id)).collect())
    }

    /// The variable that stands for an old place, which is declared if it is not there. `None` if
    /// it has no name of its own.
    fn var(
        &mut self,
        old: &Program,
        new: &mut ProgramEditor,
        at: LocationId,
        place: &Place,
    ) -> Option<VarId> {
        let declaration = &old.vars()[place.var()];
        let scope = match declaration.scope {
            Scope::Global => Scope::Global,
            Scope::Local(_) => Scope::Local(new.locations()[at].thread),
        };
        let known = self.0.iter().find(|(known, owner, _)| known == place && *owner == scope);
        if let Some((_, _, var)) = known {
            return Some(*var);
        }
        let (name, cell) = match place {
            Place::Scalar(_) => (declaration.name.clone(), 0),
            Place::Element(_, Expr::Int(index)) => {
                (format!("{}[{index}]", declaration.name), usize::try_from(*index).ok()?)
            }
            Place::Element(..) => return None,
        };
        let initial = match &declaration.initial {
            Initial::Values(values) => Initial::Values(vec![*values.get(cell)?]),
            Initial::Any(domain) => Initial::Any(*domain),
        };
        let var = new.vars_mut().push(Var { name, scope, length: None, initial, ..declaration.clone() });
        self.0.push((place.clone(), scope, var));
        Some(var)
    }
}
