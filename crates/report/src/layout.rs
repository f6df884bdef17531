//! Columns of text: sharing a width among them, and wrapping and padding what they hold.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Shares `total` among columns that would like to be `wanted` wide and in which no word is
/// broken from `least` on. If there is not enough for that, words are broken in all of them.
pub(crate) fn share_width(wanted: &[usize], least: &[usize], total: usize) -> Vec<usize> {
    match total.checked_sub(least.iter().sum()) {
        None => fair_shares(wanted, total),
        Some(rest) => {
            let more: Vec<usize> = wanted.iter().zip(least).map(|(wanted, least)| wanted - least).collect();
            fair_shares(&more, rest).iter().zip(least).map(|(more, least)| least + more).collect()
        }
    }
}

/// Columns that want less than their fair share leave the rest to the others.
fn fair_shares(wanted: &[usize], total: usize) -> Vec<usize> {
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

/// The longest piece of the text that [`wrap`] only breaks if it must.
pub(crate) fn longest_word(text: &str) -> usize {
    text.split_whitespace().flat_map(pieces).map(UnicodeWidthStr::width).max().unwrap_or(0)
}

/// A word in pieces between which it may be broken: behind punctuation.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    word.split_inclusive(|character: char| !(character.is_alphanumeric() || character == '_'))
}

/// The text in lines of at most `width` columns, broken at spaces where possible, otherwise
/// behind punctuation, otherwise anywhere.
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
        let fitting = prefix_that_fits(line, width);
        let soft = pieces(line).map(str::len).scan(0, |end, length| {
            *end += length;
            (*end <= fitting).then_some(*end)
        });
        let at = soft.last().unwrap_or(fitting).max(line.chars().next().map_or(1, char::len_utf8));
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

/// So many of something whose name is a plural: `1 state`, `1,234 states`.
pub fn counted(count: u64, names: &str) -> String {
    let name = if count == 1 { names.strip_suffix('s').unwrap_or(names) } else { names };
    format!("{} {name}", group_digits(count))
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_is_not_many() {
        let told = [0, 1, 2, 4321].map(|count| counted(count, "states"));
        assert_eq!(told, ["0 states", "1 state", "2 states", "4,321 states"]);
    }

    use super::*;

    #[test]
    fn digits_come_in_groups_of_three() {
        assert_eq!([0, 999, 1000, 1_234_567].map(group_digits), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn narrow_columns_leave_their_share_to_wide_ones() {
        assert_eq!(fair_shares(&[4, 100, 10], 60), [4, 46, 10]);
        assert_eq!(fair_shares(&[100, 100], 61), [30, 31]);
        assert_eq!(fair_shares(&[3, 2], 60), [3, 2]);
        assert_eq!(fair_shares(&[], 10), Vec::<usize>::new());
    }

    #[test]
    fn words_stay_whole_where_there_is_room() {
        assert_eq!(share_width(&[40, 20, 20], &[10, 20, 5], 50), [18, 20, 12]);
        assert_eq!(share_width(&[40, 40], &[30, 30], 40), [20, 20]);
        assert_eq!(longest_word("lock(&left_one); x = 1"), 9);
    }

    fn check_wrap(text: &str, width: usize, expected: &[&str]) {
        assert_eq!(wrap(text, width), expected);
    }

    #[test]
    fn lines_break_at_spaces_and_inside_of_long_words() {
        check_wrap("a bc def", 4, &["a bc", "def"]);
        check_wrap("abcdefgh i", 3, &["abc", "def", "gh", "i"]);
        check_wrap("", 5, &[""]);
        check_wrap("lock(&left);", 7, &["lock(&", "left);"]);
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
