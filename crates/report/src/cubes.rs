//! Fewer and shorter cubes for reading.
//!
//! Two cubes that differ only in where one thread stands become one; two that differ only in
//! whether one comparison holds lose it; two whose ranges of one sum touch become one; one that
//! says less than another makes that superfluous.
//! What is left means the same. Nothing that is checked depends on this.

use rely_evidence::rely_guarantee::{Atom, Comparison, ControlPoint, Cube, Quantity, RelyGuarantee};
use rely_program::{Program, Scope, ThreadId, Value};

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

/// The proof without what is said of temporaries: `x == $0` and `y == $0` become `x == y`.
pub(crate) fn without_temporaries(proof: &RelyGuarantee, program: &Program) -> RelyGuarantee {
    let mut told = proof.clone();
    let assertions = told.threads.iter_mut().flat_map(|entry| &mut entry.at).map(|(_, cubes)| cubes);
    let effects = told.effects.iter_mut().map(|effect| &mut effect.cubes);
    for cube in assertions.chain(effects).flatten() {
        eliminate_temporaries(cube, program);
    }
    told
}

fn eliminate_temporaries(cube: &mut Cube, program: &Program) {
    let is_temporary = |quantity: &Quantity| match quantity {
        Quantity::Cell { var, .. } => program.vars()[*var].name.contains('$'),
        Quantity::Handle => false,
    };
    let factor = |atom: &Atom, quantity: Quantity| {
        atom.terms.iter().find(|(_, part)| *part == quantity).map_or(0, |(factor, _)| *factor)
    };
    let first = |cube: &Cube| {
        let mut parts = cube.atoms.iter().flat_map(|atom| &atom.terms).map(|(_, part)| *part);
        parts.find(is_temporary)
    };
    while let Some(temporary) = first(cube) {
        let defines = |atom: &Atom| atom.comparison == Comparison::Eq && factor(atom, temporary).abs() == 1;
        let (known, mut rest): (Vec<Atom>, Vec<Atom>) =
            cube.atoms.drain(..).partition(|atom| factor(atom, temporary) != 0);
        if let Some(definition) = known.iter().find(|atom| defines(atom)) {
            let others = known.iter().filter(|atom| *atom != definition);
            rest.extend(others.filter_map(|atom| {
                let times = factor(atom, temporary).checked_mul(-factor(definition, temporary))?;
                sum(atom, definition, times)
            }));
        }
        cube.atoms = rest;
    }
}

/// One comparison, to whose sum another one is added that many times; `None` if that says nothing.
fn sum(atom: &Atom, other: &Atom, times: Value) -> Option<Atom> {
    let mut terms = atom.terms.clone();
    for &(factor, part) in &other.terms {
        let more = factor.checked_mul(times)?;
        match terms.iter_mut().find(|(_, known)| *known == part) {
            Some((known, _)) => *known = known.checked_add(more)?,
            None => terms.push((more, part)),
        }
    }
    terms.retain(|(factor, _)| *factor != 0);
    terms.sort_by_key(|(_, part)| *part);
    let constant = atom.constant.checked_add(other.constant.checked_mul(times)?)?;
    (!terms.is_empty()).then_some(Atom { terms, constant, comparison: atom.comparison })
}

/// What follows from each of the cubes as it stands there, and what is left of each.
pub(crate) fn common_part(cubes: &[Cube]) -> (Cube, Vec<Cube>) {
    let Some(first) = cubes.first() else { return (Cube::default(), Vec::new()) };
    let mut atoms: Vec<Atom> = Vec::new();
    // Ranges of one variable are read as they are, `0 <= x <= 10 || 20 <= x <= 21`, and not as one with a gap.
    let follows = |held: &Atom, atom: &Atom| {
        held == atom || atom.terms.len() > 1 && held.comparison == Comparison::Eq && implies(held, atom)
    };
    let says = |cube: &Cube, atom: &Atom| cube.atoms.iter().any(|held| follows(held, atom));
    for atom in cubes.iter().flat_map(|cube| &cube.atoms) {
        if !atoms.contains(atom) && cubes.iter().all(|cube| says(cube, atom)) {
            atoms.push(atom.clone());
        }
    }
    let is_place_common =
        |place: &&(ThreadId, Vec<ControlPoint>)| cubes.iter().all(|cube| cube.others.contains(place));
    let others = first.others.iter().filter(is_place_common).cloned().collect();
    let common = without_repetition(&Cube { atoms, others });
    let rest = |cube: &Cube| Cube {
        atoms: cube
            .atoms
            .iter()
            .filter(|atom| !common.atoms.iter().any(|held| implies(held, atom) || held == *atom))
            .cloned()
            .collect(),
        others: cube.others.iter().filter(|place| !common.others.contains(place)).cloned().collect(),
    };
    (common.clone(), cubes.iter().map(rest).collect())
}

/// Two lists of cubes, each pair of which makes one of the given cubes: what is known of one thread, its place and its
/// locals, and what does not depend on that.
pub(crate) fn factors(program: &Program, cubes: &[Cube]) -> Option<[Vec<Cube>; 2]> {
    let mut threads: Vec<ThreadId> =
        cubes.iter().flat_map(|cube| &cube.others).map(|(other, _)| *other).collect();
    threads.sort_unstable();
    threads.dedup();
    threads.into_iter().find_map(|thread| {
        let [mut one, mut other]: [Vec<Cube>; 2] = [Vec::new(), Vec::new()];
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for cube in cubes {
            let (own, rest) = split(program, thread, cube);
            pairs.push((position(&mut one, own), position(&mut other, rest)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let is_product = one.len() > 1 && other.len() > 1 && pairs.len() == one.len() * other.len();
        is_product.then_some([other, one])
    })
}

/// What a cube says of one thread alone, and the rest.
fn split(program: &Program, thread: ThreadId, cube: &Cube) -> (Cube, Cube) {
    let owner = |quantity: &Quantity| match quantity {
        Quantity::Cell { var, .. } => match program.vars()[*var].scope {
            Scope::Local(owner) => Some(owner),
            Scope::Global => None,
        },
        Quantity::Handle => None,
    };
    let is_own = |atom: &&Atom| {
        let mut owners = atom.terms.iter().filter_map(|(_, part)| owner(part)).peekable();
        owners.peek().is_some() && owners.all(|owner| owner == thread)
    };
    let (own, rest) = cube.atoms.iter().partition::<Vec<&Atom>, _>(is_own);
    let (place, places) = cube.others.iter().cloned().partition(|(other, _)| *other == thread);
    let sorted = |atoms: Vec<&Atom>| {
        let mut atoms: Vec<Atom> = atoms.into_iter().cloned().collect();
        atoms.sort_by(|left, right| (&left.terms, left.constant).cmp(&(&right.terms, right.constant)));
        atoms
    };
    (Cube { atoms: sorted(own), others: place }, Cube { atoms: sorted(rest), others: places })
}

/// Where a cube is in a list; it is added if it is not there.
fn position(cubes: &mut Vec<Cube>, cube: Cube) -> usize {
    cubes.iter().position(|known| *known == cube).unwrap_or_else(|| {
        cubes.push(cube);
        cubes.len() - 1
    })
}

/// Two bounds that leave only one value become an equation.
fn with_equations(cube: &Cube) -> Cube {
    let mut atoms: Vec<Atom> = Vec::new();
    for atom in &cube.atoms {
        let is_other_bound = |known: &Atom| {
            let negated = known.terms.iter().map(|&(factor, part)| (factor.saturating_neg(), part));
            let are_bounds = known.comparison == Comparison::Le && atom.comparison == Comparison::Le;
            are_bounds
                && negated.eq(atom.terms.iter().copied())
                && known.constant.checked_add(atom.constant) == Some(0)
        };
        match atoms.iter_mut().find(|known| is_other_bound(known)) {
            Some(known) => known.comparison = Comparison::Eq,
            None => atoms.push(atom.clone()),
        }
    }
    Cube { atoms, others: cube.others.clone() }
}

/// The cube without comparisons that follow from an equation, or from a stricter bound, of the same sum.
fn without_repetition(cube: &Cube) -> Cube {
    let cube = &with_equations(cube);
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
    let is_looser = |atom: &&Atom| cube.atoms.iter().any(|held| held != *atom && implies(held, atom));
    let mut atoms: Vec<Atom> = Vec::new();
    for atom in cube.atoms.iter().filter(|atom| !follows(atom) && !is_looser(atom)) {
        if !atoms.contains(atom) {
            atoms.push(atom.clone());
        }
    }
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
    if same(&left.atoms, &right.atoms) {
        return merged_places(left, right);
    }
    merged_atoms(left, right).or_else(|| merged_ranges(left, right))
}

/// Whether `more` says everything that `less` says, as far as single sums tell.
fn says_all_of(more: &Cube, less: &Cube) -> bool {
    let stands = |(thread, points): &(ThreadId, Vec<ControlPoint>)| {
        let known = more.others.iter().find(|(other, _)| other == thread);
        known.is_some_and(|(_, known)| known.iter().all(|point| points.contains(point)))
    };
    less.atoms
        .iter()
        .all(|atom| more.atoms.contains(atom) || more.atoms.iter().any(|held| implies(held, atom)))
        && less.others.iter().all(stands)
}

/// Whether one comparison follows from another one about the same sum.
fn implies(held: &Atom, atom: &Atom) -> bool {
    let (Some((low, high)), Some(sum)) = (range(held, &atom.terms), Some(atom.constant)) else {
        return false;
    };
    let highest = high.and_then(|high| high.checked_add(sum));
    let lowest = low.and_then(|low| low.checked_add(sum));
    match atom.comparison {
        Comparison::Le => highest.is_some_and(|highest| highest <= 0),
        Comparison::Ne => highest.is_some_and(|high| high < 0) || lowest.is_some_and(|low| low > 0),
        Comparison::Eq => highest == Some(0) && lowest == Some(0),
        Comparison::MultipleOf(_) => false,
    }
}

/// The least and the greatest value of a sum, if the atom is about that sum or its negation.
fn range(atom: &Atom, terms: &[(Value, Quantity)]) -> Option<(Option<Value>, Option<Value>)> {
    let negated = || atom.terms.iter().map(|&(factor, part)| (factor.saturating_neg(), part));
    let (low, high) = match atom.comparison {
        Comparison::Le => (None, Some(atom.constant.checked_neg()?)),
        Comparison::Eq => (Some(atom.constant.checked_neg()?), Some(atom.constant.checked_neg()?)),
        Comparison::Ne | Comparison::MultipleOf(_) => return None,
    };
    if atom.terms == terms {
        return Some((low, high));
    }
    let turn = |bound: Option<Value>| bound.and_then(Value::checked_neg);
    negated().eq(terms.iter().copied()).then(|| (turn(high), turn(low)))
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

/// The same except for the range of one sum, and the ranges touch: they are one range.
fn merged_ranges(left: &Cube, right: &Cube) -> Option<Cube> {
    if !same(&left.others, &right.others) {
        return None;
    }
    let only = |these: &[Atom], those: &[Atom]| -> Vec<Atom> {
        these.iter().filter(|atom| !those.contains(atom)).cloned().collect()
    };
    let differing = [only(&left.atoms, &right.atoms), only(&right.atoms, &left.atoms)];
    let mut terms = differing.iter().flatten().next()?.terms.clone();
    if terms.first()?.0 < 0 {
        terms.iter_mut().for_each(|(factor, _)| *factor = factor.saturating_neg());
    }
    // Bounds that both have belong to the ranges too.
    let of_sum = |cube: &Cube| -> Option<(Option<Value>, Option<Value>)> {
        let mut whole = (None, None);
        for (low, high) in cube.atoms.iter().filter_map(|atom| range(atom, &terms)) {
            whole = (whole.0.max(low), [whole.1, high].into_iter().flatten().min());
        }
        Some(whole)
    };
    if differing.iter().flatten().any(|atom| range(atom, &terms).is_none()) {
        return None;
    }
    let (one, other) = (of_sum(left)?, of_sum(right)?);
    let touches = |(_, high): (_, Option<Value>), (low, _): (Option<Value>, _)| {
        high.zip(low).is_none_or(|(high, low)| low <= high.saturating_add(1))
    };
    if !touches(one, other) || !touches(other, one) {
        return None;
    }
    let low = one.0.zip(other.0).map(|(one, other)| one.min(other));
    let high = one.1.zip(other.1).map(|(one, other)| one.max(other));
    let mut atoms: Vec<Atom> =
        left.atoms.iter().filter(|atom| range(atom, &terms).is_none()).cloned().collect();
    if low.is_some() && low == high {
        atoms.push(Atom { constant: low?.checked_neg()?, terms, comparison: Comparison::Eq });
    } else {
        let negated: Option<Vec<_>> =
            terms.iter().map(|&(factor, part)| Some((factor.checked_neg()?, part))).collect();
        if let Some(low) = low {
            atoms.push(Atom { terms: negated?, constant: low, comparison: Comparison::Le });
        }
        if let Some(high) = high {
            atoms.push(Atom { terms, constant: high.checked_neg()?, comparison: Comparison::Le });
        }
    }
    Some(Cube { atoms, others: left.others.clone() })
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
    use rely_evidence::rely_guarantee::Moment;
    use rely_program::{LocationId, VarId};

    fn atom(factor: Value, constant: Value, comparison: Comparison) -> Atom {
        let quantity = Quantity::Cell { var: VarId::from_index(0), index: 0, moment: Moment::Before };
        Atom { terms: vec![(factor, quantity)], constant, comparison }
    }

    fn at(points: &[usize]) -> Vec<(ThreadId, Vec<ControlPoint>)> {
        let points = points.iter().map(|&point| ControlPoint::At(LocationId::from_index(point))).collect();
        vec![(ThreadId::from_index(1), points)]
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
    fn ranges_grow_together() {
        let value = |value: Value| Cube { atoms: vec![atom(1, -value, Comparison::Eq)], others: vec![] };
        let between = |low: Value, high: Value| {
            let atoms = vec![atom(-1, low, Comparison::Le), atom(1, -high, Comparison::Le)];
            Cube { atoms, others: vec![] }
        };
        assert_eq!(simplified(&[value(20), value(21)]), [between(20, 21)]);
        assert_eq!(simplified(&[between(0, 9), value(10)]), [between(0, 10)]);
        assert_eq!(simplified(&[value(0), between(0, 10)]), [between(0, 10)]);
        assert_eq!(simplified(&[value(20), value(22)]), [value(20), value(22)]);
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
