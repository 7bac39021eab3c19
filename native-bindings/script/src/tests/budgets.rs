//! Budgets: each stops a script, and none can be caught.

use super::*;
use quarry_base::error::ErrorCode;

fn cause_of(source: &str) -> ErrorCode {
    run_with(source, serde_json::Value::Null).expect_err(source).caused_by.expect("a cause").code
}

#[test]
fn loops_end() {
    for source in [
        "while (true) { }",
        "for (;;) { try { while (true) {} } catch (Exception e) { } }",
        "int x = 0; do { x++ } while (x != -1)",
        "IntStream.range(0, 1000000).forEach(x -> { for (int i = 0; i < 1000000; i++) { } })",
        "def t = new StringTokenizer('x'.repeat(1000000)); while (true) { t.hasMoreTokens() }",
        "new StringTokenizer('x '.repeat(1000000)).countTokens()",
    ] {
        assert_eq!(cause_of(source), ErrorCode::Painless, "{source}");
    }
}

#[test]
fn memory_is_bounded() {
    for source in [
        "def l = ['a']; while (true) { l.addAll(new ArrayList(l)) }",
        "String s = 'abcdefgh'; while (true) { s = s + s }",
        "def b = new StringBuilder('x'); while (true) { b.append(b.toString()) }",
        "int[] a = new int[2147483647]; return a[0]",
        "'x'.repeat(2147483647)",
        "def b = new BitSet(); b.set(0, 120000000); return '' + b",
        "def b = new BitSet(); b.set(120000000); def l = []; for (int i = 0; i < 100; i++) { l.add(b) } return '' + l",
    ] {
        let error = run_with(source, serde_json::Value::Null).expect_err(source);
        let code = error.caused_by.expect("a cause").code;
        assert!(
            matches!(code, ErrorCode::CircuitBreaking | ErrorCode::IllegalArgument | ErrorCode::Painless),
            "{source}: {code:?}"
        );
    }
}

#[test]
fn objects_count_the_texts_that_they_hold() {
    for made in ["new StringTokenizer(s)", "new Locale('de', s)", "Locale.forLanguageTag(s)"] {
        let source =
            format!("String s = 'x'.repeat(1000000); def l = []; for (int i = 0; i < 70; i++) {{ l.add({made}) }}");
        assert_eq!(cause_of(&source), ErrorCode::CircuitBreaking, "{made}");
    }
}

#[test]
fn recursion_is_bounded() {
    // As much stack as the threads that run scripts have.
    let deep = std::thread::Builder::new().stack_size(4 << 20).spawn(check_recursion).unwrap();
    deep.join().unwrap();
}

fn check_recursion() {
    assert_eq!(run("int f(int n) { return n == 0 ? 0 : 1 + f(n - 1) } return f(120)"), "120");
    for source in [
        "int f(int n) { return f(n + 1) } return f(0)",
        "def f(def n) { return ((((((((((f(n + 1))))))))))) } return f(0)",
        "def f(def l) { l.forEach(x -> f(l)); return 1 } f([1])",
        "def l = []; for (int i = 0; i < 500000; i++) { l = [l] } return l == [[l]]",
        "def l = []; l.add(l); return l.toString()",
        "def m = [:]; m.m = m; def n = [:]; n.m = n; return m == n",
    ] {
        let error = run_with(source, serde_json::Value::Null).expect_err(source);
        assert!(error.code == ErrorCode::Script, "{source}: {error}");
    }
}

#[test]
fn deep_sources_are_refused() {
    for source in [
        "(".repeat(10_000) + "1" + &")".repeat(10_000),
        "1".to_owned() + &"+1".repeat(10_000),
        "!".repeat(10_000) + "true",
        "{".repeat(10_000) + &"}".repeat(10_000),
        "def x = [1]; return x".to_owned() + &".a".repeat(10_000),
        "[".repeat(10_000) + &"]".repeat(10_000),
        "x ? ".repeat(10_000),
        "a = ".repeat(10_000),
        "if (true) ".repeat(10_000),
    ] {
        assert!(run_with(&source, serde_json::Value::Null).is_err());
    }
}

#[test]
fn a_cycle_of_objects_costs_nothing_after_its_run() {
    let source = "for (int i = 0; i < 1000; i++) { def l = []; l.add(l) } return 1";
    let program =
        Arc::new(cache::compiled("painless", source, context("painless_test").unwrap(), RegexUse::Disabled).unwrap());
    let mut instance = Instance::new(program, &serde_json::Value::Null).unwrap();
    for _ in 0..1_000 {
        instance.run(&mut Nothing).unwrap();
        assert!(instance.heap().places() < 3_000);
    }
}

#[test]
fn what_a_script_puts_into_its_state_stays() {
    let context = context("aggs_map").unwrap();
    let source =
        "if (state.n == null) { state.n = 0; state.l = [] } state.n++; def garbage = [1, 2, 3]; state.l = [state.n]";
    let program = Arc::new(cache::compiled("painless", source, context, RegexUse::Disabled).unwrap());
    let mut instance = Instance::new(program, &serde_json::Value::Null).unwrap();
    let state = instance.import(&serde_json::json!({})).unwrap();
    instance.set(1, state);
    for _ in 0..50_000 {
        instance.run(&mut Nothing).unwrap();
        assert!(instance.heap().places() < 3 * limits::OBJECTS_BEFORE_COLLECTION);
    }
    let mut out = Vec::new();
    instance.write_json(state, &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "{\"n\":50000,\"l\":[50000]}");
}

#[test]
fn a_cancelled_script_stops() {
    struct Cancelled;
    impl Env for Cancelled {
        fn is_cancelled(&self) -> bool {
            true
        }
    }
    let context = context("painless_test").unwrap();
    let program = Arc::new(cache::compiled("painless", "while (true) {}", context, RegexUse::Disabled).unwrap());
    let mut instance = Instance::new(program, &serde_json::Value::Null).unwrap();
    assert_eq!(instance.run(&mut Cancelled).unwrap_err().code, ErrorCode::TaskCancelled);
}

#[test]
fn plain_values_in_a_state_are_bounded_too() {
    let context = context("aggs_map").unwrap();
    let source = "if (state.l == null) { state.l = [] } for (int i = 0; i < 100000; i++) { state.l.add(1L) }";
    let program = Arc::new(cache::compiled("painless", source, context, RegexUse::Disabled).unwrap());
    let mut instance = Instance::new(program, &serde_json::Value::Null).unwrap();
    let state = instance.import(&serde_json::json!({})).unwrap();
    instance.set(1, state);
    let enough = 2 * limits::KEPT_BYTES_MAX / (100_000 * heap::VALUE_BYTES);
    let error = (0..enough).find_map(|_| instance.run(&mut Nothing).err());
    assert_eq!(error.map(|error| error.code), Some(ErrorCode::CircuitBreaking));
}
