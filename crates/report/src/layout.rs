//! Columns of text: sharing a width among them, and wrapping and padding what they hold.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Shares `total` among columns that would like to be `wanted` wide. Columns that want less
/// than their fair share leave the rest to the others.
pub(crate) fn share_width(wanted: &[usize], total: usize) -> Vec<usize> {
    let mut shares = vec![0; wanted.len()];
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&column| wanted[column]);
    let mut left = total;
    for (done, column) in order.into_iter().enumerate() {
        let fair = left / (wanted.len() - done);
        shares[column] = wanted[column].min(fair);
        left -= shares[column];
    }
    shares
}

/// The text in lines of at most `width` columns, broken at spaces where possible.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        let used = line.width();
        if used == 0 || used + 1 + word.width() <= width {
            if used > 0 {
                line.push(' ');
            }
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
        break_last_line(&mut lines, width);
    }
    lines
}

/// Breaks the last line, which ends in one word, where it is too long.
fn break_last_line(lines: &mut Vec<String>, width: usize) {
    while let Some(line) = lines.last_mut().filter(|line| line.width() > width) {
        let at = prefix_that_fits(line, width).max(line.chars().next().map_or(1, char::len_utf8));
        if at == line.len() {
            return;
        }
        let rest = line.split_off(at);
        lines.push(rest);
    }
}

/// How many bytes of the text fit into `width` columns.
fn prefix_that_fits(text: &str, width: usize) -> usize {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += character.width().unwrap_or(0);
        if used > width {
            return at;
        }
    }
    text.len()
}

/// The text cut to `width` columns, with a mark where something is missing.
pub(crate) fn truncate(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let at = prefix_that_fits(text, width.saturating_sub(1));
    format!("{}…", &text[..at])
}

/// The text followed by as many spaces as fill `width` columns.
pub(crate) fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}

/// The text as one line without runs of spaces.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A number with its digits in groups of three: `1,234,567`.
pub fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_come_in_groups_of_three() {
        assert_eq!([0, 999, 1000, 1_234_567].map(group_digits), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn narrow_columns_leave_their_share_to_wide_ones() {
        assert_eq!(share_width(&[4, 100, 10], 60), [4, 46, 10]);
        assert_eq!(share_width(&[100, 100], 61), [30, 31]);
        assert_eq!(share_width(&[3, 2], 60), [3, 2]);
        assert_eq!(share_width(&[], 10), Vec::<usize>::new());
    }

    fn check_wrap(text: &str, width: usize, expected: &[&str]) {
        assert_eq!(wrap(text, width), expected);
    }

    #[test]
    fn lines_break_at_spaces_and_inside_of_long_words() {
        check_wrap("a bc def", 4, &["a bc", "def"]);
        check_wrap("abcdefgh i", 3, &["abc", "def", "gh", "i"]);
        check_wrap("", 5, &[""]);
        check_wrap("漢字漢字", 4, &["漢字", "漢字"]);
        check_wrap("漢", 1, &["漢"]);
    }

    #[test]
    fn what_is_cut_is_marked() {
        assert_eq!(truncate("abcdef", 4), "abc…");
        assert_eq!(truncate("abcd", 4), "abcd");
        assert_eq!(truncate("漢字漢", 4), "漢…");
    }
}
