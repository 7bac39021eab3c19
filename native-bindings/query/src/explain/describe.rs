//! Resolved queries as text, in the notation of Lucene's `toString`.

use super::places::describe_positional;
use crate::functions::FunctionScoreNode;
use crate::functions::function::FunctionNode;
use crate::node::{BoolNode, CoveringMinimum, Node, PhraseNode, SoughtVector, TermBound};
use crate::positional::Tree;
use crate::term_match::TermMatcher;
use quarry_geo::area::Area;
use quarry_mapping::format::ValueType;
use quarry_mapping::{Mapping, range_end};
use quarry_plan::join::ChildScore;
use quarry_scores::explanation::float;
use quarry_segment::column::range::RangeMatch;
use std::cell::Cell;
use std::ops::RangeInclusive;

/// Terms of a list that are shown.
const TERMS_SHOWN_MAX: usize = 16;

/// Levels of queries in queries that are shown; what lies deeper is `...`. Each level of a profile or an explanation shows
/// what lies in it: without a limit their length would grow with the square of the depth.
const LEVELS_SHOWN_MAX: usize = 32;

/// Describes nodes of one mapping.
pub struct Describer<'a> {
    mapping: &'a Mapping,
    /// Queries around the one that is described now.
    depth: Cell<usize>,
}

pub(super) fn text(term: &[u8]) -> String {
    String::from_utf8_lossy(term).into_owned()
}

impl<'a> Describer<'a> {
    pub fn new(mapping: &'a Mapping) -> Self {
        Describer { mapping, depth: Cell::new(0) }
    }

    pub fn describe(&self, node: &Node) -> String {
        let depth = self.depth.get();
        if depth == LEVELS_SHOWN_MAX {
            return "...".to_owned();
        }
        self.depth.set(depth + 1);
        let described = self.describe_level(node);
        self.depth.set(depth);
        described
    }

    fn describe_level(&self, node: &Node) -> String {
        match node {
            Node::All => "*:*".to_owned(),
            Node::None => "MatchNoDocsQuery(\"\")".to_owned(),
            Node::Term { field, term, .. } => format!("{field}:{}", self.term(field, term)),
            Node::Synonyms { field, terms } => {
                let terms: Vec<String> = terms.iter().map(|term| format!("{field}:{}", text(term))).collect();
                format!("Synonym({})", terms.join(" "))
            }
            Node::Phrase(phrase) => describe_phrase(phrase),
            Node::Numbers { field, ranges } => self.numbers(field, ranges),
            Node::NumberBitmap { field, wanted } => format!("{field}:<bitmap of {} numbers>", wanted.count()),
            Node::Ranges { field, wanted } => self.ranges(field, wanted),
            Node::Places { field, area, .. } => format!("{field}:{}", describe_area(area)),
            Node::Shapes { field, .. } => format!("{field}:LatLonShape"),
            Node::Boolean { field, value } => format!("{field}:{}", if *value == 1 { "T" } else { "F" }),
            Node::Terms { field, terms } => self.terms(field, terms),
            Node::TermRange { field, from, to } => self.term_range(field, from.as_ref(), to.as_ref()),
            Node::Pattern { field, matcher } => format!("{field}:{}", matcher.describe()),
            Node::TopTerms(top) => format!("{}:{}", top.field, top.matcher.describe()),
            Node::Exists { fields } => match fields.as_slice() {
                [field] => format!("FieldExistsQuery [field={field}]"),
                _ => {
                    fields.iter().map(|field| format!("FieldExistsQuery [field={field}]")).collect::<Vec<_>>().join(" ")
                }
            },
            Node::Ids { ids } => {
                let ids: Vec<String> = ids.iter().take(TERMS_SHOWN_MAX).map(|id| text(id)).collect();
                format!("_id:({})", ids.join(" "))
            }
            Node::Bool(inner) => self.bool_node(inner),
            Node::DisMax { nodes, tie_breaker } => {
                let parts: Vec<String> = nodes.iter().map(|node| self.nested(node)).collect();
                let tie_breaker = if *tie_breaker == 0.0 { String::new() } else { format!("~{}", float(*tie_breaker)) };
                format!("({}){tie_breaker}", parts.join(" | "))
            }
            Node::Boosting { positive, negative, negative_boost } => format!(
                "FunctionScoreQuery({}, scored by boost(queryboost({})^{}))",
                self.describe(positive),
                self.describe(negative),
                float(*negative_boost)
            ),
            Node::FunctionScore(inner) => self.function_score(inner),
            Node::Script(script) => format!("ScriptQuery({})", script.program.source),
            Node::ScriptScore(inner) => {
                let (query, source) = (self.describe(&inner.inner), &inner.script.program.source);
                format!("ScriptScoreQuery({query}, {source})")
            }
            Node::Feature(feature) => {
                format!("FeatureQuery(field={}, function={:?})", feature.source.field, feature.shape)
            }
            Node::Covering { nodes, minimum } => {
                let parts: Vec<String> = nodes.iter().map(|node| self.nested(node)).collect();
                let least = match minimum {
                    CoveringMinimum::Field(name) => name,
                    CoveringMinimum::Script(script) => &*script.program.source,
                };
                format!("CoveringQuery(queries=[{}], minimumNumberMatch=long({least}))", parts.join(", "))
            }
            Node::Combined(combined) => {
                let fields: Vec<String> =
                    combined.fields.iter().map(|(field, boost)| weighted(field, *boost)).collect();
                let terms: Vec<String> = combined.terms.iter().map(|term| text(term)).collect();
                format!("CombinedFieldQuery(({})({}))", fields.join(" "), terms.join(", "))
            }
            Node::Positional(positional) => describe_positional(positional),
            Node::Nested(nested) => {
                format!("ToParentBlockJoinQuery (+{} #_nested_path:{})", self.nested(&nested.query), nested.path)
            }
            Node::Join(join) => {
                format!("GlobalOrdinalsQuery{{joinField={}, from={}}}", join.field, self.describe(&join.from))
            }
            Node::Percolate(inner) => {
                format!("PercolateQuery{{field={}, documents={}}}", inner.field, inner.documents.len())
            }
            Node::Knn(inner) => {
                let (kind, field) = (Self::type_name(node), &inner.field);
                format!("{kind}:{field}[{},...][{}]", first_value(&inner.vector), inner.num_candidates)
            }
            Node::Near(inner) => {
                format!("{}:{}[{},...]", Self::type_name(node), inner.field, first_value(&inner.vector))
            }
            Node::Found(inner) => format!("within top k documents, {} of them in this shard", inner.documents.len()),
            Node::Constant(inner) => format!("ConstantScore({})", self.describe(inner)),
            Node::Boosted(inner, factor) => format!("({})^{}", self.describe(inner), float(*factor)),
        }
    }

    /// The name of the Lucene query that a node comes nearest to.
    pub fn type_name(node: &Node) -> &'static str {
        match node {
            Node::All => "MatchAllDocsQuery",
            Node::None => "MatchNoDocsQuery",
            Node::Term { .. } | Node::Boolean { .. } => "TermQuery",
            Node::Synonyms { .. } => "SynonymQuery",
            Node::Phrase(phrase) if phrase.prefix_expansions.is_some() => "MultiPhrasePrefixQuery",
            Node::Phrase(_) => "PhraseQuery",
            Node::Numbers { .. } | Node::NumberBitmap { .. } | Node::Ranges { .. } | Node::Places { .. } => {
                "IndexOrDocValuesQuery"
            }
            Node::Shapes { .. } => "LatLonShapeQuery",
            Node::Terms { .. } | Node::Ids { .. } => "TermInSetQuery",
            Node::TermRange { .. } => "TermRangeQuery",
            Node::Pattern { matcher, .. } => matcher.type_name(),
            Node::TopTerms(top) => top.matcher.type_name(),
            Node::Exists { .. } => "FieldExistsQuery",
            Node::Bool(_) => "BooleanQuery",
            Node::DisMax { .. } => "DisjunctionMaxQuery",
            Node::Boosting { .. } | Node::FunctionScore(_) => "FunctionScoreQuery",
            Node::Script(_) => "ScriptQuery",
            Node::ScriptScore(_) => "ScriptScoreQuery",
            Node::Feature(_) => "FeatureQuery",
            Node::Covering { .. } => "CoveringQuery",
            Node::Combined(_) => "CombinedFieldQuery",
            Node::Positional(positional) => match positional.tree {
                Tree::Spans(_) => "SpanQuery",
                Tree::Intervals(_) => "IntervalQuery",
            },
            Node::Join(join) if join.score == ChildScore::None => "GlobalOrdinalsQuery",
            Node::Join(_) => "GlobalOrdinalsWithScoreQuery",
            Node::Nested(_) => "OpenSearchToParentBlockJoinQuery",
            Node::Percolate(_) => "PercolateQuery",
            Node::Knn(knn) => match (&knn.vector, &knn.nested) {
                (SoughtVector::Floats(_), None) => "KnnFloatVectorQuery",
                (SoughtVector::Bytes(_), None) => "KnnByteVectorQuery",
                (SoughtVector::Floats(_), Some(_)) => "DiversifyingChildrenFloatKnnVectorQuery",
                (SoughtVector::Bytes(_), Some(_)) => "DiversifyingChildrenByteKnnVectorQuery",
            },
            Node::Near(_) => "DenseVectorQuery",
            Node::Found(_) => "KnnScoreDocQuery",
            Node::Constant(_) => "ConstantScoreQuery",
            Node::Boosted(inner, _) => Self::type_name(inner),
        }
    }

    /// A compound inside another one is set apart.
    fn nested(&self, node: &Node) -> String {
        match node {
            Node::Bool(inner) if inner.min_should <= 1 => format!("({})", self.describe(node)),
            _ => self.describe(node),
        }
    }

    fn term(&self, field: &str, term: &[u8]) -> String {
        let is_address = self.mapping.field_by_name(field).is_some_and(|field| field.spec.field_type.name() == "ip");
        match <[u8; 16]>::try_from(term) {
            Ok(address) if is_address => {
                let mut shown = String::new();
                quarry_mapping::ip::format(&address, &mut shown);
                shown
            }
            _ => text(term),
        }
    }

    fn terms(&self, field: &str, terms: &[Vec<u8>]) -> String {
        let shown: Vec<String> = terms.iter().take(TERMS_SHOWN_MAX).map(|term| self.term(field, term)).collect();
        match shown.as_slice() {
            [only] => format!("{field}:{only}"),
            _ => format!("{field}:({})", shown.join(" ")),
        }
    }

    fn term_range(&self, field: &str, from: Option<&TermBound>, to: Option<&TermBound>) -> String {
        let end = |bound: Option<&TermBound>| bound.map_or("*".to_owned(), |bound| self.term(field, &bound.term));
        let open = if from.is_some_and(|bound| bound.inclusive) { '[' } else { '{' };
        let close = if to.is_some_and(|bound| bound.inclusive) { ']' } else { '}' };
        format!("{field}:{open}{} TO {}{close}", end(from), end(to))
    }

    /// Beginnings and ends between which ranges are to have theirs.
    fn ranges(&self, field: &str, wanted: &RangeMatch) -> String {
        let Some(ends) = self.mapping.field_by_name(field).and_then(|field| field.ends.as_deref()) else {
            return field.to_owned();
        };
        let (least, most) = range_end::limits(ends);
        let show = |end: i128| range_end::show(ends, end.clamp(least, most));
        let part = |of: &RangeInclusive<i128>| format!("[{} TO {}]", show(*of.start()), show(*of.end()));
        format!("{field}:<ranges from {} to {}>", part(&wanted.from), part(&wanted.to))
    }

    fn numbers(&self, field: &str, ranges: &[(i64, i64)]) -> String {
        let spec = self.mapping.field_by_name(field).map(|field| &field.spec);
        let value_type = spec.map_or(ValueType::Long, |spec| ValueType::of(spec.field_type, spec.scaling_factor));
        let print = |value: i64| match value_type {
            ValueType::Double | ValueType::Float | ValueType::Scaled(_) => format!("{:?}", value_type.number(value)),
            ValueType::UnsignedLong => quarry_codec::sortable::to_u64(value).to_string(),
            _ => value.to_string(),
        };
        let ranges = ranges.iter().take(TERMS_SHOWN_MAX);
        let shown: Vec<String> =
            ranges.map(|(low, high)| format!("{field}:[{} TO {}]", print(*low), print(*high))).collect();
        shown.join(" ")
    }

    fn bool_node(&self, node: &BoolNode) -> String {
        let mut parts = Vec::new();
        let lists = [("+", &node.must), ("#", &node.filter), ("", &node.should), ("-", &node.must_not)];
        for (sign, clauses) in lists {
            parts.extend(clauses.iter().map(|clause| format!("{sign}{}", self.nested(clause))));
        }
        let joined = parts.join(" ");
        if node.min_should > 1 { format!("({joined})~{}", node.min_should) } else { joined }
    }

    fn function_score(&self, node: &FunctionScoreNode) -> String {
        let functions: Vec<String> = node
            .functions
            .iter()
            .map(|function| {
                let described = describe_function(&function.function, function.weight);
                match &function.filter {
                    Some(filter) => format!("{{filter({}), function [{described}]}}", self.describe(filter)),
                    None => format!("{{{described}}}"),
                }
            })
            .collect();
        format!("function score ({}, functions: [{}])", self.describe(&node.query), functions.join(""))
    }
}

fn weighted(field: &str, boost: f32) -> String {
    if boost == 1.0 { field.to_owned() } else { format!("{field}^{}", float(boost)) }
}

fn describe_area(area: &Area) -> &'static str {
    match area {
        Area::Box(_) => "LatLonBox",
        Area::Circle(_) => "LatLonDistance",
        Area::Polygon(_) => "LatLonPolygon",
        Area::Places(_) | Area::Line(_) | Area::Cell(_) | Area::Any(_) => "LatLonGeometry",
    }
}

pub fn describe_function(function: &FunctionNode, weight: Option<f64>) -> String {
    let described = match function {
        FunctionNode::One => return format!("product of:[constant score 1.0] weight={}", weight.unwrap_or(1.0)),
        FunctionNode::FieldValue { name, factor, modifier, missing, .. } => {
            let modifier = format!("{modifier:?}").to_lowercase();
            let missing = missing.map_or(String::new(), |missing| format!("?:{missing:?}"));
            format!("field value function: {modifier}(doc['{name}'].value{missing} * factor={factor:?})")
        }
        FunctionNode::Decay(decay) => {
            let shape = format!("{:?}", decay.curve.shape).to_lowercase();
            format!("Function for field {}: {shape}", decay.source.field)
        }
        FunctionNode::Random { seed, .. } => format!("random score function (seed: {seed})"),
        FunctionNode::Script(script) => {
            format!("script score function, computed with script:\"{}\"", script.program.source)
        }
    };
    match weight {
        Some(weight) => format!("product of:[{described}] weight={weight:?}"),
        None => described,
    }
}

fn describe_phrase(phrase: &PhraseNode) -> String {
    let mut words = Vec::with_capacity(phrase.terms.len());
    let mut expected = phrase.terms.first().map_or(0, |(_, position)| *position);
    for (alternatives, position) in &phrase.terms {
        words.extend((expected..*position).map(|_| "?".to_owned()));
        expected = position + 1;
        words.push(match alternatives.as_slice() {
            [only] => text(only),
            several => format!("({})", several.iter().map(|term| text(term)).collect::<Vec<_>>().join(" ")),
        });
    }
    let prefix = if phrase.prefix_expansions.is_some() { "*" } else { "" };
    let slop = if phrase.slop == 0 { String::new() } else { format!("~{}", phrase.slop) };
    format!("{}:\"{}{prefix}\"{slop}", phrase.field, words.join(" "))
}

impl TermMatcher {
    pub(super) fn describe(&self) -> String {
        match self {
            TermMatcher::Prefix(prefix) => format!("{}*", text(prefix)),
            TermMatcher::FoldedPrefix(prefix) => format!("{prefix}*"),
            TermMatcher::Wildcard(wildcard) => wildcard.pattern(),
            TermMatcher::Regexp(regexp) => format!("/{}/", regexp.pattern()),
            TermMatcher::Fuzzy(fuzzy) => format!("{}~{}", fuzzy.text(), fuzzy.edits()),
            TermMatcher::Folded(folded) => folded.clone(),
            TermMatcher::Version(pattern) => pattern.describe(),
            TermMatcher::Between { from, to } => {
                let end = |bound: &Option<TermBound>| bound.as_ref().map_or("*".to_owned(), |bound| text(&bound.term));
                let open = if from.as_ref().is_some_and(|bound| bound.inclusive) { '[' } else { '{' };
                let close = if to.as_ref().is_some_and(|bound| bound.inclusive) { ']' } else { '}' };
                format!("{open}{} TO {}{close}", end(from), end(to))
            }
        }
    }

    fn type_name(&self) -> &'static str {
        match self {
            TermMatcher::Prefix(_) | TermMatcher::FoldedPrefix(_) => "PrefixQuery",
            TermMatcher::Wildcard(_) => "WildcardQuery",
            TermMatcher::Regexp(_) => "RegexpQuery",
            TermMatcher::Fuzzy(_) => "FuzzyQuery",
            TermMatcher::Folded(_) => "AutomatonQuery",
            TermMatcher::Version(pattern) => pattern.type_name(),
            TermMatcher::Between { .. } => "TermRangeQuery",
        }
    }
}

/// The first value of a vector.
fn first_value(vector: &SoughtVector) -> String {
    match vector {
        SoughtVector::Floats(values) => float(values.first().copied().unwrap_or_default()),
        SoughtVector::Bytes(values) => (values.first().copied().unwrap_or_default() as i8).to_string(),
    }
}
