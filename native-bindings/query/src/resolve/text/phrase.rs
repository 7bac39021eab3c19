//! `match_phrase` and `match_phrase_prefix`.

use super::as_you_type::phrase_with_prefix;
use super::full_text::{Analysis, zero_terms};
use super::graph_phrase::{PhraseOptions, any_term, phrase_of};
use super::token_graph::{as_line, close_gaps, read_text};
use crate::node::{BoolNode, Node, TopTermsNode, TopTermsScoring};
use crate::resolve::compound::bool_node;
use crate::resolve::field::{Target, require_matchable, require_searchable};
use crate::resolve::value::text_of;
use crate::resolve::{Resolver, failed_to_create, is_value_error};
use crate::term_match::TermMatcher;
use quarry_base::error::{Error, Result};
use quarry_mapping::MappedField;
use quarry_mapping::spec::{DeclaredType, FieldType, IndexOptions};
use quarry_plan::query::MatchPhraseQuery;

impl Resolver<'_> {
    pub(in crate::resolve) fn match_phrase(&self, query: &MatchPhraseQuery, is_prefix: bool) -> Result<Node> {
        let node = match self.phrase_node(query, is_prefix) {
            Err(error) if query.lenient && is_value_error(error.code) => Node::None,
            result => result?,
        };
        Ok(node.boosted(query.boost))
    }

    fn phrase_node(&self, query: &MatchPhraseQuery, is_prefix: bool) -> Result<Node> {
        let Target::Mapped(field) = self.target(&query.field) else {
            return self.match_value(&query.field, &query.query, query.lenient);
        };
        require_matchable(field)?;
        let is_beginnings = field.spec.declared_type == Some(DeclaredType::Prefix);
        if is_beginnings || (is_prefix && field.spec.field_type != FieldType::Text) {
            return Err(failed_to_create(Error::illegal_argument(format!(
                "Can only use {} queries on text fields - not on [{}] which is of type [{}]",
                if is_prefix { "phrase prefix" } else { "phrase" },
                field.spec.name,
                field.spec.type_name()
            ))));
        }
        let given = text_of(&query.query);
        let analyzer = match self.analysis_of(field, query.analyzer.as_deref(), true)? {
            Analysis::Analyzer(analyzer) => analyzer,
            Analysis::Whole | Analysis::Value => {
                return self.match_value(&query.field, &query.query, query.lenient);
            }
        };
        let mut text = read_text(&analyzer, &given, self.env.limits.max_clauses)?;
        if query.ignores_gaps {
            close_gaps(&mut text);
        }
        require_searchable(field)?;
        let options = PhraseOptions { slop: query.slop, prefix_expansions: is_prefix.then_some(query.max_expansions) };
        let Some(words) = as_line(&text) else {
            require_positions(field)?;
            return self.graph_phrase(&query.field, &text, options);
        };
        if let Some(node) = self.shingled_phrase(field, &analyzer, (&given, &words), options)? {
            return Ok(node);
        }
        if let Some(node) = phrase_with_prefix(field, &text, &words, options) {
            return Ok(node);
        }
        match words.as_slice() {
            [] => Ok(zero_terms(query.zero_terms)),
            [only] if is_prefix => {
                let prefixes =
                    only.terms.iter().map(|term| self.prefix_terms(field, term.clone(), query.max_expansions));
                Ok(bool_node(BoolNode { should: prefixes.collect(), ..BoolNode::default() }))
            }
            [only] => Ok(any_term(&query.field, only)),
            _ => {
                require_positions(field)?;
                Ok(phrase_of(&query.field, &words, options))
            }
        }
    }

    /// Terms with a prefix, each scored, the first so many of the dictionary.
    fn prefix_terms(&self, field: &MappedField, prefix: Vec<u8>, limit: u32) -> Node {
        Node::TopTerms(TopTermsNode {
            field: field.spec.name.clone(),
            matcher: TermMatcher::Prefix(prefix),
            limit,
            scoring: TopTermsScoring::Own,
        })
    }
}

pub(in crate::resolve) fn require_positions(field: &MappedField) -> Result<()> {
    if field.spec.index_options >= IndexOptions::Positions {
        return Ok(());
    }
    Err(failed_to_create(Error::illegal_argument(format!(
        "field:[{}] was indexed without position data; cannot run PhraseQuery",
        field.spec.name
    ))))
}
