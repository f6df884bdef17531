//! What gcc defines for C11 with GNU extensions on 64-bit x86 under Linux, before a program
//! begins.
//!
//! The facts are those that headers and programs ask for, and that do not depend on how the
//! compiler was built: sizes and limits of types, the names of the platform, the orders of
//! atomic operations. For everything else that *looks* as if a compiler defined it, the answer
//! is not "undefined" but "not known here", and the compiler's own preprocessor has to say.

use crate::macros::{Definition, Special};

/// No compiler has had a larger minor version since the major one counts releases.
const LARGEST_MINOR_VERSION: i64 = 30;

/// Macros with one text for every supported compiler, as `name value`.
const MACROS: &str = "\
__STDC__ 1
__STDC_VERSION__ 201112L
__STDC_HOSTED__ 1
__STDC_UTF_16__ 1
__STDC_UTF_32__ 1
__GNUC_STDC_INLINE__ 1
__NO_INLINE__ 1
__CHAR_BIT__ 8
__ELF__ 1
__linux 1
__linux__ 1
linux 1
__gnu_linux__ 1
__unix 1
__unix__ 1
unix 1
__x86_64 1
__x86_64__ 1
__amd64 1
__amd64__ 1
_LP64 1
__LP64__ 1
__MMX__ 1
__SSE__ 1
__SSE2__ 1
__FXSR__ 1
__SSE_MATH__ 1
__SSE2_MATH__ 1
__code_model_small__ 1
__REGISTER_PREFIX__
__USER_LABEL_PREFIX__
__FINITE_MATH_ONLY__ 0
__BIGGEST_ALIGNMENT__ 16
__ORDER_LITTLE_ENDIAN__ 1234
__ORDER_BIG_ENDIAN__ 4321
__ORDER_PDP_ENDIAN__ 3412
__BYTE_ORDER__ __ORDER_LITTLE_ENDIAN__
__FLOAT_WORD_ORDER__ __ORDER_LITTLE_ENDIAN__
__PRAGMA_REDEFINE_EXTNAME 1
__GCC_HAVE_DWARF2_CFI_ASM 1
__GCC_ASM_FLAG_OUTPUTS__ 1
__GCC_IEC_559 2
__GCC_IEC_559_COMPLEX 2
__ATOMIC_RELAXED 0
__ATOMIC_CONSUME 1
__ATOMIC_ACQUIRE 2
__ATOMIC_RELEASE 3
__ATOMIC_ACQ_REL 4
__ATOMIC_SEQ_CST 5
__SIZE_TYPE__ long unsigned int
__PTRDIFF_TYPE__ long int
__WCHAR_TYPE__ int
__WINT_TYPE__ unsigned int
__INTMAX_TYPE__ long int
__UINTMAX_TYPE__ long unsigned int
__INTPTR_TYPE__ long int
__UINTPTR_TYPE__ long unsigned int
__CHAR16_TYPE__ short unsigned int
__CHAR32_TYPE__ unsigned int
__SIG_ATOMIC_TYPE__ int
__SIG_ATOMIC_MIN__ (-__SIG_ATOMIC_MAX__ - 1)
__WCHAR_MIN__ (-__WCHAR_MAX__ - 1)
__WINT_MIN__ 0U
__FLT_RADIX__ 2
__FLT_EVAL_METHOD__ 0
__FLT_EVAL_METHOD_TS_18661_3__ 0
__DEC_EVAL_METHOD__ 2
__DECIMAL_DIG__ 21
__DECIMAL_BID_FORMAT__ 1
__DEC32_MANT_DIG__ 7
__DEC32_MIN_EXP__ (-94)
__DEC32_MAX_EXP__ 97
__DEC32_MAX__ 9.999999E96DF
__DEC32_MIN__ 1E-95DF
__DEC32_EPSILON__ 1E-6DF
__DEC32_SUBNORMAL_MIN__ 0.000001E-95DF
__DEC64_MANT_DIG__ 16
__DEC64_MIN_EXP__ (-382)
__DEC64_MAX_EXP__ 385
__DEC64_MAX__ 9.999999999999999E384DD
__DEC64_MIN__ 1E-383DD
__DEC64_EPSILON__ 1E-15DD
__DEC64_SUBNORMAL_MIN__ 0.000000000000001E-383DD
__DEC128_MANT_DIG__ 34
__DEC128_MIN_EXP__ (-6142)
__DEC128_MAX_EXP__ 6145
__DEC128_MAX__ 9.999999999999999999999999999999999E6144DL
__DEC128_MIN__ 1E-6143DL
__DEC128_EPSILON__ 1E-33DL
__DEC128_SUBNORMAL_MIN__ 0.000000000000000000000000000000001E-6143DL
";

/// `__SIZEOF_name__`
const SIZES: &[(&str, u32)] = &[
    ("SHORT", 2),
    ("INT", 4),
    ("LONG", 8),
    ("LONG_LONG", 8),
    ("FLOAT", 4),
    ("DOUBLE", 8),
    ("LONG_DOUBLE", 16),
    ("POINTER", 8),
    ("SIZE_T", 8),
    ("PTRDIFF_T", 8),
    ("WCHAR_T", 4),
    ("WINT_T", 4),
    ("INT128", 16),
    ("FLOAT80", 16),
    ("FLOAT128", 16),
];

/// `__name_MAX__` and `__name_WIDTH__` of signed types, with the suffix of their constants.
const SIGNED_TYPES: &[(&str, u32, &str)] = &[
    ("SCHAR", 8, ""),
    ("SHRT", 16, ""),
    ("INT", 32, ""),
    ("LONG", 64, "L"),
    ("LONG_LONG", 64, "LL"),
    ("WCHAR", 32, ""),
    ("PTRDIFF", 64, "L"),
    ("SIG_ATOMIC", 32, ""),
    ("INTMAX", 64, "L"),
    ("INTPTR", 64, "L"),
];

/// The types of `<stdint.h>` by width: the name, its prefix of constants, and the suffix.
const EXACT_TYPES: &[(u32, &str, &str)] =
    &[(8, "signed char", ""), (16, "short int", ""), (32, "int", ""), (64, "long int", "L")];

/// The properties of floating-point types, in the order of [`FLOAT_PROPERTIES`].
const FLOATS: &[(&str, [i32; 7])] = &[
    ("FLT", [24, 6, -125, 128, -37, 38, 9]),
    ("DBL", [53, 15, -1021, 1024, -307, 308, 17]),
    ("LDBL", [64, 18, -16381, 16384, -4931, 4932, 21]),
];
const FLOAT_PROPERTIES: [&str; 7] =
    ["MANT_DIG", "DIG", "MIN_EXP", "MAX_EXP", "MIN_10_EXP", "MAX_10_EXP", "DECIMAL_DIG"];

/// The limits of floating-point types: largest, smallest normal, smallest, and the precision.
const FLOAT_LIMITS: &[(&str, [&str; 4], &str, &str)] = &[
    (
        "FLT",
        [
            "3.40282346638528859811704183484516925e+38",
            "1.17549435082228750796873653722224568e-38",
            "1.40129846432481707092372958328991613e-45",
            "1.19209289550781250000000000000000000e-7",
        ],
        "",
        "F",
    ),
    (
        "DBL",
        [
            "1.79769313486231570814527423731704357e+308",
            "2.22507385850720138309023271733240406e-308",
            "4.94065645841246544176568792868221372e-324",
            "2.22044604925031308084726333618164062e-16",
        ],
        "((double)",
        "L)",
    ),
    (
        "LDBL",
        [
            "1.18973149535723176502126385303097021e+4932",
            "3.36210314311209350626267781732175260e-4932",
            "3.64519953188247460252840593361941982e-4951",
            "1.08420217248550443400745280086994171e-19",
        ],
        "",
        "L",
    ),
];

/// `__GCC_ATOMIC_name_LOCK_FREE`
const LOCK_FREE: &[&str] =
    &["BOOL", "CHAR", "CHAR16_T", "CHAR32_T", "WCHAR_T", "SHORT", "INT", "LONG", "LLONG", "POINTER"];

/// Names that end like a compiler's macros and are none, neither defined nor reserved for it:
/// what headers ask for and other compilers, languages or options define, and the names of
/// machine modes.
const NOT_DEFINED: &[&str] = &[
    "__ASSEMBLER__",
    "__ASSEMBLY__",
    "__BEOS__",
    "__BSD_NET2__",
    "____386BSD____",
    "__CUDACC__",
    "__CYGWIN__",
    "__MINGW32__",
    "__MSDOS__",
    "__APPLE__",
    "__WIN32__",
    "__INTEL_COMPILER__",
    "__KERNEL__",
    "__NO_MATH_ERRNO__",
    "__CHECKER__",
    "__GNU__",
    "__SUPPORT_SNAN__",
    "__VMS__",
    "__STDC_WANT_IEC_60559_DFP_EXT__",
    "__GXX_EXPERIMENTAL_CXX0X__",
    "__GNUC_VA_LIST",
    "__SIZE_T__",
    "__SIZE_T",
    "__WCHAR_T__",
    "__WCHAR_T",
    "__i386__",
    "__i386",
    "__STRICT_ANSI__",
    "__OPTIMIZE__",
    "__OPTIMIZE_SIZE__",
    "__FAST_MATH__",
    "__CHAR_UNSIGNED__",
    "__ILP32__",
    "__GNUG__",
    "__GNUC_GNU_INLINE__",
    "__STDC_NO_ATOMICS__",
    "__STDC_NO_THREADS__",
    "__STDC_NO_COMPLEX__",
    "__STDC_NO_VLA__",
    "__STDC_WANT_IEC_60559_BFP_EXT__",
    "__STDC_WANT_IEC_60559_TYPES_EXT__",
    "__STDC_WANT_IEC_60559_FUNCS_EXT__",
    "__STDC_WANT_IEC_60559_EXT__",
    "__STDC_WANT_LIB_EXT1__",
    "__STDC_WANT_LIB_EXT2__",
    "__STDC_WANT_DEC_FP__",
    "__FUNCTION__",
    "__PRETTY_FUNCTION__",
    "__QI__",
    "__HI__",
    "__SI__",
    "__DI__",
    "__TI__",
    "__SF__",
    "__DF__",
    "__XF__",
    "__TF__",
    "__SC__",
    "__DC__",
    "__XC__",
    "__TC__",
];

/// The predefined macros, as the directives that would define them.
pub(crate) fn definitions(gcc: u32) -> String {
    use std::fmt::Write;
    let mut text = String::with_capacity(1 << 14);
    let mut define = |name: &str, value: &str| {
        writeln!(text, "#define {name} {value}").expect("a string can be written to");
    };
    for line in MACROS.lines() {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        define(name, value);
    }
    define("__GNUC__", &gcc.to_string());
    for (name, size) in SIZES {
        define(&format!("__SIZEOF_{name}__"), &size.to_string());
    }
    for (name, width, suffix) in SIGNED_TYPES {
        define(&format!("__{name}_MAX__"), &largest(*width, true, suffix));
        define(&format!("__{name}_WIDTH__"), &width.to_string());
    }
    define("__SIZE_MAX__", &largest(64, false, "UL"));
    define("__UINTMAX_MAX__", &largest(64, false, "UL"));
    define("__UINTPTR_MAX__", &largest(64, false, "UL"));
    define("__WINT_MAX__", &largest(32, false, "U"));
    define("__SIZE_WIDTH__", "64");
    define("__WINT_WIDTH__", "32");
    define("__INTMAX_C(c)", "c ## L");
    define("__UINTMAX_C(c)", "c ## UL");
    for name in LOCK_FREE {
        define(&format!("__GCC_ATOMIC_{name}_LOCK_FREE"), "2");
    }
    define("__GCC_ATOMIC_TEST_AND_SET_TRUEVAL", "1");
    for size in [1, 2, 4, 8] {
        define(&format!("__GCC_HAVE_SYNC_COMPARE_AND_SWAP_{size}"), "1");
    }
    define_exact_types(&mut define);
    define_floats(&mut define);
    text
}

fn largest(width: u32, is_signed: bool, suffix: &str) -> String {
    let bits = if is_signed { width - 1 } else { width };
    format!("{:#x}{suffix}", (1_u128 << bits) - 1)
}

fn define_exact_types(define: &mut impl FnMut(&str, &str)) {
    for (width, name, suffix) in EXACT_TYPES {
        let unsigned_name = match *width {
            8 => "unsigned char".to_owned(),
            32 => "unsigned int".to_owned(),
            _ => name.replace(" int", " unsigned int"),
        };
        let unsigned_suffix = if *width < 32 { String::new() } else { format!("U{suffix}") };
        let paste = |suffix: &str| if suffix.is_empty() { "c".to_owned() } else { format!("c ## {suffix}") };
        define(&format!("__INT{width}_C(c)"), &paste(suffix));
        define(&format!("__UINT{width}_C(c)"), &paste(&unsigned_suffix));
        let least = |define: &mut dyn FnMut(&str, &str), kind: &str| {
            define(&format!("__INT{kind}{width}_TYPE__"), name);
            define(&format!("__UINT{kind}{width}_TYPE__"), &unsigned_name);
            define(&format!("__INT{kind}{width}_MAX__"), &largest(*width, true, suffix));
            define(&format!("__UINT{kind}{width}_MAX__"), &largest(*width, false, &unsigned_suffix));
        };
        least(define, "");
        least(define, "_LEAST");
        define(&format!("__INT_LEAST{width}_WIDTH__"), &width.to_string());
        // The fast types are bytes or words.
        let is_byte = *width == 8;
        define(&format!("__INT_FAST{width}_TYPE__"), if is_byte { name } else { "long int" });
        let unsigned = if is_byte { unsigned_name.as_str() } else { "long unsigned int" };
        define(&format!("__UINT_FAST{width}_TYPE__"), unsigned);
        let fast = if is_byte { 8 } else { 64 };
        let (suffix, unsigned_suffix) = if is_byte { ("", "") } else { ("L", "UL") };
        define(&format!("__INT_FAST{width}_MAX__"), &largest(fast, true, suffix));
        define(&format!("__UINT_FAST{width}_MAX__"), &largest(fast, false, unsigned_suffix));
        define(&format!("__INT_FAST{width}_WIDTH__"), &fast.to_string());
    }
}

fn define_floats(define: &mut impl FnMut(&str, &str)) {
    for (name, values) in FLOATS {
        for (property, &value) in FLOAT_PROPERTIES.into_iter().zip(values) {
            let text = if value < 0 { format!("({value})") } else { value.to_string() };
            define(&format!("__{name}_{property}__"), &text);
        }
        for property in ["HAS_DENORM", "HAS_INFINITY", "HAS_QUIET_NAN"] {
            define(&format!("__{name}_{property}__"), "1");
        }
    }
    for (name, values, before, behind) in FLOAT_LIMITS {
        for (limit, value) in ["MAX", "MIN", "DENORM_MIN", "EPSILON"].into_iter().zip(values) {
            define(&format!("__{name}_{limit}__"), &format!("{before}{value}{behind}"));
        }
    }
}

/// What a name means unless there is a `#define` for it.
pub(crate) fn unless_defined(name: &[u8], gcc: u32) -> Definition {
    if !name.starts_with(b"_") {
        return match name {
            b"i386" => Definition::Doubtful,
            _ => Definition::None,
        };
    }
    match name {
        b"__LINE__" => Definition::Special(Special::Line),
        b"__FILE__" => Definition::Special(Special::File),
        b"__COUNTER__" => Definition::Special(Special::Counter),
        b"__has_include" => Definition::Special(Special::HasInclude),
        b"__has_attribute" | b"__has_cpp_attribute" => Definition::Special(Special::HasFeature),
        b"__has_builtin" if gcc >= 10 => Definition::Special(Special::HasFeature),
        b"__has_c_attribute" if gcc >= 11 => Definition::Special(Special::HasFeature),
        b"__has_feature" | b"__has_extension" if gcc >= 14 => Definition::Special(Special::HasFeature),
        b"__GNUC_MINOR__" | b"__GNUC_PATCHLEVEL__" => {
            Definition::Special(Special::AtMost(LARGEST_MINOR_VERSION))
        }
        b"_Pragma"
        | b"__has_include_next"
        | b"__has_embed"
        | b"__DATE__"
        | b"__TIME__"
        | b"__TIMESTAMP__"
        | b"__BASE_FILE__"
        | b"__INCLUDE_LEVEL__" => Definition::Special(Special::CompilerOnly),
        _ if looks_predefined(name) => Definition::Doubtful,
        _ => Definition::None,
    }
}

/// Whether a name could be one that a compiler defines and that the table lacks.
fn looks_predefined(name: &[u8]) -> bool {
    const PREFIXES: [&[u8]; 13] = [
        b"__GCC_",
        b"__GNUC_",
        b"__STDC_",
        b"__ATOMIC_",
        b"__SEG_",
        b"__GXX_",
        b"__HAVE_SPECULATION_",
        b"__tune_",
        b"__SSP",
        b"__CET",
        b"__SANITIZE_",
        b"__pic__",
        b"__pie__",
    ];
    // The names of processors and of ways to generate code.
    const MACHINES: [&[u8]; 8] =
        [b"__k8", b"__i386", b"__i486", b"__i586", b"__i686", b"__core", b"__nocona", b"__znver"];
    if NOT_DEFINED.iter().any(|known| known.as_bytes() == name) {
        return false;
    }
    let middle = name.strip_prefix(b"__").and_then(|rest| rest.strip_suffix(b"__"));
    let is_capital = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    let is_wrapped_in_capitals = middle.is_some_and(|middle| middle.iter().all(is_capital));
    // Compilers define no guards of headers.
    let is_guard = name.ends_with(b"_H__") || name.ends_with(b"_INCLUDED__");
    (is_wrapped_in_capitals && !is_guard)
        || PREFIXES.iter().chain(&MACHINES).any(|prefix| name.starts_with(prefix))
}
