//! Pairs of frequent terms against every position looked at.

use super::*;
use quarry_base::error::ErrorCode;

/// The terms at each position of a document; several stand at one position.
type Document = Vec<(u32, u8)>;

/// Documents of terms of which the first are in most of them. `stacked`: of so many tokens one stands where the one
/// before does; 0 for none.
fn documents(seed: u64, count: usize, stacked: u64) -> Vec<Document> {
    let mut state = seed | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 11
    };
    let mut document = || {
        let (mut tokens, mut position) = (Document::new(), 0);
        let length = if next() % 500 == 0 { 600 } else { next() % 12 };
        for _ in 0..length {
            let term = ((next() % 16) * (next() % 16) / 16) as u8;
            tokens.push((position, term));
            // Gaps, as between values.
            let is_stacked = stacked > 0 && next() % stacked == 0;
            position += if is_stacked {
                0
            } else if next() % 20 == 0 {
                100
            } else {
                1
            };
        }
        tokens
    };
    (0..count).map(|_| document()).collect()
}

fn index(documents: &[Document]) -> FieldPostings {
    let norms: Vec<u8> = documents.iter().map(|tokens| tokens.len().min(200) as u8).collect();
    let model = ScoreModel { norms: &norms, average_length: 6.0 };
    let mut terms: BTreeMap<u8, Term> = BTreeMap::new();
    for (doc, tokens) in documents.iter().enumerate() {
        for &(position, name) in tokens {
            let term = terms.entry(name).or_default();
            if term.docs.last() != Some(&(doc as u32)) {
                term.docs.push(doc as u32);
                term.freqs.push(0);
            }
            *term.freqs.last_mut().unwrap() += 1;
            term.positions.push(position);
        }
    }
    let mut writer = FieldPostingsWriter::new(documents.len() as u32, ALL, Some(model));
    for (name, term) in &terms {
        writer.add_term(&[*name], term.postings(ALL)).unwrap();
    }
    writer.finish_with_pairs(&|| Ok(())).unwrap()
}

/// Documents in which `second` stands right behind `first`, and how often.
fn brute_force(documents: &[Document], first: u8, second: u8) -> Vec<(u32, u32)> {
    let follows = |tokens: &Document| {
        let starts =
            tokens.iter().filter(|(position, term)| *term == first && tokens.contains(&(position + 1, second)));
        starts.count() as u32
    };
    let counted = documents.iter().enumerate().map(|(doc, tokens)| (doc as u32, follows(tokens)));
    counted.filter(|(_, freq)| *freq > 0).collect()
}

/// How many pairs were listed, and how many known to be nowhere.
fn compare(documents: &[Document], terms: std::ops::Range<u8>) -> (usize, usize) {
    let max_doc = documents.len() as u32;
    let reader = open(index(documents), max_doc, ALL).unwrap();
    reader.pairs().map_or(Ok(()), |pairs| pairs.verify(&reader)).unwrap();
    let (mut listed, mut nowhere) = (0, 0);
    let mut decoded = DecodedTerm::default();
    for first in terms.clone() {
        for second in terms.clone() {
            let entries = [first, second].map(|term| reader.lookup(&[term]).unwrap());
            let [Some(a), Some(b)] = entries else { continue };
            match reader.pair(&a, &b).unwrap() {
                Pair::Unknown => continue,
                Pair::Nowhere => {
                    nowhere += 1;
                    assert_eq!(brute_force(documents, first, second), []);
                }
                Pair::Listed(entry) => {
                    listed += 1;
                    reader.pairs().unwrap().lists().read_term(&entry, &mut decoded).unwrap();
                    let found: Vec<(u32, u32)> =
                        decoded.docs.iter().copied().zip(decoded.freqs.iter().copied()).collect();
                    assert_eq!(found, brute_force(documents, first, second), "{first} {second}");
                }
            }
        }
    }
    (listed, nowhere)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn pairs_are_those_of_brute_force(seed: u64, more in 0usize..9_000, stacked in prop_oneof![Just(0u64), Just(3), Just(20_000)]) {
        let documents = documents(seed, PAIRS_DOCUMENTS_MIN as usize + more, stacked);
        let (listed, _) = compare(&documents, 0..6);
        prop_assert!(stacked > 0 || listed > 0);
    }
}

#[test]
fn small_fields_have_no_pairs() {
    let documents = documents(1, PAIRS_DOCUMENTS_MIN as usize, 0);
    assert!(index(&documents).pairs.is_some());
    assert!(index(&documents[1..]).pairs.is_none());
}

#[test]
fn frequent_terms_that_never_follow_each_other_are_known_to() {
    let documents = vec![vec![(0, 1), (1, 2)]; PAIRS_DOCUMENTS_MIN as usize];
    assert_eq!(compare(&documents, 0..3), (1, 3));
}

#[test]
fn positions_far_apart_have_no_pairs() {
    let mut documents = vec![vec![(0, 1), (1, 2)]; PAIRS_DOCUMENTS_MIN as usize];
    documents[70] = vec![(0, 1), (1_000_000_000, 2)];
    assert!(index(&documents).pairs.is_none());
    documents[70] = vec![(0, 1), (1_000_000, 2)];
    assert_eq!(compare(&documents, 0..3), (1, 3));
}

#[test]
fn a_term_that_stands_twice_at_a_position_has_no_pairs() {
    let mut documents = vec![vec![(0, 1), (1, 2), (2, 1), (3, 2)]; PAIRS_DOCUMENTS_MIN as usize];
    documents[9_000] = vec![(0, 1), (1, 2), (1, 2)];
    // That leaves the first with itself.
    assert_eq!(compare(&documents, 0..3), (0, 1));
}

#[test]
fn a_check_that_fails_ends_the_writing() {
    let documents = documents(1, PAIRS_DOCUMENTS_MIN as usize, 0);
    let (max_doc, norms) = (documents.len() as u32, vec![1; documents.len()]);
    let model = ScoreModel { norms: &norms, average_length: 6.0 };
    let mut writer = FieldPostingsWriter::new(max_doc, ALL, Some(model));
    let docs: Vec<u32> = (0..max_doc).collect();
    let (freqs, positions) = (vec![1; docs.len()], vec![0; docs.len()]);
    writer.add_term(b"a", TermPostings { docs: &docs, freqs: &freqs, positions: &positions }).unwrap();
    let stopped = || quarry_base::error::Error::new(ErrorCode::TaskCancelled, "stopped");
    let error = writer.finish_with_pairs(&|| Err(stopped())).unwrap_err();
    assert_eq!(error.code, ErrorCode::TaskCancelled);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_damage_breaks_the_reader_of_pairs(damage in prop::collection::vec((any::<u32>(), any::<u8>()), 1..12), at_the_front: bool, cut in prop::option::of(any::<u32>())) {
        thread_local! {
            static WHOLE: FieldPostings = index(&vec![vec![(0, 1), (1, 2), (2, 1), (4, 3), (5, 1)]; PAIRS_DOCUMENTS_MIN as usize]);
        }
        let (mut sections, mut pairs) = WHOLE.with(|whole| {
            let FieldPostings { dictionary, postings, positions, pairs, .. } = whole;
            let field = FieldPostings { dictionary: dictionary.clone(), postings: postings.clone(), positions: positions.clone(), ..FieldPostings::default() };
            (field, pairs.as_ref().unwrap().to_vec())
        });
        let range = if at_the_front { pairs.len().min(120) } else { pairs.len() };
        for (place, value) in damage {
            pairs[place as usize % range] = value;
        }
        if let Some(cut) = cut {
            pairs.truncate(cut as usize % range);
        }
        sections.pairs = Some(pairs.into());
        let Ok(reader) = open(sections, PAIRS_DOCUMENTS_MIN, ALL) else { return Ok(()) };
        let pairs = reader.pairs().unwrap();
        let _ = pairs.verify(&reader);
        let mut decoded = DecodedTerm::default();
        for (first, second) in [(1, 1), (1, 2), (2, 1), (3, 1)] {
            let [first, second] = [first, second].map(|term| reader.lookup(&[term]).unwrap().unwrap());
            if let Ok(Pair::Listed(entry)) = reader.pair(&first, &second) {
                let _ = pairs.lists().read_term(&entry, &mut decoded);
            }
        }
    }
}
