//! `match` and `match_bool_prefix`: text analysed into terms.

use super::graph_phrase::{PhraseOptions, phrase_of};
use super::phrase::require_positions;
use super::token_graph::{Stretch, Words, read_text};
use crate::node::{BoolNode, Node, TopTermsNode, TopTermsScoring};
use crate::resolve::compound::bool_node;
use crate::resolve::field::{Target, require_matchable, require_searchable};
use crate::resolve::min_should::minimum_should_match;
use crate::resolve::value::text_of;
use crate::resolve::{Resolver, failed_to_create, is_value_error};
use crate::term_match::TermMatcher;
use crate::term_match::fuzzy::FuzzyMatcher;
use quarry_analysis::{Analyzer, utf16_length};
use quarry_base::error::{Error, Result};
use quarry_mapping::MappedField;
use quarry_mapping::spec::FieldType;
use quarry_plan::query::{FuzzyOptions, MatchQuery, Operator, Rewrite, TermQuery, ZeroTerms};
use serde_json::Value;
use std::sync::Arc;

/// How a value is turned into terms for a field.
pub(in crate::resolve) enum Analysis {
    Analyzer(Arc<Analyzer>),
    /// A keyword: the value as it is, normalized where the field says so.
    Whole,
    /// No text at all: the field's own term query.
    Value,
}

impl Resolver<'_> {
    pub(in crate::resolve) fn match_query(&self, query: &MatchQuery) -> Result<Node> {
        let node = match self.match_terms(query) {
            Ok(Some(text)) => self.match_bool(query, &text)?,
            Ok(None) => self.match_value(&query.field, &query.query, query.lenient)?,
            Err(error) if query.lenient && is_value_error(error.code) => Node::None,
            Err(error) => return Err(error),
        };
        Ok(node.boosted(query.boost))
    }

    pub(in crate::resolve) fn match_bool_prefix(&self, query: &MatchQuery) -> Result<Node> {
        let Some(mut text) = self.match_terms(query)? else {
            return Ok(self.match_value(&query.field, &query.query, query.lenient)?.boosted(query.boost));
        };
        if !self.ends_with_word(query)? {
            return Ok(self.match_bool(query, &text)?.boosted(query.boost));
        }
        let Some(last) = text.pop() else {
            return Ok(zero_terms(query.zero_terms).boosted(query.boost));
        };
        let mut clauses = self.stretch_nodes(query, &text)?;
        match last {
            Stretch::Words(words) => {
                clauses.extend(words.terms.into_iter().map(|prefix| self.prefix_node(&query.field, prefix)));
            }
            Stretch::Readings(readings) => clauses.push(self.any_reading(query, &readings, true)?),
        }
        Ok(self.combine(query, clauses)?.boosted(query.boost))
    }

    /// Whether the last word of the text goes to its end, and may go on there.
    fn ends_with_word(&self, query: &MatchQuery) -> Result<bool> {
        let Target::Mapped(field) = self.target(&query.field) else { return Ok(true) };
        let Analysis::Analyzer(analyzer) = self.analysis_of(field, query.analyzer.as_deref(), false)? else {
            return Ok(true);
        };
        let text = text_of(&query.query);
        let mut tokens = Vec::new();
        analyzer.analyze(&text, &mut tokens)?;
        Ok(tokens.last().is_some_and(|last| last.end_offset == utf16_length(&text)))
    }

    /// The analysed text; `None` where the field has no text and the value is a term of its type.
    fn match_terms(&self, query: &MatchQuery) -> Result<Option<Vec<Stretch>>> {
        let Target::Mapped(field) = self.target(&query.field) else {
            return Ok(None);
        };
        require_matchable(field)?;
        let text = text_of(&query.query);
        let text = match self.analysis_of(field, query.analyzer.as_deref(), false)? {
            Analysis::Analyzer(analyzer) => read_text(&analyzer, &text, self.env.limits.max_clauses)?,
            Analysis::Whole => vec![Stretch::Words(Words { terms: vec![self.keyword_term(field, &text)?], gap: 0 })],
            Analysis::Value => return Ok(None),
        };
        require_searchable(field)?;
        Ok(Some(text))
    }

    pub(in crate::resolve) fn analysis_of(
        &self,
        field: &MappedField,
        name: Option<&str>,
        quoted: bool,
    ) -> Result<Analysis> {
        let is_text = field.spec.field_type == FieldType::Text;
        if let Some(name) = name {
            let analyzer = self.named_analyzer(name)?;
            if is_text || field.spec.field_type == FieldType::Keyword {
                return Ok(Analysis::Analyzer(analyzer));
            }
        }
        let quoted_analyzer = field.search_quote_analyzer.as_ref().filter(|_| quoted);
        if field.spec.constant.is_some() {
            return Ok(Analysis::Value);
        }
        let own = quoted_analyzer.or(field.search_analyzer.as_ref()).or(field.analyzer.as_ref());
        Ok(match own {
            Some(analyzer) if is_text => Analysis::Analyzer(Arc::clone(analyzer)),
            _ if field.spec.field_type == FieldType::Keyword => match self.view.analysis.analyzer("whitespace") {
                Some(words) if field.spec.split_queries_on_whitespace => Analysis::Analyzer(words),
                _ => Analysis::Whole,
            },
            _ => Analysis::Value,
        })
    }

    pub(in crate::resolve) fn named_analyzer(&self, name: &str) -> Result<Arc<Analyzer>> {
        let missing = || failed_to_create(Error::illegal_argument(format!("analyzer [{name}] not found")));
        self.view.analysis.analyzer(name).ok_or_else(missing)
    }

    /// A value as a `term` query of the field would take it.
    pub(in crate::resolve) fn match_value(&self, field: &str, value: &Value, lenient: bool) -> Result<Node> {
        let term = TermQuery { field: field.to_owned(), value: value.clone(), case_insensitive: false, boost: 1.0 };
        match self.term(&term) {
            Err(error) if lenient && is_value_error(error.code) => Ok(Node::None),
            result => result,
        }
    }

    fn match_bool(&self, query: &MatchQuery, text: &[Stretch]) -> Result<Node> {
        if text.is_empty() {
            return Ok(zero_terms(query.zero_terms));
        }
        self.combine(query, self.stretch_nodes(query, text)?)
    }

    fn stretch_nodes(&self, query: &MatchQuery, text: &[Stretch]) -> Result<Vec<Node>> {
        let node = |stretch: &Stretch| match stretch {
            Stretch::Words(words) => Ok(words_node(&query.field, &words.terms, query.fuzzy.as_ref())),
            Stretch::Readings(readings) => self.any_reading(query, readings, false),
        };
        text.iter().map(node).collect()
    }

    /// Each reading as a phrase, or as words that must all be there.
    fn any_reading(&self, query: &MatchQuery, readings: &[Vec<Words>], is_prefix: bool) -> Result<Node> {
        let field = &query.field;
        let word = |words: &Words| words_node(field, &words.terms, query.fuzzy.as_ref());
        let last_word = |words: &Words| match words.terms.first() {
            Some(prefix) if is_prefix => self.prefix_node(field, prefix.clone()),
            _ => word(words),
        };
        let mut should = Vec::with_capacity(readings.len());
        for reading in readings {
            let Some((last, before)) = reading.split_last() else { continue };
            should.push(if before.is_empty() {
                last_word(last)
            } else if query.synonym_phrases {
                if let Target::Mapped(mapped) = self.target(field) {
                    require_positions(mapped)?;
                }
                let prefix_expansions = is_prefix.then_some(query.max_expansions);
                phrase_of(field, reading, PhraseOptions { slop: 0, prefix_expansions })
            } else {
                let must = before.iter().map(word).chain([last_word(last)]).collect();
                bool_node(BoolNode { must, ..BoolNode::default() })
            });
        }
        Ok(bool_node(BoolNode { should, ..BoolNode::default() }))
    }

    fn prefix_node(&self, field: &str, prefix: Vec<u8>) -> Node {
        let as_term = self.prefix_as_term(field, &String::from_utf8_lossy(&prefix), false, Rewrite::Default);
        as_term.unwrap_or_else(|| Node::Pattern { field: field.to_owned(), matcher: TermMatcher::Prefix(prefix) })
    }

    fn combine(&self, query: &MatchQuery, clauses: Vec<Node>) -> Result<Node> {
        combine_clauses(clauses, query.operator, query.minimum_should_match.as_deref())
    }
}

/// A `bool` of the clauses of an analysed text. A single one stands for itself, and is asked for whatever the minimum.
pub(in crate::resolve) fn combine_clauses(
    mut clauses: Vec<Node>,
    operator: Operator,
    minimum: Option<&str>,
) -> Result<Node> {
    if clauses.len() == 1 {
        return Ok(clauses.pop().unwrap_or(Node::None));
    }
    let mut node = BoolNode::default();
    match operator {
        Operator::And => node.must = clauses,
        Operator::Or => node.should = clauses,
    }
    // Counted of the optional clauses alone: more than there are of them match nothing.
    if let Some(specification) = minimum {
        node.min_should = minimum_should_match(node.should.len(), specification)?;
    }
    Ok(bool_node(node))
}

pub(in crate::resolve) fn zero_terms(zero_terms: ZeroTerms) -> Node {
    match zero_terms {
        ZeroTerms::None => Node::None,
        ZeroTerms::All => Node::All,
    }
}

fn words_node(field: &str, terms: &[Vec<u8>], fuzzy: Option<&FuzzyOptions>) -> Node {
    match (terms, fuzzy) {
        ([term], None) => Node::term(field, term.clone()),
        (_, None) => Node::Synonyms { field: field.to_owned(), terms: terms.to_vec() },
        (_, Some(options)) => {
            let should = terms.iter().map(|term| fuzzy_node(field, term, options)).collect();
            bool_node(BoolNode { should, ..BoolNode::default() })
        }
    }
}

/// The terms within the edits that the options allow for this one.
pub(in crate::resolve) fn fuzzy_node(field: &str, term: &[u8], options: &FuzzyOptions) -> Node {
    let Ok(text) = std::str::from_utf8(term) else {
        return Node::term(field, term.to_vec());
    };
    let characters = text.chars().count();
    let edits = options.fuzziness.edits(characters);
    if edits == 0 || options.prefix_length as usize >= characters {
        return match options.rewrite {
            Rewrite::ConstantScore | Rewrite::TopTermsBoost(_) => Node::term(field, term.to_vec()).constant(),
            _ => Node::term(field, term.to_vec()),
        };
    }
    let matcher = TermMatcher::Fuzzy(FuzzyMatcher::new(text, edits, options.prefix_length, options.transpositions));
    rewritten(field, matcher, options.rewrite, Rewrite::TopTermsBlendedFreqs(options.max_expansions))
}

/// A pattern as its rewrite method scores it.
pub(in crate::resolve) fn rewritten(field: &str, matcher: TermMatcher, rewrite: Rewrite, default: Rewrite) -> Node {
    let field = field.to_owned();
    let (limit, scoring) = match if rewrite == Rewrite::Default { default } else { rewrite } {
        Rewrite::Default | Rewrite::ConstantScore => return Node::Pattern { field, matcher },
        Rewrite::ScoringBoolean => (u32::MAX, TopTermsScoring::Own),
        Rewrite::TopTerms(limit) => (limit, TopTermsScoring::Own),
        Rewrite::TopTermsBoost(limit) => (limit, TopTermsScoring::Boost),
        Rewrite::TopTermsBlendedFreqs(limit) => (limit, TopTermsScoring::Blended),
    };
    Node::TopTerms(TopTermsNode { field, matcher, limit, scoring })
}
