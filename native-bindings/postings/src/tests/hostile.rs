//! Damaged bytes give errors or wrong documents, but no panic and nothing outside a window.

use super::super::cursor::{CommonDocs, WINDOW_ROOM};
use super::*;
use quarry_base::error::Result;
use quarry_codec::window::{WINDOW, WINDOW_WORDS, window_count};

/// Calls everything a query or a merge would; errors end it early.
fn exercise(reader: &FieldPostingsReader) -> Result<()> {
    let mut decoded = DecodedTerm::default();
    let mut term = Vec::new();
    for ordinal in 0..reader.term_count().min(40) {
        let entry = reader.term(ordinal, &mut term)?;
        if reader.read_term(&entry, &mut decoded).is_ok() {
            assert!(decoded.docs.iter().all(|doc| *doc < reader.max_doc()));
        }
        let _ = walk(reader, &entry);
        let _ = walk_with_next(reader, &entry, &reader.term((ordinal + 1) % reader.term_count(), &mut term)?);
    }
    let mut terms = reader.terms_from(b"k")?;
    while terms.next()?.is_some() {}
    Ok(())
}

/// What two lists have in common.
fn walk_with_next(reader: &FieldPostingsReader, entry: &TermEntry, next: &TermEntry) -> Result<()> {
    let (mut cursor, mut next) = (reader.cursor(entry)?, reader.cursor(next)?);
    let mut common = Box::new(CommonDocs::default());
    let mut docs = [0; WINDOW_ROOM];
    for window in 0..window_count(reader.max_doc()) {
        if let Ok(Some([decoded, _])) = cursor.decode_common(&next, window, &mut common) {
            // What a window says of itself counts: it may have more documents than a damaged dictionary gives its list.
            let (own, others) = (cursor.decode_docs(window, &mut docs)?, next.decode_docs(window, &mut docs)?);
            assert!(decoded.count <= own.min(others).min(WINDOW));
            assert!(common.docs[..decoded.count].iter().all(|doc| usize::from(*doc) < WINDOW));
        }
    }
    Ok(())
}

fn walk(reader: &FieldPostingsReader, entry: &TermEntry) -> Result<()> {
    let mut cursor = reader.cursor(entry)?;
    let positions = reader.positions(entry)?;
    let (mut docs, mut freqs) = ([0; WINDOW_ROOM], [0; WINDOW_ROOM]);
    let mut out = Vec::new();
    for window in (0..window_count(reader.max_doc())).chain([0, 1]) {
        let _ = cursor.window_bound(window);
        let mut bits = [0; WINDOW_WORDS];
        let _ = cursor.or_bits(window, &mut bits);
        let Ok(decoded) = cursor.decode(window, -1.0, &mut docs, &mut freqs) else { continue };
        assert!(decoded.count <= WINDOW && docs[..decoded.count].iter().all(|doc| usize::from(*doc) < WINDOW));
        let wanted: Vec<u16> = (0..WINDOW as u16).step_by(37).collect();
        let mut probed = vec![0; wanted.len()];
        let _ = cursor.probe(window, &wanted, &mut probed);
        let _ = cursor.exact_freq(window, 3);
        for &doc in docs[..decoded.count].iter().step_by(9).chain([4_000, 5].iter()) {
            if let Ok(place) = cursor.locate(window, doc, &positions) {
                let _ = positions.read(place.start, place.freq, &mut out);
                let _ = positions.contains(place.start, place.freq, 17);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn no_damage_breaks_the_reader(
        (max_doc, term) in any_term(),
        damage in prop::collection::vec((0usize..3, any::<u32>(), any::<u8>()), 1..12),
        at_the_front: bool,
        cut in prop::option::of((0usize..3, any::<u32>())),
    ) {
        let norms = vec![9; max_doc as usize];
        let mut terms: BTreeMap<Vec<u8>, Term> = (0..40u32).map(|index| (format!("k{index}").into_bytes(), term_from_seed(u64::from(index), max_doc, 1 + index * 5, index % 4 == 0))).filter(|(_, term)| !term.docs.is_empty()).collect();
        terms.insert(b"long".to_vec(), term);
        terms.insert(b"longer".to_vec(), term_from_seed(97, max_doc, max_doc.div_ceil(25), true));
        let sections = write(max_doc, ALL, &norms, &terms);
        let mut bytes = [sections.dictionary, sections.postings, sections.positions].map(|bytes| bytes.to_vec());
        for (section, place, value) in damage {
            let section = &mut bytes[section];
            let range = if at_the_front { section.len().min(600) } else { section.len() };
            section[place as usize % range] = value;
        }
        if let Some((section, place)) = cut {
            let length = bytes[section].len();
            bytes[section].truncate(place as usize % length);
        }
        let [dictionary, postings, positions] = bytes.map(SharedBytes::from);
        let damaged = FieldPostings { dictionary, postings, positions, ..FieldPostings::default() };
        if let Ok(reader) = open(damaged, max_doc, ALL) {
            let _ = exercise(&reader);
        }
    }

    /// The vector way finds a value once more for each block of the other list that has it again.
    #[test]
    fn arrays_that_do_not_ascend_are_refused(seed: u64, again in 1usize..8) {
        let max_doc = 4_096;
        let lists = [seed, !seed].map(|seed| term_from_seed(seed, max_doc, 400, false));
        let terms = BTreeMap::from_iter([b"a".to_vec(), b"b".to_vec()].into_iter().zip(lists));
        let sections = write(max_doc, ALL, &vec![9; max_doc as usize], &terms);
        let mut bytes = sections.postings.to_vec();
        // Each value of the second list again and again: stretches of its array are copied over those behind them.
        let copied = 16 * again;
        let start = bytes.len() / 2;
        for at in start..bytes.len().saturating_sub(copied) {
            bytes[at + copied] = bytes[at];
        }
        let damaged = FieldPostings { postings: SharedBytes::from(bytes), ..sections };
        let reader = open(damaged, max_doc, ALL).unwrap();
        let [a, b] = ["a", "b"].map(|term| reader.lookup(term.as_bytes()).unwrap().unwrap());
        let _ = walk_with_next(&reader, &a, &b);
        let _ = walk_with_next(&reader, &b, &a);
    }

    #[test]
    fn random_bytes_are_no_index(dictionary: Vec<u8>, postings: Vec<u8>, positions: Vec<u8>, terms in 0u32..100) {
        let mut header = Vec::from(1u32.to_le_bytes());
        header.extend(terms.to_le_bytes());
        header.extend(1f32.to_le_bytes());
        header.extend(dictionary);
        let [dictionary, postings, positions] = [header, postings, positions].map(SharedBytes::from);
        let sections = FieldPostings { dictionary, postings, positions, ..FieldPostings::default() };
        if let Ok(reader) = open(sections, 100_000, ALL) {
            let _ = exercise(&reader);
        }
    }
}
