use super::text::{SKIP, STACKED};
use super::*;
use quarry_analysis::Registry;
use quarry_segment::stored::Record;
use serde_json::{Value, json};

pub fn field(name: &str, kind: &str, more: Value) -> Value {
    let mut field = json!({
        "name": name, "type": kind, "index": true, "doc_values": kind != "text", "store": false, "norms": kind == "text",
        "index_options": if kind == "text" { "positions" } else { "docs" }, "analyzer": null, "search_analyzer": null,
        "search_quote_analyzer": null, "position_increment_gap": 100, "normalizer": null, "ignore_above": null,
        "null_value": null, "format": null, "scaling_factor": null, "coerce": true, "ignore_malformed": false,
        "copy_to": [], "parent": null,
    });
    for (key, value) in more.as_object().unwrap() {
        field[key] = value.clone();
    }
    field
}

fn mapping(fields: Vec<Value>) -> Mapping {
    let analysis = json!({"filter": {"doubled": {"type": "keyword_repeat"}}, "analyzer": {
        "doubled": {"tokenizer": "whitespace", "filter": ["doubled", "porter_stem", "remove_duplicates"]},
    }});
    let spec = json!({
        "version": 1, "dynamic": "true", "date_detection": true, "numeric_detection": false, "dynamic_date_formats": [],
        "source_enabled": true, "source_includes": [], "source_excludes": [], "routing_required": false, "fields": fields,
        "objects": [], "depth_limit": 20,
    });
    Mapping::new(serde_json::from_value(spec).unwrap(), &Registry::from_spec(&analysis).unwrap()).unwrap()
}

pub fn buffer(fields: Vec<Value>) -> IndexBuffer {
    IndexBuffer::new(&mapping(fields), StoredCodec::Lz4, BUFFER_BYTES_DEFAULT).unwrap()
}

pub fn meta<'a>(id: &'a str, source: &'a str) -> DocumentMeta<'a> {
    DocumentMeta {
        id: id.as_bytes(),
        routing: None,
        seq_no: 7,
        version: 1,
        primary_term: 1,
        source: Some(source.as_bytes()),
    }
}

fn text_of(buffer: &IndexBuffer, field: usize) -> &text::TextField {
    match &buffer.fields[field].values {
        field::Values::Text(text) => text,
        other => panic!("not text: {other:?}"),
    }
}

#[test]
fn values_are_separated_by_the_gap_and_stop_words_leave_holes() {
    let mut buffer = buffer(vec![field("t", "text", json!({"analyzer": "english"}))]);
    buffer.begin_document();
    buffer.text(0, "the fox and").unwrap();
    buffer.text(0, "fox dog").unwrap();
    assert_eq!(buffer.commit_document(meta("1", "{}")).unwrap(), 0);
    let text = text_of(&buffer, 0);
    assert_eq!(text.stream, [SKIP | 1, 0, SKIP | 1, SKIP | 100, 0, 1]);
    assert_eq!(text.docs[0].length, 3);
    let mut occurrences = invert::Occurrences::default();
    occurrences.collect(text);
    assert_eq!(occurrences.of(0), [1, 103]);
    assert_eq!(occurrences.of(1), [104]);
}

#[test]
fn tokens_at_one_position_count_once_in_the_length() {
    let mut buffer = buffer(vec![field("t", "text", json!({"analyzer": "doubled"}))]);
    buffer.begin_document();
    buffer.text(0, "running x").unwrap();
    buffer.commit_document(meta("1", "{}")).unwrap();
    let text = text_of(&buffer, 0);
    assert_eq!(text.stream, [0, 1 | STACKED, 2]);
    assert_eq!(text.docs[0].length, 2);
    let mut occurrences = invert::Occurrences::default();
    occurrences.collect(text);
    assert_eq!(
        (occurrences.of(0), occurrences.of(1), occurrences.of(2)),
        ([0u64].as_slice(), [0].as_slice(), [1].as_slice())
    );
}

#[test]
fn a_rolled_back_document_leaves_nothing() {
    let fields = vec![field("t", "text", json!({})), field("k", "keyword", json!({})), field("n", "long", json!({}))];
    let mut buffer = buffer(fields);
    for (id, text) in [("1", "a b"), ("2", "gone"), ("3", "c")] {
        buffer.begin_document();
        buffer.text(0, text).unwrap();
        buffer.term(1, text.as_bytes()).unwrap();
        buffer.number(2, 5).unwrap();
        buffer.stored(1, b"\"x\"").unwrap();
        buffer.ignored(2).unwrap();
        if text == "gone" {
            buffer.rollback_document();
        } else {
            buffer.commit_document(meta(id, "{\"a\":1}")).unwrap();
        }
    }
    assert_eq!(buffer.document_count(), 2);
    let text = text_of(&buffer, 0);
    assert_eq!(text.docs.iter().map(|doc| (doc.ordinal, doc.end)).collect::<Vec<_>>(), [(0, 2), (1, 3)]);
    assert_eq!(text.stream, [0, 1, 3]);
    assert!(buffer.document(2).is_err());
    let record = Record::parse(buffer.document(1).unwrap()).unwrap();
    assert_eq!(record.source(), Some(b"{\"a\":1}".as_slice()));
    assert_eq!(record.fields().collect::<Vec<_>>(), [("k", b"\"x\"".as_slice())]);
    let field::Values::Term(terms) = &buffer.fields[1].values else { panic!("not terms") };
    assert_eq!((terms.docs.as_slice(), terms.numbers.as_slice()), ([0, 1].as_slice(), [0, 2].as_slice()));
    assert_eq!(buffer.ignored.docs, [0, 1]);
}

#[test]
fn deletions_are_counted_once() {
    let mut buffer = buffer(vec![]);
    for id in ["1", "2"] {
        buffer.begin_document();
        buffer.commit_document(meta(id, "{}")).unwrap();
    }
    assert!(buffer.delete(1));
    assert!(!buffer.delete(1));
    assert!(!buffer.delete(2));
    assert_eq!((buffer.deleted_count(), buffer.is_deleted(0), buffer.is_deleted(1)), (1, false, true));
}

#[test]
fn memory_is_accounted_and_bounded() {
    let mapping = mapping(vec![field("t", "text", json!({}))]);
    let mut buffer = IndexBuffer::new(&mapping, StoredCodec::Lz4, 200_000).unwrap();
    let empty = buffer.memory_bytes();
    let mut documents = 0;
    while !buffer.is_full() {
        buffer.begin_document();
        buffer.text(0, "some words in a document").unwrap();
        buffer.commit_document(meta("id", "{\"t\":\"some words in a document\"}")).unwrap();
        documents += 1;
    }
    assert!(buffer.memory_bytes() > empty && documents > 10 && documents < 10_000, "{documents}");
}

#[test]
fn immense_terms_are_refused_by_field() {
    let mut buffer = buffer(vec![field("t", "text", json!({"analyzer": "keyword"})), field("k", "keyword", json!({}))]);
    let long = "x".repeat(quarry_base::limits::TERM_BYTES_MAX + 1);
    buffer.begin_document();
    let error = buffer.text(0, &long).unwrap_err();
    assert!(error.reason.starts_with("Document contains at least one immense term in field=\"t\""), "{}", error.reason);
    assert!(buffer.term(1, long.as_bytes()).unwrap_err().reason.contains("field=\"k\""));
    buffer.rollback_document();
}

#[test]
fn new_fields_join_and_old_ones_stay() {
    let mut buffer = buffer(vec![field("t", "text", json!({}))]);
    buffer.begin_document();
    buffer.text(0, "a").unwrap();
    buffer.commit_document(meta("1", "{}")).unwrap();
    buffer.update_mapping(&mapping(vec![field("t", "text", json!({})), field("k", "keyword", json!({}))])).unwrap();
    buffer.begin_document();
    buffer.term(1, b"x").unwrap();
    assert!(buffer.number(1, 1).is_err());
    assert!(buffer.term(2, b"x").is_err());
    buffer.commit_document(meta("2", "{}")).unwrap();
    assert_eq!(text_of(&buffer, 0).docs.len(), 1);
}

/// The stream with numbers of terms resolved and neighbouring gaps joined, so that both ways can be compared.
fn resolved(field: &text::TextField) -> Vec<(Option<String>, u32)> {
    let mut out: Vec<(Option<String>, u32)> = Vec::new();
    for &token in &field.stream {
        if token >= SKIP {
            match out.last_mut() {
                Some((None, positions)) => *positions += token - SKIP,
                _ => out.push((None, token - SKIP)),
            }
        } else {
            let term = field.terms.get(token & (STACKED - 1));
            out.push((Some(String::from_utf8_lossy(term).into_owned()), token & STACKED));
        }
    }
    out
}

proptest::proptest! {
    #[test]
    fn words_go_the_same_way_fast_and_general(
        texts in proptest::collection::vec("([a-zA-Z]{1,5}|the|running|foxes|dog's|[a-z]{14,40}|é\\w|[漢かカ😀]{1,3}|[ .,_':\u{0}]{1,2}|1[.,]5){0,30}", 1..4),
        analyzer in proptest::sample::select(vec!["standard", "english", "simple", "whitespace", "stop", "snowball"]),
    ) {
        let spec = mapping(vec![field("t", "text", json!({"analyzer": analyzer}))]);
        let field = spec.field(0);
        let mut fast = text::TextField::new(&field.spec, field.analyzer.clone().unwrap());
        let mut general = text::TextField::new(&field.spec, field.analyzer.clone().unwrap());
        general.disable_words();
        for (ordinal, text) in texts.iter().enumerate() {
            for field in [&mut fast, &mut general] {
                field.add("t", text).unwrap();
                field.add("t", "a trailing value of the").unwrap();
                field.commit(ordinal as u32);
            }
        }
        proptest::prop_assert_eq!(resolved(&fast), resolved(&general));
        let lengths = |field: &text::TextField| field.docs.iter().map(|doc| doc.length).collect::<Vec<_>>();
        proptest::prop_assert_eq!(lengths(&fast), lengths(&general));
    }
}
