//! What is printed is read back with the same meaning.

use crate::random::system;
use crate::support::{HASTY, answer, has_z3, parsed, problems, z3};
use rely_base::Budget;
use rely_horn::{Answer, check, model_text, parse_model, system_text};

#[test]
fn a_printed_system_is_read_back() {
    let texts = problems().into_iter().map(|(_, _, text)| text).chain((0..200).map(system));
    for text in texts {
        let (pool, system) = parsed(&text);
        let printed = system_text(&pool, &system);
        let (again_pool, again) = parsed(&printed);
        assert_eq!(system.clauses().len(), again.clauses().len(), "{text}");
        // Names are taken over and made different the same way, so that the second text is the first.
        assert_eq!(system_text(&again_pool, &again).len(), printed.len(), "{text}");
    }
}

#[test]
fn a_printed_model_is_read_back_and_accepted() {
    let mut models = 0;
    let texts = problems().into_iter().map(|(_, _, text)| text).chain((0..100).map(system));
    for text in texts {
        let (mut pool, system, answer) = answer(&text, HASTY);
        let Answer::Sat(model) = answer else { continue };
        let printed = model_text(&pool, &system, &model);
        let again =
            parse_model(&mut pool, &system, &printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
        let checked = check::check_model(&mut pool, &system, &again, &Budget::unlimited());
        assert_eq!(checked, Ok(()), "{text}\n{printed}");
        models += 1;
    }
    assert!(models > 50, "{models}");
}

/// z3 reads what we print, and finds what it finds in the original.
#[test]
fn z3_reads_what_is_printed() {
    if !has_z3() {
        return;
    }
    for text in (0..20).map(system) {
        let (pool, system) = parsed(&text);
        let (ours, theirs) = (z3(&system_text(&pool, &system), 2), z3(&text, 2));
        assert!(ours == theirs || ours == "unknown" || theirs == "unknown", "{text}");
    }
}
