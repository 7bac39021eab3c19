//! Queries by their definition, one document at a time. Knows the fields `title` and `body` (words between blanks), `tag`
//! (keyword), `n` (long) and `flag` (boolean).

use quarry_codec::norm;
use quarry_scores::bm25::idf;
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
        self.boosted(document, query, 1.0)
    }

    /// Boosts go down to the leaves; a function may replace what they make of them.
    fn boosted(&self, document: &Value, query: &Value, outer: f32) -> Option<f32> {
        let (name, body) = query.as_object()?.iter().next()?;
        if body["boost"].as_f64() == Some(0.0) {
            // No more than a filter, whatever a function would make of it.
            let mut whole = query.clone();
            whole[name]["boost"] = 1.0.into();
            return self.score(document, &whole).map(|_| 0.0);
        }
        let boost = outer * body["boost"].as_f64().unwrap_or(1.0) as f32;
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
            // Of one `*` in front of a literal.
            "wildcard" => {
                let ending = body["value"].as_str()?.strip_prefix('*')?;
                terms(document, field).iter().any(|term| term.ends_with(ending)).then_some(boost)
            }
            "constant_score" => self.score(document, &body["filter"]).map(|_| boost),
            "dis_max" => {
                let scores: Vec<f32> = self.scores(document, &body["queries"], boost).into_iter().flatten().collect();
                let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let tie_breaker = body["tie_breaker"].as_f64().unwrap_or(0.0) as f32;
                let others = scores.iter().sum::<f32>() - best;
                (!scores.is_empty()).then_some(best + others * tie_breaker)
            }
            "boosting" => {
                let score = self.boosted(document, &body["positive"], boost)?;
                let factor = match self.score(document, &body["negative"]) {
                    Some(_) => body["negative_boost"].as_f64()? as f32,
                    None => 1.0,
                };
                Some(score * factor)
            }
            "function_score" => self.function_score(document, body, boost),
            "terms_set" => {
                let wanted = body["terms"].as_array()?.iter().map(|term| self.term(document, field, &text(term), 1.0));
                let found: Vec<f32> = wanted.flatten().collect();
                let least = document["n"].as_array()?.iter().filter_map(Value::as_i64).min()?.max(1);
                (found.len() as i64 >= least).then(|| found.iter().sum::<f32>() * boost)
            }
            "span" => {
                let near = &body["query"]["near"];
                let words: Vec<String> =
                    near["clauses"].as_array()?.iter().map(|it| text(&it["term"]["value"])).collect();
                let (freq, weight) = self.near(document, &words[0], &words[1], near["slop"].as_i64()?);
                (freq > 0.0).then(|| self.bm25("title", document, freq, boost * weight))
            }
            "intervals" => {
                let words: Vec<String> =
                    text(&body["rule"]["kind"]["match"]["query"]).split(' ').map(str::to_owned).collect();
                let freq = closeness(&terms(document, field), &words[0], &words[1]);
                (freq > 0.0).then(|| boost * freq / (1.0 + freq))
            }
            "bool" => self.bool_score(document, body, boost),
            other => panic!("the reference does not know [{other}]"),
        }
    }

    /// One function with `weight` for documents of a tag, and the least value of `n` plus 10 for all.
    fn function_score(&self, document: &Value, body: &Value, boost: f32) -> Option<f32> {
        let score = self.boosted(document, &body["query"], boost)?;
        let first = body["functions"][0]["weight"].as_f64()?;
        let wanted = text(&body["functions"][0]["filter"]["term"]["value"]);
        let mut values = Vec::new();
        if terms(document, "tag").contains(&wanted) {
            values.push(first);
        }
        let least = document["n"].as_array().into_iter().flatten().filter_map(Value::as_f64).reduce(f64::min);
        values.push((least.unwrap_or(2.0) * 0.5).powi(2));
        let factor = match body["score_mode"].as_str()? {
            "sum" => values.iter().sum(),
            "max" => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            "first" => values[0],
            _ => values.iter().product(),
        };
        let score = match body["boost_mode"].as_str()? {
            "replace" => factor,
            "sum" => f64::from(score) + factor,
            _ => f64::from(score) * factor,
        } as f32;
        body["min_score"].as_f64().is_none_or(|least| score >= least as f32).then_some(score)
    }

    /// How often, sloppily, one word of the title has another within `slop` words behind it, and the weight of both.
    fn near(&self, document: &Value, first: &str, second: &str, slop: i64) -> (f32, f32) {
        let words = terms(document, "title");
        let mut freq = 0.0;
        for (at, _) in words.iter().enumerate().filter(|(_, word)| *word == first) {
            let next = words.iter().skip(at + 1).position(|word| word == second);
            if let Some(between) = next.filter(|&between| between as i64 <= slop) {
                freq += 1.0 / (1.0 + between as f32);
            }
        }
        let mut both = vec![first, second];
        both.dedup();
        let known = both.iter().map(|word| self.doc_freq("title", word)).filter(|&doc_freq| doc_freq > 0);
        (freq, known.map(|doc_freq| idf(doc_freq, self.doc_count("title"))).sum())
    }

    fn scores(&self, document: &Value, queries: &Value, boost: f32) -> Vec<Option<f32>> {
        queries.as_array().into_iter().flatten().map(|query| self.boosted(document, query, boost)).collect()
    }

    fn bool_score(&self, document: &Value, body: &Value, boost: f32) -> Option<f32> {
        let must = self.scores(document, &body["must"], boost);
        let filter = self.scores(document, &body["filter"], 1.0);
        let should = self.scores(document, &body["should"], boost);
        let must_not = self.scores(document, &body["must_not"], 1.0);
        if must.iter().chain(&filter).any(Option::is_none) || must_not.iter().any(Option::is_some) {
            return None;
        }
        if must.is_empty() && filter.is_empty() && should.is_empty() {
            // Nothing at all matches everything with score 1; only exclusions, with score 0.
            return Some(if must_not.is_empty() { boost } else { 0.0 });
        }
        let has_required = !(must.is_empty() && filter.is_empty());
        // Of optional clauses that are not there none can match.
        let minimum = match body["minimum_should_match"].as_str() {
            Some(minimum) => minimum.parse().ok()?,
            None => 0,
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

/// Over the narrowest stretches of words that hold both (at two places where they are the same): how near each comes to as many
/// words as there are different ones.
fn closeness(words: &[String], first: &str, second: &str) -> f32 {
    let places = |wanted: &str| -> Vec<usize> {
        words.iter().enumerate().filter(|(_, word)| *word == wanted).map(|(at, _)| at).collect()
    };
    let mut stretches = BTreeSet::new();
    for one in places(first) {
        for other in places(second).into_iter().filter(|&other| other != one) {
            stretches.insert((one.min(other), one.max(other)));
        }
    }
    let is_narrowest = |stretch: &&(usize, usize)| {
        !stretches.iter().any(|other| other != *stretch && other.0 >= stretch.0 && other.1 <= stretch.1)
    };
    let more = usize::from(first == second);
    stretches.iter().filter(is_narrowest).map(|(start, end)| 1.0 / (end - start + more) as f32).sum()
}

fn at_least(scores: Vec<Option<f32>>, minimum: usize) -> Option<f32> {
    let found: Vec<f32> = scores.into_iter().flatten().collect();
    (found.len() >= minimum).then(|| found.iter().sum())
}
