use super::*;
use crate::scorer::WindowScorer;
use crate::similarity::every_similarity;
use crate::similarity::rating;
use crate::similarity::rating::{Rating, Scoring};
use crate::topk::scorer::{phrase_scorer, term_scorer};
use crate::topk::{top_phrase, top_union};
use crate::totals::{FieldTotals, TermTotals};
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW_WORDS};
use quarry_mapping::similarity::SimilaritySpec;
use std::sync::Arc;

/// Every match with its score, through the window contract. `retaining` asks by [`WindowScorer::retain`].
fn collect(scorer: &mut dyn WindowScorer, retaining: bool) -> Vec<ScoredDoc> {
    let mut found = vec![];
    let mut window = scorer.next_window(0).unwrap();
    while window != NO_MORE_WINDOWS {
        let mut bits = [if retaining { u64::MAX } else { 0 }; WINDOW_WORDS];
        if retaining {
            scorer.retain(window, &mut bits).unwrap()
        } else {
            scorer.matches(window, &mut bits).unwrap()
        }
        let docs: Vec<u16> =
            (0..WINDOW as u16).filter(|doc| bits[usize::from(doc / 64)] >> (doc % 64) & 1 == 1).collect();
        let bound = scorer.max_score(window).unwrap();
        let mut scores = vec![1.0; docs.len()];
        scorer.score(window, &docs, &mut scores).unwrap();
        // Documents that do not match are left alone.
        let others: Vec<u16> = (0..WINDOW as u16).step_by(5).collect();
        let mut mixed = vec![0.0; others.len()];
        scorer.score(window, &others, &mut mixed).unwrap();
        for (doc, score) in others.iter().zip(mixed) {
            let known = docs.binary_search(doc).ok().map(|at| scores[at] - 1.0);
            assert!(is_close(score, known.unwrap_or(0.0)));
        }
        for (doc, score) in docs.iter().zip(scores) {
            assert!(score - 1.0 <= bound + 1e-5);
            found.push(ScoredDoc { score: score - 1.0, doc: window * WINDOW as u32 + u32::from(*doc) });
        }
        window = scorer.next_window(window + 1).unwrap();
    }
    found
}

/// Scores were added to others, which costs large ones their last digits.
fn is_close(found: f32, expected: f32) -> bool {
    (found - expected).abs() < 1e-5f32.max(8.0 * f32::EPSILON * expected.abs())
}

fn same(found: &[ScoredDoc], mut expected: Vec<ScoredDoc>) {
    expected.sort_by_key(|scored| scored.doc);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.doc, expected.doc);
        assert!(is_close(found.score, expected.score));
    }
}

/// Each document with the term scores what the similarity says, and no window's bound is below.
fn rated_as_one_by_one(corpus: &Corpus, term: usize, spec: &SimilaritySpec, retaining: bool) {
    let Some(entry) = corpus.entry(term) else { return };
    let field = FieldTotals {
        doc_count: corpus.max_doc.into(),
        sum_doc_freq: corpus.max_doc.into(),
        sum_total_term_freq: (corpus.average * corpus.max_doc as f32) as u64,
    };
    let similarity = Arc::new(rating::reference(Some(spec), field));
    let totals = [TermTotals::from(&entry)];
    let rating = Rating::new(Some(spec), Arc::clone(&similarity), field, &totals, Some(1.5)).unwrap();
    let weight = rating.weight();
    let [clause] = corpus.clauses(&[term], &similarity)[..] else { return };
    let mut scorer = term_scorer(TermClause { weight, ..clause }, rating.scoring()).unwrap();
    let matching = (0u32..).zip(&corpus.docs).filter_map(|(doc, terms)| Some((doc, terms.get(&term)?.len())));
    let scored = |(doc, freq): (u32, usize)| {
        let score = rating.score(freq as f32, corpus.norms[doc as usize]).unwrap();
        ScoredDoc { score, doc }
    };
    same(&collect(&mut *scorer, retaining), matching.map(scored).collect());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn other_similarities_score_one_by_one(corpus in any_corpus(), term in 0..TERMS, retaining: bool, first in 0usize..8) {
        for spec in every_similarity().iter().skip(first).step_by(8) {
            rated_as_one_by_one(&corpus, term, spec, retaining);
        }
    }

    #[test]
    fn scorers_agree_with_the_executors(corpus in any_corpus(), term in 0..TERMS, other in 0..TERMS, retaining: bool, slop in 0u32..3) {
        let similarity = Bm25::new(corpus.average);
        let mut refuse = Refuse { seed: 0, one_in: 0 };
        if let [clause] = corpus.clauses(&[term], &similarity)[..] {
            let mut top = TopK::new(corpus.docs.len());
            run(&corpus, 0, &mut refuse, |segment| top_union(&[clause], segment, &mut top));
            let expected = top.into_sorted();
            let mut scorer = term_scorer(clause, Scoring::Relevance).unwrap();
            prop_assert_eq!(scorer.cost() as usize, expected.len());
            same(&collect(&mut *scorer, retaining), expected.clone());
            let constant: Vec<ScoredDoc> = expected.iter().map(|scored| ScoredDoc { score: 2.0, ..*scored }).collect();
            same(&collect(&mut *term_scorer(clause, Scoring::Constant(2.0)).unwrap(), retaining), constant);
        }
        if let Some(clause) = corpus.phrase(&[(0, term), (1, other)], &similarity, slop) {
            let mut top = TopK::new(corpus.docs.len());
            run(&corpus, 0, &mut refuse, |segment| top_phrase(&clause, segment, &mut top));
            let expected = top.into_sorted();
            let Some(mut scorer) = phrase_scorer(clause.clone(), Scoring::Relevance).unwrap() else {
                prop_assert!(expected.is_empty());
                return Ok(());
            };
            prop_assert!(scorer.cost() as usize >= expected.len());
            same(&collect(&mut *scorer, retaining), expected.clone());
            let filter: Vec<ScoredDoc> = expected.iter().map(|scored| ScoredDoc { score: 0.0, ..*scored }).collect();
            same(&collect(&mut *phrase_scorer(clause, Scoring::Constant(0.0)).unwrap().unwrap(), retaining), filter);
        }
    }
}
