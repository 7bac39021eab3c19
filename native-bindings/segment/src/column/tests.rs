//! Columns against lists of values by document.

use super::numeric::{NumericColumn, NumericColumnWriter, NumericWindow};
use super::ordinal::{OrdinalColumn, OrdinalColumnWriter, OrdinalWindow};
use super::presence::{Presence, PresenceData};
use proptest::collection::vec;
use proptest::prelude::*;
use quarry_codec::shared_bytes::SharedBytes;
use quarry_codec::window::{WINDOW, WINDOW_WORDS, WindowBits, window_count};

/// Values by document: dense, sparse or several, over more than one window.
fn documents() -> impl Strategy<Value = Vec<Vec<i64>>> {
    let value = prop_oneof![
        Just((0i64, 1i64)),
        Just((1_700_000_000_000, 1_000)),
        Just((-5, 3)),
        Just((0, i64::MAX / 8)),
        Just((i64::MIN, 1 << 33)),
    ];
    (1usize..9_000, 0u64..4, value, 1u64..70, any::<u64>()).prop_map(|(count, shape, (base, step), spread, seed)| {
        (0..count as u64)
            .map(|doc| {
                let random = mix(doc ^ seed);
                let values = match shape {
                    0 => 1,
                    1 => u64::from(random.is_multiple_of(3)),
                    2 => u64::from(random.is_multiple_of(200)),
                    _ => random % 4,
                };
                (0..values)
                    .map(|place| {
                        let random = mix(random + place) % spread;
                        base.wrapping_add(step.wrapping_mul(random as i64))
                    })
                    .collect()
            })
            .collect()
    })
}

fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    value ^ value >> 29
}

fn sorted(values: &[i64]) -> Vec<i64> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values
}

fn numeric(documents: &[Vec<i64>]) -> NumericColumn {
    let mut writer = NumericColumnWriter::new();
    for (doc, values) in documents.iter().enumerate() {
        writer.add(doc as u32, values);
    }
    let data = writer.finish(documents.len() as u32);
    NumericColumn::open(SharedBytes::from(data.bytes), documents.len() as u32).unwrap()
}

fn bit(bits: &WindowBits, doc: usize) -> bool {
    bits[doc / 64] >> (doc % 64) & 1 == 1
}

fn check_numeric(documents: &[Vec<i64>], bounds: (i64, i64)) -> Result<(), TestCaseError> {
    let column = numeric(documents);
    let all = || documents.iter().flatten();
    prop_assert_eq!(column.value_count(), all().count() as u64);
    prop_assert_eq!(column.doc_count() as usize, documents.iter().filter(|values| !values.is_empty()).count());
    prop_assert_eq!(column.range(), all().min().map(|min| (*min, *all().max().unwrap())));
    prop_assert_eq!(column.is_single_valued(), documents.iter().all(|values| values.len() <= 1));
    let mut decoded = NumericWindow::default();
    for window in 0..window_count(documents.len() as u32) {
        let first = window as usize * WINDOW;
        let members = &documents[first..documents.len().min(first + WINDOW)];
        column.decode_window(window, &mut decoded);
        let (mut present, mut matching) = ([0; WINDOW_WORDS], [0; WINDOW_WORDS]);
        column.has_value(window, &mut present);
        column.match_range(window, bounds.0, bounds.1, &mut matching);
        prop_assert_eq!(present, decoded.present);
        prop_assert_eq!(column.window_doc_count(window), present.iter().map(|word| word.count_ones()).sum::<u32>());
        for (doc, values) in members.iter().enumerate() {
            let expected = sorted(values);
            prop_assert_eq!(decoded.values_of(doc as u16), &expected[..]);
            prop_assert_eq!(bit(&present, doc), !expected.is_empty());
            let hit = expected.iter().any(|value| (bounds.0..=bounds.1).contains(value));
            prop_assert_eq!(bit(&matching, doc), hit);
            let mut got = Vec::new();
            column.get((first + doc) as u32, &mut got);
            prop_assert_eq!(column.first((first + doc) as u32), expected.first().copied());
            prop_assert_eq!(got, expected);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn numeric_columns_give_what_was_put_in(documents in documents(), picks: (prop::sample::Index, prop::sample::Index)) {
        let values: Vec<i64> = documents.iter().flatten().copied().collect();
        let bounds = if values.is_empty() { (0, 0) } else {
            let (a, b) = (*picks.0.get(&values), *picks.1.get(&values));
            (a.min(b), a.max(b))
        };
        check_numeric(&documents, bounds)?;
        check_numeric(&documents, (bounds.0.wrapping_add(1), bounds.1))?;
    }

    #[test]
    fn ordinal_columns_give_distinct_ascending_ordinals(documents in vec(vec(0u32..500, 0..3), 1..5_000), low in 0u32..500, span in 0u32..200) {
        let mut writer = OrdinalColumnWriter::new();
        for (doc, ordinals) in documents.iter().enumerate() {
            writer.add(doc as u32, ordinals);
        }
        let max_doc = documents.len() as u32;
        let column = OrdinalColumn::open(SharedBytes::from(writer.finish(max_doc).bytes), max_doc, 500).unwrap();
        let mut decoded = OrdinalWindow::default();
        for (doc, ordinals) in documents.iter().enumerate() {
            let mut expected = ordinals.clone();
            expected.sort_unstable();
            expected.dedup();
            let (window, in_window) = ((doc / WINDOW) as u32, doc % WINDOW);
            if in_window == 0 {
                column.decode_window(window, &mut decoded);
            }
            prop_assert_eq!(decoded.ordinals_of(in_window as u16), &expected[..]);
            let mut got = Vec::new();
            column.get(doc as u32, &mut got);
            prop_assert_eq!(got, expected);
        }
        let mut matching = [0; WINDOW_WORDS];
        column.match_range(0, low, low + span, &mut matching);
        for (doc, ordinals) in documents.iter().take(WINDOW).enumerate() {
            prop_assert_eq!(bit(&matching, doc), ordinals.iter().any(|ordinal| (low..=low + span).contains(ordinal)));
        }
    }

    #[test]
    fn presence_is_the_set(docs in proptest::collection::btree_set(0u32..9_000, 0..3_000)) {
        let data = PresenceData::from_docs(docs.iter().copied(), 9_000);
        let presence = Presence::open(SharedBytes::from(data.bytes), 9_000).unwrap();
        prop_assert_eq!(presence.doc_count() as usize, docs.len());
        for doc in 0..9_000 {
            prop_assert_eq!(presence.contains(doc), docs.contains(&doc));
        }
    }

    #[test]
    fn damaged_columns_never_panic(documents in documents(), flips in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut: prop::sample::Index) {
        let mut writer = NumericColumnWriter::new();
        for (doc, values) in documents.iter().enumerate() {
            writer.add(doc as u32, values);
        }
        let max_doc = documents.len() as u32;
        let whole = writer.finish(max_doc).bytes;
        let mut damaged = whole.clone();
        for (place, bits) in flips {
            let place = place.index(damaged.len());
            damaged[place] ^= bits;
        }
        read_everything(damaged, max_doc);
        read_everything(whole[..cut.index(whole.len())].to_vec(), max_doc);
    }
}

/// Damage may be noticed or give wrong values, but nothing may leave its bytes.
fn read_everything(bytes: Vec<u8>, max_doc: u32) {
    if let Ok(column) = OrdinalColumn::open(SharedBytes::from(bytes.clone()), max_doc, 1_000) {
        let mut decoded = OrdinalWindow::default();
        for window in 0..window_count(max_doc) {
            column.decode_window(window, &mut decoded);
            assert!((0..WINDOW as u16).all(|doc| decoded.ordinals_of(doc).iter().all(|&ordinal| ordinal < 1_000)));
        }
    }
    let Ok(column) = NumericColumn::open(SharedBytes::from(bytes), max_doc) else { return };
    let mut decoded = NumericWindow::default();
    for window in 0..window_count(max_doc) {
        column.decode_window(window, &mut decoded);
        column.match_range(window, 3, 1 << 40, &mut [0; WINDOW_WORDS]);
    }
    for doc in 0..max_doc {
        column.get(doc, &mut Vec::new());
    }
}

/// What a window has, and what is read of single documents: the same wherever the column claims to be whole.
fn assert_readings_agree(column: &NumericColumn, max_doc: u32) {
    let mut decoded = NumericWindow::default();
    for window in 0..window_count(max_doc) {
        column.decode_window(window, &mut decoded);
        for doc in 0..WINDOW as u16 {
            let mut single = Vec::new();
            column.get(window * WINDOW as u32 + u32::from(doc), &mut single);
            assert_eq!(single, decoded.values_of(doc), "document {doc} of window {window}");
        }
    }
}

/// A list of documents in the first window or a bitmap, and a second window that is cut off.
fn whole_with_set(step: usize) -> (Vec<u8>, u32) {
    let max_doc = WINDOW as u32 + 300;
    let mut writer = NumericColumnWriter::new();
    (0..max_doc).step_by(step).for_each(|doc| writer.add(doc, &[i64::from(doc % 7)]));
    (writer.finish(max_doc).bytes, max_doc)
}

#[test]
fn damaged_sets_of_documents_are_refused_or_read_alike() {
    for step in [50, 5] {
        let (whole, max_doc) = whole_with_set(step);
        NumericColumn::open(SharedBytes::from(whole.clone()), max_doc).unwrap().verify().unwrap();
        let mut refused = 0;
        for place in (0..whole.len() * 8).step_by(3) {
            let mut damaged = whole.clone();
            damaged[place / 8] ^= 1 << (place % 8);
            let Ok(column) = NumericColumn::open(SharedBytes::from(damaged), max_doc) else { continue };
            match column.verify() {
                Ok(()) => assert_readings_agree(&column, max_doc),
                Err(error) => refused += u32::from(error.reason.contains("set of documents")),
            }
        }
        assert!(refused > 0, "no set was refused");
    }
}

#[test]
fn rising_numbers_take_no_space() {
    let documents: Vec<Vec<i64>> = (0..20_000).map(|doc| vec![doc + 7]).collect();
    let mut writer = NumericColumnWriter::new();
    for (doc, values) in documents.iter().enumerate() {
        writer.add(doc as u32, values);
    }
    assert!(writer.finish(20_000).bytes.len() < 300);
}

#[test]
fn several_values_that_rise_by_one_step_over_the_documents_are_kept() {
    let documents = vec![vec![1, 2], vec![3], vec![4, 5]];
    check_numeric(&documents, (2, 4)).unwrap();
}

#[test]
fn ordinals_outside_the_dictionary_are_damage() {
    let mut writer = OrdinalColumnWriter::new();
    writer.add(0, &[9]);
    let error = OrdinalColumn::open(SharedBytes::from(writer.finish(1).bytes), 1, 9).unwrap_err();
    assert_eq!(error.code, quarry_base::error::ErrorCode::Corrupt);
}
