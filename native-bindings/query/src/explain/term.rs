//! The score of one term, number by number.

use super::explainer::Place;
use crate::node::Node;
use quarry_base::error::Result;
use quarry_codec::norm;
use quarry_codec::window::WINDOW;
use quarry_scores::bm25::{Bm25, NORM_OF_FIELD_WITHOUT_NORMS, idf};
use quarry_scores::explanation::Explanation;
use quarry_scores::explanation::float;
use quarry_scores::similarity::rating;
use quarry_scores::similarity::rating::Rating;
use quarry_scores::totals::{FieldTotals, TermTotals};
use std::sync::Arc;

/// Codes up to this one stand for one length each.
const LAST_EXACT_LENGTH: u8 = 39;

pub(super) fn explain_term(
    place: &Place<'_>,
    field: &str,
    term: &[u8],
    statistics: Option<TermTotals>,
    node: &Node,
    boost: f32,
) -> Result<Explanation> {
    let Some(score) = place.score(node, Some(boost))? else {
        return Ok(Explanation::no_match("no matching term", Vec::new()));
    };
    let totals = match statistics {
        Some(statistics) => statistics,
        None => place.view.term_totals(field, term)?,
    };
    let freq = frequency(place, field, term)? as f32;
    let norms = place.segment.field(field).and_then(|field| field.norms());
    let code = norms.and_then(|norms| norms.get(place.doc as usize).copied()).unwrap_or(NORM_OF_FIELD_WITHOUT_NORMS);
    let (similarity, stats) = (place.view.mapping.similarity_of(field), place.view.field_stats(field));
    let reference = Arc::new(rating::reference(similarity, stats));
    let rating = Rating::new(similarity, Arc::clone(&reference), stats, &[totals], Some(boost))?;
    let computed = match rating.explain(freq, code)? {
        Some(explained) => explained,
        None => explain_bm25(score, &reference, (stats, totals), freq, code, boost),
    };
    let described = format!("weight({} in {}) [PerFieldSimilarity], result of:", place.describe(node), place.doc);
    Ok(Explanation::of(score, described, vec![computed]))
}

fn explain_bm25(
    score: f32,
    similarity: &Bm25,
    (field, term): (FieldTotals, TermTotals),
    freq: f32,
    code: u8,
    boost: f32,
) -> Explanation {
    let doc_count = field.doc_count.max(term.doc_freq);
    let tf = 1.0 - 1.0 / (1.0 + freq * similarity.inverse()[usize::from(code)]);
    let idf_details = vec![
        Explanation::count(term.doc_freq, "n, number of documents containing term"),
        Explanation::count(doc_count, "N, total number of documents with field"),
    ];
    let length_described =
        if code > LAST_EXACT_LENGTH { "dl, length of field (approximate)" } else { "dl, length of field" };
    let tf_details = vec![
        Explanation::leaf(freq, "freq, occurrences of term within document"),
        Explanation::leaf(similarity.k1(), "k1, term saturation parameter"),
        Explanation::leaf(similarity.b(), "b, length normalization parameter"),
        Explanation::leaf(norm::decode(code), length_described),
        Explanation::leaf(similarity.average_length(), "avgdl, average length of field"),
    ];
    let mut factors = Vec::new();
    if boost != 1.0 {
        factors.push(Explanation::leaf(boost, "boost"));
    }
    let idf_computed = "idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:";
    factors.push(Explanation::of(idf(term.doc_freq, doc_count), idf_computed, idf_details));
    let tf_computed = "tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:";
    factors.push(Explanation::of(tf, tf_computed, tf_details));
    Explanation::of(score, format!("score(freq={}), computed as boost * idf * tf from:", float(freq)), factors)
}

/// How often the document has the term; 1 where frequencies are not kept.
fn frequency(place: &Place<'_>, field: &str, term: &[u8]) -> Result<u32> {
    let Some(postings) = place.segment.field(field).and_then(|field| field.postings()) else { return Ok(1) };
    let Some(entry) = postings.lookup(term)? else { return Ok(1) };
    let mut cursor = postings.cursor(&entry)?;
    let (window, doc) = (place.doc / WINDOW as u32, (place.doc % WINDOW as u32) as u16);
    let mut freqs = [0u8];
    let may_be_more = cursor.probe(window, &[doc], &mut freqs)?;
    if may_be_more { cursor.exact_freq(window, doc) } else { Ok(freqs[0].max(1).into()) }
}
