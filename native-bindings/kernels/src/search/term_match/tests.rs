//! Walks over a dictionary against a look at each of its terms.

use super::*;
use crate::codec::shared_bytes::SharedBytes;
use crate::postings::{FieldPostingsWriter, PostingsOptions, TermPostings};
use proptest::prelude::*;
use std::collections::BTreeSet;

const OPTIONS: PostingsOptions = PostingsOptions { freqs: false, positions: false };

fn dictionary(terms: &BTreeSet<Vec<u8>>) -> FieldPostingsReader {
    let mut writer = FieldPostingsWriter::new(1, OPTIONS, None);
    for term in terms {
        writer.add_term(term, TermPostings { docs: &[0], freqs: &[], positions: &[] }).unwrap();
    }
    let sections = writer.finish().unwrap();
    let [dictionary, postings, positions] =
        [sections.dictionary, sections.postings, sections.positions].map(SharedBytes::from);
    FieldPostingsReader::open(dictionary, postings, positions, 1, OPTIONS).unwrap()
}

fn term() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        20 => "[ab]{0,3}[abcéA]{0,7}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ]
}

fn matcher() -> impl Strategy<Value = TermMatcher> {
    let text = "[abcé]{0,6}";
    prop_oneof![
        text.prop_map(|prefix| TermMatcher::Prefix(prefix.into_bytes())),
        text.prop_map(TermMatcher::FoldedPrefix),
        ("[abcé*?]{0,9}", any::<bool>())
            .prop_map(|(pattern, fold)| TermMatcher::Wildcard(Wildcard::new(&pattern, fold))),
        (text, 0..3u8, 0..3u32, any::<bool>()).prop_map(|(text, edits, prefix, transpositions)| {
            TermMatcher::Fuzzy(FuzzyMatcher::new(&text, edits, prefix, transpositions))
        }),
    ]
}

proptest! {
    #[test]
    fn walks_find_the_terms_that_are_accepted(
        terms in prop::collection::btree_set(term(), 0..200),
        matchers in prop::collection::vec(matcher(), 12),
    ) {
        let reader = dictionary(&terms);
        for matcher in matchers {
            let mut found = Vec::new();
            matcher.each_term(&reader, |term, entry, _| {
                found.push((term.to_vec(), entry));
                Ok(true)
            }).unwrap();
            let accepted = terms.iter().filter(|term| matcher.clone().accepts(term).unwrap());
            let expected: Vec<_> = accepted.map(|term| (term.clone(), reader.lookup(term).unwrap().unwrap())).collect();
            prop_assert_eq!(found, expected, "{:?}", matcher);
        }
    }
}
