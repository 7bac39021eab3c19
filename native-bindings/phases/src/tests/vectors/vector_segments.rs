//! Vectors in segments: what is written is read, merges keep what stays, damage is found or does no harm.

use crate::tests::fixture::{Shard, field, merged, shard};
use quarry_base::error::ErrorCode;
use quarry_segment::check::check_segment;
use quarry_segment::id::SegmentId;
use quarry_segment::merge::{MergeControl, MergeInput, merge};
use quarry_segment::reader::{SegmentReader, Verify};
use quarry_segment::stored::StoredCodec;
use quarry_segment::vectors::VectorFormat;
use quarry_segment::vectors::column::VectorColumn;
use quarry_segment::vectors::data::{GRAPH_VECTORS_MIN, VectorRows, VectorsData};
use quarry_segment::vectors::elements::Elements;
use quarry_testing::Dice;
use quarry_testing::directory::TestDirectory;
use quarry_vectors::Vectors;
use quarry_vectors::graph::Parameters;
use quarry_vectors::measure::Element;
use quarry_vectors::similarity::Similarity;
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;

const DIMS: usize = 6;

fn vector_field(similarity: &str) -> Value {
    let hnsw = json!({"m": 8, "ef_construction": 40});
    field(
        "v",
        "dense_vector",
        json!({"doc_values": false, "vector": {"dims": DIMS, "similarity": similarity, "hnsw": hnsw}}),
    )
}

fn number(dice: &mut Dice) -> f32 {
    dice.below(2_000) as f32 / 100.0 - 9.5
}

fn documents(count: usize, seed: u64, gaps: u64) -> Vec<Value> {
    let mut dice = Dice::new(seed);
    let mut document = |place: usize| {
        let vector: Vec<f32> = (0..DIMS).map(|_| number(&mut dice)).collect();
        if gaps > 0 && dice.below(gaps) == 0 { json!({"n": place}) } else { json!({"v": vector, "n": place}) }
    };
    (0..count).map(&mut document).collect()
}

fn column(shard: &Shard, segment: usize) -> &VectorColumn {
    shard.view.segments[segment].reader.field("v").and_then(|field| field.vectors()).unwrap()
}

/// The vector that a column has for a document, as the document had it.
fn read(column: &VectorColumn, doc: u32) -> Option<Vec<f32>> {
    let mut values = Vec::new();
    column.read(column.ordinal(doc)?, &mut values);
    Some(values)
}

fn given(document: &Value) -> Option<Vec<f32>> {
    Some(document["v"].as_array()?.iter().map(|value| value.as_f64().unwrap() as f32).collect())
}

fn assert_near(found: Option<Vec<f32>>, expected: Option<Vec<f32>>) {
    let (Some(found), Some(expected)) = (&found, &expected) else { return assert_eq!(found, expected) };
    assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-4), "{found:?}");
}

#[test]
fn vectors_are_read_as_they_were_written_and_merged() {
    for similarity in ["cosine", "l2_norm", "max_inner_product"] {
        let parts =
            [(documents(300, 1, 4), vec![3, 4, 5]), (documents(40, 2, 0), vec![]), (documents(9, 3, 2), vec![0])];
        let shard = shard(vec![vector_field(similarity), field("n", "long", json!({}))], &parts);
        let mut staying = Vec::new();
        for (segment, (documents, deleted)) in parts.iter().enumerate() {
            let column = column(&shard, segment);
            assert!(column.graph().is_none(), "so few are sooner looked at");
            for (document, doc) in documents.iter().zip(0..) {
                assert_near(read(column, doc), given(document));
                if !deleted.contains(&doc) {
                    staying.push(given(document));
                }
            }
            assert_eq!(check_segment(&shard.view.segments[segment].reader), []);
        }
        let shard = merged(shard);
        assert_eq!(shard.view.segments[0].max_doc() as usize, staying.len());
        for (expected, doc) in staying.into_iter().zip(0..) {
            assert_near(read(column(&shard, 0), doc), expected);
        }
        assert_eq!(check_segment(&shard.view.segments[0].reader), []);
    }
}

/// The vectors of a document as a field of an element takes them.
fn in_element(document: &Value, element: &str) -> Value {
    let Some(values) = document["v"].as_array() else { return document.clone() };
    let byte = |value: &Value| json!((value.as_f64().unwrap() * 10.0) as i64);
    let values: Vec<Value> = values.iter().map(byte).collect();
    let text: String = values.iter().map(|value| format!("{:02x}", value.as_i64().unwrap() as i8)).collect();
    // Some come as digits.
    let vector = if element == "bit" || values[0].as_i64() < Some(0) { json!(text) } else { json!(values) };
    json!({"v": vector, "n": document["n"]})
}

/// The values that a column gives back.
fn of_element(document: &Value, element: &str) -> Option<Vec<f32>> {
    let byte = |value: &Value| (value.as_f64().unwrap() * 10.0) as i8;
    let bytes: Vec<i8> = document["v"].as_array()?.iter().map(byte).collect();
    let bits = |byte: i8| (0..8).rev().map(move |bit| f32::from(byte as u8 >> bit & 1));
    Some(match element {
        "bit" => bytes.into_iter().flat_map(bits).collect(),
        _ => bytes.into_iter().map(f32::from).collect(),
    })
}

#[test]
fn bytes_and_bits_are_read_as_they_were_written_and_merged() {
    for (element, similarity, dims) in [("byte", "cosine", 6), ("byte", "dot_product", 6), ("bit", "l2_norm", 48)] {
        let hnsw = json!({"m": 8, "ef_construction": 40});
        let spec = json!({"dims": dims, "element": element, "similarity": similarity, "hnsw": hnsw});
        let fields = vec![
            field("v", "dense_vector", json!({"doc_values": false, "vector": spec})),
            field("n", "long", json!({})),
        ];
        let parts = [(documents(301, 11, 4), vec![3, 4]), (documents(GRAPH_VECTORS_MIN, 12, 0), vec![])];
        let given = parts.clone().map(|(documents, deleted)| {
            (documents.iter().map(|document| in_element(document, element)).collect::<Vec<Value>>(), deleted)
        });
        let shard = shard(fields, &given);
        assert!(column(&shard, 1).graph().is_some(), "{element}");
        let mut staying = Vec::new();
        for (segment, (documents, deleted)) in parts.iter().enumerate() {
            assert_eq!(check_segment(&shard.view.segments[segment].reader), []);
            for (document, doc) in documents.iter().zip(0..) {
                let expected = of_element(document, element);
                assert_eq!(read(column(&shard, segment), doc), expected, "{element}");
                if !deleted.contains(&doc) {
                    staying.push(expected);
                }
            }
        }
        let shard = merged(shard);
        assert_eq!(check_segment(&shard.view.segments[0].reader), []);
        assert!(column(&shard, 0).graph().is_some(), "{element}");
        for (expected, doc) in staying.into_iter().zip(0..) {
            assert_eq!(read(column(&shard, 0), doc), expected, "{element}");
        }
    }
}

#[test]
fn codes_go_with_their_vectors_through_merges() {
    for bits in [8, 4] {
        let quantised = json!({"bits": bits, "confidence_interval": null, "oversample": null});
        let spec = json!({"dims": DIMS, "similarity": "cosine", "hnsw": null, "quantised": quantised});
        let fields = || {
            vec![
                field("v", "dense_vector", json!({"doc_values": false, "vector": spec.clone()})),
                field("n", "long", json!({})),
            ]
        };
        let shard = shard(fields(), &[(documents(200, 13, 5), vec![1, 2]), (documents(90, 14, 0), vec![])]);
        let shard = merged(shard);
        assert_eq!(check_segment(&shard.view.segments[0].reader), []);
        let column = column(&shard, 0);
        let (quantisation, codes) = column.codes().unwrap();
        assert_eq!(codes.count(), column.count());
        for ordinal in 0..column.count() {
            let mut code = Vec::new();
            quantisation.encode(column.floats().get(ordinal), &mut code);
            assert_eq!(codes.get(ordinal), code);
        }
    }
}

/// A segment of a field that was not quantised gets its codes when it is merged with a newer one that is, in whichever order they come.
#[test]
fn what_was_not_quantised_is_when_it_is_merged() {
    let n = || field("n", "long", json!({}));
    let quantised = json!({"bits": 8, "confidence_interval": 0.95, "oversample": null});
    let spec = json!({"dims": DIMS, "similarity": "l2_norm", "hnsw": null, "quantised": quantised});
    let plain = shard(vec![vector_field("l2_norm"), n()], &[(documents(50, 15, 3), vec![])]);
    let coded = field("v", "dense_vector", json!({"doc_values": false, "vector": spec}));
    // Operations of the second segment follow sixty others.
    let coded = shard(vec![coded, n()], &[(documents(60, 16, 0), vec![]), (documents(30, 17, 0), vec![])]);
    let directory = TestDirectory::new();
    let newest = &coded.view.segments[1];
    for (number, segments) in [(8, [&plain.view.segments[0], newest]), (9, [newest, &plain.view.segments[0]])] {
        let inputs = segments.map(|segment| MergeInput { segment: Arc::clone(&segment.reader), live: None });
        let path = directory.path().join(format!("_{number}.seg"));
        let id = SegmentId { number, uuid: [9; 16] };
        merge(&inputs, &path, id, StoredCodec::Lz4, &MergeControl::default()).unwrap();
        let segment = SegmentReader::open(&path, Verify::All).unwrap();
        assert_eq!(check_segment(&segment), []);
        let column = segment.field("v").and_then(|field| field.vectors()).unwrap();
        assert_eq!(column.codes().map(|(_, codes)| codes.count()), Some(column.count()));
    }
}

#[test]
fn merges_build_graphs_and_go_on_with_them() {
    let count = GRAPH_VECTORS_MIN;
    let parts = [(documents(count, 4, 0), vec![]), (documents(700, 5, 3), vec![7])];
    let shard = shard(vec![vector_field("l2_norm"), field("n", "long", json!({}))], &parts);
    assert!(column(&shard, 0).graph().is_some() && column(&shard, 1).graph().is_none());
    let old = column(&shard, 0).graph().map(|graph| graph.neighbours(0, 5).to_vec());
    assert!(old.is_some_and(|neighbours| !neighbours.is_empty()));
    let shard = merged(shard);
    let all = column(&shard, 0);
    assert_eq!(all.graph().map(|graph| graph.layout.count), Some(all.count()));
    assert_eq!(check_segment(&shard.view.segments[0].reader), []);
}

#[test]
fn graphs_are_not_built_for_flat_fields() {
    let flat = json!({"doc_values": false, "vector": {"dims": DIMS, "similarity": "cosine", "hnsw": null}});
    let fields = vec![field("v", "dense_vector", flat), field("n", "long", json!({}))];
    let shard = shard(fields, &[(documents(GRAPH_VECTORS_MIN + 10, 6, 0), vec![])]);
    assert!(column(&shard, 0).graph().is_none());
}

#[test]
fn a_merge_of_vectors_and_other_values_fails() {
    let n = || field("n", "long", json!({}));
    let vectors = shard(vec![vector_field("l2_norm"), n()], &[(documents(5, 7, 0), vec![])]);
    let numbers = shard(vec![field("v", "long", json!({})), n()], &[(vec![json!({"v": 1, "n": 2})], vec![])]);
    let wider = json!({"doc_values": false, "vector": {"dims": 2, "similarity": "l2_norm", "hnsw": null}});
    let wider = shard(vec![field("v", "dense_vector", wider), n()], &[(vec![json!({"v": [1, 2]})], vec![])]);
    for (other, reason) in [(&numbers, "different kinds in segments"), (&wider, "vectors of different kinds")] {
        let directory = TestDirectory::new();
        let inputs = [&vectors, other]
            .map(|shard| MergeInput { segment: Arc::clone(&shard.view.segments[0].reader), live: None });
        let path = directory.path().join("_9.seg");
        let id = SegmentId { number: 9, uuid: [9; 16] };
        let error = merge(&inputs, &path, id, StoredCodec::Lz4, &MergeControl::default()).unwrap_err();
        assert!(error.reason.contains(reason), "{error}");
    }
}

#[test]
fn the_building_of_a_graph_sees_that_its_merge_is_cancelled() {
    let format = VectorFormat {
        dims: 1,
        element: Element::Float,
        similarity: Some(Similarity::L2Norm),
        graph: Some(Parameters { m: 4, ef_construction: 10 }),
        quantisation: None,
    };
    let control = MergeControl::default();
    control.cancelled.store(true, std::sync::atomic::Ordering::Relaxed);
    let rows = VectorRows::Held(Elements::Floats((0..GRAPH_VECTORS_MIN).map(|number| number as f32).collect()));
    let docs = (0..GRAPH_VECTORS_MIN as u32).collect();
    let error = VectorsData::new(format, rows, docs, Vec::new(), None, &|| control.check_cancelled()).unwrap_err();
    assert_eq!(error.code, ErrorCode::TaskCancelled);
}

/// Flips bytes after the checksums were passed by: whatever is read, nothing panics.
#[test]
fn damage_does_no_harm() {
    let quantised = json!({"bits": 8, "confidence_interval": null, "oversample": null});
    let spec = json!({"dims": DIMS, "similarity": "cosine", "hnsw": null, "quantised": quantised});
    let fields =
        vec![field("v", "dense_vector", json!({"doc_values": false, "vector": spec})), field("n", "long", json!({}))];
    let shard = shard(fields, &[(documents(60, 8, 3), vec![])]);
    let path = shard.view.segments[0].reader.path().to_owned();
    let whole = fs::read(&path).unwrap();
    let (mut refused, mut found) = (0, 0);
    for place in (64..whole.len()).step_by(3) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0xa5;
        fs::write(&path, &damaged).unwrap();
        assert!(SegmentReader::open(&path, Verify::All).is_err(), "byte {place}");
        let Ok(segment) = SegmentReader::open(&path, Verify::Metadata) else {
            refused += 1;
            continue;
        };
        found += usize::from(!check_segment(&segment).is_empty());
        let Some(column) = segment.field("v").and_then(|field| field.vectors()) else { continue };
        let code = column.codes().map(|(_, codes)| codes.get(0).to_vec());
        let closeness = code.as_deref().and_then(|code| column.closeness_to_code(code));
        for doc in 0..segment.max_doc() {
            read(column, doc);
            if let (Some(closeness), Some(ordinal)) = (&closeness, column.ordinal(doc)) {
                closeness(ordinal.min(column.count() - 1));
            }
        }
        for window in 0..3 {
            column.has_value(window, &mut [0; 64]);
        }
    }
    assert!(refused > 0 && found > 0, "{refused} refused, {found} found");
}
