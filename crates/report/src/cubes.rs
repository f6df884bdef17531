//! Fewer and shorter cubes for reading.
//!
//! Two cubes that differ only in where one thread stands become one; two that differ only in
//! whether one comparison holds lose it; one that says less than another makes that superfluous.
//! What is left means the same. Nothing that is checked depends on this.

use rely_evidence::rely_guarantee::{Atom, Comparison, Cube};

/// Lists that are longer are shown as they are.
const MOST_CUBES: usize = 100;

/// The cubes in fewer words.
pub(crate) fn simplified(cubes: &[Cube]) -> Vec<Cube> {
    let mut cubes: Vec<Cube> = cubes.iter().map(without_repetition).collect();
    if cubes.len() > MOST_CUBES {
        return cubes;
    }
    while let Some((first, second, together)) = mergeable(&cubes) {
        cubes[first] = together;
        cubes.remove(second);
    }
    cubes
}

/// The cube without comparisons that follow from an equation about the same sum.
fn without_repetition(cube: &Cube) -> Cube {
    let follows = |atom: &&Atom| {
        let is_equation = |other: &&Atom| other.comparison == Comparison::Eq && other.terms == atom.terms;
        let equation = cube.atoms.iter().find(is_equation).filter(|equation| equation != atom);
        let sum = equation.and_then(|equation| atom.constant.checked_sub(equation.constant));
        sum.is_some_and(|sum| match atom.comparison {
            Comparison::Le => sum <= 0,
            Comparison::Ne => sum != 0,
            Comparison::Eq | Comparison::MultipleOf(_) => false,
        })
    };
    let atoms = cube.atoms.iter().filter(|atom| !follows(atom)).cloned().collect();
    Cube { atoms, others: cube.others.clone() }
}

/// Two cubes, by their positions, and one that means the same as both.
fn mergeable(cubes: &[Cube]) -> Option<(usize, usize, Cube)> {
    for second in 0..cubes.len() {
        for first in 0..second {
            if let Some(together) = merged(&cubes[first], &cubes[second]) {
                return Some((first, second, together));
            }
        }
    }
    None
}

fn merged(left: &Cube, right: &Cube) -> Option<Cube> {
    if says_all_of(left, right) {
        return Some(right.clone());
    }
    if says_all_of(right, left) {
        return Some(left.clone());
    }
    if same(&left.atoms, &right.atoms) { merged_places(left, right) } else { merged_atoms(left, right) }
}

/// Whether `more` contains everything that `less` says.
fn says_all_of(more: &Cube, less: &Cube) -> bool {
    less.atoms.iter().all(|atom| more.atoms.contains(atom))
        && less.others.iter().all(|place| more.others.contains(place))
}

fn same<T: PartialEq>(left: &[T], right: &[T]) -> bool {
    left.iter().all(|item| right.contains(item)) && right.iter().all(|item| left.contains(item))
}

/// The same comparisons, and the places of one thread differ.
fn merged_places(left: &Cube, right: &Cube) -> Option<Cube> {
    let different: Vec<usize> =
        (0..left.others.len()).filter(|&index| !right.others.contains(&left.others[index])).collect();
    let [index] = *different.as_slice() else { return None };
    let (thread, _) = left.others[index];
    let (_, more) = right.others.iter().find(|(other, _)| *other == thread)?;
    let is_same = right.others.iter().all(|place| place.0 == thread || left.others.contains(place));
    if left.others.len() != right.others.len() || !is_same {
        return None;
    }
    let mut together = left.clone();
    together.others[index].1.extend(more);
    together.others[index].1.sort_unstable();
    together.others[index].1.dedup();
    Some(together)
}

/// The same places, and one comparison is the opposite of the other.
fn merged_atoms(left: &Cube, right: &Cube) -> Option<Cube> {
    if !same(&left.others, &right.others) || left.atoms.len() != right.atoms.len() {
        return None;
    }
    let only = |these: &[Atom], those: &[Atom]| -> Option<usize> {
        let mut different = (0..these.len()).filter(|&index| !those.contains(&these[index]));
        let first = different.next()?;
        different.next().is_none().then_some(first)
    };
    let (mine, other) = (only(&left.atoms, &right.atoms)?, only(&right.atoms, &left.atoms)?);
    if !are_opposite(&left.atoms[mine], &right.atoms[other]) {
        return None;
    }
    let mut together = left.clone();
    together.atoms.remove(mine);
    Some(together)
}

/// Whether exactly one of two comparisons holds.
fn are_opposite(left: &Atom, right: &Atom) -> bool {
    match (left.comparison, right.comparison) {
        (Comparison::Eq, Comparison::Ne) | (Comparison::Ne, Comparison::Eq) => {
            left.terms == right.terms && left.constant == right.constant
        }
        // s <= 0 and s >= 1
        (Comparison::Le, Comparison::Le) => {
            let negated = left.terms.iter().map(|&(factor, part)| (factor.saturating_neg(), part));
            negated.eq(right.terms.iter().copied()) && left.constant.checked_add(right.constant) == Some(1)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rely_base::Id;
    use rely_evidence::rely_guarantee::{Moment, Quantity, Spot};
    use rely_program::{LocationId, ThreadId, Value, VarId};

    fn atom(factor: Value, constant: Value, comparison: Comparison) -> Atom {
        let quantity = Quantity::Cell { var: VarId::from_index(0), index: 0, moment: Moment::Before };
        Atom { terms: vec![(factor, quantity)], constant, comparison }
    }

    fn at(spots: &[usize]) -> Vec<(ThreadId, Vec<Spot>)> {
        let spots = spots.iter().map(|&spot| Spot::At(LocationId::from_index(spot))).collect();
        vec![(ThreadId::from_index(1), spots)]
    }

    #[test]
    fn places_are_put_together() {
        let cubes = [
            Cube { atoms: vec![atom(1, 0, Comparison::Eq)], others: at(&[1]) },
            Cube { atoms: vec![atom(1, 0, Comparison::Eq)], others: at(&[3]) },
        ];
        let expected = Cube { atoms: vec![atom(1, 0, Comparison::Eq)], others: at(&[1, 3]) };
        assert_eq!(simplified(&cubes), [expected]);
    }

    #[test]
    fn opposites_disappear() {
        let cubes = [
            Cube { atoms: vec![atom(1, -3, Comparison::Le)], others: at(&[1]) },
            Cube { atoms: vec![atom(-1, 4, Comparison::Le)], others: at(&[1]) },
        ];
        assert_eq!(simplified(&cubes), [Cube { atoms: vec![], others: at(&[1]) }]);
        // x <= 3 or x >= 5 is not everything.
        let cubes = [
            Cube { atoms: vec![atom(1, -3, Comparison::Le)], others: vec![] },
            Cube { atoms: vec![atom(-1, 5, Comparison::Le)], others: vec![] },
        ];
        assert_eq!(simplified(&cubes), cubes);
    }

    #[test]
    fn what_follows_from_an_equation_is_not_repeated() {
        let (one, not_zero) = (atom(1, -1, Comparison::Eq), atom(1, 0, Comparison::Ne));
        let (small, negative) = (atom(1, -3, Comparison::Le), atom(1, 1, Comparison::Le));
        let atoms = vec![not_zero, one.clone(), small, negative.clone()];
        let expected = Cube { atoms: vec![one, negative], others: vec![] };
        assert_eq!(simplified(&[Cube { atoms, others: vec![] }]), [expected]);
    }

    #[test]
    fn what_says_more_is_superfluous() {
        let cubes = [
            Cube { atoms: vec![atom(1, 0, Comparison::Eq)], others: at(&[1]) },
            Cube { atoms: vec![atom(1, 0, Comparison::Eq)], others: vec![] },
        ];
        assert_eq!(simplified(&cubes), [cubes[1].clone()]);
    }
}
