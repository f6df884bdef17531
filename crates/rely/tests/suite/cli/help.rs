//! What the command says about itself, and what the README and the book say about it.

use super::*;

#[test]
fn the_version_is_named() {
    let text = told(&Directory::new().rely(&["--version"]));
    assert!(text.starts_with(&format!("exit code 0\nrely {}", env!("CARGO_PKG_VERSION"))), "{text}");
}

#[test]
fn the_help_explains_itself() {
    let help = |arguments: &[&str]| told(&Directory::new().rely(arguments));
    expect![[r#"
        exit code 0
        Proves or refutes properties of multi-threaded programs, and shows why

        Usage: rely [OPTIONS] <COMMAND>

        Commands:
          check        Decide whether programs have the properties that they claim
          certify      Check a proof that was written down, from the program and the file alone
          validate     Check the witness of any verifier: confirm it, refute it by a run, or say why not
          show         Print the program that the engines see
          run          Run a program once, under a random or a given schedule
          horn         Solve Horn clauses
          export       Write the Horn clauses of a proof rule for a program
          fmt          Lay out .rely models in the standard way
          bench        Measure engines on many programs, beside the figures of the papers
          completions  Print a completion script for a shell
          man          Print the manual page
          help         Print this message or the help of the given subcommand(s)

        Options:
              --color <WHEN>  Whether to use colours; `auto` uses them on a terminal unless NO_COLOR is set
                              [default: auto] [possible values: auto, always, never]
          -h, --help          Print help
          -V, --version       Print version

        Exit codes:
          0    every property holds, or has nothing to check
          1    a property is violated
          2    unknown: neither shown nor refuted
          3    the input or the command line is wrong
          4    internal failure
          5    the input uses something that is not supported
          130  stopped by Ctrl-C
        Of several results the worst decides, in the order 4, 3, 5, 1, 2, 0.

        Examples:
          rely check examples/peterson.c
          rely check --property deadlock examples/lock-order.c
          rely run --seed 7 examples/racy-counter.c
          rely show --format dot model.rely | dot -Tsvg > model.svg
          rely horn examples/horn/mccarthy-91.smt2
          rely bench papers
    "#]]
    .assert_eq(&help(&["--help"]));
    expect![[r#"
        exit code 0
        Decide whether programs have the properties that they claim

        Usage: rely check [OPTIONS] [FILE]...

        Arguments:
          [FILE]...  C programs (.c, preprocessed .i) or models (.rely), directories, patterns like
                     `src/**/*.c`; `-` reads standard input; without any, the `files` of rely.toml

        Options:
              --color <WHEN>                    Whether to use colours; `auto` uses them on a terminal
                                                unless NO_COLOR is set [default: auto] [possible values:
                                                auto, always, never]
              --program                         The files are one C program; `compile_commands.json` stands
                                                for the files that it lists, with their options
          -p, --property <PROPERTY>             What to decide; without it, C programs are checked for
                                                `assert`, `deadlock`, `race` and `memory`, models for
                                                `assert` and what they declare [possible values: assert,
                                                race, deadlock, termination, fair-termination, overflow,
                                                memory]
              --fair                            With `--property termination`: only fair runs count, in
                                                which no thread that could always go on is left out for ever
          -e, --engine <ENGINE>                 How to decide it [default: portfolio] [possible values:
                                                portfolio, explore, rely-guarantee, owicki-gries, reduction,
                                                rule-safety, deductive, parameterized, houdini, termination,
                                                helping]
              --bias <BIAS>                     Which predicates rely-guarantee reasoning looks for first
                                                [default: modular] [possible values: modular, none]
              --sections <SECTIONS>             How critical sections (what is done under a lock) are
                                                executed; for witnesses always interleaved [default: atomic]
                                                [possible values: atomic, interleaved]
              --trust <TRUST>                   What a proof may rely on that nobody has checked, besides
                                                the front end, the semantics and the checker [default:
                                                fewest-passes] [possible values: passes, fewest-passes,
                                                none]
              --timeout <S>                     Give up on a file after this many seconds, shared by its
                                                properties; 0 means never [default: 60, of several files 20
                                                each]
              --memory <MB>                     Give up when the process holds more than this many megabytes
                                                [default: three quarters of the machine's memory, shared by
                                                the files that are checked at the same time]
          -j, --jobs <N>                        Of several files, check this many at the same time [default:
                                                as many as there are processors]
              --fail-fast                       Of several files, check no more once one is found to be
                                                unsafe
              --strict                          Do not call safe what visibly touches an assumption: it is
                                                unknown then
              --baseline <FILE.json>            Findings that this JSON report has are known: they are
                                                shown, but do not count
              --config <FILE.toml>              Where the settings of a project are, instead of in rely.toml
                                                of the current directory
              --no-cache                        Neither look into the cache of results nor write there
          -q, --quiet                           Do not tell about progress
              --limit <NAME=N>                  Another value for one of the limits that `--verbose` lists,
                                                for experiments
              --verbose                         Print the limits of the engines, too
              --format <FORMAT>                 How to print the result [default: text] [possible values:
                                                text, json, sarif, junit, lines]
              --trace[=<HOW>]                   How much to tell of the run of a violation; `--trace` alone
                                                means `steps` [default: every statement, of long runs the
                                                essential ones] [possible values: essential, statements,
                                                steps]
              --explain                         Say in sentences why: who got in whose way, what makes a
                                                proof work, where it got stuck
              --all                             With `--property race`: say of every two conflicting
                                                accesses whether they race, grouped by variable
              --proof[=<HOW>]                   Print the proof: what holds where, and what each thread does
                                                to the others; `--proof` alone means `short`, and unless
                                                properties are named it is that of `assert` [possible
                                                values: short, full]
              --certificate <FILE>              Write the proof to a file that `rely certify` can check
              --export-obligations <FILE.smt2>  Write the obligations of the proof as SMT-LIB; every answer
                                                must be `unsat`
              --witness <FILE>                  Write a witness that other verifiers can check: `.yml` for
                                                proofs and violations, `.graphml` for violations
              --solver <COMMAND>                Let another solver confirm the proof: `z3`, `cvc5` or any
                                                command that reads SMT-LIB
              --reproducer <DIR>                Write the violation of a C program as a program that gcc
                                                compiles and that fails in every run, or say why there is
                                                none
              --report <FILE.html>              Write everything into one HTML page: the run of a violation
                                                step by step, the proof of a `safe`
              --lang <LANG>                     The language, where the name of the file does not tell it
                                                [possible values: c, i, rely]
          -I <DIR>                              A directory in which the C preprocessor looks for headers
          -D <NAME[=VALUE]>                     A definition for the C preprocessor, as in `-D N=3`
              --include-file <FILE>             A file that the C preprocessor reads in front of every
                                                other, as `gcc -include` does
              --std <STANDARD>                  The C standard that the C preprocessor is told, as `gcc
                                                -std` is
          -m <BITS>                             As for gcc: only `-m64`, which is the default, is supported
              --preprocessor <WHICH>            Which C preprocessor runs [default: auto] [possible values:
                                                auto, embedded, system]
              --externals <HOW>                 What becomes of C functions and variables that are neither
                                                defined nor known [default: assume] [possible values:
                                                assume, refuse]
              --effect <EFFECT>                 What a C function does that is not defined: RESULT
                                                NAME(ARGUMENT, ...), as in `0..7 read_sensor(-)`; see the
                                                chapter about functions of the library
              --effects <FILE>                  A table of what C functions do that are not defined; the
                                                book describes it
              --entry <FUNCTION>                The C files are a library: any number of threads call this
                                                function, and others that are given
              --setup <FUNCTION>                With --entry: a function that is called once, before the
                                                threads start
          -h, --help                            Print help (see more with '--help')
          -V, --version                         Print version

        A violation is shown as a table of the interleaving: one column per thread, with the lines of
        the source and the values that were written. `safe` and `unsafe` are only printed after the evidence
        was checked independently of the engine that found it.

        Examples:
          rely check examples/peterson.c
          rely check examples/
          rely check -j 4 --fail-fast 'src/**/*.c'
          rely check --property assert,deadlock examples/*.c
          rely check --timeout 0 --format json model.rely
          rely check --baseline known.json --strict src/
          rely check --report report.html examples/racy-counter.c
    "#]]
    .assert_eq(&help(&["check", "-h"]));
    expect![[r#"
        exit code 0
        Run a program once, under a random or a given schedule

        Usage: rely run [OPTIONS] <FILE>...

        Arguments:
          <FILE>...  A C program, which may have several files, or a model; `-` reads standard input

        Options:
              --color <WHEN>          Whether to use colours; `auto` uses them on a terminal unless NO_COLOR
                                      is set [default: auto] [possible values: auto, always, never]
              --seed <N>              Makes the same random choices every time; without it they differ
              --schedule <THREADS>    Which thread moves when, as in `A,B*3,A`
              --steps <N>             Stop after this many steps [default: 200]
              --trace[=<HOW>]         How much to tell; `--trace` alone means `steps` [default: statements]
                                      [possible values: essential, statements, steps]
              --lang <LANG>           The language, where the name of the file does not tell it [possible
                                      values: c, i, rely]
          -I <DIR>                    A directory in which the C preprocessor looks for headers
          -D <NAME[=VALUE]>           A definition for the C preprocessor, as in `-D N=3`
              --include-file <FILE>   A file that the C preprocessor reads in front of every other, as `gcc
                                      -include` does
              --std <STANDARD>        The C standard that the C preprocessor is told, as `gcc -std` is
          -m <BITS>                   As for gcc: only `-m64`, which is the default, is supported
              --preprocessor <WHICH>  Which C preprocessor runs [default: auto] [possible values: auto,
                                      embedded, system]
              --externals <HOW>       What becomes of C functions and variables that are neither defined nor
                                      known [default: assume] [possible values: assume, refuse]
              --effect <EFFECT>       What a C function does that is not defined: RESULT NAME(ARGUMENT,
                                      ...), as in `0..7 read_sensor(-)`; see the chapter about functions of
                                      the library
              --effects <FILE>        A table of what C functions do that are not defined; the book
                                      describes it
              --entry <FUNCTION>      The C files are a library: any number of threads call this function,
                                      and others that are given
              --setup <FUNCTION>      With --entry: a function that is called once, before the threads start
          -h, --help                  Print help (see more with '--help')
          -V, --version               Print version

        A schedule names the thread that moves next: `A,B*3,A` lets A make one step, B three and A one
        more. Threads that were created from one template are named with their number, as in `worker#3`.
        The run stops at a violation (exit code 1), when every thread has ended or none can move, at the
        end of the schedule, or after the given number of steps.

        Examples:
          rely run examples/racy-counter.c
          rely run --seed 7 --steps 50 model.rely
          rely run --schedule 'T0*2,T1*5' model.rely
    "#]]
    .assert_eq(&help(&["run", "-h"]));
    for command in ["check", "certify", "show", "run", "horn", "export", "fmt", "bench", "completions"] {
        assert!(help(&[command, "--help"]).contains("Examples:"), "{command}");
    }
}

/// The commands and options that the book shows exist.
#[test]
fn the_book_names_what_exists() {
    let book = std::fs::read_to_string(root().join("docs/src/command-line.md")).expect("the page exists");
    let help: String =
        [&["--help"][..], &["check", "--help"], &["show", "--help"], &["run", "--help"], &["fmt", "--help"]]
            .into_iter()
            .map(|arguments| told(&Directory::new().rely(arguments)))
            .collect();
    let words = book.split(|c: char| c.is_whitespace() || "`|,;().".contains(c));
    let named: Vec<&str> = words.filter(|word| word.starts_with("--") && !word.ends_with('-')).collect();
    assert!(named.len() > 10, "{named:?}");
    for word in named {
        let word = word.split('=').next().unwrap_or(word);
        assert!(help.contains(word), "the book names {word}, the help does not");
    }
}
