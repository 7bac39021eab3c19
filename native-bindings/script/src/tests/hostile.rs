//! Random sources: whatever they are, they end, within their budgets, without a panic.

use super::*;
use limits::Limits;
use proptest::prelude::*;

/// Pieces that programs are made of.
const PIECES: &[&str] = &[
    "int",
    "def",
    "x",
    "y",
    "l",
    "m",
    "=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ".",
    "?.",
    "?:",
    "?",
    ":",
    "->",
    "::",
    "=~",
    "==~",
    "==",
    "===",
    "<",
    ">>>",
    "++",
    "--",
    "+=",
    "&&",
    "||",
    "!",
    "~",
    "1",
    "0",
    "2147483647",
    "9223372036854775807L",
    "1.5",
    "1e300",
    "'a'",
    "\"b\"",
    "/a+/",
    "true",
    "null",
    "if",
    "else",
    "for",
    "while",
    "do",
    "break",
    "continue",
    "return",
    "new",
    "ArrayList",
    "HashMap",
    "String",
    "Math.abs",
    "substring",
    "length",
    "add",
    "get",
    "sort",
    "stream",
    "collect",
    "try",
    "catch",
    "Exception",
    "throw",
    "instanceof",
    "int[]",
    "params",
    "in",
    " ",
];

fn survive(source: &str) {
    let Ok(program) = cache::compiled("painless", source, context("painless_test").unwrap(), RegexUse::Limited(6))
    else {
        return;
    };
    let limits = Limits { operations: 10_000, allocated_bytes: 1 << 20, ..Limits::default() };
    let params = serde_json::json!({ "x": [1, "a", null], "m": {} });
    let mut instance = Instance::with_limits(Arc::new(program), &params, limits).unwrap();
    let mut out = Vec::new();
    let _ = instance.run_json(&mut Nothing, &mut out);
    let _ = instance.run_json(&mut Nothing, &mut out);
}

/// Methods with arguments of any kind.
const METHODS: &[&str] = &[
    "substring",
    "charAt",
    "indexOf",
    "repeat",
    "replace",
    "splitOnToken",
    "subList",
    "add",
    "remove",
    "set",
    "get",
    "put",
    "insert",
    "delete",
    "setLength",
    "plusDays",
    "plusMonths",
    "plusYears",
    "withYear",
    "withDayOfMonth",
    "toString",
    "nextInt",
    "compareTo",
    "equals",
    "hashCode",
    "limit",
    "skip",
    "computeIfAbsent",
    "merge",
    "sort",
    "addAll",
    "replaceAll",
    "split",
    "truncatedTo",
    "format",
    "minus",
    "plus",
    "iterator",
    "next",
    "append",
    "deleteCharAt",
    "codePointAt",
    "join",
    "reduce",
];
const RECEIVERS: &[&str] = &[
    "'aé😀b'",
    "[1, 'x', null]",
    "['a': 1]",
    "new StringBuilder('xyé')",
    "new HashSet([1])",
    "new TreeMap(['k': 2])",
    "ZonedDateTime.parse('2020-02-29T00:00:00Z')",
    "LocalDate.of(9999, 12, 31)",
    "Instant.ofEpochMilli(Long.MAX_VALUE / 100000)",
    "[3, 1].stream()",
    "IntStream.range(0, 3)",
    "5",
    "1.5",
    "new Random(3)",
    "Duration.ofSeconds(Long.MAX_VALUE)",
    "new int[3]",
    "/a/.matcher('banana')",
    "DayOfWeek.MONDAY",
    "ChronoUnit.DAYS",
    "Optional.of(1)",
    "Collections.emptyList()",
];
const ARGUMENTS: &[&str] = &[
    "0",
    "-1",
    "1",
    "2147483647",
    "-2147483648",
    "Long.MAX_VALUE",
    "'😀'",
    "''",
    "null",
    "1.5",
    "[1]",
    "x -> x",
    "(a, b) -> a",
    "ChronoUnit.DAYS",
    "Math::abs",
    "['z': [:]]",
    "Double.NaN",
    "(char)'q'",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_compiled_or_refused(source in "\\PC{0,200}") {
        survive(&source);
    }

    #[test]
    fn any_row_of_pieces_is_compiled_or_refused(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        survive(&pieces.join(" "));
    }

    #[test]
    fn any_call_ends(
        receiver in prop::sample::select(RECEIVERS),
        calls in prop::collection::vec(
            (prop::sample::select(METHODS), prop::collection::vec(prop::sample::select(ARGUMENTS), 0..3)), 1..4),
    ) {
        let calls: String = calls.iter().map(|(name, arguments)| format!(".{name}({})", arguments.join(", "))).collect();
        survive(&format!("def r = {receiver}; return r{calls}"));
    }

    #[test]
    fn any_expression_is_compiled_or_refused(source in "[-+*/%()!<>=&|?:.,0-9a-z\\[\\]' ]{0,80}") {
        let _ = cache::compiled("expression", &source, context("score").unwrap(), RegexUse::Disabled);
    }

    /// Arithmetic of two numbers, against Rust's of the same width.
    #[test]
    fn ints_compute_as_java_does(left in any::<i32>(), right in any::<i32>()) {
        let source = format!("int a = {left}; int b = {right}; return [a + b, a - b, a * b, a & b, a | b, a ^ b, a << b, a >> b, a >>> b]");
        let shift = right as u32;
        let expected = [
            left.wrapping_add(right), left.wrapping_sub(right), left.wrapping_mul(right), left & right, left | right,
            left ^ right, left.wrapping_shl(shift), left.wrapping_shr(shift), (left as u32).wrapping_shr(shift) as i32,
        ];
        prop_assert_eq!(run(&source), serde_json::to_string(&expected).unwrap());
    }

    #[test]
    fn doubles_are_printed_so_that_they_are_read_again(number in any::<f64>()) {
        let text = number::double_text(number);
        if number.is_finite() {
            prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), number.to_bits());
        }
    }
}
