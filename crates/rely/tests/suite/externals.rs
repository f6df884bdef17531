//! What users say of functions that their programs do not define.

use crate::support::{Directory, words};

const PROGRAM: &str = "\
#include <assert.h>
#include <pthread.h>
int read_sensor(void);
void notify(int *level);
int level;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *poll(void *unused) {
    pthread_mutex_lock(&m);
    level = read_sensor();
    notify(&level);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, poll, 0);
    pthread_create(&two, 0, poll, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(level >= 0);
}
";

fn check(directory: &Directory, arguments: &[&str]) -> (Option<i32>, String) {
    words(&directory.rely(&[&["check", "-p", "assert"], arguments, &["poll.c"]].concat()))
}

#[test]
fn nobody_says_anything() {
    let directory = Directory::new().with("poll.c", PROGRAM);
    let (code, said) = check(&directory, &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("next say what `notify` does, with `--effect` or in `effects` of rely.toml"),
        "{said}"
    );
}

#[test]
fn what_is_said_decides() {
    let directory = Directory::new().with("poll.c", PROGRAM);
    let reads = ["--effect", "nothing notify(in)"];
    let (code, said) = check(&directory, &[&reads[..], &["--effect", "0..7 read_sensor()"]].concat());
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("externals-do-what-is-described") && !said.contains("externals-touch-only"),
        "{said}"
    );
    // A sensor that may be broken is an input: the violation is one.
    let (code, said) = check(&directory, &[&reads[..], &["--effect", "-1..7 read_sensor()"]].concat());
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("`level` is -1"), "{said}");
    let (code, said) = check(&directory, &[&reads[..], &["--effect", "some read_sensor()"]].concat());
    assert_eq!(code, Some(2), "{said}");
}

#[test]
fn settings_say_it_as_well() {
    let settings = "effects = [\"0..7 read_sensor()\", \"nothing notify(in)\"]\n";
    let directory = Directory::new().with("poll.c", PROGRAM).with("rely.toml", settings);
    assert_eq!(check(&directory, &[]).0, Some(0));
    // Who checks one of several files is told, too.
    let directory = directory.with("other.c", PROGRAM);
    let (code, said) = check(&directory, &["other.c"]);
    assert_eq!(code, Some(0), "{said}");
    directory.write("rely.toml", "effects = [\"read_sensor\"]\n");
    let (code, said) = check(&directory, &[]);
    assert_eq!((code, said.contains("rely.toml:1:12")), (Some(3), true), "{said}");
    assert!(said.contains("RESULT NAME(ARGUMENT, ...)"), "{said}");
}

#[test]
fn what_cannot_be_an_effect_is_said() {
    for (line, why) in [
        ("any two words", "RESULT NAME(ARGUMENT, ...)"),
        ("any two words()", "`two words` is no name of a function"),
        ("perhaps read_sensor()", "`perhaps`"),
        ("any read_sensor(everything)", "`everything`"),
    ] {
        let (code, said) = check(&Directory::new().with("poll.c", PROGRAM), &["--effect", line]);
        assert_eq!((code, said.contains(why)), (Some(3), true), "{said}");
    }
}
