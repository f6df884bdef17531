//! Who waits for whom, as data of a picture: threads, and an arrow for each that waits.

use crate::explain::{Fact, Sentence};
use serde::Serialize;

/// An arrow from a thread that waits to the one without which it does not go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Arrow {
    /// Who waits.
    pub thread: String,
    /// For what.
    pub what: String,
    /// For whom; nobody will do it if there is no thread.
    pub whom: Option<String>,
}

/// The arrows of which an explanation knows.
pub(super) fn arrows(explanation: &[Sentence]) -> Vec<Arrow> {
    let facts = explanation.iter().flat_map(|sentence| &sentence.facts);
    let mut arrows: Vec<Arrow> = Vec::new();
    for fact in facts {
        let Fact::Waits { thread, what: Some(what), whom } = fact else { continue };
        if arrows.iter().all(|known| known.thread != *thread) {
            arrows.push(Arrow { thread: thread.clone(), what: what.clone(), whom: whom.clone() });
        }
    }
    arrows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_one_arrow() {
        let waits = |thread: &str, what: Option<&str>, whom: Option<&str>| Fact::Waits {
            thread: thread.to_owned(),
            what: what.map(str::to_owned),
            whom: whom.map(str::to_owned),
        };
        let facts = vec![
            waits("A", Some("m"), Some("B")),
            waits("B", Some("a signal of c"), None),
            waits("A", None, None),
        ];
        let arrows = arrows(&[Sentence { text: String::new(), facts }]);
        let told: Vec<_> =
            arrows.iter().map(|arrow| (&*arrow.thread, &*arrow.what, arrow.whom.as_deref())).collect();
        assert_eq!(told, [("A", "m", Some("B")), ("B", "a signal of c", None)]);
    }
}
