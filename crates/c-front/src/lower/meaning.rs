//! What the numbers of the program stand for, for those who tell of its runs: addresses of variables and memory, handles
//! of threads, owners of locks.

use super::Lowering;
use super::names::Names;
use crate::facts::{ObjectKey, Storage};
use crate::types::{CType, Opaque};
use crate::value::ObjectId;
use rely_program::{Meaning, NamedObject, VarId};
use std::collections::BTreeMap;

impl Lowering<'_, '_> {
    /// Says it of all variables and of everything that has an address.
    pub(super) fn tell_meanings(&mut self) {
        let mut meanings: Vec<(VarId, Meaning)> = Vec::new();
        let mut names: BTreeMap<ObjectId, String> = BTreeMap::new();
        for (place, &var) in &self.variables {
            let object = self.facts.object(place.object);
            let leaf = object.leaves.iter().find(|leaf| leaf.offset == place.offset);
            let is_state = matches!(object.key, ObjectKey::HeapStates(_));
            let meaning =
                if is_state { Some(Meaning::Allocation) } else { leaf.and_then(|leaf| of(&leaf.ty)) };
            meanings.extend(meaning.map(|meaning| (var, meaning)));
            // What a variable is called may tell it from others of that name: so is the object then.
            let path = leaf.map_or("", |leaf| leaf.path.as_str());
            let name = self.builder.program().vars()[var].name.replacen(path, "", 1);
            let known = names.entry(place.object).or_default();
            *known = name.max(std::mem::take(known));
        }
        meanings.into_iter().for_each(|(var, meaning)| self.builder.meaning(var, meaning));
        let mut addresses = self.facts.addresses();
        addresses.sort_unstable_by_key(|(_, address)| *address);
        let mut used = Names::default();
        for (object, address) in addresses {
            let name =
                names.get(&object).map_or_else(|| self.facts.object(object).name.as_str(), String::as_str);
            let named = self.named(object, used.unique(self.spelled(name)));
            self.builder.object(address, named);
        }
    }

    fn named(&self, id: ObjectId, name: String) -> NamedObject {
        let object = self.facts.object(id);
        let size = |ty: &CType| self.facts.records.size_of(ty);
        let element = match &object.ty {
            CType::Array(element, _) if !matches!(**element, CType::Void) => size(element),
            _ => None,
        };
        let members = object.leaves.iter().filter(|leaf| leaf.offset > 0 && !leaf.is_raw);
        NamedObject {
            name,
            bytes: size(&object.ty).unwrap_or(1),
            element,
            members: members.map(|leaf| (leaf.offset, leaf.path.clone())).collect(),
            is_function: object.storage == Storage::Code,
        }
    }
}

/// What the values of a type stand for.
fn of(ty: &CType) -> Option<Meaning> {
    match ty {
        CType::Atomic(inner) => of(inner),
        CType::Pointer(inner) if matches!(**inner, CType::Void) => Some(Meaning::AddressOrNumber),
        CType::Pointer(_) => Some(Meaning::Address),
        CType::Opaque(Opaque::Thread) => Some(Meaning::Thread),
        CType::Opaque(Opaque::Mutex | Opaque::Spin) => Some(Meaning::Owner),
        _ => None,
    }
}
