//! Walks over a dictionary against a look at each of its terms.

use super::*;
use proptest::prelude::*;
use quarry_base::error::ErrorCode;
use quarry_postings::{FieldPostingsWriter, PostingsOptions, TermPostings};
use std::collections::BTreeSet;

const OPTIONS: PostingsOptions = PostingsOptions { freqs: false, positions: false };

fn dictionary(terms: &BTreeSet<Vec<u8>>) -> FieldPostingsReader {
    let mut writer = FieldPostingsWriter::new(1, OPTIONS, None);
    for term in terms {
        writer.add_term(term, TermPostings { docs: &[0], freqs: &[], positions: &[] }).unwrap();
    }
    let sections = writer.finish().unwrap();
    let [dictionary, postings, positions] = [sections.dictionary, sections.postings, sections.positions];
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

#[test]
fn a_walk_over_many_terms_ends_when_it_is_cancelled() {
    let terms = (0..2 * TERMS_BETWEEN_LOOKS).map(|number| format!("t{number:06}").into_bytes()).collect();
    let reader = dictionary(&terms);
    let matchers = [
        TermMatcher::FoldedPrefix("t".into()),
        TermMatcher::Wildcard(Wildcard::new("*0*", false)),
        TermMatcher::Fuzzy(FuzzyMatcher::new("t000000", 2, 0, true)),
    ];
    for matcher in matchers {
        let walk = || matcher.each_term(&reader, |_, _, _| Ok(true));
        assert!(walk().is_ok());
        let is_late = matches!(matcher, TermMatcher::Fuzzy(_));
        let ended = interrupt::watching(&|| true, None, walk);
        // What is passed over at once needs no look.
        assert!(is_late || ended.is_err_and(|error| error.code == ErrorCode::TaskCancelled), "{matcher:?}");
    }
}

/// Terms that are built and terms that are passed over, in turn.
#[test]
fn terms_are_the_same_whichever_way_they_are_walked() {
    let terms: BTreeSet<Vec<u8>> =
        (0..500u32).map(|number| format!("{:x}", number * number * 7).into_bytes()).collect();
    let reader = dictionary(&terms);
    for every in 1..9 {
        let (mut walk, mut found, mut wanted) =
            (reader.terms_from(b"2").unwrap(), Vec::new(), terms.range(b"2".to_vec()..));
        let mut count = 0;
        loop {
            count += 1;
            let next = if count % every == 0 {
                walk.next_unless(|own| own.until.last() == Some(&b'7'))
            } else {
                walk.next_term()
            };
            let Some(term) = next.unwrap().map(<[u8]>::to_vec) else { break };
            let entry = walk.entry().unwrap();
            assert_eq!(reader.lookup(&term).unwrap(), Some(entry));
            if count % every == 0 {
                let is_refused = |term: &&Vec<u8>| count > 1 && term.last() == Some(&b'7');
                assert_eq!(wanted.find(|term| !is_refused(term)), Some(&term));
            } else {
                assert_eq!(wanted.next(), Some(&term));
            }
            found.push(term);
        }
        assert!(found.is_sorted() && found.len() > 100, "{every}");
    }
}
