//! `field('name')` and `$('name', default)`.

use super::*;
use crate::env::DocScalar;

struct Document;

impl Env for Document {
    fn field(&mut self, name: &str) -> Result<Option<u32>> {
        Ok(["n", "empty"].iter().position(|known| *known == name).map(|place| place as u32))
    }

    fn count(&mut self, field: u32) -> Result<usize> {
        Ok(if field == 0 { 2 } else { 0 })
    }

    fn value(&mut self, field: u32, place: usize) -> Result<Option<DocScalar>> {
        Ok((field == 0 && place < 2).then_some(DocScalar::Long(10 + place as i64)))
    }
}

fn json(source: &str) -> String {
    let compiled = cache::compiled("painless", source, context("field").unwrap(), RegexUse::Disabled);
    let outcome = compiled.and_then(|program| {
        let mut instance = Instance::new(Arc::new(program), &serde_json::json!({ "name": "n" }))?;
        let mut out = Vec::new();
        instance.run_json(&mut Document, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    });
    outcome.unwrap_or_else(|error| error.to_string())
}

#[test]
fn values_and_defaults() {
    for (source, expected) in [
        ("field('n').get(0) + field('empty').get(5) + field('unmapped').get(7)", "22"),
        ("$('n', 1) + $('empty', 2) + $('unmapped', 3)", "15"),
        ("field('n').get(1, 0) + field('n').get(2, -1)", "10"),
        ("int sum = 0; for (def value : field('n')) { sum += value } sum", "21"),
        ("for (def value : field('unmapped')) { return value } 'none'", "\"none\""),
        ("field('n').size() + field('empty').size() + field('unmapped').size()", "2"),
        ("field('n').isEmpty() || !field('empty').empty || !field('unmapped').isEmpty()", "false"),
        ("field(params.name).get(0) + $(params.name, 0)", "20"),
        ("field('n').name + field('n').asString('x') + field('empty').asString('y')", "\"n10y\""),
        ("field('n').asStrings()", "[\"10\",\"11\"]"),
        ("def field = 3; field", "3"),
        ("int field(String s) { s.length() } field('four')", "4"),
    ] {
        assert_eq!(json(source), expected, "{source}");
    }
    assert!(json("field('n').get(-1, 0)").contains("Index -1 out of bounds"));
    assert!(json("$").contains("cannot resolve symbol [$]"));
    assert!(json("field()").contains("Unknown call [field] with [0] arguments"));
    assert!(json("def f() { field('n').get(0) } f()").contains("Unknown call [field] with [1] arguments"));
}

#[test]
fn fields_that_are_read_are_known() {
    let program = |source| cache::compiled("painless", source, context("field").unwrap(), RegexUse::Disabled).unwrap();
    let named = program("$('a', 0) + field('b').get(0)");
    assert_eq!(
        (named.fields.iter().map(|name| &**name).collect::<Vec<_>>(), named.reads_any_field),
        (vec!["a", "b"], false)
    );
    assert!(program("field('a' + 'b').get(0)").reads_any_field);
}
