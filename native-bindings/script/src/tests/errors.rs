//! Failures and where they point.

use super::{run, run_with};
use quarry_base::error::ErrorCode;
use serde_json::Value;

fn failure(source: &str) -> quarry_base::error::Error {
    run_with(source, Value::Null).expect_err(source)
}

#[test]
fn a_runtime_error_points_into_its_statement() {
    let error = failure("int x = 1; int y = x / 0; return y");
    assert_eq!(error.code, ErrorCode::Script);
    assert_eq!(error.reason, "runtime error");
    let cause = error.caused_by.as_ref().unwrap();
    assert_eq!((cause.code, cause.reason.as_str()), (ErrorCode::Arithmetic, "/ by zero"));
    let trace = error.script.unwrap();
    assert_eq!(trace.stack, ["int y = x / 0; ", "        ^---- HERE"]);
    let position = trace.position.unwrap();
    assert_eq!((position.offset, position.start, position.end), (19, 11, 26));
    assert_eq!(trace.lang, "painless");
}

#[test]
fn a_compile_error_shows_what_stands_around_it() {
    let error = failure("return nothing_like_it");
    assert_eq!(error.reason, "compile error");
    assert_eq!(error.caused_by.unwrap().reason, "cannot resolve symbol [nothing_like_it]");
    assert_eq!(error.script.unwrap().stack, ["return nothing_like_it", "       ^---- HERE"]);
}

#[test]
fn types_are_checked_before_a_script_runs() {
    for (source, reason) in [
        ("int x = 'a'", "Cannot cast from [java.lang.String] to [int]."),
        ("int x = 1L", "Cannot cast from [long] to [int]."),
        ("boolean b = 1", "Cannot cast from [int] to [boolean]."),
        ("if (1) { return 2 }", "Cannot cast from [int] to [boolean]."),
        ("return 'a' - 1", "Cannot apply subtraction [-] to types [java.lang.String] and [int]."),
        ("return 'a'.nothing()", "member method [java.lang.String, nothing/0] not found"),
        ("return Math.nothing(1)", "static method [java.lang.Math, nothing/1] not found"),
        ("return nothing(1)", "Unknown call [nothing] with [1] arguments."),
        ("int x = 1; int x = 2;", "variable [x] is already defined in the scope"),
        ("return 1 +", "unexpected end of script."),
        ("break", "invalid break statement: not inside loop"),
        ("return 2147483648", "Invalid int constant [2147483648]."),
    ] {
        let error = failure(source);
        assert_eq!(error.reason, "compile error", "{source}");
        assert_eq!(error.caused_by.unwrap().reason, reason, "{source}");
    }
}

#[test]
fn a_script_meets_the_exceptions_of_java() {
    for (source, code) in [
        ("def x = null; return x.length()", ErrorCode::NullPointer),
        ("return [1][3]", ErrorCode::IndexOutOfBounds),
        ("return 'abc'.substring(5)", ErrorCode::StringIndexOutOfBounds),
        ("def x = 'a'; int y = x; return y", ErrorCode::ClassCast),
        ("return Integer.parseInt('x')", ErrorCode::NumberFormat),
        ("throw new IllegalStateException('no')", ErrorCode::IllegalState),
        ("return Collections.emptyList().add(1)", ErrorCode::UnsupportedOperation),
        ("def l = [1, 2]; for (x in l) { l.add(3) }", ErrorCode::ConcurrentModification),
        ("return LocalDate.parse('x')", ErrorCode::DateTimeParse),
        ("def x = [1]; return x.nothing()", ErrorCode::IllegalArgument),
        ("return Optional.empty().get()", ErrorCode::NoSuchElement),
    ] {
        assert_eq!(failure(source).caused_by.unwrap().code, code, "{source}");
    }
}

#[test]
fn explain_tells_class_and_text() {
    let error = failure("Debug.explain([1, 9, 27])");
    assert_eq!(error.caused_by.unwrap().code, ErrorCode::PainlessExplain);
    assert_eq!(error.script.unwrap().explained.unwrap(), ("[1, 9, 27]".into(), "java.util.ArrayList".into()));
}

#[test]
fn positions_are_in_characters() {
    assert!(run("def s = 'é😀'; return s.nothing()").contains("dynamic method"));
    let error = failure("def s = 'é😀'; return s.nothing()");
    assert_eq!(error.script.unwrap().position.unwrap().offset, 23);
}
