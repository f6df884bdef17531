//! Which tokens of a line are still there behind the preprocessor.

/// Lines with more pairs of different tokens than this are compared at their ends only.
const MAX_PAIRS: usize = 250_000;

/// For each token that was made, the one that was written, if they are the same. What the two have
/// in common at the ends goes first, and then as much as possible between them, in order.
pub(super) fn align(made: &[&str], written: &[&str]) -> Vec<Option<usize>> {
    let is_same = |&(left, right): &(&&str, &&str)| left == right;
    let front = made.iter().zip(written).take_while(is_same).count();
    let (made_rest, written_rest) = (&made[front..], &written[front..]);
    let back = made_rest.iter().rev().zip(written_rest.iter().rev()).take_while(is_same).count();
    let (made_middle, written_middle) =
        (&made_rest[..made_rest.len() - back], &written_rest[..written_rest.len() - back]);
    let mut same: Vec<Option<usize>> = (0..front).map(Some).collect();
    same.extend(common(made_middle, written_middle).into_iter().map(|at| at.map(|at| at + front)));
    same.extend((written.len() - back..written.len()).map(Some));
    same
}

/// A longest common subsequence, each token as early as possible.
fn common(made: &[&str], written: &[&str]) -> Vec<Option<usize>> {
    let mut same = vec![None; made.len()];
    if made.len().saturating_mul(written.len()) > MAX_PAIRS {
        return same;
    }
    // The lengths of the longest common subsequences of all ends of the two.
    let width = written.len() + 1;
    let mut lengths = vec![0_u32; (made.len() + 1) * width];
    for (row, token) in made.iter().enumerate().rev() {
        for (column, other) in written.iter().enumerate().rev() {
            lengths[row * width + column] = if token == other {
                lengths[(row + 1) * width + column + 1] + 1
            } else {
                lengths[(row + 1) * width + column].max(lengths[row * width + column + 1])
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    while row < made.len() && column < written.len() {
        if made[row] == written[column] {
            same[row] = Some(column);
            (row, column) = (row + 1, column + 1);
        } else if lengths[(row + 1) * width + column] >= lengths[row * width + column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    same
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(made: &str, written: &str, expected: &[Option<usize>]) {
        let made: Vec<&str> = made.split(' ').collect();
        let written: Vec<&str> = written.split(' ').collect();
        assert_eq!(align(&made, &written), expected);
    }

    #[test]
    fn tokens_are_found_around_macros() {
        check("x = 1 ;", "x = 1 ;", &[Some(0), Some(1), Some(2), Some(3)]);
        check("x = 2 + y ;", "x = TWO + y ;", &[Some(0), Some(1), None, Some(3), Some(4), Some(5)]);
        check("( a ) + a", "M ( a ) + a", &[Some(1), Some(2), Some(3), Some(4), Some(5)]);
        check("3", "", &[None]);
    }
}
