//! Queries by their definition, one document at a time. Knows the fields `title` and `body` (words between blanks), `tag`
//! (keyword), `n` (long) and `flag` (boolean).

use crate::codec::norm;
use crate::search::bm25::idf;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub struct Reference {
    /// Deleted ones included: statistics count them.
    pub documents: Vec<Value>,
    pub deleted: BTreeSet<usize>,
    /// Statistics that were worked out before, by what they are of.
    known: RefCell<BTreeMap<String, f64>>,
}

/// The values of a field as terms; words for text.
fn terms(document: &Value, field: &str) -> Vec<String> {
    let values = match &document[field] {
        Value::Null => Vec::new(),
        Value::Array(values) => values.clone(),
        value => vec![value.clone()],
    };
    let texts = values.iter().map(|value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    match field {
        "title" | "body" => texts.flat_map(|text| text.split(' ').map(str::to_owned).collect::<Vec<_>>()).collect(),
        "tag" | "flag" => texts.collect::<BTreeSet<_>>().into_iter().collect(),
        _ => texts.collect(),
    }
}

impl Reference {
    fn statistic(&self, name: String, work_out: impl FnOnce() -> f64) -> f64 {
        if let Some(&known) = self.known.borrow().get(&name) {
            return known;
        }
        let value = work_out();
        self.known.borrow_mut().insert(name, value);
        value
    }

    fn doc_count(&self, field: &str) -> u64 {
        let has_field = |document: &&Value| !terms(document, field).is_empty();
        self.statistic(field.to_owned(), || self.documents.iter().filter(has_field).count() as f64) as u64
    }

    fn average_length(&self, field: &str) -> f32 {
        let length = |document| terms(document, field).len();
        let total =
            self.statistic(format!("{field} total"), || self.documents.iter().map(length).sum::<usize>() as f64);
        total as f32 / self.doc_count(field).max(1) as f32
    }

    fn doc_freq(&self, field: &str, term: &str) -> u64 {
        let has_term = |document: &&Value| terms(document, field).iter().any(|known| known == term);
        self.statistic(format!("{field} = {term}"), || self.documents.iter().filter(has_term).count() as f64) as u64
    }

    fn bm25(&self, field: &str, document: &Value, freq: f32, weight: f32) -> f32 {
        let has_norms = field == "title" || field == "body";
        let length = if has_norms { norm::decode(norm::encode(terms(document, field).len() as u32)) } else { 1 };
        let inverse = 1.0 / (1.2 * (0.25 + 0.75 * length as f32 / self.average_length(field)));
        weight - weight / (1.0 + freq * inverse)
    }

    fn term(&self, document: &Value, field: &str, term: &str, boost: f32) -> Option<f32> {
        let freq = terms(document, field).iter().filter(|known| *known == term).count();
        let weight = boost * idf(self.doc_freq(field, term), self.doc_count(field));
        (freq > 0).then(|| self.bm25(field, document, freq as f32, weight))
    }

    fn phrase(&self, document: &Value, field: &str, words: &[String], boost: f32) -> Option<f32> {
        let known = terms(document, field);
        let freq = known.windows(words.len()).filter(|window| *window == words).count();
        let weight: f32 = words
            .iter()
            .map(|word| self.doc_freq(field, word))
            .filter(|&doc_freq| doc_freq > 0)
            .map(|doc_freq| idf(doc_freq, self.doc_count(field)))
            .sum();
        (freq > 0).then(|| self.bm25(field, document, freq as f32, boost * weight))
    }

    /// The score of a document, or `None` where it does not match. `query` is a plan.
    pub fn score(&self, document: &Value, query: &Value) -> Option<f32> {
        let (name, body) = query.as_object()?.iter().next()?;
        let boost = body["boost"].as_f64().unwrap_or(1.0) as f32;
        let field = body["field"].as_str().unwrap_or_default();
        match name.as_str() {
            "match_all" => Some(boost),
            "match_none" => None,
            "term" if field == "n" => terms(document, "n").contains(&body["value"].to_string()).then_some(boost),
            "term" => self.term(document, field, &text(&body["value"]), boost),
            "terms" => {
                let wanted: Vec<String> = body["values"].as_array()?.iter().map(text).collect();
                terms(document, field).iter().any(|term| wanted.contains(term)).then_some(boost)
            }
            "match" => {
                let words: Vec<String> = text(&body["query"]).split(' ').map(str::to_owned).collect();
                let scores = words.iter().map(|word| self.term(document, field, word, boost));
                let minimum = match (body["operator"].as_str(), body["minimum_should_match"].as_str()) {
                    (Some("and"), _) => words.len(),
                    (_, Some(minimum)) if words.len() > 1 => minimum.parse().ok()?,
                    _ => 1,
                };
                at_least(scores.collect(), minimum)
            }
            "match_phrase" => {
                let words: Vec<String> = text(&body["query"]).split(' ').map(str::to_owned).collect();
                if words.len() == 1 {
                    return self.term(document, field, &words[0], boost);
                }
                self.phrase(document, field, &words, boost)
            }
            "range" => {
                let low = body["from"]["value"].as_i64().unwrap_or(i64::MIN);
                let high = body["to"]["value"].as_i64().unwrap_or(i64::MAX);
                let values = terms(document, "n");
                values.iter().any(|value| (low..=high).contains(&value.parse().unwrap())).then_some(boost)
            }
            "exists" => (!terms(document, field).is_empty()).then_some(boost),
            "prefix" => {
                let prefix = body["value"].as_str()?;
                terms(document, field).iter().any(|term| term.starts_with(prefix)).then_some(boost)
            }
            "constant_score" => self.score(document, &body["filter"]).map(|_| boost),
            "dis_max" => {
                let scores: Vec<f32> = self.scores(document, &body["queries"]).into_iter().flatten().collect();
                let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let tie_breaker = body["tie_breaker"].as_f64().unwrap_or(0.0) as f32;
                let others = scores.iter().sum::<f32>() - best;
                (!scores.is_empty()).then_some((best + others * tie_breaker) * boost)
            }
            "boosting" => {
                let score = self.score(document, &body["positive"])?;
                let factor = match self.score(document, &body["negative"]) {
                    Some(_) => body["negative_boost"].as_f64()? as f32,
                    None => 1.0,
                };
                Some(score * factor * boost)
            }
            "bool" => self.bool_score(document, body).map(|score| score * boost),
            other => panic!("the reference does not know [{other}]"),
        }
    }

    fn scores(&self, document: &Value, queries: &Value) -> Vec<Option<f32>> {
        queries.as_array().into_iter().flatten().map(|query| self.score(document, query)).collect()
    }

    fn bool_score(&self, document: &Value, body: &Value) -> Option<f32> {
        let must = self.scores(document, &body["must"]);
        let filter = self.scores(document, &body["filter"]);
        let should = self.scores(document, &body["should"]);
        let must_not = self.scores(document, &body["must_not"]);
        if must.iter().chain(&filter).any(Option::is_none) || must_not.iter().any(Option::is_some) {
            return None;
        }
        if must.is_empty() && filter.is_empty() && should.is_empty() {
            // Nothing at all matches everything with score 1; only exclusions, with score 0.
            return Some(if must_not.is_empty() { 1.0 } else { 0.0 });
        }
        let has_required = !(must.is_empty() && filter.is_empty());
        let minimum = match body["minimum_should_match"].as_str() {
            Some(minimum) if !should.is_empty() => minimum.parse().ok()?,
            _ => 0,
        };
        let minimum = if has_required { minimum } else { minimum.max(1) };
        let matched: Vec<f32> = should.into_iter().flatten().collect();
        (matched.len() >= minimum).then(|| must.into_iter().flatten().chain(matched).sum())
    }

    /// Live matches, best first, ties to the earlier document.
    pub fn search(&self, query: &Value) -> Vec<(usize, f32)> {
        let live = (0..self.documents.len()).filter(|doc| !self.deleted.contains(doc));
        let mut found: Vec<(usize, f32)> =
            live.filter_map(|doc| Some((doc, self.score(&self.documents[doc], query)?))).collect();
        found.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        found
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn at_least(scores: Vec<Option<f32>>, minimum: usize) -> Option<f32> {
    let found: Vec<f32> = scores.into_iter().flatten().collect();
    (found.len() >= minimum).then(|| found.iter().sum())
}
