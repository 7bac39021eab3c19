//! `multi_match`: analysed text against several fields.

use super::full_text::{Analysis, combine_clauses, zero_terms};
use super::graph_phrase::{PhraseOptions, phrase_of};
use super::token_graph::{Stretch, Words, read_text};
use crate::node::{BoolNode, Node};
use crate::resolve::compound::{bool_node, dis_max};
use crate::resolve::field::Target;
use crate::resolve::value::text_of;
use crate::resolve::{Resolver, failed_to_create};
use quarry_analysis::Analyzer;
use quarry_base::error::{Error, Result};
use quarry_plan::query::{MatchPhraseQuery, MatchQuery, MultiMatchQuery, MultiMatchType};
use quarry_scores::totals::TermTotals;
use serde_json::Value;
use std::sync::Arc;

type WeightedFields = Vec<(String, f32)>;

/// Fields that are searched as if they were one, since the same terms are made of a text for all of them.
struct Group {
    /// `None`: the text is one term.
    analyzer: Option<Arc<Analyzer>>,
    normalizer: Option<Arc<Analyzer>>,
    fields: WeightedFields,
}

impl Resolver<'_> {
    pub(in crate::resolve) fn multi_match(&self, query: &MultiMatchQuery) -> Result<Node> {
        let fields = self.multi_match_fields(query);
        let limit = self.env.limits.max_clauses as usize;
        if fields.len() > limit {
            return Err(failed_to_create(Error::illegal_argument(format!(
                "field expansion matches too many fields, limit: {limit}, got: {}",
                fields.len()
            ))));
        }
        let tie_breaker = query.tie_breaker.unwrap_or(match query.kind {
            MultiMatchType::MostFields | MultiMatchType::BoolPrefix => 1.0,
            _ => 0.0,
        });
        self.check_tie_breaker(&fields, tie_breaker)?;
        let nodes = match query.kind {
            MultiMatchType::CrossFields => self.cross_fields(query, fields, tie_breaker)?,
            _ => fields.iter().map(|(field, boost)| self.one_field(query, field, *boost)).collect::<Result<_>>()?,
        };
        Ok(dis_max(nodes, tie_breaker).boosted(query.boost))
    }

    /// Fields with the suffix instead of those without it, where there are such.
    fn multi_match_fields(&self, query: &MultiMatchQuery) -> WeightedFields {
        let fields = self.expand_fields(&query.fields);
        let Some(suffix) = &query.field_suffix else { return fields };
        let mut suffixed = WeightedFields::new();
        for (field, boost) in fields {
            let other = format!("{field}{suffix}");
            let name = if self.view.mapping.field_by_name(&other).is_some() { other } else { field };
            match suffixed.iter_mut().find(|(known, _)| *known == name) {
                Some((_, weight)) => *weight *= boost,
                None => suffixed.push((name, boost)),
            }
        }
        suffixed
    }

    /// Whether the text has no words, as any of the fields would have it.
    pub(in crate::resolve) fn has_no_words(&self, query: &MultiMatchQuery) -> Result<bool> {
        let quoted = matches!(query.kind, MultiMatchType::Phrase | MultiMatchType::PhrasePrefix);
        let text = text_of(&query.query);
        let fields = self.multi_match_fields(query);
        for (name, _) in &fields {
            let Target::Mapped(field) = self.target(name) else { return Ok(false) };
            let Analysis::Analyzer(analyzer) = self.analysis_of(field, query.analyzer.as_deref(), quoted)? else {
                return Ok(false);
            };
            let mut tokens = Vec::new();
            analyzer.analyze(&text, &mut tokens)?;
            if !tokens.is_empty() {
                return Ok(false);
            }
        }
        Ok(!fields.is_empty())
    }

    fn one_field(&self, query: &MultiMatchQuery, field: &str, boost: f32) -> Result<Node> {
        match query.kind {
            MultiMatchType::Phrase => self.match_phrase(&match_phrase_of(query, field, boost), false),
            MultiMatchType::PhrasePrefix => self.match_phrase(&match_phrase_of(query, field, boost), true),
            MultiMatchType::BoolPrefix => self.match_bool_prefix(&match_of(query, field, boost)),
            _ => self.match_query(&match_of(query, field, boost)),
        }
    }

    /// Fields with the same analyzer are searched as if they were one; the best group counts.
    fn cross_fields(&self, query: &MultiMatchQuery, fields: WeightedFields, tie_breaker: f32) -> Result<Vec<Node>> {
        let mut nodes = Vec::new();
        for group in self.group_by_analyzer(query, fields)? {
            nodes.push(match group.fields.as_slice() {
                [(field, boost)] => self.one_field(query, field, *boost)?,
                _ => self.across(query, &group, tie_breaker)?,
            });
        }
        Ok(nodes)
    }

    fn group_by_analyzer(&self, query: &MultiMatchQuery, fields: WeightedFields) -> Result<Vec<Group>> {
        let mut groups: Vec<Group> = Vec::new();
        for (name, boost) in fields {
            let Target::Mapped(field) = self.target(&name) else {
                continue;
            };
            let (analyzer, normalizer) = match self.analysis_of(field, query.analyzer.as_deref(), false)? {
                Analysis::Analyzer(analyzer) => (Some(analyzer), None),
                Analysis::Whole => (None, field.normalizer.clone()),
                Analysis::Value => (query.analyzer.as_deref().map(|name| self.named_analyzer(name)).transpose()?, None),
            };
            let is_own =
                |group: &&mut Group| is_same(&group.analyzer, &analyzer) && is_same(&group.normalizer, &normalizer);
            match groups.iter_mut().find(is_own) {
                Some(group) => group.fields.push((name, boost)),
                None => groups.push(Group { analyzer, normalizer, fields: vec![(name, boost)] }),
            }
        }
        Ok(groups)
    }

    /// Each word of the text in any field of a group.
    fn across(&self, query: &MultiMatchQuery, group: &Group, tie_breaker: f32) -> Result<Node> {
        let text = text_of(&query.query);
        let text = match &group.analyzer {
            Some(analyzer) => read_text(analyzer, &text, self.env.limits.max_clauses)?,
            None => vec![Stretch::Words(Words { terms: vec![text.into_bytes()], gap: 0 })],
        };
        if text.is_empty() {
            return Ok(zero_terms(query.zero_terms));
        }
        let blend = Blend { fields: &group.fields, lenient: query.lenient, tie_breaker };
        let clause = |stretch: &Stretch| match stretch {
            Stretch::Words(words) => self.blended(&blend, &words.terms),
            Stretch::Readings(readings) => self.blended_readings(query, &blend, readings),
        };
        let clauses = text.iter().map(clause).collect::<Result<_>>()?;
        combine_clauses(clauses, query.operator, query.minimum_should_match.as_deref())
    }

    /// Several words are a phrase in one of the fields, or words that are all in some of them.
    fn blended_readings(&self, query: &MultiMatchQuery, blend: &Blend<'_>, readings: &[Vec<Words>]) -> Result<Node> {
        let options = PhraseOptions { slop: 0, prefix_expansions: None };
        let node = |reading: &Vec<Words>| match reading.as_slice() {
            [word] => self.blended(blend, &word.terms),
            words if query.synonym_phrases => {
                let phrases =
                    blend.fields.iter().map(|(field, boost)| phrase_of(field, words, options).boosted(*boost));
                Ok(dis_max(phrases.collect(), blend.tie_breaker))
            }
            words => {
                let must = words.iter().map(|word| self.blended(blend, &word.terms)).collect::<Result<_>>()?;
                Ok(bool_node(BoolNode { must, ..BoolNode::default() }))
            }
        };
        let should = readings.iter().map(node).collect::<Result<_>>()?;
        Ok(bool_node(BoolNode { should, ..BoolNode::default() }))
    }

    /// The words at one place, in any of the fields. What is no term in the index of a field counts by itself.
    fn blended(&self, blend: &Blend<'_>, words: &[Vec<u8>]) -> Result<Node> {
        let (mut terms, mut nodes) = (Vec::new(), Vec::new());
        for (field, boost) in blend.fields {
            for word in words {
                let value = Value::String(String::from_utf8_lossy(word).into_owned());
                match self.match_value(field, &value, blend.lenient)? {
                    Node::Term { field, term, .. } => {
                        let totals = self.term_totals(&field, &term)?;
                        terms.push(BlendedTerm { field, term, boost: *boost, totals });
                    }
                    node => nodes.push(node.boosted(*boost)),
                }
            }
        }
        nodes.push(self.blended_terms(terms, blend.tie_breaker));
        Ok(dis_max(nodes, blend.tie_breaker))
    }

    /// Terms scored with statistics made alike: each counts as common as the most common of them, and those that are rarer as
    /// a little more common still, in that order; each is there as often as all of them together.
    fn blended_terms(&self, mut terms: Vec<BlendedTerm>, tie_breaker: f32) -> Node {
        if let [only] = terms.as_mut_slice() {
            return Node::term(&only.field, std::mem::take(&mut only.term)).boosted(only.boost);
        }
        terms.retain(|term| term.totals.doc_freq > 0);
        terms.sort_by_key(|term| std::cmp::Reverse(term.totals.doc_freq));
        let fewest_words = terms.iter().map(|term| self.field_stats(&term.field).sum_total_term_freq).min();
        let fewest_words = fewest_words.unwrap_or(0);
        let most = self.scored_documents().min(fewest_words);
        let mut previous = terms.first().map_or(0, |term| term.totals.doc_freq);
        let mut blended = previous.min(most);
        for BlendedTerm { field, totals, .. } in &mut terms {
            blended += u64::from(previous > totals.doc_freq);
            previous = totals.doc_freq;
            // Never more documents than have the field: the weight would be negative.
            totals.doc_freq = blended.min(most).min(self.field_stats(field).doc_count);
        }
        let occurrences: u64 = terms.iter().map(|term| term.totals.occurrences.max(term.totals.doc_freq)).sum();
        let occurrences = occurrences.min(fewest_words);
        let node = |BlendedTerm { field, term, boost, totals }: BlendedTerm| {
            let statistics = Some(TermTotals { occurrences, ..totals });
            Node::Term { field, term, statistics }.boosted(boost)
        };
        dis_max(terms.into_iter().map(node).collect(), tie_breaker)
    }
}

/// How words are looked for in the fields of a group.
struct Blend<'g> {
    fields: &'g [(String, f32)],
    lenient: bool,
    tie_breaker: f32,
}

struct BlendedTerm {
    field: String,
    term: Vec<u8>,
    boost: f32,
    totals: TermTotals,
}

fn is_same(left: &Option<Arc<Analyzer>>, right: &Option<Arc<Analyzer>>) -> bool {
    left.as_ref().map(Arc::as_ptr) == right.as_ref().map(Arc::as_ptr)
}

fn match_of(query: &MultiMatchQuery, field: &str, boost: f32) -> MatchQuery {
    MatchQuery {
        field: field.to_owned(),
        query: query.query.clone(),
        operator: query.operator,
        minimum_should_match: query.minimum_should_match.clone(),
        fuzzy: query.fuzzy.clone(),
        analyzer: query.analyzer.clone(),
        lenient: query.lenient,
        zero_terms: query.zero_terms,
        max_expansions: query.max_expansions,
        synonym_phrases: query.synonym_phrases,
        boost,
    }
}

fn match_phrase_of(query: &MultiMatchQuery, field: &str, boost: f32) -> MatchPhraseQuery {
    MatchPhraseQuery {
        field: field.to_owned(),
        query: query.query.clone(),
        slop: query.slop,
        ignores_gaps: query.ignores_gaps,
        analyzer: query.analyzer.clone(),
        zero_terms: query.zero_terms,
        max_expansions: query.max_expansions,
        lenient: query.lenient,
        boost,
    }
}
