//! `multi_match`: analysed text against several fields.

use super::compound::{bool_node, dis_max};
use super::field::Target;
use super::full_text::{Analysis, combine_clauses, zero_terms};
use super::graph_phrase::{PhraseOptions, phrase_of};
use super::token_graph::{Stretch, Words, read_text};
use super::value::text_of;
use super::{Resolver, failed_to_create};
use crate::error::{Error, Result};
use crate::search::node::{BoolNode, Node, TermStatistics};
use crate::search::plan::query::{MatchPhraseQuery, MatchQuery, MultiMatchQuery, MultiMatchType};
use std::sync::Arc;

/// Fields that share an analyzer, with their weights.
type Group = Vec<(String, f32)>;

impl Resolver<'_> {
    pub(super) fn multi_match(&self, query: &MultiMatchQuery) -> Result<Node> {
        let fields = self.expand_fields(&query.fields);
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
        let nodes = match query.kind {
            MultiMatchType::CrossFields => self.cross_fields(query, fields, tie_breaker)?,
            _ => fields.iter().map(|(field, boost)| self.one_field(query, field, *boost)).collect::<Result<_>>()?,
        };
        Ok(dis_max(nodes, tie_breaker).boosted(query.boost))
    }

    /// Whether the text has no words, as any of the fields would have it.
    pub(super) fn has_no_words(&self, query: &MultiMatchQuery) -> Result<bool> {
        let quoted = matches!(query.kind, MultiMatchType::Phrase | MultiMatchType::PhrasePrefix);
        let text = text_of(&query.query);
        let fields = self.expand_fields(&query.fields);
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
    fn cross_fields(&self, query: &MultiMatchQuery, fields: Group, tie_breaker: f32) -> Result<Vec<Node>> {
        let (groups, singles) = self.group_by_analyzer(query, fields)?;
        let mut nodes = Vec::new();
        for (analysis, group) in groups {
            match (analysis, group.as_slice()) {
                (Analysis::Analyzer(analyzer), [_, _, ..]) => {
                    let text = read_text(&analyzer, &text_of(&query.query), self.env.limits.max_clauses)?;
                    if text.is_empty() {
                        nodes.push(zero_terms(query.zero_terms));
                        continue;
                    }
                    let mut clauses = Vec::with_capacity(text.len());
                    for stretch in &text {
                        match stretch {
                            Stretch::Words(words) => {
                                for term in &words.terms {
                                    clauses.push(self.blended_term(&group, term, tie_breaker)?);
                                }
                            }
                            Stretch::Readings(readings) => {
                                clauses.push(self.blended_readings(query, &group, readings, tie_breaker)?);
                            }
                        }
                    }
                    nodes.push(combine_clauses(clauses, query.operator, query.minimum_should_match.as_deref())?);
                }
                (_, group) => {
                    for (field, boost) in group {
                        nodes.push(self.one_field(query, field, *boost)?);
                    }
                }
            }
        }
        for (field, boost) in singles {
            nodes.push(self.one_field(query, &field, boost)?);
        }
        Ok(nodes)
    }

    #[allow(clippy::type_complexity)]
    fn group_by_analyzer(&self, query: &MultiMatchQuery, fields: Group) -> Result<(Vec<(Analysis, Group)>, Group)> {
        let mut groups: Vec<(Analysis, Group)> = Vec::new();
        let mut singles = Vec::new();
        for (name, boost) in fields {
            let Target::Mapped(field) = self.target(&name) else {
                continue;
            };
            let Analysis::Analyzer(analyzer) = self.analysis_of(field, query.analyzer.as_deref(), false)? else {
                singles.push((name, boost));
                continue;
            };
            let same = |known: &Analysis| matches!(known, Analysis::Analyzer(known) if Arc::ptr_eq(known, &analyzer));
            match groups.iter_mut().find(|(known, _)| same(known)) {
                Some((_, group)) => group.push((name, boost)),
                None => groups.push((Analysis::Analyzer(analyzer), vec![(name, boost)])),
            }
        }
        Ok((groups, singles))
    }

    /// Several words are a phrase in one of the fields, or words that are all in some of them.
    fn blended_readings(
        &self,
        query: &MultiMatchQuery,
        group: &Group,
        readings: &[Vec<Words>],
        tie_breaker: f32,
    ) -> Result<Node> {
        let options = PhraseOptions { slop: 0, prefix_expansions: None };
        let blended = |words: &Words| match words.terms.first() {
            Some(term) => self.blended_term(group, term, tie_breaker),
            None => Ok(Node::None),
        };
        let node = |reading: &Vec<Words>| match reading.as_slice() {
            [word] => blended(word),
            words if query.synonym_phrases => {
                let phrases = group.iter().map(|(field, boost)| phrase_of(field, words, options).boosted(*boost));
                Ok(dis_max(phrases.collect(), 0.0))
            }
            words => {
                let must = words.iter().map(blended).collect::<Result<_>>()?;
                Ok(bool_node(BoolNode { must, ..BoolNode::default() }))
            }
        };
        let should = readings.iter().map(node).collect::<Result<_>>()?;
        Ok(bool_node(BoolNode { should, ..BoolNode::default() }))
    }

    /// One term over several fields, scored with document frequencies made alike: fields in which the term is rarer count as
    /// almost as common as the one in which it is most common, in that order.
    fn blended_term(&self, group: &Group, term: &[u8], tie_breaker: f32) -> Result<Node> {
        let mut frequencies = Vec::with_capacity(group.len());
        for (field, _) in group {
            frequencies.push(self.view.doc_freq(field, term)?);
        }
        let stats: Vec<_> = group.iter().map(|(field, _)| self.view.field_stats(field)).collect();
        let least_terms = stats.iter().map(|stats| stats.sum_total_term_freq).min().unwrap_or(0);
        let documents = self.view.scored_documents();
        let most = documents.min(least_terms);
        let mut by_frequency: Vec<usize> = (0..group.len()).collect();
        by_frequency.sort_by_key(|&place| std::cmp::Reverse(frequencies[place]));
        let mut blended = frequencies.iter().copied().max().unwrap_or(0).min(most);
        let mut previous = frequencies.iter().copied().max().unwrap_or(0);
        let mut nodes = Vec::new();
        for place in by_frequency {
            if frequencies[place] == 0 {
                break;
            }
            if previous > frequencies[place] {
                blended = blended.saturating_sub(1);
            }
            previous = frequencies[place];
            // Never more documents than have the field: the weight would be negative.
            let doc_freq = blended.clamp(1, stats[place].doc_count);
            let (field, boost) = &group[place];
            let statistics = Some(TermStatistics { doc_freq });
            nodes.push(Node::Term { field: field.clone(), term: term.to_vec(), statistics }.boosted(*boost));
        }
        Ok(dis_max(nodes, tie_breaker))
    }
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
        analyzer: query.analyzer.clone(),
        zero_terms: query.zero_terms,
        max_expansions: query.max_expansions,
        lenient: query.lenient,
        boost,
    }
}
