//! What documents may give a field of ranges.

use super::*;
use quarry_analysis::Registry;
use quarry_base::error::Error;
use quarry_segment::column::range::address_end;
use quarry_segment::vectors::elements::VectorValues;
use quarry_testing::mapping::{field, mapping_spec};
use serde_json::{Value, json};

fn mapping(fields: Vec<Value>) -> Mapping {
    let analysis = Registry::from_spec(&json!({})).unwrap();
    Mapping::new(serde_json::from_value(mapping_spec(fields)).unwrap(), &analysis).unwrap()
}

/// Keeps ranges, stored values and what was ignored.
#[derive(Default)]
struct Recorder {
    ranges: Vec<Range>,
    stored: Vec<String>,
    ignored: usize,
}

impl DocumentSink for Recorder {
    fn text(&mut self, _field: FieldId, _value: &str) -> Result<()> {
        Ok(())
    }
    fn term(&mut self, _field: FieldId, _value: &[u8]) -> Result<()> {
        Ok(())
    }
    fn number(&mut self, _field: FieldId, _value: i64) -> Result<()> {
        Ok(())
    }
    fn range(&mut self, _field: FieldId, range: Range) -> Result<()> {
        self.ranges.push(range);
        Ok(())
    }
    fn vector(&mut self, _field: FieldId, _vector: VectorValues<'_>) -> Result<()> {
        Ok(())
    }
    fn stored(&mut self, _field: FieldId, json: &[u8]) -> Result<()> {
        self.stored.push(serde_json::from_slice(json).unwrap());
        Ok(())
    }
    fn ignored(&mut self, _field: FieldId) -> Result<()> {
        self.ignored += 1;
        Ok(())
    }
    fn begin_child(&mut self) {}
    fn end_child(&mut self, _path: &str) {}
    fn exchange_with_outer(&mut self, _levels: usize) {}
}

fn parse(kind: &str, more: Value, value: &Value) -> Result<Recorder> {
    let mapping = mapping(vec![field("r", kind, more)]);
    let mut sink = Recorder::default();
    let source = json!({"r": value}).to_string();
    parse_document(&mapping, "1", source.as_bytes(), &mut sink, &mut ParseScratch::new()).map(|_| sink)
}

fn ranges(kind: &str, value: Value) -> Vec<Range> {
    parse(kind, json!({}), &value).unwrap_or_else(|error| panic!("{value}: {error}")).ranges
}

fn refusal(kind: &str, value: Value) -> Error {
    parse(kind, json!({}), &value).err().unwrap_or_else(|| panic!("{value} was taken"))
}

#[test]
fn ranges_are_what_lies_between_their_ends() {
    let most = i128::from(i32::MAX);
    let several = json!([{"gte": 1, "lt": 5}, null, {"gt": "7"}, []]);
    assert_eq!(ranges("integer_range", several), [(1, 4), (8, most)]);
    assert_eq!(ranges("integer_range", json!({"gte": 1.9, "lte": null})), [(1, most)]);
    assert_eq!(ranges("long_range", json!({})), [(i64::MIN.into(), i64::MAX.into())]);
    assert_eq!(ranges("date_range", json!({"gte": "1970-01-01||+1s", "lt": "1970-01-02"})), [(1_000, 86_399_999)]);
    let address = |text| address_end(crate::ip::parse(text).unwrap());
    let network = [(address("10.1.2.0"), address("10.1.2.255"))];
    assert_eq!(ranges("ip_range", json!("10.1.2.3/24")), network);
    assert_eq!(ranges("ip_range", json!({"gt": "10.1.1.255", "lte": "10.1.2.255"})), network);
    let zero = i128::from(quarry_codec::sortable::from_f64(0.0));
    assert_eq!(ranges("double_range", json!({"gt": 0, "lte": 0.5}))[0].0, zero + 1);
}

#[test]
fn stored_ranges_show_the_ends_that_were_given() {
    let stored = |kind, value| parse(kind, json!({"store": true}), &value).unwrap().stored;
    assert_eq!(stored("integer_range", json!({"gte": 1, "lt": 5})), ["[1 : 5)"]);
    assert_eq!(stored("double_range", json!({"gt": 1.5})), ["(1.5 : Infinity]"]);
    assert_eq!(stored("date_range", json!({"gte": 0, "lte": 5})), ["[0 : 5]"]);
    assert_eq!(stored("ip_range", json!("::1/128")), ["[::1 : ::1]"]);
}

#[test]
fn refusals_are_the_references() {
    let cause = |kind, value| refusal(kind, value).caused_by.map(|cause| cause.reason).unwrap_or_default();
    let error = refusal("long_range", json!({"gte": 7, "lt": 7}));
    assert_eq!(
        error.reason,
        "failed to parse field [r] of type [long_range] in document with id '1'. Preview of field's value: 'null'"
    );
    assert_eq!(error.caused_by.unwrap().reason, "min value (7) is greater than max value (6)");
    assert_eq!(cause("long_range", json!({"from": 1})), "error parsing field [r], with unknown parameter [from]");
    assert_eq!(cause("long_range", json!(5)), "error parsing field [r], expected an object but got r");
    assert_eq!(cause("long_range", json!("10.0.0.0/8")), "error parsing field [r], expected an object but got r");
    assert_eq!(cause("date_range", json!({"gte": "now"})), "could not read the current timestamp");
    assert_eq!(cause("ip_range", json!({"gte": "abc"})), "'abc' is not an IP string literal.");
    assert_eq!(
        cause("ip_range", json!({"gte": "::2", "lte": "::1"})),
        "min value cannot be greater than max value for InetAddressRange field"
    );
    assert!(cause("long_range", json!({"gte": {"a": 1}})).starts_with("Can't get text on a START_OBJECT"));
    assert!(cause("long_range", json!({"gt": i64::MAX})).starts_with("min value (9223372036854775808)"));
    assert!(cause("ip_range", json!({"lt": "::"})).starts_with("there is no address below"));
    let strict = parse("integer_range", json!({"coerce": false}), &json!({"gte": "1"})).err().unwrap();
    assert_eq!(strict.caused_by.unwrap().reason, "Integer value passed as String");
}

#[test]
fn malformed_ranges_are_ignored_where_the_mapping_says_so() {
    let lenient = |value: Value| parse("integer_range", json!({"ignore_malformed": true}), &value);
    for value in [json!({"gte": "x", "lte": 3}), json!({"gte": 5, "lte": 3}), json!({"lte": [1]})] {
        let sink = lenient(value).unwrap();
        assert_eq!((sink.ranges.len(), sink.ignored), (0, 1));
    }
    assert!(lenient(json!({"gte": "x", "unknown": 3})).is_err());
    assert!(lenient(json!(5)).is_err());
}

#[test]
fn multi_fields_read_the_same_text() {
    let sub = |kind: &str| field("r.sub", kind, json!({"parent": "r"}));
    let take = |kind: &str, value: Value| {
        let mapping = mapping(vec![field("r", "ip_range", json!({})), sub(kind)]);
        let mut sink = Recorder::default();
        let source = json!({"r": value, "z": 1}).to_string();
        parse_document(&mapping, "1", source.as_bytes(), &mut sink, &mut ParseScratch::new()).map(|_| sink.ranges.len())
    };
    assert_eq!(take("ip_range", json!([{"gte": "::1"}, "::/64"])).unwrap(), 4);
    assert_eq!(take("keyword", json!("::/64")).unwrap(), 1);
    assert!(take("keyword", json!({"gte": "::1"})).is_err());
}
