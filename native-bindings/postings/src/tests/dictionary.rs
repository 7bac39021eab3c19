use super::*;

fn terms_of(words: &[Vec<u8>]) -> BTreeMap<Vec<u8>, Term> {
    let term = |index: usize| Term {
        docs: vec![index as u32 % 50],
        freqs: vec![1 + index as u32 % 3],
        positions: (0..1 + index as u32 % 3).collect(),
    };
    words.iter().cloned().enumerate().map(|(index, word)| (word, term(index))).collect()
}

fn word() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..4),
        "[ab]{0,12}".prop_map(String::into_bytes),
        "https://example\\.org/[a-c]{0,6}".prop_map(String::into_bytes),
    ]
}

proptest! {
    #[test]
    fn lookup_ordinals_and_order(words in prop::collection::vec(word(), 0..300), others in prop::collection::vec(word(), 20)) {
        let terms = terms_of(&words);
        let reader = open(write(50, ALL, &[3; 50], &terms), 50, ALL).unwrap();
        prop_assert_eq!(reader.term_count() as usize, terms.len());
        let mut buffer = Vec::new();
        for (ordinal, (word, term)) in terms.iter().enumerate() {
            let entry = reader.lookup(word).unwrap().unwrap();
            prop_assert_eq!(entry.ordinal as usize, ordinal);
            prop_assert_eq!(entry.total_term_freq, u64::from(term.freqs[0]));
            prop_assert_eq!(reader.term(entry.ordinal, &mut buffer).unwrap(), entry);
            prop_assert_eq!(&buffer, word);
        }
        prop_assert!(reader.term(terms.len() as u32, &mut buffer).is_err());
        for other in others.iter().chain(terms.keys()) {
            prop_assert_eq!(reader.lookup(other).unwrap().is_some(), terms.contains_key(other));
            let mut iterator = reader.terms_from(other).unwrap();
            for (word, term) in terms.range(other.clone()..) {
                let (found, entry) = iterator.next().unwrap().unwrap();
                prop_assert_eq!(found, &word[..]);
                prop_assert_eq!(entry.total_term_freq, u64::from(term.freqs[0]));
            }
            prop_assert!(iterator.next().unwrap().is_none());
        }
    }

    #[test]
    fn seeks_forward(
        words in prop::collection::vec(word(), 1..300),
        bounds in prop::collection::vec((word(), 0..4u8), 20),
    ) {
        let terms = terms_of(&words);
        let reader = open(write(50, ALL, &[3; 50], &terms), 50, ALL).unwrap();
        let mut iterator = reader.terms_from(b"").unwrap();
        let mut left: Vec<&Vec<u8>> = terms.keys().collect();
        for (bound, step) in bounds.iter().cycle() {
            if *step == 0 {
                iterator.seek(bound).unwrap();
                left.retain(|word| *word >= bound);
            }
            let found = iterator.next_term().unwrap().map(<[u8]>::to_vec);
            if left.is_empty() {
                prop_assert!(found.is_none());
                break;
            }
            let word = left.remove(0);
            prop_assert_eq!(found.as_ref(), Some(word));
            if *step == 1 {
                prop_assert_eq!(iterator.entry().unwrap(), reader.lookup(word).unwrap().unwrap());
            }
        }
    }
}

#[test]
fn terms_must_ascend() {
    let mut writer = FieldPostingsWriter::new(1, PostingsOptions { freqs: false, positions: false }, None);
    let postings = TermPostings { docs: &[0], freqs: &[], positions: &[] };
    writer.add_term(b"b", postings).unwrap();
    assert!(writer.add_term(b"b", postings).is_err());
    assert!(writer.add_term(b"a", postings).is_err());
    writer.add_term(b"ba", postings).unwrap();
}
