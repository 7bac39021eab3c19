//! Documents through the parser, values as a recording sink saw them.

mod places;
mod shapes;

use super::*;
use crate::dynamic::{DynamicKind, UnmappedField};
use crate::spec::MappingSpec;
use proptest::prelude::*;
use quarry_analysis::Registry;
use quarry_base::error::{Error, ErrorCode};
use quarry_segment::column::range::Range;
use quarry_segment::vectors::elements::VectorValues;
use serde_json::{Value, json};

/// Writes down every call as `field=value`.
#[derive(Default)]
struct Recorder {
    names: Vec<String>,
    calls: Vec<String>,
}

impl Recorder {
    fn note(&mut self, field: FieldId, verb: &str, value: &str) -> Result<()> {
        self.calls.push(format!("{}{verb}{value}", self.names[field as usize]));
        Ok(())
    }
}

impl DocumentSink for Recorder {
    fn text(&mut self, field: FieldId, value: &str) -> Result<()> {
        self.note(field, "~", value)
    }
    fn term(&mut self, field: FieldId, value: &[u8]) -> Result<()> {
        self.note(field, "=", &String::from_utf8_lossy(value))
    }
    fn number(&mut self, field: FieldId, value: i64) -> Result<()> {
        self.note(field, "#", &value.to_string())
    }
    fn range(&mut self, field: FieldId, (from, to): Range) -> Result<()> {
        self.note(field, "^", &format!("{from}..{to}"))
    }
    fn vector(&mut self, _field: FieldId, _vector: VectorValues<'_>) -> Result<()> {
        Ok(())
    }
    fn stored(&mut self, field: FieldId, json: &[u8]) -> Result<()> {
        self.note(field, " stored ", &String::from_utf8_lossy(json))
    }
    fn ignored(&mut self, field: FieldId) -> Result<()> {
        self.note(field, " ignored", "")
    }
    fn begin_child(&mut self) {
        self.calls.push("{".into());
    }
    fn end_child(&mut self, path: &str) {
        self.calls.push(format!("}} {path}"));
    }
    fn exchange_with_outer(&mut self, levels: usize) {
        self.calls.push(format!("outer {levels}"));
    }
}

/// A field specification with the API's defaults and the given members over them.
fn field(name: &str, field_type: &str, members: Value) -> Value {
    let mut spec = json!({
        "name": name, "type": field_type, "index": true, "doc_values": field_type != "text", "store": false, "norms": false,
        "index_options": "docs", "analyzer": null, "search_analyzer": null, "search_quote_analyzer": null,
        "position_increment_gap": 100, "normalizer": null, "ignore_above": null, "null_value": null, "format": null,
        "scaling_factor": null, "coerce": true, "ignore_malformed": false, "copy_to": [], "parent": null,
    });
    for (key, value) in members.as_object().unwrap() {
        spec[key] = value.clone();
    }
    spec
}

fn spec(fields: Vec<Value>, members: Value) -> MappingSpec {
    let mut spec = json!({
        "version": 1, "dynamic": "true", "date_detection": true, "numeric_detection": false,
        "dynamic_date_formats": ["strict_date_optional_time||epoch_millis", "yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis"],
        "source_enabled": true, "source_includes": [], "source_excludes": [], "routing_required": false,
        "fields": fields, "objects": [], "depth_limit": 20,
    });
    for (key, value) in members.as_object().unwrap() {
        spec[key] = value.clone();
    }
    serde_json::from_value(spec).unwrap()
}

fn registry() -> Registry {
    Registry::from_spec(&json!({
        "normalizer": { "lower": { "type": "custom", "filter": ["lowercase"] } },
    }))
    .unwrap()
}

fn mapping_with(fields: Vec<Value>, members: Value) -> Mapping {
    Mapping::new(spec(fields, members), &registry()).unwrap()
}

fn mapping(fields: Vec<Value>) -> Mapping {
    mapping_with(fields, json!({}))
}

fn calls_in(mapping: &Mapping, source: &str, scratch: &mut ParseScratch) -> Result<Vec<String>> {
    let names = mapping.fields().iter().map(|field| field.spec.name.clone()).collect();
    let mut sink = Recorder { names, calls: Vec::new() };
    parse_document(mapping, "1", source.as_bytes(), &mut sink, scratch).map(|_| sink.calls)
}

fn calls(mapping: &Mapping, source: &str) -> Vec<String> {
    calls_in(mapping, source, &mut ParseScratch::new()).unwrap_or_else(|error| panic!("{source}: {error}"))
}

fn refusal(mapping: &Mapping, source: &str) -> Error {
    calls_in(mapping, source, &mut ParseScratch::new()).expect_err(source)
}

fn unmapped(mapping: &Mapping, sources: &[&str]) -> Vec<(String, DynamicKind)> {
    let mut scratch = ParseScratch::new();
    for source in sources {
        collect_unmapped(mapping, source.as_bytes(), &mut scratch);
    }
    scratch.report.fields().iter().map(|field| (field.path.clone(), field.kind)).collect()
}

#[test]
fn every_type_takes_its_values() {
    let fields = vec![
        field("t", "text", json!({})),
        field("k", "keyword", json!({})),
        field("l", "long", json!({})),
        field("i", "integer", json!({})),
        field("s", "short", json!({})),
        field("b", "byte", json!({})),
        field("u", "unsigned_long", json!({})),
        field("d", "double", json!({})),
        field("f", "float", json!({})),
        field("h", "half_float", json!({})),
        field("sc", "scaled_float", json!({ "scaling_factor": 100.0 })),
        field("bo", "boolean", json!({})),
        field("da", "date", json!({})),
        field("dn", "date_nanos", json!({})),
        field("ip", "ip", json!({})),
    ];
    let mapping = mapping(fields);
    use quarry_codec::sortable::{from_f32, from_f64, from_u64};
    for (source, expected) in [
        (r#"{"t":"some \u0041 text"}"#, "t~some A text".to_owned()),
        (r#"{"t":12.50}"#, "t~12.50".into()),
        (r#"{"t":true}"#, "t~true".into()),
        (r#"{"k":7}"#, "k=7".into()),
        (r#"{"l":-9223372036854775808}"#, "l#-9223372036854775808".into()),
        (r#"{"l":"12"}"#, "l#12".into()),
        (r#"{"l":"12.9"}"#, "l#12".into()),
        (r#"{"l":12.9}"#, "l#12".into()),
        (r#"{"l":1e3}"#, "l#1000".into()),
        (r#"{"l":"9223372036854775807.5"}"#, "l#9223372036854775807".into()),
        (r#"{"i":2147483647}"#, "i#2147483647".into()),
        (r#"{"s":" -3 "}"#, "s#-3".into()),
        (r#"{"b":-128}"#, "b#-128".into()),
        (r#"{"u":18446744073709551615}"#, format!("u#{}", from_u64(u64::MAX))),
        (r#"{"u":"12.0"}"#, format!("u#{}", from_u64(12))),
        (r#"{"d":"1.5e3"}"#, format!("d#{}", from_f64(1500.0))),
        (r#"{"d":-0.25}"#, format!("d#{}", from_f64(-0.25))),
        (r#"{"f":0.1}"#, format!("f#{}", from_f32(0.1))),
        (r#"{"h":0.1}"#, format!("h#{}", from_f32(0.099_975_586))),
        (r#"{"sc":1.235}"#, "sc#124".into()),
        (r#"{"sc":-0.125}"#, "sc#-12".into()),
        (r#"{"bo":true}"#, "bo#1".into()),
        (r#"{"bo":"false"}"#, "bo#0".into()),
        (r#"{"bo":""}"#, "bo#0".into()),
        (r#"{"da":"2014-11-18T09:20:30.123Z"}"#, "da#1416302430123".into()),
        (r#"{"da":1416302430123}"#, "da#1416302430123".into()),
        (r#"{"dn":"2018-10-29T12:12:12.123456789Z"}"#, "dn#1540815132123456789".into()),
    ] {
        assert_eq!(calls(&mapping, source), [expected], "{source}");
    }
    assert_eq!(calls(&mapping, r#"{"ip":"1.2.3.4"}"#).len(), 1);
    assert!(calls(&mapping, r#"{"l":"","d":null,"t":[],"k":[null]}"#).is_empty());
    assert_eq!(calls(&mapping, r#"{"k":["a",["b",["c"]]],"l":[1,2]}"#), ["k=a", "k=b", "k=c", "l#1", "l#2"]);
}

#[test]
fn refusals_are_the_references() {
    let mapping = mapping(vec![
        field("l", "long", json!({})),
        field("i", "integer", json!({})),
        field("strict", "integer", json!({ "coerce": false })),
        field("b", "byte", json!({})),
        field("f", "float", json!({})),
        field("h", "half_float", json!({})),
        field("bo", "boolean", json!({})),
        field("da", "date", json!({ "format": "yyyy-MM-dd" })),
        field("ip", "ip", json!({})),
        field("o.k", "keyword", json!({})),
    ]);
    for (source, code, cause) in [
        (r#"{"l":"abc"}"#, ErrorCode::IllegalArgument, r#"For input string: "abc""#),
        (r#"{"i":"abc"}"#, ErrorCode::NumberFormat, r#"For input string: "abc""#),
        (
            r#"{"l":9223372036854775808}"#,
            ErrorCode::InputCoercion,
            "Numeric value (9223372036854775808) out of range of long (-9223372036854775808 - 9223372036854775807)",
        ),
        (
            r#"{"l":"9223372036854775808"}"#,
            ErrorCode::IllegalArgument,
            "Value [9223372036854775808] is out of range for a long",
        ),
        (
            r#"{"i":3000000000}"#,
            ErrorCode::InputCoercion,
            "Numeric value (3000000000) out of range of int (-2147483648 - 2147483647)",
        ),
        (r#"{"b":200}"#, ErrorCode::IllegalArgument, "Value [200] is out of range for a byte"),
        (r#"{"strict":"1"}"#, ErrorCode::IllegalArgument, "Integer value passed as String"),
        (r#"{"strict":1.5}"#, ErrorCode::IllegalArgument, "1.5 cannot be converted to Integer without data loss"),
        (
            r#"{"l":true}"#,
            ErrorCode::InputCoercion,
            "Current token (VALUE_TRUE) not numeric, can not use numeric value accessors",
        ),
        (r#"{"f":1e39}"#, ErrorCode::IllegalArgument, "[float] supports only finite values, but got [1e39]"),
        (r#"{"h":70000}"#, ErrorCode::IllegalArgument, "[half_float] supports only finite values, but got [70000.0]"),
        (
            r#"{"bo":"yes"}"#,
            ErrorCode::IllegalArgument,
            "Failed to parse value [yes] as only [true] or [false] are allowed.",
        ),
        (r#"{"da":"soon"}"#, ErrorCode::IllegalArgument, "failed to parse date field [soon] with format [yyyy-MM-dd]"),
        (r#"{"ip":"1.2.3"}"#, ErrorCode::IllegalArgument, "'1.2.3' is not an IP string literal."),
    ] {
        let error = refusal(&mapping, source);
        assert_eq!(error.code, ErrorCode::MapperParsing);
        let found = error.caused_by.unwrap();
        assert_eq!((found.code, found.reason.as_str()), (code, cause), "{source}");
    }
    assert_eq!(
        refusal(&mapping, r#"{"l":"abc"}"#).reason,
        "failed to parse field [l] of type [long] in document with id '1'. Preview of field's value: 'abc'"
    );
    assert_eq!(
        refusal(&mapping, r#"{"l":{"a":[1,"x"]}}"#).reason,
        "failed to parse field [l] of type [long] in document with id '1'. Preview of field's value: '{a=[1, x]}'"
    );
    assert_eq!(
        refusal(&mapping, r#"{"o":[{},3]}"#).reason,
        "object mapping for [o] tried to parse field [o] as object, but found a concrete value"
    );
    assert_eq!(
        refusal(&mapping, r#"{"l.x":3}"#).reason,
        "Could not dynamically add mapping for field [l.x]. Existing mapping for [l] must be of type object but found [long]."
    );
    assert_eq!(
        refusal(&mapping, r#"{"_id":"x"}"#).reason,
        "Field [_id] is a metadata field and cannot be added inside a document. Use the index API request parameters."
    );
}

#[test]
fn broken_documents_name_the_place() {
    let mapping = mapping(vec![field("a", "long", json!({})), field("b", "long", json!({}))]);
    let reasons = |source: &str| {
        let error = refusal(&mapping, source);
        (error.reason, error.caused_by.map(|cause| cause.reason).unwrap_or_default())
    };
    assert_eq!(reasons(""), ("failed to parse, document is empty".into(), String::new()));
    assert_eq!(reasons("[1]").0, "Malformed content, must start with an object");
    assert_eq!(
        reasons(r#"{"a":1} x"#).1,
        "[1:9] Unexpected character ('x' (code 120)): was expecting the end of the content (byte 8)"
    );
    assert_eq!(reasons(r#"{"a":1,"b":2,"a":3}"#).1, "[1:15] Duplicate field 'a' (byte 14)");
    assert_eq!(reasons(r#"{"c":1,"b":2,"c":3}"#).1, "[1:15] Duplicate field 'c' (byte 14)");
    assert_eq!(reasons(r#"{".":1}"#).1, "field name cannot contain only the character [.]");
    assert_eq!(reasons(r#"{"":1}"#).1, "field name cannot be an empty string");
    assert_eq!(
        reasons(r#"{"a..b":1}"#).1,
        "object field starting or ending with a [.] makes object resolution ambiguous: [a..b]"
    );
    let quoted = super::tests::mapping(vec![field("b\"x", "long", json!({}))]);
    let mut scratch = ParseScratch::new();
    for _ in 0..2 {
        calls_in(&quoted, r#"{"b\"x":1}"#, &mut scratch).unwrap();
        calls_in(&quoted, r#"{"b"x":1}"#, &mut scratch).unwrap_err();
    }
    let mut scratch = ParseScratch::new();
    for _ in 0..3 {
        // Once the order of keys is known, the duplicate is still found.
        calls_in(&mapping, r#"{"a":1,"b":2}"#, &mut scratch).unwrap();
        let error = calls_in(&mapping, r#"{"a":1,"b":2,"a":1}"#, &mut scratch).unwrap_err();
        assert!(error.to_string().contains("Duplicate field 'a'"), "{error}");
        let error = calls_in(&mapping, r#"{"a":1,"a":1}"#, &mut scratch).unwrap_err();
        assert!(error.to_string().contains("Duplicate field 'a'"), "{error}");
    }
}

#[test]
fn nested_objects_and_dotted_names_are_one() {
    let mapping = mapping(vec![field("a.b.c", "long", json!({})), field("a.k", "keyword", json!({}))]);
    for source in [
        r#"{"a":{"b":{"c":1},"k":"x"}}"#,
        r#"{"a.b.c":1,"a.k":"x"}"#,
        r#"{"a":{"b.c":1,"k":"x"}}"#,
        r#"{"a.b":{"c":1},"a":{"k":"x"}}"#,
        r#"{"a":[{"b":null},{"b":[{"c":1}]},null,{"k":"x"}]}"#,
        r#"{"\u0061":{"b":{"c":1},"k":"x"}}"#,
    ] {
        assert_eq!(calls(&mapping, source), ["a.b.c#1", "a.k=x"], "{source}");
    }
}

#[test]
fn parameters_shape_what_is_indexed() {
    let mapping = mapping(vec![
        field("k", "keyword", json!({ "ignore_above": 3, "null_value": "none", "store": true })),
        field("n", "keyword", json!({ "normalizer": "lower" })),
        field("m", "integer", json!({ "ignore_malformed": true, "null_value": -1 })),
        field("title", "text", json!({ "copy_to": ["all", "m"] })),
        field("title.raw", "keyword", json!({ "parent": "title" })),
        field("all", "keyword", json!({ "copy_to": ["k"] })),
        field("off", "keyword", json!({ "index": false, "doc_values": false })),
        field("kept", "date", json!({ "index": false, "doc_values": false, "store": true })),
    ]);
    assert_eq!(
        calls(&mapping, r#"{"k":["abc","abcd","𝄞a","𝄞𝄞"]}"#),
        [
            "k=abc",
            "k stored \"abc\"",
            "k stored \"abcd\"",
            "k ignored",
            "k=𝄞a",
            "k stored \"𝄞a\"",
            "k stored \"𝄞𝄞\"",
            "k ignored",
        ]
    );
    assert_eq!(calls(&mapping, r#"{"k":null}"#), ["k stored \"none\"", "k ignored"]);
    assert_eq!(calls(&mapping, r#"{"n":"ÀB"}"#), ["n=àb"]);
    assert_eq!(calls(&mapping, r#"{"m":["x",1,null,""]}"#), ["m ignored", "m#1", "m#-1", "m#-1"]);
    assert_eq!(calls(&mapping, r#"{"title":"12"}"#), ["title~12", "title.raw=12", "all=12", "m#12"]);
    assert_eq!(calls(&mapping, r#"{"off":"x","kept":"2014-11-18"}"#), ["kept stored \"2014-11-18T00:00:00.000Z\""]);
    let immense = format!(r#"{{"n":"{}"}}"#, "a".repeat(40_000));
    let cause = refusal(&mapping, &immense).caused_by.unwrap().reason;
    assert!(cause.starts_with("Document contains at least one immense term in field=\"n\""), "{cause}");
    assert!(refusal(&mapping, r#"{"m":{"x":1}}"#).reason.contains("Preview of field's value: '{x=1}'"));
}

#[test]
fn dynamic_decides_what_unmapped_fields_mean() {
    let objects = json!([
        { "path": "closed", "dynamic": "strict", "enabled": true },
        { "path": "deaf", "dynamic": "false", "enabled": true },
        { "path": "off", "dynamic": "true", "enabled": false },
    ]);
    let mapping = mapping_with(
        vec![field("closed.a", "long", json!({ "copy_to": ["deaf.copy", "new.copy"] }))],
        json!({ "objects": objects }),
    );
    let error = refusal(&mapping, r#"{"closed":{"b":1}}"#);
    assert_eq!(error.code, ErrorCode::StrictDynamicMapping);
    assert_eq!(error.reason, "mapping set to strict, dynamic introduction of [b] within [closed] is not allowed");
    assert_eq!(refusal(&mapping, r#"{"closed.b":null}"#).code, ErrorCode::StrictDynamicMapping);
    assert!(
        unmapped(
            &mapping,
            &[r#"{"deaf":{"x":{"y":[1]}},"off":{"z":1}}"#, r#"{"off":3,"off.q":{"r":1}}"#, r#"{"deaf.x":1}"#]
        )
        .is_empty()
    );
    assert_eq!(unmapped(&mapping, &[r#"{"closed":{"a":1}}"#]), [("new.copy".to_owned(), DynamicKind::Long)]);
    let reason = refusal(&mapping, r#"{"deaf":{"x":{"a":1,"a":2}}}"#).to_string();
    assert!(reason.contains("Duplicate field 'a'"), "{reason}");

    let strict = mapping_with(vec![], json!({ "dynamic": "strict" }));
    let reason = refusal(&strict, r#"{"b":{}}"#).reason;
    assert_eq!(reason, "mapping set to strict, dynamic introduction of [b] within [_doc] is not allowed");
}

#[test]
fn unmapped_fields_are_reported_once_with_their_first_kind() {
    let mapping = mapping(vec![field("known.k", "keyword", json!({}))]);
    let report = unmapped(
        &mapping,
        &[
            r#"{"s":"x","l":1,"d":1.5,"b":true,"date":"2014-11-18","slash":"2014/11/18","n":null,"e":[],"big":18446744073709551615}"#,
            r#"{"s":1,"o":{"i":{"x":1},"x.y":2},"known":{"new":[null,["v"]]},"a.b":{"c":1},"empty":{},"dotted.null":null}"#,
            r#"{"late":1, broken"#,
        ],
    );
    use DynamicKind::{Boolean, Date, Double, Long, Object, String};
    let expected = [
        ("s", String),
        ("l", Long),
        ("d", Double),
        ("b", Boolean),
        ("date", Date),
        ("slash", Date),
        ("big", Long),
        ("o", Object),
        ("o.i", Object),
        ("o.i.x", Long),
        ("o.x", Object),
        ("o.x.y", Long),
        ("known.new", String),
        ("a", Object),
        ("a.b", Object),
        ("a.b.c", Long),
        ("empty", Object),
        ("late", Long),
    ];
    assert_eq!(report, expected.map(|(path, kind)| (path.to_owned(), kind)));

    let mut scratch = ParseScratch::new();
    let outcome = parse_document(&mapping, "1", br#"{"slash":"2014/11/18"}"#, &mut NoSink, &mut scratch).unwrap();
    assert_eq!(outcome, Outcome::Unmapped);
    assert_eq!(
        scratch.report.fields(),
        [UnmappedField {
            path: "slash".into(),
            kind: Date,
            format: Some("yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis".into()),
            dims: None,
            value: None,
        }]
    );
    assert_eq!(
        scratch.report.to_json(),
        r#"[{"path":"slash","kind":"date","format":"yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis"}]"#.as_bytes()
    );
    let outcome = parse_document(&mapping, "1", br#"{"known":{"k":"x"}}"#, &mut NoSink, &mut scratch).unwrap();
    assert_eq!(outcome, Outcome::Parsed);
}

#[test]
fn arrays_of_fractions_tell_how_many_they_are() {
    let mapping = mapping(vec![]);
    let dims = |source: &str| {
        let mut scratch = ParseScratch::new();
        collect_unmapped(&mapping, source.as_bytes(), &mut scratch);
        scratch.report.fields().iter().map(|field| (field.path.clone(), field.dims)).collect::<Vec<_>>()
    };
    let of = |path: &str, dims: Option<u32>| (path.to_owned(), dims);
    assert_eq!(dims(r#"{"v":[0.5,1.0,-2.5e3],"w":0.5}"#), [of("v", Some(3)), of("w", None)]);
    assert_eq!(dims(r#"{"o":{"v":[0.5]}}"#), [of("o", None), of("o.v", Some(1))]);
    for other in ["1", "null", "\"0.5\"", "true", "[0.5]", "{\"x\":0.5}"] {
        let found = dims(&format!(r#"{{"v":[0.5,{other}]}}"#));
        assert_eq!(found[0], of("v", None), "{other}");
        let found = dims(&format!(r#"{{"v":[{other},0.5]}}"#));
        assert!(found.iter().all(|(_, dims)| dims.is_none()), "{other}");
    }
    // The first value of a field decides.
    assert_eq!(dims(r#"{"o":[{"v":0.5},{"v":[0.5,0.5]}]}"#), [of("o", None), of("o.v", None)]);
}

#[test]
fn under_runtime_only_leaves_call_for_an_update() {
    let mapping =
        mapping_with(vec![field("a", "long", json!({ "copy_to": ["a.b"] }))], json!({ "dynamic": "runtime" }));
    let outcome = |source: &str| {
        parse_document(&mapping, "1", source.as_bytes(), &mut NoSink, &mut ParseScratch::new())
            .map_err(|error| error.reason)
    };
    assert_eq!(outcome(r#"{"o":{"p":{}},"q.r":[]}"#), Ok(Outcome::Parsed));
    assert_eq!(outcome(r#"{"o":{"p":1}}"#), Ok(Outcome::Unmapped));
    assert_eq!(outcome(r#"{"a":1}"#), Err("Could not dynamically add mapping for field [a.b]. Existing mapping for [a] must be of type object but found [long].".into()));
}

#[test]
fn values_under_names_of_computed_fields_are_left_alone() {
    let alone = json!({ "left_alone": true, "index": false, "doc_values": false });
    let runtime = json!([
        { "name": "plain", "type": "long" },
        { "name": "c.part", "type": "keyword", "part": "part" },
    ]);
    let of = |dynamic: &str| {
        let copying = field("from", "keyword", json!({ "copy_to": ["plain", "c.part"] }));
        let fields = vec![field("plain", "long", alone.clone()), copying];
        mapping_with(fields, json!({ "runtime": runtime, "dynamic": dynamic }))
    };
    let found = |dynamic: &str, source: &str| {
        let mut scratch = ParseScratch::new();
        let called = calls_in(&of(dynamic), source, &mut scratch).map_err(|error| error.reason)?;
        let paths = scratch.report.fields().iter().map(|field| field.path.clone());
        Ok::<_, String>(called.into_iter().chain(paths).collect::<Vec<String>>())
    };
    let none: Vec<String> = Vec::new();
    for dynamic in ["true", "runtime", "strict", "false"] {
        for source in [r#"{"plain":"x"}"#, r#"{"plain":[1,null,["x"]]}"#] {
            assert_eq!(found(dynamic, source), Ok(none.clone()), "{dynamic} {source}");
        }
        assert_eq!(found(dynamic, r#"{"from":"x"}"#), Ok(vec!["from=x".to_owned()]), "{dynamic}");
    }
    let expected = |paths: &[&str]| Ok(paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>());
    assert_eq!(found("true", r#"{"c":{"part":[1],"other":2}}"#), expected(&["c", "c.other"]));
    assert_eq!(found("true", r#"{"c.part":1}"#), expected(&["c"]));
    assert_eq!(found("true", r#"{"c":"x"}"#), expected(&["c"]));
    assert_eq!(found("true", r#"{"plain":[3,{"b":1}]}"#), expected(&["plain", "plain.b"]));
    assert_eq!(found("runtime", r#"{"c":{"part":1},"plain":{"b":1}}"#), expected(&["c", "plain", "plain.b"]));
    assert!(found("strict", r#"{"plain":{"b":1}}"#).is_err());
    assert_eq!(found("false", r#"{"plain":{"b":1}}"#), Ok(none));
}

#[test]
fn detection_follows_its_settings() {
    let source = [r#"{"l":"12","d":"1.5","t":"2014-11-18","y":"2014"}"#];
    use DynamicKind::{Date, Double, Long, String};
    let kinds = |members: Value| -> Vec<DynamicKind> {
        unmapped(&mapping_with(vec![], members), &source).into_iter().map(|(_, kind)| kind).collect()
    };
    assert_eq!(kinds(json!({})), [String, String, Date, String]);
    assert_eq!(kinds(json!({ "date_detection": false })), [String; 4]);
    assert_eq!(kinds(json!({ "numeric_detection": true })), [Long, Double, Date, Long]);
}

#[test]
fn depth_is_limited() {
    let mapping = mapping_with(vec![], json!({ "depth_limit": 3 }));
    assert!(calls(&mapping, r#"{"a":{"b":{"c":1}}}"#).is_empty());
    let cause = refusal(&mapping, r#"{"a":{"b":{"c":{"d":1}}}}"#).caused_by.unwrap();
    assert!(cause.reason.starts_with("The depth of the field has exceeded the allowed limit of [3]."), "{cause}");
    let deep = format!("{}1{}", r#"{"off":[{"x":"#.repeat(2_000), "}]}".repeat(2_000));
    let objects = json!([{ "path": "off", "dynamic": "false", "enabled": false }]);
    let off = mapping_with(vec![], json!({ "objects": objects }));
    assert!(refusal(&off, &deep).to_string().contains("Document nesting depth (1001)"));
}

#[test]
fn fields_that_held_nothing_go_and_come_back_as_others() {
    let bare = json!({ "index": false, "doc_values": false });
    let update = |mapping: &Mapping, fields: Vec<Value>| mapping.update(spec(fields, json!({})), &registry()).unwrap();
    let kept = field("a", "long", json!({}));
    let first = mapping(vec![field("gone", "keyword", bare.clone()), kept.clone()]);
    let without = update(&first, vec![kept.clone()]);
    assert!(without.field_by_name("gone").is_none());
    assert_eq!(without.field_by_name("a").unwrap().id, first.field_by_name("a").unwrap().id);
    let still = update(&without, vec![kept.clone()]);
    let back = update(&still, vec![field("gone", "long", json!({})), kept]);
    assert_eq!(back.field_by_name("gone").unwrap().id, 2);
    let mut scratch = ParseScratch::new();
    let source = r#"{"a":1,"gone":2}"#;
    for (mapping, expected) in [(&first, vec!["a#1"]), (&without, vec!["a#1"]), (&back, vec!["a#1", "gone#2"])] {
        assert_eq!(calls_in(mapping, source, &mut scratch).unwrap(), expected);
    }
    let is_lacking = |mapping: &Mapping| {
        let mut scratch = ParseScratch::new();
        calls_in(mapping, source, &mut scratch).unwrap();
        scratch.report.fields().len()
    };
    assert_eq!([&first, &without, &still, &back].map(is_lacking), [0, 1, 1, 0]);
}

#[test]
fn updates_keep_field_ids() {
    let first = mapping(vec![field("b", "long", json!({})), field("a", "long", json!({}))]);
    let more = vec![field("a", "long", json!({})), field("new", "long", json!({})), field("b", "long", json!({}))];
    let second = first.update(spec(more, json!({ "version": 2 })), &registry()).unwrap();
    for name in ["a", "b"] {
        assert_eq!(first.field_by_name(name).unwrap().id, second.field_by_name(name).unwrap().id);
    }
    assert_eq!(second.field_by_name("new").unwrap().id, 2);
    assert_eq!(second.version(), 2);
    assert!(second.update(spec(vec![], json!({})), &registry()).is_err());
    let mut scratch = ParseScratch::new();
    for mapping in [&first, &second, &first] {
        assert_eq!(calls_in(mapping, r#"{"a":1,"b":2}"#, &mut scratch).unwrap(), ["a#1", "b#2"]);
    }
}

#[test]
fn sortable_numbers_are_read_and_written() {
    let mapping = mapping(vec![
        field("l", "long", json!({})),
        field("d", "double", json!({})),
        field("f", "float", json!({})),
        field("s", "scaled_float", json!({ "scaling_factor": 10.0 })),
        field("u", "unsigned_long", json!({})),
        field("b", "boolean", json!({})),
        field("da", "date", json!({ "format": "yyyy-MM-dd" })),
        field("dn", "date_nanos", json!({})),
    ]);
    for (name, text, json) in [
        ("l", "-5", "-5"),
        ("d", "1.5", "1.5"),
        ("d", "3", "3.0"),
        ("f", "0.1", "0.1"),
        ("s", "1.27", "1.3"),
        ("u", "18446744073709551615", "18446744073709551615"),
        ("b", "true", "true"),
        ("da", "2014-11-18", "\"2014-11-18\""),
        ("dn", "2014-11-18T01:02:03.000000004Z", "\"2014-11-18T01:02:03.000Z\""),
    ] {
        let field = mapping.field_by_name(name).unwrap();
        let mut out = Vec::new();
        write_sortable(field, read_sortable(field, text).unwrap(), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), json, "{name} {text}");
    }
}

/// The fields of a value, found the slow way: paths and scalars in document order.
fn flatten(value: &Value, path: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                flatten(value, &path, out);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| flatten(element, path, out)),
        Value::Null => {}
        Value::String(text) => out.push(format!("{path}={text}")),
        other => out.push(format!("{path}={other}")),
    }
}

fn document() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
    ];
    let values = prop_oneof![scalar.clone(), prop::collection::vec(scalar, 0..4).prop_map(Value::from)].boxed();
    let leaf = |name: &'static str| (Just(name.to_owned()), values.clone());
    let inner = prop::collection::vec(prop_oneof![leaf("x"), leaf("y")], 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
        .boxed();
    let objects = prop_oneof![inner.clone(), prop::collection::vec(inner, 0..3).prop_map(Value::from)];
    let member = prop_oneof![leaf("a"), leaf("b\""), leaf("ключ"), (Just("o".to_owned()), objects)];
    prop::collection::vec(member, 0..8).prop_map(|members| Value::Object(members.into_iter().collect()))
}

proptest! {
    #[test]
    fn keyword_values_are_those_of_the_flattened_document(documents in prop::collection::vec(document(), 1..6), pretty: bool) {
        let names = ["a", "b\"", "ключ", "o.x", "o.y"];
        let mapping = mapping(names.map(|name| field(name, "keyword", json!({}))).into());
        let mut scratch = ParseScratch::new();
        for document in documents {
            let text = if pretty { serde_json::to_string_pretty(&document) } else { serde_json::to_string(&document) }.unwrap();
            let mut expected = Vec::new();
            flatten(&document, "", &mut expected);
            prop_assert_eq!(calls_in(&mapping, &text, &mut scratch).unwrap(), expected);
            prop_assert!(scratch.report.is_empty());
        }
    }

    #[test]
    fn no_bytes_panic(document in document(), at: prop::sample::Index, byte: u8, noise: Vec<u8>) {
        let mapping = mapping(vec![field("a", "long", json!({})), field("o.x", "date", json!({}))]);
        let mut scratch = ParseScratch::new();
        let mut bytes = serde_json::to_vec(&document).unwrap();
        let place = at.index(bytes.len());
        bytes[place] = byte;
        for source in [&bytes, &noise] {
            if parse_document(&mapping, "1", source, &mut NoSink, &mut scratch).is_ok() {
                // JSON knows no largest number; who reads it as a double does.
                let read = serde_json::from_slice::<Value>(source).map_err(|error| error.to_string());
                prop_assert!(read.as_ref().err().is_none_or(|why| why.contains("number out of range")), "{read:?}");
            }
        }
    }
}
