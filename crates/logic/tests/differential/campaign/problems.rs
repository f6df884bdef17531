//! Random interpolation problems: trees of formulas, of which pairs and sequences are special ones.

use rely_logic::{Integer, TermId, TermPool, VarId};

use super::random::Random;

/// A tree of formulas; see `rely_logic::interpolate::interpolate_tree`.
pub struct TreeProblem {
    /// The formulas.
    pub formulas: Vec<TermId>,
    /// The parent of every formula; the root has none.
    pub parents: Vec<Option<usize>>,
}

/// What the formulas of a problem are made of.
#[derive(Clone, Copy, Debug)]
pub struct Flavour {
    /// The largest coefficient.
    pub largest_coefficient: i64,
    /// How many percent of the atoms have coefficients at all, instead of being bounds and differences.
    pub general_percent: usize,
    /// How many percent of the conjuncts are disjunctions.
    pub disjunction_percent: usize,
    /// How many percent of the atoms are equalities.
    pub equality_percent: usize,
    /// The most conjuncts of one formula.
    pub most_conjuncts: i64,
}

impl Flavour {
    /// One of several flavours: like programs, boolean, large, divisible, wild.
    pub fn any(random: &mut Random) -> Self {
        let plain = Self {
            largest_coefficient: 2,
            general_percent: 10,
            disjunction_percent: 0,
            equality_percent: 30,
            most_conjuncts: 4,
        };
        match random.between(1, 5) {
            1 => plain,
            2 => Self { disjunction_percent: 25, ..plain },
            3 => Self { most_conjuncts: 10, disjunction_percent: 10, equality_percent: 10, ..plain },
            4 => Self { largest_coefficient: 6, general_percent: 90, equality_percent: 60, ..plain },
            _ => Self { largest_coefficient: 5, general_percent: 60, disjunction_percent: 8, ..plain },
        }
    }
}

/// Two formulas with variables of their own and common ones.
pub fn pair(pool: &mut TermPool, random: &mut Random) -> TreeProblem {
    sequence_of(pool, random, 2)
}

/// Three to six formulas; neighbours have variables in common, and some are common to all.
pub fn sequence(pool: &mut TermPool, random: &mut Random) -> TreeProblem {
    let length = random.between(3, 6) as usize;
    sequence_of(pool, random, length)
}

fn sequence_of(pool: &mut TermPool, random: &mut Random, length: usize) -> TreeProblem {
    let parents = (0..length).map(|node| (node + 1 < length).then_some(node + 1)).collect();
    with_formulas(pool, random, parents)
}

/// Three to seven formulas in a tree of any form.
pub fn tree(pool: &mut TermPool, random: &mut Random) -> TreeProblem {
    let size = random.between(3, 7) as usize;
    let parents = (0..size)
        .map(|node| (node + 1 < size).then(|| random.between(node as i64 + 1, size as i64 - 1) as usize))
        .collect();
    with_formulas(pool, random, parents)
}

fn with_formulas(pool: &mut TermPool, random: &mut Random, parents: Vec<Option<usize>>) -> TreeProblem {
    let flavour = Flavour::any(random);
    let common: Vec<TermId> = (0..random.between(0, 2)).map(|n| pool.int_var(&format!("g{n}"))).collect();
    let formulas = (0..parents.len())
        .map(|node| {
            let mut variables = common.clone();
            // The variables between a node and its parent, and those between it and its children.
            let near = (0..parents.len()).filter(|&other| other == node || parents[other] == Some(node));
            for edge in near {
                for n in 0..2 {
                    variables.push(pool.int_var(&format!("e{edge}_{n}")));
                }
            }
            variables.push(pool.int_var(&format!("l{node}")));
            formula(pool, random, flavour, &variables)
        })
        .collect();
    TreeProblem { formulas, parents }
}

/// A conjunction over some of the variables.
pub fn formula(pool: &mut TermPool, random: &mut Random, flavour: Flavour, variables: &[TermId]) -> TermId {
    let count = random.between(1, flavour.most_conjuncts);
    let conjuncts: Vec<TermId> = (0..count)
        .map(|_| {
            if !random.percent(flavour.disjunction_percent) {
                return atom(pool, random, flavour, variables);
            }
            let disjuncts: Vec<TermId> = (0..random.between(2, 3))
                .map(|_| {
                    let atoms: Vec<TermId> =
                        (0..random.between(1, 2)).map(|_| atom(pool, random, flavour, variables)).collect();
                    pool.and(atoms)
                })
                .collect();
            pool.or(disjuncts)
        })
        .collect();
    pool.and(conjuncts)
}

/// A comparison that depends on the variables.
fn atom(pool: &mut TermPool, random: &mut Random, flavour: Flavour, variables: &[TermId]) -> TermId {
    loop {
        let atom = any_atom(pool, random, flavour, variables);
        if pool.as_truth(atom).is_none() {
            return atom;
        }
    }
}

fn any_atom(pool: &mut TermPool, random: &mut Random, flavour: Flavour, variables: &[TermId]) -> TermId {
    let mut terms: Vec<(TermId, Integer)> = Vec::new();
    if random.percent(flavour.general_percent) {
        let largest = flavour.largest_coefficient;
        for _ in 0..random.between(1, 3) {
            terms.push((*random.pick(variables), Integer::from(random.between(-largest, largest))));
        }
    } else {
        terms.push((*random.pick(variables), Integer::from(*random.pick(&[1, -1]))));
        if random.percent(70) {
            terms.push((*random.pick(variables), -&terms[0].1));
        }
    }
    let sum = pool.sum(terms, Integer::from(random.between(-4, 5)));
    if random.percent(flavour.equality_percent) {
        pool.eq_zero(sum)
    } else if random.percent(8) {
        let equal = pool.eq_zero(sum);
        pool.not(equal)
    } else {
        pool.le_zero(sum)
    }
}

/// The implications that interpolants must satisfy: of every node, what must imply what.
pub fn implications(
    pool: &mut TermPool,
    problem: &TreeProblem,
    interpolants: &[TermId],
) -> Vec<(Vec<TermId>, TermId)> {
    let mut of_node: Vec<TermId> = Vec::new();
    let mut given = interpolants.iter();
    for parent in &problem.parents {
        let interpolant = parent.and_then(|_| given.next().copied());
        of_node.push(interpolant.unwrap_or_else(|| pool.truth(false)));
    }
    (0..problem.formulas.len())
        .map(|node| {
            let children = (0..of_node.len()).filter(|&child| problem.parents[child] == Some(node));
            let mut premises: Vec<TermId> = children.map(|child| of_node[child]).collect();
            premises.push(problem.formulas[node]);
            (premises, of_node[node])
        })
        .collect()
}

/// The variables that the interpolant of each node may mention, in the order of the interpolants.
pub fn vocabularies(pool: &TermPool, problem: &TreeProblem) -> Vec<Vec<VarId>> {
    let is_within = |mut node: usize, top: usize| loop {
        if node == top {
            return true;
        }
        match problem.parents[node] {
            Some(parent) => node = parent,
            None => return false,
        }
    };
    let variables_of = |nodes: Vec<usize>| -> Vec<VarId> {
        nodes.into_iter().flat_map(|node| pool.free_variables(problem.formulas[node])).collect()
    };
    let nodes = 0..problem.formulas.len();
    let tops = nodes.clone().filter(|&node| problem.parents[node].is_some());
    tops.map(|top| {
        let (inside, outside): (Vec<usize>, Vec<usize>) =
            nodes.clone().partition(|&node| is_within(node, top));
        let outside = variables_of(outside);
        let mut common = variables_of(inside);
        common.retain(|variable| outside.contains(variable));
        common
    })
    .collect()
}
