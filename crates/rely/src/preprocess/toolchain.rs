//! Which compiler the embedded preprocessor has to imitate.
//!
//! It is the one that would run otherwise: the first of the usual names in `PATH`, if that is
//! the distribution's gcc for 64-bit x86 under Linux. Its version and its headers are read off
//! the file system, because asking it takes the time that is to be saved. Whatever is unusual
//! is a reason to ask the compiler after all.

use super::system::USUAL_COMPILERS;
use rely_c_preprocess::{KNOWN_GCC, Toolchain};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Variables that change what a compiler does.
const VARIABLES: [&str; 5] = ["CC", "CPATH", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH"];
/// Where distributions install gcc.
const PROGRAMS: &str = "/usr/bin";
const LIBRARIES: &str = "/usr/lib/gcc";

/// A gcc, by the folder `/usr/lib/gcc/<target>/<version>` that has its headers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Installation {
    target: String,
    version: String,
}

/// The compiler to imitate, or why there is none.
pub(super) fn find() -> Result<Toolchain, String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64", target_pointer_width = "64")) {
        return Err("this is not Linux on 64-bit x86".into());
    }
    let is_set = |variable: &&&str| env::var_os(variable).is_some_and(|value| !value.is_empty());
    if let Some(variable) = VARIABLES.iter().find(is_set) {
        return Err(format!("the environment variable {variable} is set"));
    }
    let program = program().ok_or("there is no C compiler")?;
    if program.parent() != Some(Path::new(PROGRAMS)) {
        return Err(format!("`{}` is not a compiler of the system", program.display()));
    }
    let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let wanted = parse_program(name).ok_or_else(|| format!("`{name}` is not known to be gcc"))?;
    let installations = installations();
    let mut fitting = installations.iter().filter(|installation| wanted.fits(installation));
    match (fitting.next(), fitting.next()) {
        (Some(installation), None) => toolchain(installation),
        (None, _) => Err("the headers of gcc are not found".into()),
        (Some(_), Some(_)) => Err("there are several versions of gcc".into()),
    }
}

/// The compiler that would run, behind all links.
fn program() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let in_path =
        |name: &str| env::split_paths(&path).map(|folder| folder.join(name)).find(|it| it.is_file());
    USUAL_COMPILERS.into_iter().find_map(in_path)?.canonicalize().ok()
}

/// What the name of the program says about the installation.
#[derive(Debug, PartialEq, Eq)]
struct Wanted<'n> {
    target: Option<&'n str>,
    version: Option<&'n str>,
}

impl Wanted<'_> {
    fn fits(&self, installation: &Installation) -> bool {
        self.target.is_none_or(|target| target == installation.target)
            && self.version.is_none_or(|version| version == installation.version)
    }
}

/// `gcc`, `gcc-12` and `x86_64-linux-gnu-gcc-12` are gcc.
fn parse_program(name: &str) -> Option<Wanted<'_>> {
    let at = name.rfind("gcc")?;
    let target = match &name[..at] {
        "" => None,
        target => Some(target.strip_suffix('-')?),
    };
    let version = match &name[at + "gcc".len()..] {
        "" => None,
        version => Some(version.strip_prefix('-')?),
    };
    let is_version = |version: &str| major(version).is_some();
    (version.is_none_or(is_version) && target.is_none_or(is_known_target))
        .then_some(Wanted { target, version })
}

/// Targets with the GNU C library; for others gcc defines other macros.
fn is_known_target(target: &str) -> bool {
    let is_gnu = target.ends_with("-linux-gnu") || target.ends_with("-linux");
    target.starts_with("x86_64-") && is_gnu
}

/// The 12 of `12` and of `12.2.0`.
fn major(version: &str) -> Option<u32> {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
    let major = parts.next()??;
    parts.all(|part| part.is_some()).then_some(major)
}

fn installations() -> Vec<Installation> {
    let mut found = Vec::new();
    for target in names_in(Path::new(LIBRARIES)).into_iter().filter(|target| is_known_target(target)) {
        let folder = Path::new(LIBRARIES).join(&target);
        for version in names_in(&folder).into_iter().filter(|version| major(version).is_some()) {
            let has_headers = folder.join(&version).join("include/stddef.h").is_file();
            // `12` and `12.2.0` may be the same folder.
            let is_link = folder.join(&version).is_symlink();
            if has_headers && !is_link {
                found.push(Installation { target: target.clone(), version });
            }
        }
    }
    found
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

fn toolchain(installation: &Installation) -> Result<Toolchain, String> {
    let Installation { target, version } = installation;
    let major = major(version).filter(|major| KNOWN_GCC.contains(major));
    let major = major.ok_or_else(|| format!("gcc {version} is not known"))?;
    let folder = format!("{LIBRARIES}/{target}/{version}");
    if Path::new(&folder).join("specs").exists() {
        return Err("gcc has been given other specifications".into());
    }
    let mut directories = vec![
        format!("{folder}/include"),
        format!("/usr/local/include/{target}"),
        "/usr/local/include".into(),
    ];
    directories.push(format!("{folder}/include-fixed"));
    directories.push(format!("/usr/{target}/include"));
    // Only Debian and its descendants have headers by target.
    directories.push(format!("/usr/include/{target}"));
    directories.push("/usr/include".into());
    // Nothing is found in an empty one, `/usr/local/include` on most machines.
    directories.retain(|directory| fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some()));
    Ok(Toolchain { major, directories })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_apart() {
        let wanted = |target, version| Some(Wanted { target, version });
        assert_eq!(parse_program("gcc"), wanted(None, None));
        assert_eq!(parse_program("gcc-12"), wanted(None, Some("12")));
        let debian = wanted(Some("x86_64-linux-gnu"), Some("12"));
        assert_eq!(parse_program("x86_64-linux-gnu-gcc-12"), debian);
        for name in [
            "clang",
            "clang-17",
            "ccache",
            "gcc-wrapper",
            "aarch64-linux-gnu-gcc-12",
            "x86_64-linux-musl-gcc",
        ] {
            assert_eq!(parse_program(name), None, "{name}");
        }
    }

    #[test]
    fn versions_have_majors() {
        assert_eq!((major("12"), major("12.2.0"), major("12x"), major("")), (Some(12), Some(12), None, None));
    }
}
