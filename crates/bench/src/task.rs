//! Tasks: a program, a property and the verdict that is right, as SV-COMP's task definitions
//! (`.yml`, format 2.0) write them down.

use super::BenchError;
use rely_program::Goal;
use std::fs;
use std::path::{Path, PathBuf};
use yaml_rust2::{Yaml, YamlLoader};

/// One thing to decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// How it is called in tables: the path of its definition without the ending.
    pub name: String,
    /// The program.
    pub input: PathBuf,
    /// Where the property is written down, for verifiers that read that.
    pub property_file: PathBuf,
    /// The property.
    pub goal: Goal,
    /// Whether the property holds, if that is known.
    pub expected: Option<bool>,
    /// The parameter of a member of a scaled family.
    pub size: Option<u64>,
}

/// The tasks that a definition describes, one for each of its properties that Rely has a name
/// for. `name` is what to call them.
pub fn read(definition: &Path, name: &str) -> Result<Vec<Task>, BenchError> {
    let text = fs::read_to_string(definition).map_err(|error| BenchError::file(definition, error))?;
    let wrong = |message: &str| BenchError::content(definition, message);
    let documents = YamlLoader::load_from_str(&text).map_err(|error| wrong(&error.to_string()))?;
    let document = documents.first().ok_or_else(|| wrong("there is no task definition in it"))?;
    let folder = definition.parent().unwrap_or(Path::new(""));
    let input = folder.join(single_input(document).ok_or_else(|| wrong("`input_files` must name one file"))?);
    let properties = document["properties"].as_vec().ok_or_else(|| wrong("there are no `properties`"))?;
    let mut tasks = Vec::new();
    for property in properties {
        let file = property["property_file"].as_str();
        let file = folder.join(file.ok_or_else(|| wrong("a property has no `property_file`"))?);
        let text = fs::read_to_string(&file).map_err(|error| BenchError::file(&file, error))?;
        let Some(goal) = goal(&text) else { continue };
        let expected = property["expected_verdict"].as_bool();
        let name = if goal == Goal::Assert { name.to_owned() } else { format!("{name} ({goal})") };
        tasks.push(Task { name, input: input.clone(), property_file: file, goal, expected, size: None });
    }
    match tasks.is_empty() {
        true => Err(wrong("none of its properties is one that Rely knows")),
        false => Ok(tasks),
    }
}

/// The one program, which may stand alone or in a list of one.
fn single_input(document: &Yaml) -> Option<&str> {
    match &document["input_files"] {
        Yaml::String(file) => Some(file),
        Yaml::Array(files) => match files.as_slice() {
            [Yaml::String(file)] => Some(file),
            _ => None,
        },
        _ => None,
    }
}

/// The goal that the text of a property file asks for.
fn goal(text: &str) -> Option<Goal> {
    let known = [
        ("call(reach_error())", Goal::Assert),
        ("call(__VERIFIER_error())", Goal::Assert),
        ("G ! overflow", Goal::Overflow),
        ("G ! data-race", Goal::Race),
        ("G ! deadlock", Goal::Deadlock),
        ("F end", Goal::Termination),
    ];
    known.into_iter().find(|(pattern, _)| text.contains(pattern)).map(|(_, goal)| goal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_files_of_the_competition_are_understood() {
        let check = |text: &str, expected: Option<Goal>| assert_eq!(goal(text), expected, "{text}");
        check("CHECK( init(main()), LTL(G ! call(reach_error())) )", Some(Goal::Assert));
        check("CHECK( init(main()), LTL(G ! overflow) )", Some(Goal::Overflow));
        check("CHECK( init(main()), LTL(G ! data-race) )", Some(Goal::Race));
        check("CHECK( init(main()), LTL(F end) )", Some(Goal::Termination));
        check("CHECK( init(main()), LTL(G valid-free) )", None);
    }

    #[test]
    fn the_input_is_one_file() {
        let input = |text: &str| {
            let documents = YamlLoader::load_from_str(text).expect("this is YAML");
            single_input(&documents[0]).map(str::to_owned)
        };
        assert_eq!(input("input_files: 'a.c'"), Some("a.c".to_owned()));
        assert_eq!(input("input_files:\n  - a.c"), Some("a.c".to_owned()));
        assert_eq!(input("input_files: [a.c, b.c]"), None);
        assert_eq!(input("properties: []"), None);
    }
}
