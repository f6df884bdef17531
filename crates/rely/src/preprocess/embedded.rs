//! Running the preprocessor that is part of Rely, on the files of this machine.

use super::Source;
use super::toolchain;
use crate::args::InputArgs;
use crate::input::LARGEST_INPUT;
use rely_base::Budget;
use rely_c_preprocess::{Declined, Files, Limits, Request, Toolchain, preprocess_within};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::OnceLock;

/// The text behind the preprocessor, or why the compiler has to be asked.
pub fn run(source: Source<'_>, options: &InputArgs, budget: &Budget) -> Result<Vec<u8>, String> {
    if !options.include_file.is_empty() || options.std.is_some() {
        return Err("`--include-file` and `--std` are left to the compiler".into());
    }
    static TOOLCHAIN: OnceLock<Result<Toolchain, String>> = OnceLock::new();
    let toolchain = TOOLCHAIN.get_or_init(toolchain::find).clone()?;
    let directories = own_directories(&options.include, &toolchain)?;
    // The compiler is given such a name with `./` in front.
    if source.name.starts_with('-') {
        return Err("the name of the file looks like an option".into());
    }
    let request = Request {
        name: source.name.to_owned(),
        text: source.text.to_owned(),
        toolchain,
        directories,
        definitions: options.define.clone(),
        limits: Limits { bytes: LARGEST_INPUT as usize, ..Limits::default() },
    };
    preprocess_within(request, &mut Disk, budget).map_err(|declined| declined.to_string())
}

/// The directories of `-I`. Compilers drop those that they search anyway, and repeated ones.
fn own_directories(given: &[PathBuf], toolchain: &Toolchain) -> Result<Vec<String>, String> {
    let mut taken: Vec<PathBuf> = toolchain.directories.iter().map(PathBuf::from).collect();
    let mut directories = Vec::new();
    for directory in given {
        let Ok(real) = directory.canonicalize() else { continue };
        if taken.contains(&real) {
            return Err(format!("`{}` is searched twice", directory.display()));
        }
        taken.push(real);
        directories.push(directory.to_str().ok_or("the name of a directory is not UTF-8")?.to_owned());
    }
    Ok(directories)
}

/// The files of this machine.
struct Disk;

impl Files for Disk {
    fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, Declined> {
        let unreadable = || Declined::Missing(path.to_owned());
        // Asked before it is opened: opening something else than a file may wait forever.
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => return Ok(None),
            Ok(metadata) if !metadata.is_file() || metadata.len() > LARGEST_INPUT => return Err(unreadable()),
            Ok(_) => {}
            Err(error) if is_absence(&error) => return Ok(None),
            Err(_) => return Err(unreadable()),
        }
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(LARGEST_INPUT + 1).read_to_end(&mut bytes));
        read.map(|_| Some(bytes)).map_err(|_| unreadable())
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
