//! The order of strongly connected components.

/// For each node the number of its strongly connected component, such that steps lead to the same or a smaller number.
/// A node is in the component of another one if each can be reached from the other: with few nodes, that can be
/// looked up in a table.
pub(super) fn components(nodes: usize, steps: &[(usize, usize)]) -> Vec<usize> {
    let reached: Vec<Vec<bool>> = (0..nodes).map(|from| reachable(nodes, steps, from)).collect();
    // Whoever reaches more nodes comes earlier; those of one component reach the same ones.
    let sizes: Vec<usize> = reached.iter().map(|from| from.iter().filter(|&&is| is).count()).collect();
    let mut order: Vec<usize> = (0..nodes).collect();
    order.sort_by_key(|&node| sizes[node]);
    let mut numbers = vec![usize::MAX; nodes];
    let mut found = 0;
    for &node in &order {
        if numbers[node] == usize::MAX {
            for other in 0..nodes {
                if reached[node][other] && reached[other][node] {
                    numbers[other] = found;
                }
            }
            found += 1;
        }
    }
    numbers
}

/// All nodes that can be reached, the first one among them.
fn reachable(nodes: usize, steps: &[(usize, usize)], from: usize) -> Vec<bool> {
    let mut seen = vec![false; nodes];
    let mut pending = vec![from];
    seen[from] = true;
    while let Some(node) = pending.pop() {
        for &(source, target) in steps {
            if source == node && !std::mem::replace(&mut seen[target], true) {
                pending.push(target);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::components;

    fn check(nodes: usize, steps: &[(usize, usize)], expect: &[usize]) {
        assert_eq!(components(nodes, steps), expect, "{steps:?}");
    }

    #[test]
    fn steps_lead_to_smaller_numbers_or_stay() {
        check(1, &[(0, 0)], &[0]);
        check(3, &[(0, 1), (1, 2)], &[2, 1, 0]);
        check(3, &[(0, 1), (1, 0), (1, 2)], &[1, 1, 0]);
        check(4, &[(0, 1), (1, 2), (2, 1), (2, 3), (3, 3)], &[2, 1, 1, 0]);
    }
}
