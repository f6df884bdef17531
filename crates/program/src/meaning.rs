//! What the numbers in variables stand for, so that people need not guess: addresses, threads, the life of memory.
//!
//! Only front ends say so, of the program that they make, and only those who tell of runs read it. No meaning of a
//! program depends on it.

use crate::ir::VarId;
use crate::types::Value;
use std::collections::BTreeMap;

/// What the values of a variable stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Addresses; 0 is the null pointer.
    Address,
    /// Addresses, or numbers that somebody has put where an address is expected.
    AddressOrNumber,
    /// Handles of threads; 0 is none.
    Thread,
    /// Of a lock: the handle of the thread that holds it, 0 if nobody does.
    Owner,
    /// Whether allocated memory is there: 1 while it is.
    Allocation,
}

/// Something that lies at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedObject {
    /// What it is called.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The size of an element, if it is an array.
    pub element: Option<u64>,
    /// What lies inside of it: the distance from its start, and how one gets there: `.head`.
    pub members: Vec<(u64, String)>,
    /// Whether it is a function, whose name is its address.
    pub is_function: bool,
}

/// What is known of the numbers of a program. Programs that differ in nothing else are equal: a pass that changes
/// nothing yields the program that it was given.
#[derive(Clone, Debug, Default)]
pub struct Meanings {
    pub(crate) vars: BTreeMap<VarId, Meaning>,
    /// By their addresses.
    pub(crate) objects: BTreeMap<Value, NamedObject>,
}

impl PartialEq for Meanings {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Meanings {}

impl Meanings {
    /// What the values of a variable stand for, if they are more than numbers.
    pub fn of(&self, var: VarId) -> Option<Meaning> {
        self.vars.get(&var).copied()
    }

    /// An address as the source would write it: `&fork_[1]`. `None` if nothing is known to lie there.
    pub fn address(&self, value: Value) -> Option<String> {
        let (start, object) = self.objects.range(..=value).next_back()?;
        let distance = u64::try_from(value - start).ok()?;
        // A pointer may stand behind the last element.
        (distance <= object.bytes).then(|| object.address(distance))
    }
}

impl NamedObject {
    fn address(&self, distance: u64) -> String {
        let name = &self.name;
        if self.is_function && distance == 0 {
            return name.clone();
        }
        let of_member = |rest: u64| self.members.iter().find(|(offset, _)| *offset == rest);
        match self.element {
            Some(size) if size > 0 && distance.is_multiple_of(size) => {
                format!("&{name}[{}]", distance / size)
            }
            None if distance == 0 => format!("&{name}"),
            _ => match of_member(distance) {
                Some((_, path)) => format!("&{name}{path}"),
                None => format!("&{name} + {distance} bytes"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(name: &str, bytes: u64, element: Option<u64>, members: &[(u64, &str)]) -> NamedObject {
        let members = members.iter().map(|&(offset, path)| (offset, path.to_owned())).collect();
        NamedObject { name: name.to_owned(), bytes, element, members, is_function: name == "work" }
    }

    #[test]
    fn addresses_are_told_as_the_source_writes_them() {
        let objects = [
            (4096, object("queue", 24, None, &[(0, ".head"), (8, ".tail")])),
            (4128, object("forks", 12, Some(4), &[])),
            (4144, object("work", 1, None, &[])),
        ];
        let meanings = Meanings { vars: BTreeMap::new(), objects: objects.into() };
        let check = |value: Value, expected: Option<&str>| {
            assert_eq!(meanings.address(value).as_deref(), expected, "{value}");
        };
        check(0, None);
        check(4096, Some("&queue"));
        check(4104, Some("&queue.tail"));
        check(4106, Some("&queue + 10 bytes"));
        check(4121, None);
        check(4132, Some("&forks[1]"));
        check(4140, Some("&forks[3]"));
        check(4144, Some("work"));
        check(9000, None);
    }
}
