//! Aggregations whose buckets are values.

use super::{Order, OrderBy, Source};
use quarry_base::deep_json::of_other_crate;
use quarry_plan::query::Query;
use quarry_script::ScriptSpec;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    pub source: Source,
    pub size: u32,
    /// Buckets that each shard hands to the reduction.
    pub shard_size: u32,
    pub min_doc_count: u64,
    pub shard_min_doc_count: u64,
    pub order: Vec<Order>,
    pub include: Option<Selection>,
    pub exclude: Option<Selection>,
    pub show_term_doc_count_error: bool,
    /// `execution_hint`: what `profile` calls the collector of terms.
    #[serde(default)]
    pub by_map: bool,
    /// `collect_mode`: aggregations below see the documents of those buckets alone that the shard hands on.
    #[serde(default)]
    pub breadth_first: bool,
}

/// How the terms of a bucket are ordered and cut.
#[derive(Debug, Clone, Copy)]
pub struct TermsCut<'a> {
    pub size: u32,
    pub shard_size: u32,
    pub min_doc_count: u64,
    pub shard_min_doc_count: u64,
    pub order: &'a [Order],
    pub show_error: bool,
}

impl Terms {
    /// Buckets that are ordered by what lies below them must have it before they are cut.
    pub fn is_breadth_first(&self) -> bool {
        self.breadth_first && !self.order.iter().any(|order| matches!(order.by, OrderBy::Path { .. }))
    }

    pub fn cut(&self) -> TermsCut<'_> {
        TermsCut {
            size: self.size,
            shard_size: self.shard_size,
            min_doc_count: self.min_doc_count,
            shard_min_doc_count: self.shard_min_doc_count,
            order: &self.order,
            show_error: self.show_term_doc_count_error,
        }
    }
}

/// `include` or `exclude` of a terms aggregation.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    /// Exact values, as JSON scalars.
    Values(Vec<Value>),
    /// A regular expression over whole terms.
    Regexp(String),
    /// Every term whose hash falls in this one of so many parts.
    Partition { partition: u32, partitions: u32 },
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MultiTerms {
    pub sources: Vec<Source>,
    pub size: u32,
    pub shard_size: u32,
    pub min_doc_count: u64,
    pub shard_min_doc_count: u64,
    pub order: Vec<Order>,
    pub show_term_doc_count_error: bool,
}

impl MultiTerms {
    pub fn cut(&self) -> TermsCut<'_> {
        TermsCut {
            size: self.size,
            shard_size: self.shard_size,
            min_doc_count: self.min_doc_count,
            shard_min_doc_count: self.shard_min_doc_count,
            order: &self.order,
            show_error: self.show_term_doc_count_error,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RareTerms {
    pub source: Source,
    /// Documents that a rare term has at most.
    pub max_doc_count: u64,
    pub include: Option<Selection>,
    pub exclude: Option<Selection>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignificantTerms {
    pub source: Source,
    pub size: u32,
    pub shard_size: u32,
    pub min_doc_count: u64,
    pub shard_min_doc_count: u64,
    pub include: Option<Selection>,
    pub exclude: Option<Selection>,
    #[serde(default, deserialize_with = "of_other_crate")]
    pub background: Option<Query>,
    pub heuristic: Heuristic,
}

/// The words of texts, which are read from the sources of documents.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignificantText {
    /// The field has the analyzer and the background.
    pub terms: SignificantTerms,
    /// Where texts stand in sources; `None`: where the field has its own.
    pub source_fields: Option<Vec<String>>,
    /// Words of a sequence that came before do not count.
    pub filter_duplicate_text: bool,
}

/// What makes a term significant.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heuristic {
    Jlh,
    MutualInformation {
        include_negatives: bool,
        background_is_superset: bool,
    },
    ChiSquare {
        include_negatives: bool,
        background_is_superset: bool,
    },
    Gnd {
        background_is_superset: bool,
    },
    Percentage,
    /// How unlikely it is that the term is as frequent inside as outside.
    PValue {
        background_is_superset: bool,
        /// Counts of documents are scaled down to this.
        #[serde(default)]
        normalize_above: Option<u64>,
    },
    /// The value of a script over the four counts.
    Script(ScriptSpec),
}

/// The best documents of each bucket, for the aggregations below.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampler {
    pub shard_size: u32,
    pub diversity: Option<Diversity>,
}

/// No more than so many documents of one value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diversity {
    pub source: Source,
    pub max_docs_per_value: u32,
}
