//! Random sequential programs that call: memory of the heap that grows and shrinks, strings, bytes of any number,
//! recursion, functions with any number of arguments, atomics, functions that are given functions, and those of gcc.
//!
//! Each statement leaves its result in a cell of `r`. `k` is zero, which nobody knows beforehand, so sizes with it are
//! no constants.

use crate::generated::Generated;
use crate::random::Random;
use std::fmt::Write;

const RESULTS: usize = 6;

const TEXTS: [&str; 6] = ["", "a", "abc", "b\\xff", "abd", "hello"];

const DECLARATIONS: &str =
    "typedef unsigned long size@; void *malloc(size@), *calloc(size@, size@), *realloc(void *, size@);
void free(void *); void *memcpy(void *, const void *, size@), *memmove(void *, const void *, size@);
void *memset(void *, int, size@); int memcmp(const void *, const void *, size@);
size@ strlen(const char *); char *strcpy(char *, const char *), *strncpy(char *, const char *, size@);
char *strcat(char *, const char *), *strncat(char *, const char *, size@), *strdup(const char *);
int strcmp(const char *, const char *), strncmp(const char *, const char *, size@);
char *strchr(const char *, int), *strrchr(const char *, int); int atoi(const char *);
char *strstr(const char *, const char *), *strpbrk(const char *, const char *); void *memchr(const void *, int, size@);
size@ strspn(const char *, const char *), strcspn(const char *, const char *);
void qsort(void *, size@, size@, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size@, size@, int (*)(const void *, const void *));
volatile int k@; long r@[6]; int x@ = 5; _Atomic long y@ = 7;
struct S@ { char c; short s; int i; long l; };
union U@ { unsigned char b[8]; int i[2]; long l; struct { unsigned lo : 5, mid : 12, hi : 15; } f; };
static int sign@(int n) { return (n > 0) - (n < 0); }
static long fact@(int n) { return n < 2 ? 1 : n * fact@(n - 1); }
static int fib@(int n) { if (n < 2) return n; return fib@(n - 1) + fib@(n - 2); }
static int gcd@(int a, int b) { return b == 0 ? a : gcd@(b, a % b); }
static int odd@(int n); static int even@(int n) { return n == 0 ? 1 : odd@(n - 1); }
static int odd@(int n) { return n == 0 ? 0 : even@(n - 1); }
static int up@(const void *a, const void *b) { return (*(int *)a > *(int *)b) - (*(int *)a < *(int *)b); }
static int down@(const void *a, const void *b) { return up@(b, a); }
static size@ (*length@)(const char *); static int (*compare@)(const char *, const char *) = strcmp;
__builtin_va_list l@;
static long sum@(int n, ...) { long s = 0; __builtin_va_start(l@, n);
  for (int i = 0; i < n; i++) s = s * 3 + (i % 2 ? __builtin_va_arg(l@, long) : __builtin_va_arg(l@, int));
  __builtin_va_end(l@); return s; }
";

pub(crate) fn generate(seed: u64) -> Generated {
    let mut random = Random::new(seed);
    let mut template = format!("{DECLARATIONS}int main@(void) {{\n");
    for index in 0..RESULTS {
        let statement = statement(&mut random).replace("RESULT", &format!("r@[{index}]"));
        writeln!(template, "  {{ {statement} }}").expect("strings take text");
    }
    template.push_str("  return 0;\n}\n");
    let cells = (0..RESULTS).map(|index| format!("r@[{index}]")).collect();
    Generated { template, cells: vec![("r".into(), cells)] }
}

fn statement(random: &mut Random) -> String {
    match random.below(13) {
        0 => heap(random),
        1 => strings(random),
        2 => comparisons(random),
        3 => bytes(random),
        4 => recursion(random),
        5 => variadic(random),
        6 => atomics(random),
        7 => union(random),
        8 => searches(random),
        9 => sorted(random),
        10 => counted(random),
        11 => overflowing(random),
        _ => structures(random),
    }
}

/// A size, sometimes one that is not known beforehand.
fn size(random: &mut Random, least: usize, most: usize) -> (usize, String) {
    let number = least + random.below(most - least + 1);
    let text = if random.chance(60) { format!("{number} + k@") } else { number.to_string() };
    (number, text)
}

fn heap(random: &mut Random) -> String {
    let kind = random.pick(&["char", "short", "int", "unsigned", "long"]);
    let (first, first_text) = size(random, 1, 5);
    let (second, second_text) = size(random, 1, 7);
    let mut text = match random.chance(50) {
        true => format!("{kind} *p = malloc(({first_text}) * sizeof *p);"),
        false => format!("{kind} *p = calloc({first_text}, sizeof *p);"),
    };
    let fill = |from: usize, to: usize| {
        (from..to).map(|i| format!(" p[{i}] = {};", 3 * i as i64 - 4)).collect::<String>()
    };
    text.push_str(&fill(0, first));
    write!(text, " p = realloc(p, ({second_text}) * sizeof *p);").expect("strings take text");
    text.push_str(&fill(first, second));
    write!(text, " RESULT = 1; for (int i = 0; i < {second}; i++) RESULT = RESULT * 5 + p[i]; free(p);")
        .expect("strings take text");
    text
}

fn strings(random: &mut Random) -> String {
    let (one, two) = (random.pick(&TEXTS), random.pick(&TEXTS));
    let (_, count) = size(random, 0, 4);
    let step = match random.below(6) {
        0 => format!("strcat(s, \"{two}\");"),
        1 => format!("strncat(s, \"{two}\", {count});"),
        2 => format!("strncpy(s + 1, \"{two}\", {count}); s[9] = 0;"),
        3 => "char *d = strdup(s); if (d[0]) d[0] ^= 1; strcpy(s, d); free(d);".into(),
        4 => "char *e = strchr(s, 'b'); if (e) *e = 'q';".into(),
        _ => "char *e = strrchr(s, 'l'); if (e) s[0] = e - s;".into(),
    };
    format!(
        "char s[16] = \"{one}\"; {step} RESULT = strlen(s); for (int i = 0; i < 10; i++) RESULT = RESULT * 7 + s[i];"
    )
}

fn comparisons(random: &mut Random) -> String {
    let (one, two) = (random.pick(&TEXTS), random.pick(&TEXTS));
    let (_, count) = size(random, 0, 3);
    let number = random.pick(&["12", "-7", "  3x", "x", "+9"]);
    format!(
        "const char *a = \"{one}\", *b = \"{two}\"; RESULT = sign@(strcmp(a, b)) + 4 * sign@(strncmp(a, b, {count})) \
         + 16 * strlen(a) + 256 * atoi(\"{number}\");"
    )
}

fn searches(random: &mut Random) -> String {
    let (one, two) = (random.pick(&TEXTS), random.pick(&["", "b", "lo", "abc", "xa"]));
    let found = match random.below(6) {
        0 => format!("char *f = strstr(a, \"{two}\"); RESULT = f ? f - a : -1;"),
        1 => format!("char *f = strpbrk(a, \"{two}\"); RESULT = f ? f - a : -1;"),
        2 => format!("char *f = memchr(a, 'b', {} + k@); RESULT = f ? f - a : -1;", random.below(4)),
        3 => format!("RESULT = strspn(a, \"{two}\");"),
        4 => format!("RESULT = strcspn(a, \"{two}\");"),
        _ => format!("length@ = strlen; RESULT = length@(a) + 10 * sign@(compare@(a, \"{two}\"));"),
    };
    format!("char a[8] = \"{one}\"; {found}")
}

fn sorted(random: &mut Random) -> String {
    let order = random.pick(&["up@", "down@"]);
    let values: Vec<String> = (0..4).map(|index| (random.below(9) * 5 + index).to_string()).collect();
    let key = random.pick(&["a[2]", "17", "0"]);
    format!(
        "int a[4] = {{ {} }}, key = {key}; qsort(a, {} + k@, sizeof *a, {order}); int *f = bsearch(&key, a, 4, sizeof *a, \
         {order}); RESULT = f ? f - a : -1; for (int i = 0; i < 4; i++) RESULT = RESULT * 50 + a[i];",
        values.join(", "),
        if random.chance(70) { 4 } else { random.below(4) }
    )
}

fn counted(random: &mut Random) -> String {
    let value = random.pick(&["1", "0x80000000u", "0xf0f0", "12345678", "0x10001000u", "96"]);
    let call = random.pick(&[
        "__builtin_popcount(v)",
        "__builtin_clz(v)",
        "__builtin_ctz(v)",
        "__builtin_ffs(v)",
        "__builtin_bswap32(v)",
        "__builtin_bswap16(v)",
        "__builtin_popcountl(v * 0x100000001ul)",
        "__builtin_clzl(v)",
        "__builtin_ctzll(v * 4096ull)",
        "__builtin_bswap64(v)",
    ]);
    format!("unsigned v = {value} + k@; RESULT = {call};")
}

fn overflowing(random: &mut Random) -> String {
    let op = random.pick(&["add", "sub", "mul"]);
    let ty =
        random.pick(&["signed char", "unsigned char", "short", "int", "unsigned", "long", "unsigned long"]);
    let operand = |random: &mut Random| {
        random.pick(&["x@", "-1", "200", "2147483647", "4294967295u", "65536", "0x7fffffffffffffffl", "k@"])
    };
    let (one, two) = (operand(random), operand(random));
    format!("{ty} t = 3; RESULT = __builtin_{op}_overflow({one}, {two}, &t); RESULT = RESULT * 7 + (long)t;")
}

fn bytes(random: &mut Random) -> String {
    let (_, count) = size(random, 0, 4);
    let step = match random.below(4) {
        0 => format!("memmove(a + 1, a, ({count}) * sizeof *a);"),
        1 => format!("memmove(a, a + 1, ({count}) * sizeof *a);"),
        2 => format!("memset(a, 0x5b, {count});"),
        _ => format!("memcpy(a, b, {count});"),
    };
    let kind = random.pick(&["char", "unsigned char", "short", "int", "long"]);
    format!(
        "{kind} a[6] = {{ 1, 2, 3, -4, 5 }}, b[6] = {{ 7, -8, 9 }}; {step} RESULT = sign@(memcmp(a, b, {count})); \
         for (int i = 0; i < 6; i++) RESULT = RESULT * 3 + a[i];"
    )
}

fn recursion(random: &mut Random) -> String {
    let number = random.below(7);
    match random.below(4) {
        0 => format!("RESULT = fact@({number});"),
        1 => format!("RESULT = fib@({number});"),
        2 => format!("RESULT = gcd@({}, {});", 6 * number + 4, random.below(9) * 4),
        _ => format!("RESULT = even@({number}) * 10 + odd@({number});"),
    }
}

fn variadic(random: &mut Random) -> String {
    let count = random.below(5);
    let arguments: String = (0..count)
        .map(|index| match index % 2 {
            0 => random.pick(&[", 3", ", (char)-2", ", x@", ", (short)9", ", 'c'"]),
            _ => random.pick(&[", 4L", ", -1L", ", (long)x@", ", sizeof(int) + 0L"]),
        })
        .collect();
    format!("RESULT = sum@({count}{arguments});")
}

fn atomics(random: &mut Random) -> String {
    let amount = random.below(9);
    match random.below(5) {
        0 => format!("RESULT = __atomic_fetch_add(&x@, {amount}, 5) * 100 + x@;"),
        1 => format!("RESULT = __sync_bool_compare_and_swap(&x@, {amount}, 3) * 100 + x@;"),
        2 => format!("RESULT = (y@ += {amount}); RESULT = RESULT * 100 + y@--;"),
        3 => format!("RESULT = __atomic_exchange_n(&x@, {amount}, 5) * 10 + __sync_fetch_and_xor(&x@, 6);"),
        _ => format!("k@ = {amount}; RESULT = k@ + k@ * 2; k@ = 0;"),
    }
}

fn union(random: &mut Random) -> String {
    let value = random.pick(&["0x12345678", "-1", "255", "0x80000000u", "0"]);
    let index = random.below(8);
    format!(
        "union U@ u; u.l = 0; u.i[{}] = {value}; u.b[{index}] += 3; u.f.mid = u.f.lo * 5; \
         RESULT = u.l ^ (long)u.i[1] * 7 ^ (u.f.hi + u.b[{}]);",
        index % 2,
        random.below(8)
    )
}

fn structures(random: &mut Random) -> String {
    let (_, count) = size(random, 0, 16);
    let member = random.pick(&["c", "s", "i", "l"]);
    format!(
        "struct S@ a = {{ 1, -2, 3, -4 }}, b = {{ 5, 6, -7, 8 }}, *p = &b; memcpy(p, &a, {count}); a = *p; \
         p->{member} += 2; RESULT = a.c + 10 * a.s + 100 * a.i + 1000 * a.l + 5 * p->{member};"
    )
}
