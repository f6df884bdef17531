//! What is known about each variable, in a form that many locations can share.
//!
//! Analyses keep a list of facts for every location, and most steps change one or two of them. In a program
//! with thousands of both, lists that are copied for each change take quadratic time and memory. Here
//! the facts are the leaves of a tree, found by the digits of the variable's number, and a change copies
//! only the branches that lead to it. What two maps share is seen at once, and need not be compared.

use crate::ir::VarId;
use rely_base::Id;
use std::rc::Rc;

/// The digits of a number have so many values.
const WIDTH: usize = 16;

/// From variables to facts. Clones share what neither changes.
#[derive(Clone, Debug)]
pub(crate) struct VarMap<T> {
    root: Option<Rc<Node<T>>>,
    /// How many digits numbers have.
    height: u32,
}

#[derive(Clone, Debug)]
enum Node<T> {
    Leaf([Option<T>; WIDTH]),
    Inner([Option<Rc<Node<T>>>; WIDTH]),
}

impl<T> Default for VarMap<T> {
    fn default() -> Self {
        Self { root: None, height: 1 }
    }
}

fn digit(number: usize, height: u32) -> usize {
    number / WIDTH.pow(height - 1) % WIDTH
}

impl<T: Copy + PartialEq> VarMap<T> {
    /// What is known of a variable.
    pub(crate) fn get(&self, var: VarId) -> Option<T> {
        let number = var.index();
        if number >= WIDTH.pow(self.height) {
            return None;
        }
        let mut node = self.root.as_deref()?;
        let mut height = self.height;
        loop {
            match node {
                Node::Leaf(facts) => return facts[digit(number, 1)],
                Node::Inner(children) => node = children[digit(number, height)].as_deref()?,
            }
            height -= 1;
        }
    }

    /// Replaces what is known of a variable, perhaps by nothing. Returns whether that is a change.
    pub(crate) fn set(&mut self, var: VarId, fact: Option<T>) -> bool {
        if self.get(var) == fact {
            return false;
        }
        while var.index() >= WIDTH.pow(self.height) {
            self.raise();
        }
        Node::set(&mut self.root, self.height, var.index(), fact);
        true
    }

    /// All that is known, ascending by variable.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (VarId, T)> {
        let mut found = Vec::new();
        if let Some(root) = &self.root {
            root.collect(self.height, 0, &mut found);
        }
        found.into_iter()
    }

    /// Makes of each fact, with what the other map knows of the same variable, a new one or none. Where both
    /// have the same facts, nothing changes: of two equal facts, `merge` must make that fact. Returns
    /// whether anything has changed.
    pub(crate) fn merge(&mut self, other: &Self, merge: &mut dyn FnMut(T, Option<T>) -> Option<T>) -> bool {
        let mut other = other.clone();
        // The same height, so that nodes correspond.
        while other.height < self.height {
            other.raise();
        }
        while self.height < other.height {
            self.raise();
        }
        Node::merge(&mut self.root, other.root.as_ref(), merge)
    }

    fn raise(&mut self) {
        self.height += 1;
        if let Some(root) = self.root.take() {
            let mut children = [const { None }; WIDTH];
            children[0] = Some(root);
            self.root = Some(Rc::new(Node::Inner(children)));
        }
    }
}

impl<T: Copy + PartialEq> Node<T> {
    fn set(node: &mut Option<Rc<Self>>, height: u32, number: usize, fact: Option<T>) {
        let owned = Rc::make_mut(node.get_or_insert_with(|| Rc::new(Node::empty(height))));
        let is_empty = match owned {
            Node::Leaf(facts) => {
                facts[digit(number, 1)] = fact;
                fact.is_none() && facts.iter().all(Option::is_none)
            }
            Node::Inner(children) => {
                Node::set(&mut children[digit(number, height)], height - 1, number, fact);
                fact.is_none() && children.iter().all(Option::is_none)
            }
        };
        if is_empty {
            *node = None;
        }
    }

    fn empty(height: u32) -> Self {
        match height {
            1 => Node::Leaf([const { None }; WIDTH]),
            _ => Node::Inner([const { None }; WIDTH]),
        }
    }

    fn collect(&self, height: u32, first: usize, found: &mut Vec<(VarId, T)>) {
        match self {
            Node::Leaf(facts) => found.extend(
                facts
                    .iter()
                    .enumerate()
                    .filter_map(|(at, fact)| Some((VarId::from_index(first + at), (*fact)?))),
            ),
            Node::Inner(children) => {
                for (at, child) in children.iter().enumerate() {
                    if let Some(child) = child {
                        child.collect(height - 1, first + at * WIDTH.pow(height - 1), found);
                    }
                }
            }
        }
    }

    fn merge(
        node: &mut Option<Rc<Self>>,
        other: Option<&Rc<Self>>,
        merge: &mut dyn FnMut(T, Option<T>) -> Option<T>,
    ) -> bool {
        let Some(own) = node else { return false };
        if other.is_some_and(|other| Rc::ptr_eq(own, other)) {
            return false;
        }
        // Copied only if something changes.
        let mut merged = Node::clone(own);
        let (mut has_changed, mut is_empty) = (false, true);
        match &mut merged {
            Node::Leaf(facts) => {
                for (at, fact) in facts.iter_mut().enumerate() {
                    let Some(before) = *fact else { continue };
                    *fact = merge(before, other.and_then(|other| other.fact(at)));
                    has_changed |= *fact != Some(before);
                    is_empty &= fact.is_none();
                }
            }
            Node::Inner(children) => {
                for (at, child) in children.iter_mut().enumerate() {
                    has_changed |= Node::merge(child, other.and_then(|other| other.child(at)), merge);
                    is_empty &= child.is_none();
                }
            }
        }
        if has_changed {
            *node = (!is_empty).then(|| Rc::new(merged));
        }
        has_changed
    }

    fn fact(&self, at: usize) -> Option<T> {
        match self {
            Node::Leaf(facts) => facts[at],
            Node::Inner(_) => None,
        }
    }

    fn child(&self, at: usize) -> Option<&Rc<Self>> {
        match self {
            Node::Leaf(_) => None,
            Node::Inner(children) => children[at].as_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rely_base::Random;
    use std::collections::BTreeMap;

    fn var(number: usize) -> VarId {
        VarId::from_index(number)
    }

    /// A random map, and the same as the library has it.
    fn random_pair(random: &mut Random, start: &VarMap<u8>) -> (VarMap<u8>, BTreeMap<VarId, u8>) {
        let mut map = start.clone();
        let mut plain: BTreeMap<VarId, u8> = start.iter().collect();
        for _ in 0..random.below(60) {
            let range = [10, 300, 70_000][random.below(3)];
            let (key, fact) = (var(random.below(range)), random.below(4) as u8);
            let fact = (fact > 0).then_some(fact);
            let before = match fact {
                Some(fact) => plain.insert(key, fact),
                None => plain.remove(&key),
            };
            assert_eq!(map.set(key, fact), before != fact);
        }
        (map, plain)
    }

    #[test]
    fn it_is_a_map() {
        let mut random = Random::new(3);
        for _ in 0..300 {
            let (map, plain) = random_pair(&mut random, &VarMap::default());
            assert_eq!(map.iter().collect::<Vec<_>>(), plain.clone().into_iter().collect::<Vec<_>>());
            for number in (0..400).chain([65_535, 69_999, 1 << 20]) {
                assert_eq!(map.get(var(number)), plain.get(&var(number)).copied());
            }
        }
    }

    #[test]
    fn merging_is_done_for_each_fact() {
        let mut random = Random::new(5);
        for _ in 0..300 {
            let (common, _) = random_pair(&mut random, &VarMap::default());
            let (mut left, plain_left) = random_pair(&mut random, &common);
            let (right, plain_right) = random_pair(&mut random, &common);
            let mut agreed = |own: u8, other: Option<u8>| other.filter(|&other| other >= own);
            let expected: BTreeMap<VarId, u8> = plain_left
                .iter()
                .filter_map(|(key, &own)| Some((*key, agreed(own, plain_right.get(key).copied())?)))
                .collect();
            let has_changed = left.merge(&right, &mut agreed);
            assert_eq!(left.iter().collect::<BTreeMap<_, _>>(), expected);
            assert_eq!(has_changed, expected != plain_left);
        }
    }
}
