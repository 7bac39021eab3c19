//! The compiled mapping: what `src/mapping/` (TypeScript) hands down when a shard opens or its mapping changes.
//!
//! The TypeScript side owns the rules (which parameters a type takes, what may be updated, dynamic templates); this side
//! trusts that the specification is consistent and only asks whether it can be read. Field names are full paths.

use super::join::JoinSpec;
use super::similarity::SimilaritySpec;
use quarry_script::ScriptSpec;
use quarry_segment::vectors::VectorFormat;
use quarry_segment::{FieldKind, SEQ_NO_FIELD};
use quarry_vectors::graph::Parameters;
use quarry_vectors::measure::Element;
use quarry_vectors::quantised::{Interval, Quantisation, Resolution};
use quarry_vectors::similarity::Similarity;
use serde::{Deserialize, Serialize};

/// Position of a field in [`Mapping`](super) of one shard; kept across mapping updates, never written to disk.
pub type FieldId = u32;

quarry_base::from_json!(MappingSpec, FieldSpec, RuntimeSpec);

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MappingSpec {
    /// Rises by one with each change of the mapping.
    pub version: u64,
    pub dynamic: Dynamic,
    pub date_detection: bool,
    pub numeric_detection: bool,
    pub dynamic_date_formats: Vec<String>,
    /// `false`: the body is not stored.
    pub source_enabled: bool,
    /// Path patterns of `_source.includes` / `_source.excludes`; applied before the body is stored.
    pub source_includes: Vec<String>,
    pub source_excludes: Vec<String>,
    pub routing_required: bool,
    pub fields: Vec<FieldSpec>,
    /// Other names of fields.
    #[serde(default)]
    pub aliases: Vec<AliasSpec>,
    /// Fields that scripts compute when searches ask for them.
    #[serde(default)]
    pub runtime: Vec<RuntimeSpec>,
    /// Every object of the mapping; an object that only follows from a field's path may be left out. The root, when it
    /// is disabled, is listed with an empty path.
    pub objects: Vec<ObjectSpec>,
    /// `index.mapping.depth.limit`: objects within objects, the document itself included.
    pub depth_limit: u32,
    /// `index.mapping.nested_objects.limit`: nested objects of one document.
    #[serde(default = "ten_thousand")]
    pub nested_objects_limit: u32,
    /// `index.percolator.map_unmapped_fields_as_text`: stored queries may name fields that the mapping lacks.
    #[serde(default)]
    pub unmapped_queries_as_text: bool,
    /// Of fields that have none of their own; `None`: BM25 with the usual parameters.
    #[serde(default)]
    pub default_similarity: Option<SimilaritySpec>,
}

fn ten_thousand() -> u32 {
    10_000
}

/// A field without values in the index: a script, or the source of a document, gives them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuntimeSpec {
    pub name: String,
    /// `None`: with `base`, the type in which scripts can give back what they make of its values.
    #[serde(rename = "type")]
    pub field_type: Option<FieldType>,
    /// `None`: what the source has at the path that the name is.
    pub script: Option<ScriptSpec>,
    /// Context of the script.
    #[serde(default)]
    pub context: String,
    /// Of a composite: the name under which the script emits this field's values.
    pub part: Option<String>,
    /// The script runs for each value of this field, which it sees as `_value`.
    pub base: Option<String>,
    /// Date types only.
    pub format: Option<String>,
    /// Nothing is computed: hits show what another index has.
    pub lookup: Option<LookupSpec>,
}

/// A field whose values are those of documents elsewhere, of the first that has in a field what this document has in one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookupSpec {
    /// An expression.
    pub target_index: String,
    /// Of this index.
    pub input_field: String,
    /// Of the other one.
    pub target_field: String,
    /// What is shown of the document there.
    pub fetch_fields: Vec<FetchedField>,
}

/// A name or pattern, and how values are printed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FetchedField {
    pub field: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dynamic {
    True,
    False,
    Runtime,
    Strict,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectSpec {
    pub path: String,
    /// Already resolved: an object that says nothing carries its parent's value.
    pub dynamic: Dynamic,
    pub enabled: bool,
    /// Of an object whose values are documents of their own.
    #[serde(default)]
    pub nested: Option<NestedSpec>,
}

/// Which documents beside its own the values of a nested object belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NestedSpec {
    pub include_in_parent: bool,
    pub include_in_root: bool,
}

/// Another name of the field at `path`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AliasSpec {
    pub name: String,
    pub path: String,
}

/// Types of the mapping that are special cases of the [`FieldType`] their values are held in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeclaredType {
    Binary,
    Completion,
    ConstantKeyword,
    FlatObject,
    Flattened,
    Histogram,
    Join,
    /// Ids of parents, beside a `join` field: one field for each relation.
    JoinParent,
    /// Of one search only: see [`LookupSpec`].
    Lookup,
    MatchOnlyText,
    Murmur3,
    Percolator,
    /// Beginnings of words, beside a `search_as_you_type` field.
    Prefix,
    RankFeature,
    RankFeatures,
    SearchAsYouType,
    /// Of `_seq_no`, which is in no specification: see [`FieldSpec::of_seq_nos`].
    #[serde(skip)]
    SeqNo,
    TokenCount,
    Wildcard,
}

impl DeclaredType {
    /// As the API writes it.
    pub fn name(self) -> &'static str {
        match self {
            DeclaredType::Binary => "binary",
            DeclaredType::Completion => "completion",
            DeclaredType::ConstantKeyword => "constant_keyword",
            DeclaredType::FlatObject => "flat_object",
            DeclaredType::Flattened => "flattened",
            DeclaredType::Histogram => "histogram",
            DeclaredType::Join => "join",
            DeclaredType::JoinParent => "parent",
            DeclaredType::Lookup => "lookup",
            DeclaredType::MatchOnlyText => "match_only_text",
            DeclaredType::Murmur3 => "murmur3",
            DeclaredType::Percolator => "percolator",
            DeclaredType::Prefix => "prefix",
            DeclaredType::RankFeature => "rank_feature",
            DeclaredType::RankFeatures => "rank_features",
            DeclaredType::SearchAsYouType => "search_as_you_type",
            DeclaredType::SeqNo => "_seq_no",
            DeclaredType::TokenCount => "token_count",
            DeclaredType::Wildcard => "wildcard",
        }
    }
}

/// Words of so many words, as a part of a `search_as_you_type` field has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShingleSpec {
    pub size: u32,
    /// Their beginnings.
    pub prefixes: bool,
}

/// How words are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenCount {
    /// Words that the analyzer took out count as well.
    pub position_increments: bool,
}

/// What a completion field makes of its inputs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompletionSpec {
    pub preserve_separators: bool,
    pub preserve_position_increments: bool,
    /// In UTF-16 code units; the rest of an input is cut off.
    pub max_input_length: u32,
    /// By number; empty: inputs are found whatever the context.
    #[serde(default)]
    pub contexts: Vec<ContextSpec>,
}

/// One of the contexts that inputs can be narrowed to.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextSpec {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ContextKind,
    /// The context's values are also those of the document at this path.
    pub path: Option<String>,
    /// Geo contexts: characters of a geohash.
    #[serde(default)]
    pub precision: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContextKind {
    Category,
    Geo,
}

/// What a field of vectors holds.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorSpec {
    /// `None` until the first document has a vector.
    pub dims: Option<u32>,
    #[serde(default)]
    pub element: Element,
    /// `None`: searches do not look for what is near, only scripts read the vectors.
    pub similarity: Option<Similarity>,
    /// `None`: no graph is built.
    pub hnsw: Option<HnswSpec>,
    /// `None`: vectors are not quantised.
    #[serde(default)]
    pub quantised: Option<QuantisedSpec>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HnswSpec {
    pub m: u32,
    pub ef_construction: u32,
}

/// How vectors of fractions are quantised.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuantisedSpec {
    /// 8 or 4: [`Resolution::of_code`].
    pub bits: u32,
    /// Above 0 and at most 1; 0: bounds are fitted. `None`: those that suit the resolution.
    pub confidence_interval: Option<f32>,
    /// How many times as many as are wanted searches compare by the vectors themselves where they do not say it.
    pub oversample: Option<f32>,
}

impl QuantisedSpec {
    fn quantisation(&self) -> Option<Quantisation> {
        let resolution = Resolution::of_code(self.bits)?;
        let interval = match (self.confidence_interval, resolution) {
            (None, Resolution::Int8) => Interval::Whole,
            (None, Resolution::Int4) => Interval::Fitted,
            (Some(part), _) if part > 0.0 => Interval::Confidence(part.min(1.0)),
            (Some(_), _) => Interval::Fitted,
        };
        Some(Quantisation { resolution, interval })
    }
}

impl VectorSpec {
    /// How segments hold the vectors; `None` while their number of dimensions is not known.
    pub fn format(&self) -> Option<VectorFormat> {
        let graph = self.hnsw.map(|HnswSpec { m, ef_construction }| Parameters { m, ef_construction });
        let quantisation = self.quantised.and_then(|quantised| quantised.quantisation());
        let VectorSpec { element, similarity, .. } = *self;
        Some(VectorFormat { dims: self.dims?, element, similarity, graph, quantisation })
    }
}

/// Lengths of prefixes that can be searched at no cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexPrefixes {
    pub min_chars: u32,
    pub max_chars: u32,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldType {
    Text,
    Keyword,
    Long,
    Integer,
    Short,
    Byte,
    UnsignedLong,
    Double,
    Float,
    HalfFloat,
    ScaledFloat,
    Boolean,
    Date,
    DateNanos,
    Ip,
    GeoPoint,
    GeoShape,
    Version,
    IntegerRange,
    LongRange,
    FloatRange,
    DoubleRange,
    DateRange,
    IpRange,
    DenseVector,
}

impl FieldType {
    /// The type of that name, where values of it are compared as numbers.
    pub fn of_numbers(name: &str) -> Option<FieldType> {
        const NUMBERS: [FieldType; 12] = [
            FieldType::Long,
            FieldType::Integer,
            FieldType::Short,
            FieldType::Byte,
            FieldType::UnsignedLong,
            FieldType::Double,
            FieldType::Float,
            FieldType::HalfFloat,
            FieldType::ScaledFloat,
            FieldType::Date,
            FieldType::DateNanos,
            FieldType::Boolean,
        ];
        NUMBERS.into_iter().find(|field_type| field_type.name() == name)
    }

    /// As the API writes it.
    pub fn name(self) -> &'static str {
        match self {
            FieldType::Text => "text",
            FieldType::Keyword => "keyword",
            FieldType::Long => "long",
            FieldType::Integer => "integer",
            FieldType::Short => "short",
            FieldType::Byte => "byte",
            FieldType::UnsignedLong => "unsigned_long",
            FieldType::Double => "double",
            FieldType::Float => "float",
            FieldType::HalfFloat => "half_float",
            FieldType::ScaledFloat => "scaled_float",
            FieldType::Boolean => "boolean",
            FieldType::Date => "date",
            FieldType::DateNanos => "date_nanos",
            FieldType::Ip => "ip",
            FieldType::GeoPoint => "geo_point",
            FieldType::GeoShape => "geo_shape",
            FieldType::Version => "version",
            FieldType::IntegerRange => "integer_range",
            FieldType::LongRange => "long_range",
            FieldType::FloatRange => "float_range",
            FieldType::DoubleRange => "double_range",
            FieldType::DateRange => "date_range",
            FieldType::IpRange => "ip_range",
            FieldType::DenseVector => "dense_vector",
        }
    }

    pub fn kind(self) -> FieldKind {
        match self {
            FieldType::Text => FieldKind::Text,
            FieldType::Keyword | FieldType::Ip | FieldType::GeoShape | FieldType::Version => FieldKind::Term,
            FieldType::DenseVector => FieldKind::Vector,
            _ if self.range_ends().is_some() => FieldKind::Range,
            _ => FieldKind::Number,
        }
    }

    /// Of ranges: the type of their ends.
    pub fn range_ends(self) -> Option<FieldType> {
        match self {
            FieldType::IntegerRange => Some(FieldType::Integer),
            FieldType::LongRange => Some(FieldType::Long),
            FieldType::FloatRange => Some(FieldType::Float),
            FieldType::DoubleRange => Some(FieldType::Double),
            FieldType::DateRange => Some(FieldType::Date),
            FieldType::IpRange => Some(FieldType::Ip),
            _ => None,
        }
    }

    /// Values, or ends of ranges, are dates.
    pub fn has_dates(self) -> bool {
        matches!(self, FieldType::Date | FieldType::DateNanos | FieldType::DateRange)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IndexOptions {
    Docs,
    Freqs,
    Positions,
    Offsets,
}

/// What counts for the length of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextLength {
    /// Tokens, those at the position of another one not counted.
    #[default]
    Positions,
    /// All tokens.
    Tokens,
    /// Different terms.
    Terms,
}

/// One leaf field. A multi-field (`title.raw`) is a field of its own whose `parent` is the field that feeds it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldSpec {
    pub name: String,
    #[serde(rename = "type")]
    pub field_type: FieldType,
    #[serde(default)]
    pub declared_type: Option<DeclaredType>,
    /// The one value that every document has.
    #[serde(default)]
    pub constant: Option<String>,
    /// Searches compute the field or look it up: what documents have under its name is no value of it.
    #[serde(default)]
    pub left_alone: bool,
    /// Of a part of a `search_as_you_type` field.
    #[serde(default)]
    pub shingle: Option<ShingleSpec>,
    /// The field holds the number of words of a text, by its `analyzer`.
    #[serde(default)]
    pub token_count: Option<TokenCount>,
    #[serde(default)]
    pub completion: Option<CompletionSpec>,
    /// Text only: sorts and aggregations may ask for the terms of documents.
    #[serde(default)]
    pub fielddata: bool,
    /// Rank features: `false` where the least value is the best.
    #[serde(default = "yes")]
    pub positive_score_impact: bool,
    #[serde(default)]
    pub index_prefixes: Option<IndexPrefixes>,
    /// Of a `dense_vector` field.
    #[serde(default)]
    pub vector: Option<VectorSpec>,
    /// Of a `join` field.
    #[serde(default)]
    pub join: Option<JoinSpec>,
    pub index: bool,
    pub doc_values: bool,
    pub store: bool,
    /// Text only.
    pub norms: bool,
    pub index_options: IndexOptions,
    /// `None`: the mapping's default.
    #[serde(default)]
    pub similarity: Option<SimilaritySpec>,
    /// Text only: what norms are made from.
    #[serde(default)]
    pub text_length: TextLength,
    /// Names in the shard's analysis registry. Text only. Unset: the index's `default` analyzer, else `standard`; unset
    /// search analyzers follow the API's rules (`default_search`, then `analyzer`; quote: then `search_analyzer`).
    pub analyzer: Option<String>,
    pub search_analyzer: Option<String>,
    pub search_quote_analyzer: Option<String>,
    pub position_increment_gap: u32,
    /// `term_vector` with positions and offsets is asked for. Nothing is stored for it: texts are analysed again.
    #[serde(default)]
    pub term_vectors: bool,
    /// Keyword only: name in the analysis registry.
    pub normalizer: Option<String>,
    /// Keyword only, in characters.
    pub ignore_above: Option<u32>,
    /// Keyword only: a text that is searched for is several words.
    #[serde(default)]
    pub split_queries_on_whitespace: bool,
    /// Flattened objects only: objects within each other.
    #[serde(default)]
    pub depth_limit: Option<u32>,
    /// Set on a hidden field: whose values it holds.
    #[serde(default)]
    pub hidden_of: Option<String>,
    /// Already checked against the type; JSON scalar.
    pub null_value: Option<serde_json::Value>,
    /// Date types only: formats joined with `||`.
    pub format: Option<String>,
    pub scaling_factor: Option<f64>,
    pub coerce: bool,
    pub ignore_malformed: bool,
    /// Shapes only: which way around outer rings go.
    #[serde(default)]
    pub orientation: Option<String>,
    /// Places and shapes only: a height is read over.
    #[serde(default = "yes")]
    pub ignore_z_value: bool,
    pub copy_to: Vec<String>,
    /// Set on multi-fields: name of the field that feeds this one.
    pub parent: Option<String>,
    /// Set for one search, on fields that it looks up elsewhere.
    #[serde(skip)]
    pub lookup: Option<Box<LookupSpec>>,
}

impl FieldSpec {
    /// The sequence numbers as a field that can be searched and aggregated.
    pub(super) fn of_seq_nos() -> Self {
        FieldSpec {
            name: SEQ_NO_FIELD.to_owned(),
            field_type: FieldType::Long,
            declared_type: Some(DeclaredType::SeqNo),
            constant: None,
            left_alone: false,
            shingle: None,
            token_count: None,
            completion: None,
            fielddata: false,
            positive_score_impact: true,
            index_prefixes: None,
            vector: None,
            join: None,
            index: true,
            doc_values: true,
            store: false,
            norms: false,
            index_options: IndexOptions::Docs,
            similarity: None,
            text_length: TextLength::default(),
            analyzer: None,
            search_analyzer: None,
            search_quote_analyzer: None,
            position_increment_gap: 0,
            term_vectors: false,
            normalizer: None,
            ignore_above: None,
            split_queries_on_whitespace: false,
            depth_limit: None,
            hidden_of: None,
            null_value: None,
            format: None,
            scaling_factor: None,
            coerce: false,
            ignore_malformed: false,
            orientation: None,
            ignore_z_value: true,
            copy_to: Vec::new(),
            parent: None,
            lookup: None,
        }
    }

    /// The type as the mapping has it.
    pub fn type_name(&self) -> &'static str {
        self.declared_type.map_or(self.field_type.name(), DeclaredType::name)
    }
}
