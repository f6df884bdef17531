//! "Did you mean ...?"

/// The candidate that differs least from `word`, if it is close enough to be a slip.
pub fn similar<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let limit = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= limit)
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many characters must be inserted, deleted, replaced or swapped with their neighbour to
/// make one word of the other; upper and lower case count as the same.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.to_lowercase().chars().collect();
    let right: Vec<char> = right.to_lowercase().chars().collect();
    let mut before_previous: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for i in 1..=left.len() {
        let mut current = vec![i];
        for j in 1..=right.len() {
            let replaced = previous[j - 1] + usize::from(left[i - 1] != right[j - 1]);
            let mut best = replaced.min(previous[j] + 1).min(current[j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                best = best.min(before_previous[j - 2] + 1);
            }
            current.push(best);
        }
        before_previous = std::mem::replace(&mut previous, current);
    }
    previous[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, candidates: &[&str], expected: Option<&str>) {
        assert_eq!(similar(word, candidates.iter().copied()), expected);
    }

    #[test]
    fn slips_are_recognized() {
        check("trun", &["flag0", "turn"], Some("turn"));
        check("Turn", &["flag0", "turn"], Some("turn"));
        check("falg0", &["flag1", "flag0"], Some("flag0"));
        check("ivnariant", &["invariant"], Some("invariant"));
    }

    #[test]
    fn other_words_are_not() {
        check("x", &["y", "z"], None);
        check("count", &["wait"], None);
        check("", &["wait"], None);
    }
}
