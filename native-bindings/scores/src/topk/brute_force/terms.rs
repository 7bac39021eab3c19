use super::*;
use crate::topk::{
    count_intersection, count_union, top_and_count_intersection, top_best_of, top_intersection, top_union,
};

fn known(corpus: &Corpus, terms: &[usize]) -> Vec<usize> {
    terms.iter().copied().filter(|term| corpus.entry(*term).is_some()).collect()
}

/// Every match of one segment, scored one document at a time.
fn matches(corpus: &Corpus, terms: &[usize], all: bool, similarity: &Bm25, refuse: &Refuse) -> Vec<ScoredDoc> {
    let clauses = corpus.clauses(terms, similarity);
    let has = |doc: usize, term: &usize| corpus.docs[doc].contains_key(term);
    (0..corpus.docs.len())
        .filter(|doc| refuse.accepts(*doc as u32))
        .filter(|doc| if all { terms.iter().all(|t| has(*doc, t)) } else { terms.iter().any(|t| has(*doc, t)) })
        .map(|doc| {
            let sum: f64 =
                clauses.iter().zip(terms).map(|(clause, term)| corpus.score(doc, clause, *term, similarity)).sum();
            ScoredDoc { score: sum as f32, doc: doc as u32 }
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn best_documents_are_those_of_brute_force(
        corpus in any_corpus(), terms in any_terms(5), k in prop_oneof![Just(1usize), Just(10), Just(57), Just(1_000)],
        one_in in prop_oneof![Just(0u64), Just(2), Just(9)], all: bool, stretch in prop_oneof![Just(1f32), Just(0.4), Just(2.5)],
        (k1, b) in any_parameters(),
    ) {
        let terms = known(&corpus, &terms);
        let similarity = Bm25::with(k1, b, corpus.average * stretch);
        let mut refuse = Refuse { seed: 5, one_in };
        let clauses = corpus.clauses(&terms, &similarity);
        let mut top = TopK::new(k);
        let execute = if all { top_intersection } else { top_union };
        run(&corpus, 100, &mut refuse, |segment| execute(&clauses, segment, &mut top));
        let expected = if terms.is_empty() { vec![] } else { matches(&corpus, &terms, all, &similarity, &refuse) };
        let moved = |scored: ScoredDoc| ScoredDoc { doc: scored.doc + 100, ..scored };
        let expected: Vec<ScoredDoc> = best(expected, k).into_iter().map(moved).collect();
        prop_assert_eq!(top.into_sorted(), expected);
    }

    #[test]
    fn intersections_are_counted_while_the_best_are_found(
        corpus in any_corpus(), terms in any_terms(4), k in prop_oneof![Just(0usize), Just(1), Just(10), Just(1_000)],
        one_in in prop_oneof![Just(0u64), Just(2), Just(9)], enough in prop_oneof![Just(0u64), Just(7), Just(900), Just(u64::MAX)],
    ) {
        let terms = known(&corpus, &terms);
        prop_assume!(!terms.is_empty());
        let similarity = Bm25::new(corpus.average);
        let mut refuse = Refuse { seed: 5, one_in };
        let clauses = corpus.clauses(&terms, &similarity);
        let mut top = TopK::new(k);
        let counted = run(&corpus, 0, &mut refuse, |segment| top_and_count_intersection(&clauses, segment, &mut top, enough));
        let all = matches(&corpus, &terms, true, &similarity, &refuse);
        let there = all.len() as u64;
        prop_assert!(counted == there || (enough < counted && counted < there), "{} of {}", counted, there);
        prop_assert_eq!(top.into_sorted(), best(all, k));
    }

    #[test]
    fn the_best_of_several_unions_are_those_of_brute_force(
        corpus in any_corpus(), unions in prop::collection::vec(any_terms(3), 1..4),
        k in prop_oneof![Just(1usize), Just(10), Just(57)], one_in in prop_oneof![Just(0u64), Just(2)],
        (k1, b) in any_parameters(),
    ) {
        let unions: Vec<Vec<usize>> = unions.iter().map(|terms| known(&corpus, terms)).collect();
        let similarity = Bm25::with(k1, b, corpus.average);
        let mut refuse = Refuse { seed: 5, one_in };
        let clauses: Vec<Vec<TermClause<'_>>> =
            unions.iter().map(|terms| corpus.clauses(terms, &similarity)).collect();
        let mut top = TopK::new(k);
        run(&corpus, 100, &mut refuse, |segment| top_best_of(&clauses, segment, &mut top));
        let mut highest: BTreeMap<u32, f32> = BTreeMap::new();
        for found in unions.iter().flat_map(|terms| matches(&corpus, terms, false, &similarity, &refuse)) {
            let score = highest.entry(found.doc + 100).or_insert(found.score);
            *score = score.max(found.score);
        }
        let expected = highest.into_iter().map(|(doc, score)| ScoredDoc { score, doc }).collect();
        prop_assert_eq!(top.into_sorted(), best(expected, k));
    }

    #[test]
    fn counts_are_those_of_brute_force(
        corpus in any_corpus(), terms in any_terms(4), one_in in prop_oneof![Just(0u64), Just(3)],
    ) {
        let terms = known(&corpus, &terms);
        prop_assume!(!terms.is_empty());
        let similarity = Bm25::new(corpus.average);
        let mut refuse = Refuse { seed: 11, one_in };
        let clauses = corpus.clauses(&terms, &similarity);
        for all in [false, true] {
            let count = if all { count_intersection } else { count_union };
            let counted = run(&corpus, 0, &mut refuse, |segment| count(&clauses, segment));
            prop_assert_eq!(counted as usize, matches(&corpus, &terms, all, &similarity, &refuse).len());
        }
    }

    #[test]
    fn segments_share_one_threshold(seed: u64, terms in any_terms(3), all: bool) {
        let first = corpus(seed, 9_000, &[1, 2, 5, 20, 150, 300, 3]);
        let second = corpus(seed ^ 1, 5_000, &[300, 1, 5, 2, 20, 1, 9]);
        let similarity = Bm25::new(first.average);
        let mut refuse = Refuse { seed: 0, one_in: 0 };
        let mut top = TopK::new(10);
        let execute = if all { top_intersection } else { top_union };
        let mut expected = vec![];
        for (corpus, doc_base) in [(&first, 0), (&second, 9_000)] {
            let known = known(corpus, &terms);
            if known.len() < terms.len() { continue }
            let clauses = corpus.clauses(&known, &similarity);
            run(corpus, doc_base, &mut refuse, |segment| execute(&clauses, segment, &mut top));
            let found = matches(corpus, &known, all, &similarity, &refuse);
            expected.extend(found.into_iter().map(|scored| ScoredDoc { doc: scored.doc + doc_base, ..scored }));
        }
        prop_assert_eq!(top.into_sorted(), best(expected, 10));
    }
}

/// The formula in `f64`, from the lengths that norms stand for.
#[test]
fn scores_are_close_to_the_exact_formula() {
    let corpus = corpus(3, 5_000, &[2, 3, 5, 20, 150, 300, 3]);
    let similarity = Bm25::new(corpus.average);
    let clauses = corpus.clauses(&[0, 1, 2], &similarity);
    let mut top = TopK::new(50);
    run(&corpus, 0, &mut Refuse { seed: 0, one_in: 0 }, |segment| top_union(&clauses, segment, &mut top));
    for scored in top.into_sorted() {
        let doc = scored.doc as usize;
        let length = f64::from(norm::decode(corpus.norms[doc]));
        let denominator = 1.2 * (0.25 + 0.75 * length / f64::from(corpus.average));
        let exact: f64 = (0..3)
            .map(|term| {
                let documents = corpus.docs.iter().filter(|terms| terms.contains_key(&term)).count() as f64;
                let freq = corpus.docs[doc].get(&term).map_or(0, Vec::len) as f64;
                let idf = (1.0 + (5_000.0 - documents + 0.5) / (documents + 0.5)).ln();
                idf * freq / (freq + denominator)
            })
            .sum();
        assert!((exact - f64::from(scored.score)).abs() < 1e-5 * exact, "{exact} {}", scored.score);
    }
}

#[test]
fn clauses_without_weight_match_all_the_same() {
    let corpus = corpus(8, 5_000, &[1, 2, 5, 20, 150, 300, 3]);
    let similarity = Bm25::new(corpus.average);
    let mut clauses = corpus.clauses(&[0, 1], &similarity);
    clauses.iter_mut().for_each(|clause| clause.weight = 0.0);
    let mut refuse = Refuse { seed: 0, one_in: 0 };
    let matching: Vec<u32> =
        (0..5_000).filter(|doc| [0, 1].iter().any(|term| corpus.docs[*doc as usize].contains_key(term))).collect();
    let mut top = TopK::new(10);
    run(&corpus, 0, &mut refuse, |segment| top_union(&clauses, segment, &mut top));
    let expected: Vec<ScoredDoc> = matching[..10].iter().map(|doc| ScoredDoc { score: 0.0, doc: *doc }).collect();
    assert_eq!(top.into_sorted(), expected);
}
