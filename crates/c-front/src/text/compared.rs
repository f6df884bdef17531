//! A line of the user's file, and what the preprocessor has made of it, token by token.

use super::align::align;
use super::calls::Calls;
use super::lexer::Token;
use std::ops::Range;

/// A line of the user's file, and what the preprocessor has made of it.
#[derive(Debug)]
pub(super) struct Compared {
    made: Vec<Token>,
    written: Vec<Token>,
    /// For each token that was made, the one that was written, if it is the same.
    same: Vec<Option<usize>>,
    /// How many tokens up to each of those that were made do not follow what was written for the one before.
    breaks: Vec<usize>,
    calls: Calls,
}

impl Compared {
    pub(super) fn new(made: Vec<Token>, preprocessed: &str, written: Vec<Token>, source: &str) -> Self {
        let same = align(&texts(&made, preprocessed), &texts(&written, source));
        let mut is_made = vec![false; written.len()];
        same.iter().flatten().for_each(|&at| is_made[at] = true);
        let calls = Calls::new(&written, source, &is_made);
        let mut breaks = Vec::with_capacity(same.len());
        let mut before = None;
        for at in &same {
            let follows = at.is_some() && *at == before.map(|before: usize| before + 1);
            breaks.push(breaks.last().copied().unwrap_or(0) + usize::from(!follows));
            before = *at;
        }
        Compared { made, written, same, breaks, calls }
    }

    /// Whether a token that was made was written.
    pub(super) fn is_same(&self, made: usize) -> bool {
        self.same[made].is_some()
    }

    /// The tokens in which a token that was made stands: itself, or the macro that it comes from.
    fn written_for(&self, made: usize) -> Option<Range<usize>> {
        if let Some(same) = self.same[made] {
            return Some(same..same + 1);
        }
        let before = self.same[..made].iter().rev().find_map(|same| *same);
        let end = self.same[made..].iter().find_map(|same| *same).unwrap_or(self.written.len());
        let start = before.map_or(0, |same| same + 1);
        match start < end {
            true => Some(start..self.calls.end_of_call(end - 1).unwrap_or(end).max(end)),
            // Everything around it was written: then it comes from a macro of which that is an argument.
            false => (0..end.min(self.written.len())).rev().find_map(|name| {
                let behind = self.calls.end_of_call(name)?;
                (behind > start).then_some(name..behind)
            }),
        }
    }

    /// The tokens in which a range of tokens that were made stands, the last one included.
    pub(super) fn written_range(&self, first: usize, last: usize) -> Option<Range<usize>> {
        let (start, end) = (self.written_for(first)?, self.written_for(last));
        let end = end.unwrap_or_else(|| start.clone());
        let range = start.start.min(end.start)..start.end.max(end.end);
        let is_as_written = self.same[first].is_some() && self.breaks[first] == self.breaks[last];
        Some(self.calls.wider(range, is_as_written))
    }

    /// [`Compared::written_range`] up to the end of the line.
    pub(super) fn rest_from(&self, first: usize) -> Option<Range<usize>> {
        self.written_range(first, self.made.len() - 1)
    }

    /// Whether a part of the text has a part of a macro and not all of it.
    pub(super) fn is_cut(&self, part: &Range<usize>) -> bool {
        let first = self.written.partition_point(|token| token.end <= part.start);
        let last = self.written.partition_point(|token| token.start < part.end);
        self.calls.is_cut(&(first..last.max(first)))
    }

    pub(super) fn bytes(&self, tokens: &Range<usize>) -> Range<usize> {
        self.written[tokens.start].start..self.written[tokens.end - 1].end
    }

    /// The token that was made in which a position lies, or that follows it.
    pub(super) fn made_at(&self, position: usize) -> Option<usize> {
        let index = self.made.partition_point(|token| token.end <= position);
        (index < self.made.len()).then_some(index)
    }
}

fn texts<'t>(tokens: &[Token], source: &'t str) -> Vec<&'t str> {
    tokens.iter().map(|token| token.text(source)).collect()
}
