//! Random programs with threads whose schedules make no difference: each is waited for, or locks and atomics make all
//! orders equal.

use crate::generated::Generated;
use crate::random::Random;
use std::fmt::Write;

const RESULTS: usize = 8;

const DECLARATIONS: &str = "void *malloc(unsigned long);\n\
long r@[8]; int total@; _Atomic int count@; volatile int seen@; pthread_mutex_t m@;\n\
struct job@ { int in, out; union { int i; unsigned char b[4]; } u; };\n\
static __thread int own@ = 3;\n\
static void *work@(void *p) { struct job@ *j = p; j->out = j->in * 3 + own@; own@ += 5; j->u.i = j->in << 9; j->u.b[0]++; return j; }\n\
static void *add@(void *p) { pthread_mutex_lock(&m@); total@ += (int)(long)p; pthread_mutex_unlock(&m@); count@++; return 0; }\n\
static void *make@(void *p) { int *a = malloc(2 * sizeof *a); a[0] = (long)p; a[1] = a[0] * a[0]; return a; }\n\
static void *nested@(void *p) { pthread_t t; long n = (long)p; if (n > 0) { pthread_create(&t, 0, nested@, (void *)(n - 1)); \
pthread_join(t, 0); } total@ = total@ * 2 + n; return 0; }\n";

pub(crate) fn generate(seed: u64) -> Generated {
    let mut random = Random::new(seed);
    let mut template = format!("{DECLARATIONS}int main@(void) {{\n");
    // The result of a thread is known if its function runs once.
    let mut kinds = vec![0, 1, 2, 3, 4, 4];
    for index in 0..3 {
        let kind = kinds.swap_remove(random.below(kinds.len()));
        let statement = statement(kind, &mut random).replace("RESULT", &format!("r@[{index}]"));
        writeln!(template, "  {{ {statement} }}").expect("strings take text");
    }
    template.push_str("  r@[5] = total@; r@[6] = count@; r@[7] = own@ + seen@;\n  return 0;\n}\n");
    let cells = (0..RESULTS).map(|index| format!("r@[{index}]")).collect();
    Generated { template, cells: vec![("r".into(), cells)] }
}

fn statement(kind: usize, random: &mut Random) -> String {
    let number = random.below(20);
    match kind {
        0 => format!(
            "struct job@ j = {{ {number} }}; pthread_t t; void *p = 0; pthread_create(&t, 0, work@, &j); pthread_join(t, &p); \
             RESULT = ((struct job@ *)p)->out * 1000 + j.u.i;"
        ),
        1 => format!(
            "pthread_t t, u; pthread_create(&t, 0, add@, (void *){number}L); pthread_create(&u, 0, add@, (void *)2L); \
             add@((void *)1L); pthread_join(t, 0); pthread_join(u, 0); RESULT = total@;"
        ),
        2 => format!(
            "pthread_t t; void *p = 0; pthread_create(&t, 0, make@, (void *){number}L); pthread_join(t, &p); int *a = p; \
             RESULT = a[0] * 1000 + a[1];"
        ),
        3 => format!("nested@((void *){}L); RESULT = total@;", number % 4),
        _ => format!(
            "seen@ = {number}; RESULT = seen@ + seen@; own@ -= {number}; count@ += {number}; RESULT += count@;"
        ),
    }
}
