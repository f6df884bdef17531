//! What each pass did to a program, as a table.

use rely_passes::PassStatistics;

/// One line for each pass that ran: the sizes before and behind it, and whether it changed anything.
pub fn render_passes(statistics: &[PassStatistics]) -> String {
    let mut text = line("pass", &["threads", "locations", "edges", "variables"].map(str::to_owned), "");
    for pass in statistics {
        let (before, after) = (&pass.before, &pass.after);
        let counts = [
            change(before.threads, after.threads),
            change(before.locations, after.locations),
            change(before.edges, after.edges),
            change(before.vars, after.vars),
        ];
        text +=
            &line(&pass.name_with_number(), &counts, if pass.is_change { "changed" } else { "unchanged" });
    }
    text
}

fn line(name: &str, [threads, locations, edges, vars]: &[String; 4], change: &str) -> String {
    let line = format!("{name:<24}{threads:>12}{locations:>14}{edges:>14}{vars:>14}  {change}");
    line.trim_end().to_owned() + "\n"
}

fn change(before: usize, after: usize) -> String {
    if before == after { before.to_string() } else { format!("{before} -> {after}") }
}

#[cfg(test)]
mod tests {
    use super::render_passes;
    use expect_test::expect;
    use rely_passes::{PassStatistics, Size};

    #[test]
    fn only_what_changes_is_shown_twice() {
        let before = Size { threads: 2, locations: 120, edges: 130, ops: 400, vars: 12 };
        let after = Size { threads: 2, locations: 24, edges: 30, ops: 400, vars: 12 };
        let compressed = PassStatistics { name: "compress", number: 1, before, after, is_change: true };
        let nothing =
            PassStatistics { name: "fold_constants", number: 3, before: after, after, is_change: false };
        expect![[r#"
            pass                         threads     locations         edges     variables
            compress                           2     120 -> 24     130 -> 30            12  changed
            fold_constants:3                   2            24            30            12  unchanged
        "#]]
        .assert_eq(&render_passes(&[compressed, nothing]));
    }
}
