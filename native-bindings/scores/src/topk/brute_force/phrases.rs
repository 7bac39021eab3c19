use super::*;
use crate::topk::{count_phrase, top_and_count_phrase, top_phrase};
use quarry_postings::Pair;

/// Starts at which all terms of the phrase are at their places.
fn exact_freq(corpus: &Corpus, doc: usize, places: &[(u32, usize)]) -> f32 {
    let first = places.iter().map(|place| place.0).min().unwrap();
    let (position, term) = places[0];
    let at_first = corpus.docs[doc].get(&term).into_iter().flatten();
    let starts = at_first.filter_map(|at| at.checked_sub(position - first));
    let there = |start: u32, (position, term): &(u32, usize)| {
        let positions = corpus.docs[doc].get(term);
        positions.is_some_and(|positions| positions.contains(&(start + position - first)))
    };
    starts.filter(|start| places.iter().all(|place| there(*start, place))).count() as f32
}

/// Documents of running text, large enough for pairs; the first terms are in most of them. Few documents are long.
fn running_text(seed: u64, max_doc: u32) -> Corpus {
    let document = |doc: u32| {
        let mut terms = BTreeMap::<usize, Vec<u32>>::new();
        let random = hash(seed, u64::from(doc), 1);
        let length = if random.is_multiple_of(900) { 800 } else { random >> 20 & 15 };
        let mut position = 0;
        for place in 0..length {
            let random = hash(random, place, 2);
            let term = (random % 8 * (random >> 8 & 7) / 8) as usize;
            terms.entry(term).or_default().push(position);
            position += if (random >> 20).is_multiple_of(30) { 100 } else { 1 };
        }
        terms
    };
    Corpus { made_from: format!("running text, seed {seed}"), ..build(max_doc, (0..max_doc).map(document).collect()) }
}

/// Mostly one right behind the other.
fn neighbouring_places() -> impl Strategy<Value = Vec<(u32, usize)>> {
    prop::collection::vec((prop_oneof![4 => Just(1u32), 1 => Just(2u32)], 0..4usize), 2..5).prop_map(|steps| {
        let mut position = 0;
        let mut place = |(step, term)| {
            position += step;
            (position, term)
        };
        steps.into_iter().map(&mut place).collect()
    })
}

fn any_places() -> impl Strategy<Value = Vec<(u32, usize)>> {
    prop::collection::vec((1u32..3, 0..TERMS), 2..5).prop_map(|steps| {
        let mut position = 3;
        steps
            .into_iter()
            .map(|(step, term)| {
                position += step;
                (position, term)
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn exact_phrases_are_those_of_brute_force(
        corpus in prop_oneof![any_corpus(), (any::<u64>(), 16_384u32..24_000).prop_map(|(seed, max_doc)| running_text(seed, max_doc))],
        places in prop_oneof![any_places(), neighbouring_places()], one_in in prop_oneof![Just(0u64), Just(3)], k in 1usize..40,
        (k1, b) in any_parameters(),
    ) {
        let similarity = Bm25::with(k1, b, corpus.average);
        let Some(clause) = corpus.phrase(&places, &similarity, 0) else { return Ok(()) };
        let mut refuse = Refuse { seed: 21, one_in };
        let score = |doc: usize| {
            let freq = exact_freq(&corpus, doc, &places);
            (freq > 0.0).then(|| ScoredDoc { score: similarity.score(2.5, freq, corpus.norms[doc]), doc: doc as u32 })
        };
        let candidates = (0..corpus.docs.len()).filter(|doc| places.iter().all(|place| corpus.docs[*doc].contains_key(&place.1)));
        let all: Vec<ScoredDoc> = candidates.filter(|doc| refuse.accepts(*doc as u32)).filter_map(score).collect();
        let count = run(&corpus, 0, &mut refuse, |segment| count_phrase(&clause, segment));
        prop_assert_eq!(count as usize, all.len());
        let mut top = TopK::new(k);
        run(&corpus, 0, &mut refuse, |segment| top_phrase(&clause, segment, &mut top));
        prop_assert_eq!(top.into_sorted(), best(all.clone(), k));
        let mut top = TopK::new(k);
        let count = run(&corpus, 0, &mut refuse, |segment| top_and_count_phrase(&clause, segment, &mut top, u64::MAX));
        prop_assert_eq!((count as usize, top.into_sorted()), (all.len(), best(all.clone(), k)));
        let enough = all.len() as u64 / 3;
        let mut top = TopK::new(k);
        let count = run(&corpus, 0, &mut refuse, |segment| top_and_count_phrase(&clause, segment, &mut top, enough));
        prop_assert!(count <= all.len() as u64 && (count > enough || all.is_empty()));
        prop_assert_eq!(top.into_sorted(), best(all, k));
    }

    /// With different terms, a sloppy phrase matches where some choice of positions has a span within the slop.
    #[test]
    fn sloppy_phrases_match_within_the_slop(seed: u64, slop in 1u32..8, terms in Just([0usize, 1, 2, 3]).prop_shuffle(), length in 2usize..4) {
        let corpus = corpus(seed, 300, &[1, 2, 2, 3, 150, 300, 3]);
        let similarity = Bm25::new(corpus.average);
        let places: Vec<(u32, usize)> = (0u32..).zip(terms).take(length).collect();
        let Some(clause) = corpus.phrase(&places, &similarity, slop) else { return Ok(()) };
        let mut expected = 0;
        for doc in &corpus.docs {
            let Some(lists) = places.iter().map(|place| doc.get(&place.1)).collect::<Option<Vec<_>>>() else { continue };
            let shifted: Vec<Vec<i64>> = lists.iter().zip(&places).map(|(list, place)| list.iter().map(|p| i64::from(*p) - i64::from(place.0)).collect()).collect();
            let within = shifted.iter().flatten().any(|low| shifted.iter().all(|list| list.iter().any(|at| (*low..=low + i64::from(slop)).contains(at))));
            expected += u64::from(within);
        }
        let mut refuse = Refuse { seed: 0, one_in: 0 };
        prop_assert_eq!(run(&corpus, 0, &mut refuse, |segment| count_phrase(&clause, segment)), expected);
        let mut top = TopK::new(300);
        run(&corpus, 0, &mut refuse, |segment| top_phrase(&clause, segment, &mut top));
        prop_assert_eq!(top.into_sorted().len() as u64, expected);
    }
}

/// The frequency that a phrase has in one document, given as the term at each position.
fn freq_in(document: &[usize], phrase: &[usize], slop: u32) -> f32 {
    let mut terms = BTreeMap::<usize, Vec<u32>>::new();
    for (position, term) in (0u32..).zip(document) {
        terms.entry(*term).or_default().push(position);
    }
    let corpus = build(1, vec![terms]);
    let similarity = Bm25::new(corpus.average);
    let places: Vec<(u32, usize)> = (0u32..).zip(phrase.iter().copied()).collect();
    let Some(clause) = corpus.phrase(&places, &similarity, slop) else { return 0.0 };
    let mut top = TopK::new(1);
    run(&corpus, 0, &mut Refuse { seed: 0, one_in: 0 }, |segment| top_phrase(&clause, segment, &mut top));
    let Some(best) = top.into_sorted().pop() else { return 0.0 };
    // score = weight - weight / (1 + freq * inverse)
    (2.5 / (2.5 - best.score) - 1.0) / similarity.inverse()[usize::from(corpus.norms[0])]
}

/// The sums of `1 / (1 + distance)` that Lucene's sloppy scorer gives, worked out by hand.
#[test]
fn sloppy_frequencies() {
    let (a, b, c, x) = (0, 1, 2, 6);
    let cases: &[(&[usize], &[usize], u32, f32)] = &[
        (&[a, b], &[a, b], 1, 1.0),
        (&[a, x, b], &[a, b], 1, 0.5),
        (&[a, x, x, b], &[a, b], 1, 0.0),
        (&[b, a], &[a, b], 1, 0.0),
        (&[b, a], &[a, b], 2, 1.0 / 3.0),
        (&[a, b, x, x, x, x, x, a, x, b], &[a, b], 1, 1.5),
        (&[a, x, b, x, c], &[a, b, c], 2, 1.0 / 3.0),
        (&[c, b, a], &[a, b, c], 4, 0.2),
        // A word that is asked for twice must be there twice.
        (&[a], &[a, a], 5, 0.0),
        (&[a, a], &[a, a], 1, 1.0),
        (&[a, x, a], &[a, a], 1, 0.5),
        (&[a, b, a], &[a, b, a], 1, 1.0),
        (&[a, b], &[a, b, a], 5, 0.0),
    ];
    for (document, phrase, slop, expected) in cases {
        let freq = freq_in(document, phrase, *slop);
        assert!((freq - expected).abs() < 1e-3, "{phrase:?}~{slop} in {document:?}: {freq}, not {expected}");
    }
}

#[test]
fn pairs_of_frequent_terms_answer_phrases() {
    let corpus = running_text(3, 16_384);
    let entry = |term| corpus.entry(term).unwrap();
    for (first, second) in [(0, 0), (0, 1), (1, 0), (2, 0)] {
        let Pair::Listed(pair) = corpus.reader.pair(&entry(first), &entry(second)).unwrap() else {
            panic!("{first} {second} has no pair");
        };
        let similarity = Bm25::new(corpus.average);
        let clause = corpus.phrase(&[(0, first), (1, second)], &similarity, 0).unwrap();
        let mut refuse = Refuse { seed: 0, one_in: 0 };
        let count = run(&corpus, 0, &mut refuse, |segment| count_phrase(&clause, segment));
        assert_eq!(count, u64::from(pair.doc_freq));
    }
}

#[test]
fn a_slot_may_have_alternatives() {
    let documents = [vec![0, 1], vec![0, 2], vec![0, 6, 1], vec![3, 2], vec![0, 3, 1, 2]];
    let docs = documents.iter().map(|document| {
        let mut terms = BTreeMap::<usize, Vec<u32>>::new();
        for (position, term) in (0u32..).zip(document) {
            terms.entry(*term).or_default().push(position);
        }
        terms
    });
    let corpus = build(5, docs.collect());
    let similarity = Bm25::new(corpus.average);
    let entries = |terms: &[usize]| terms.iter().map(|term| corpus.entry(*term).unwrap()).collect();
    let slots =
        vec![PhraseSlot { position: 0, terms: entries(&[0, 3]) }, PhraseSlot { position: 1, terms: entries(&[1, 2]) }];
    let exact =
        PhraseClause { slots, postings: &corpus.reader, norms: None, similarity: &similarity, weight: 1.0, slop: 0 };
    let mut refuse = Refuse { seed: 0, one_in: 0 };
    assert_eq!(run(&corpus, 0, &mut refuse, |segment| count_phrase(&exact, segment)), 4);
    let sloppy = PhraseClause { slop: 1, ..exact.clone() };
    assert_eq!(run(&corpus, 0, &mut refuse, |segment| count_phrase(&sloppy, segment)), 5);
    let mut top = TopK::new(10);
    run(&corpus, 0, &mut refuse, |segment| top_phrase(&exact, segment, &mut top));
    let docs: Vec<u32> = top.into_sorted().iter().map(|scored| scored.doc).collect();
    assert_eq!(docs, [0, 1, 3, 4]);
}
