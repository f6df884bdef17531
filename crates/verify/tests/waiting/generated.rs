//! Random C programs whose threads wait for each other: for mutexes, conditions, semaphores, barriers, the ends of threads,
//! and in loops. All of them have few states. Most are nearly right: a signal is missing, or a lock is taken in the
//! other order, or a wait stands behind an `if`.

use rely_base::Random;
use std::fmt::Write;

const DECLARATIONS: &str = "\
typedef unsigned long pthread_t;
typedef union { char size[40]; } pthread_mutex_t;
typedef union { char size[48]; } pthread_cond_t;
typedef union { char size[32]; } pthread_barrier_t;
typedef union { char size[32]; } sem_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int pthread_cond_signal(pthread_cond_t *);
int pthread_cond_broadcast(pthread_cond_t *);
int pthread_barrier_init(pthread_barrier_t *, const void *, unsigned);
int pthread_barrier_wait(pthread_barrier_t *);
int sem_init(sem_t *, int, unsigned);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_post(sem_t *);
void exit(int);
_Bool __VERIFIER_nondet_bool(void);
pthread_mutex_t m, n;
pthread_cond_t c;
pthread_barrier_t b;
sem_t s, r;
pthread_t t[3];
int f, g;
";

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let threads = 1 + random.below(3);
    // The rarer kinds of waiting are not in every program, which keeps most of them small.
    let kinds = [(); KINDS].map(|()| random.percent(45));
    let mut writer = Writer { random, text: String::from(DECLARATIONS), threads, kinds, indent: 1 };
    for thread in 0..threads {
        let _ = writeln!(writer.text, "void *run{thread}(void *unused) {{");
        for _ in 0..1 + writer.random.below(3) {
            writer.statement(2);
        }
        writer.text.push_str("    return 0;\n}\n");
    }
    writer.main();
    writer.text
}

const KINDS: usize = 7;

struct Writer {
    random: Random,
    text: String,
    threads: usize,
    /// Which kinds of statements the program has.
    kinds: [bool; KINDS],
    indent: usize,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:width$}{line}", "", width = 4 * self.indent);
    }

    fn pick(&mut self, choices: &[&'static str]) -> &'static str {
        self.random.pick::<&'static str>(choices)
    }

    fn main(&mut self) {
        self.text.push_str("int main(void) {\n");
        let (first, second) = (self.random.below(3), self.random.below(2));
        let parties = 1 + self.random.below(self.threads + 1);
        self.line(&format!("sem_init(&s, 0, {first});"));
        self.line(&format!("sem_init(&r, 0, {second});"));
        self.line(&format!("pthread_barrier_init(&b, 0, {parties});"));
        for thread in 0..self.threads {
            self.line(&format!("pthread_create(&t[{thread}], 0, run{thread}, 0);"));
        }
        for _ in 0..self.random.below(3) {
            self.statement(1);
        }
        for thread in 0..self.threads {
            if self.random.percent(90) {
                self.line(&format!("pthread_join(t[{thread}], 0);"));
            }
        }
        self.text.push_str("    return 0;\n}\n");
    }

    /// A statement with blocks inside of blocks so deep at most.
    fn statement(&mut self, depth: usize) {
        match self.random.below(16) {
            0..=3 if depth > 0 => self.section(depth),
            4..=5 if self.kinds[0] => self.condition(),
            6 if self.kinds[0] => self.signal(),
            7..=8 if self.kinds[1] => self.semaphore(),
            9 if self.kinds[2] => self.line("pthread_barrier_wait(&b);"),
            10 if self.kinds[3] => self.spin(),
            11 if self.kinds[4] && depth > 0 => self.repeated(depth),
            12 if depth > 0 => self.branch(depth),
            13 if self.kinds[5] => self.tried(),
            14 if self.kinds[6] => self.rare(),
            _ => {
                let line = self.pick(&["f = 1;", "f = 1;", "g = 1;", "g = 1;", "f = 0;", "g = !g;"]);
                self.line(line);
            }
        }
    }

    fn inner(&mut self, depth: usize) {
        self.indent += 1;
        self.statement(depth - 1);
        self.indent -= 1;
    }

    /// A lock, what is done under it, and mostly its end.
    fn section(&mut self, depth: usize) {
        let lock = self.pick(&["m", "n"]);
        self.line(&format!("pthread_mutex_lock(&{lock});"));
        for _ in 0..1 + self.random.below(2) {
            self.statement(depth - 1);
        }
        match self.random.below(14) {
            0 => self.line(&format!("if (f) pthread_mutex_unlock(&{lock});")),
            1 => {}
            _ => self.line(&format!("pthread_mutex_unlock(&{lock});")),
        }
    }

    fn condition(&mut self) {
        let test = self.pick(&["while (!f)", "while (!f)", "while (!g)", "if (!f)", "if (!g)", ""]);
        self.line("pthread_mutex_lock(&m);");
        self.line(&format!("{test} pthread_cond_wait(&c, &m);"));
        self.line("pthread_mutex_unlock(&m);");
    }

    fn signal(&mut self) {
        let is_locked = self.random.percent(80);
        if is_locked {
            self.line("pthread_mutex_lock(&m);");
        }
        let change = self.pick(&["f = 1; ", "f = 1; ", "g = 1; ", ""]);
        let how = self.pick(&["signal", "broadcast"]);
        self.line(&format!("{change}pthread_cond_{how}(&c);"));
        if is_locked {
            self.line("pthread_mutex_unlock(&m);");
        }
    }

    fn semaphore(&mut self) {
        let line = self.pick(&[
            "sem_wait(&s);",
            "sem_wait(&s);",
            "sem_wait(&r);",
            "sem_post(&s);",
            "sem_post(&r);",
            "sem_wait(&s); f = 1; sem_post(&s);",
            "if (sem_trywait(&s) == 0) sem_post(&r);",
        ]);
        self.line(line);
    }

    fn spin(&mut self) {
        let line = self.pick(&["while (!f) ;", "while (!g) ;", "while (f) g = !g;", "while (f != g) ;"]);
        self.line(line);
    }

    fn repeated(&mut self, depth: usize) {
        let head = self.pick(&[
            "for (int i = 0; i < 2; i++) {",
            "for (int i = 2; i > 0; i--) {",
            "while (!g) {",
            "while (__VERIFIER_nondet_bool()) {",
            "while (1) {",
        ]);
        self.line(head);
        self.inner(depth);
        self.line("}");
    }

    fn branch(&mut self, depth: usize) {
        let head = self.pick(&["if (f) {", "if (!g) {", "if (__VERIFIER_nondet_bool()) {"]);
        self.line(head);
        self.inner(depth);
        if self.random.percent(40) {
            self.line("} else {");
            self.inner(depth);
        }
        self.line("}");
    }

    /// Locks that are tried, once or until it works.
    fn tried(&mut self) {
        let lines: &[&str] = match self.random.below(3) {
            0 => &["if (pthread_mutex_trylock(&n) == 0) pthread_mutex_unlock(&n);"],
            1 => &["while (pthread_mutex_trylock(&n) != 0) ;", "pthread_mutex_unlock(&n);"],
            _ => &[
                "pthread_mutex_lock(&m);",
                "while (pthread_mutex_trylock(&n) != 0) {",
                "    pthread_mutex_unlock(&m);",
                "    pthread_mutex_lock(&m);",
                "}",
                "pthread_mutex_unlock(&n);",
                "pthread_mutex_unlock(&m);",
            ],
        };
        lines.iter().for_each(|line| self.line(line));
    }

    fn rare(&mut self) {
        let thread = self.random.below(self.threads);
        match self.random.below(4) {
            0 => self.line("exit(0);"),
            1 => self.line("if (f) exit(0);"),
            _ => self.line(&format!("pthread_join(t[{thread}], 0);")),
        }
    }
}
