//! Bounds and rules of the formulas, over random statistics, frequencies and lengths.

use super::rating::{Rating, reference};
use crate::totals::{FieldTotals, TermTotals};
use proptest::prelude::*;
use quarry_codec::norm;
use quarry_mapping::similarity::SimilaritySpec;
use quarry_postings::bm25::Bm25;
use serde_json::{Value, json};
use std::sync::Arc;

fn normalizations() -> Vec<Value> {
    let with_c = |kind: &str, c: f64| json!({ "type": kind, "c": c });
    vec![
        json!({ "type": "no" }),
        with_c("h1", 1.0),
        with_c("h1", 0.0),
        with_c("h2", 3.5),
        with_c("h3", 800.0),
        json!({ "type": "z", "z": 0.3 }),
    ]
}

/// Every formula with every part that it can have.
pub(crate) fn every_similarity() -> Vec<SimilaritySpec> {
    let mut all = vec![
        json!({ "type": "BM25", "k1": 0.4, "b": 1.0 }),
        json!({ "type": "BM25", "k1": 0.0, "b": 0.5 }),
        json!({ "type": "boolean" }),
        json!({ "type": "LMDirichlet", "mu": 2000.0 }),
        json!({ "type": "LMDirichlet", "mu": 0.0 }),
        json!({ "type": "LMDirichlet", "mu": 3.0 }),
        json!({ "type": "LMJelinekMercer", "lambda": 0.1 }),
        json!({ "type": "LMJelinekMercer", "lambda": 1.0 }),
    ];
    for measure in ["standardized", "saturated", "chisquared"] {
        all.push(json!({ "type": "DFI", "independence_measure": measure }));
    }
    for normalization in normalizations() {
        for basic_model in ["g", "if", "in", "ine"] {
            for after_effect in ["b", "l"] {
                all.push(json!({
                    "type": "DFR",
                    "basic_model": basic_model,
                    "after_effect": after_effect,
                    "normalization": normalization.clone(),
                }));
            }
        }
        for distribution in ["ll", "spl"] {
            for lambda in ["df", "ttf"] {
                let normalization = normalization.clone();
                all.push(json!({
                    "type": "IB", "distribution": distribution, "lambda": lambda, "normalization": normalization,
                }));
            }
        }
    }
    all.into_iter().map(|spec| serde_json::from_value(spec).unwrap()).collect()
}

/// Totals that fit each other.
fn any_totals() -> impl Strategy<Value = (FieldTotals, Vec<TermTotals>)> {
    let term = (0.0..1.0f64, 1.0..40.0f64);
    (1u64..2_000_000, 1.0..300.0f64, prop::collection::vec(term, 1..4)).prop_map(|(doc_count, length, terms)| {
        let tokens = (doc_count as f64 * length) as u64;
        let terms = terms.into_iter().map(|(share, often)| {
            let doc_freq = ((doc_count as f64 * share) as u64).max(1);
            TermTotals { doc_freq, occurrences: ((doc_freq as f64 * often) as u64).min(tokens) }
        });
        (FieldTotals { doc_count, sum_doc_freq: tokens, sum_total_term_freq: tokens }, terms.collect())
    })
}

fn rating(spec: &SimilaritySpec, field: FieldTotals, terms: &[TermTotals], boost: f32) -> Rating {
    Rating::new(Some(spec), Arc::new(reference(Some(spec), field)), field, terms, Some(boost)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The property that windows are passed over by.
    #[test]
    fn no_score_is_above_the_bound_of_its_factor(
        (field, terms) in any_totals(),
        boost in 0.1..9.0f32,
        matches in prop::collection::vec((1u32..2_000, 1u32..70_000, 0.0..1.0f32), 1..20),
    ) {
        for spec in every_similarity() {
            let rating = rating(&spec, field, &terms, boost);
            for &(freq, length, sloppiness) in &matches {
                // Frequencies of sloppy phrases are fractions.
                for freq in [freq as f32, freq as f32 * sloppiness] {
                    let norm = norm::encode(length);
                    let factor = rating.reference().score(1.0, freq, norm) + 5e-7;
                    let (score, bound) = (rating.score(freq, norm).unwrap(), rating.bound(factor));
                    prop_assert!(score <= bound, "{spec:?}: {score} > {bound} for {freq} in {length}");
                    prop_assert!(score >= 0.0);
                    prop_assert!(score <= rating.bound(1.0));
                }
            }
        }
    }

    #[test]
    fn scores_do_not_fall_with_the_frequency((field, terms) in any_totals(), freq in 0.1..500.0f32, length in 1u32..5_000) {
        for spec in every_similarity() {
            let rating = rating(&spec, field, &terms, 1.0);
            let norm = norm::encode(length);
            let (score, more) = (rating.score(freq, norm).unwrap(), rating.score(freq * 1.01, norm).unwrap());
            prop_assert!(more >= score - score * 1e-6, "{spec:?}: {more} < {score} from {freq} in {length}");
        }
    }

    #[test]
    fn explanations_tell_the_score((field, terms) in any_totals(), freq in 1u32..50, length in 1u32..500) {
        for spec in every_similarity() {
            let rating = rating(&spec, field, &terms, 2.0);
            let norm = norm::encode(length);
            if let Some(explained) = rating.explain(freq as f32, norm).unwrap() {
                prop_assert_eq!(explained.value as f32, rating.score(freq as f32, norm).unwrap());
            }
        }
    }
}

#[test]
fn bounds_are_worth_having() {
    let field = FieldTotals { doc_count: 10_000, sum_doc_freq: 300_000, sum_total_term_freq: 400_000 };
    let term = TermTotals { doc_freq: 100, occurrences: 180 };
    for spec in every_similarity() {
        let rating = rating(&spec, field, &[term], 1.0);
        let highest = (1..=u8::MAX).map(|norm| rating.score(1.0, norm).unwrap()).fold(0.0, f32::max);
        let factor = Bm25::with(1.2, 0.75, 40.0).score(1.0, 1.0, norm::encode(1));
        assert!(rating.bound(factor).is_finite(), "{spec:?}: scores go up to {highest}");
    }
}

#[test]
fn a_filter_scores_nothing() {
    let field = FieldTotals { doc_count: 5, sum_doc_freq: 9, sum_total_term_freq: 9 };
    let spec = SimilaritySpec::LmDirichlet { mu: 1.0 };
    let reference = Arc::new(reference(Some(&spec), field));
    let rating = Rating::new(Some(&spec), reference, field, &[TermTotals::once(2)], None).unwrap();
    assert_eq!((rating.score(3.0, 2).unwrap(), rating.bound(1.0), rating.has_shortcut()), (0.0, 0.0, true));
}

mod scripted {
    use super::super::check;
    use super::*;
    use quarry_mapping::similarity::ScriptedSpec;

    fn spec(script: &str, weight: Option<&str>) -> ScriptedSpec {
        let source = |source: &str| json!({ "source": source, "lang": "painless" });
        serde_json::from_value(json!({ "script": source(script), "weight_script": weight.map(source) })).unwrap()
    }

    #[test]
    fn scripts_see_statistics_and_document() {
        let field = FieldTotals { doc_count: 11, sum_doc_freq: 20, sum_total_term_freq: 30 };
        let terms = [TermTotals { doc_freq: 3, occurrences: 7 }];
        let weight = "query.boost * Math.log((field.docCount + 1.0) / (term.docFreq + 1.0)) + term.totalTermFreq";
        let script = "weight * Math.sqrt(doc.freq) / doc.length + field.sumDocFreq + field.sumTotalTermFreq";
        let spec = SimilaritySpec::Scripted(Box::new(spec(script, Some(weight))));
        let rating = rating(&spec, field, &terms, 2.0);
        let weight = 2.0 * (12.0f64 / 4.0).ln() + 7.0;
        for (freq, length) in [(1.0f32, 4), (9.0, 17)] {
            let expected = (weight * f64::from(freq).sqrt() / f64::from(length) + 50.0) as f32;
            assert_eq!(rating.score(freq, norm::encode(length)).unwrap(), expected);
        }
        assert_eq!(rating.bound(0.1), f32::INFINITY);
        let explained = rating.explain(9.0, norm::encode(17)).unwrap().unwrap();
        let numbers: Vec<f64> = explained.details.iter().map(|detail| detail.value).collect();
        assert_eq!(numbers[1..], [2.0, 11.0, 20.0, 30.0, 3.0, 7.0, 9.0, 17.0]);
    }

    #[test]
    fn scripts_that_break_the_rules_are_refused() {
        let refused = |script: &str| check(&spec(script, None)).unwrap_err().to_string();
        assert!(refused("return -doc.freq").contains("should not return negative scores:\n-1.0 = score from"));
        assert!(refused("return 1 / doc.freq").contains("should not decrease when term frequency increases"));
        assert!(refused("return doc.length").contains("should not increase when norm increases"));
        assert!(refused("return foo").contains("compile error"));
        check(&spec("return weight * doc.freq / (doc.freq + doc.length)", Some("return query.boost"))).unwrap();
    }

    #[test]
    fn negative_scores_are_refused_where_they_come_up() {
        let field = FieldTotals { doc_count: 5, sum_doc_freq: 9, sum_total_term_freq: 9 };
        let spec = SimilaritySpec::Scripted(Box::new(spec("return 100 - doc.length", None)));
        let rating = rating(&spec, field, &[TermTotals::once(2)], 1.0);
        assert_eq!(rating.score(1.0, norm::encode(20)).unwrap(), 80.0);
        let error = rating.score(1.0, norm::encode(200)).unwrap_err().to_string();
        assert!(error.contains("Similarities must not produce negative scores, but got:\n-"), "{error}");
    }
}
