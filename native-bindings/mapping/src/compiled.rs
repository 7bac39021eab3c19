//! The mapping of one shard, compiled from its [`MappingSpec`].

use super::date::{DEFAULT_DATE_FORMAT, DateFormat};
use super::similarity::SimilaritySpec;
use super::spec::{DeclaredType, FieldId, FieldSpec, FieldType, MappingSpec, ShingleSpec};
use super::tree::ObjectTree;
use quarry_analysis::{Analyzer, Registry};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_segment::{FieldKind, SEQ_NO_FIELD};
use rapidhash::{RapidHashMap, RapidHashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// One leaf field with everything its specification names resolved.
#[derive(Debug, Clone)]
pub struct MappedField {
    pub id: FieldId,
    pub kind: FieldKind,
    pub spec: FieldSpec,
    /// Date types only.
    pub date_format: Option<DateFormat>,
    /// Of ranges: how their ends are read and shown, as a field of their type.
    pub ends: Option<Box<MappedField>>,
    /// The hidden fields that hold what the field is given, in their order in the mapping.
    hidden: Vec<FieldId>,
    /// Of rank features: how a feature's value is read.
    pub(super) feature_values: Option<Box<MappedField>>,
    /// Keyword with a normalizer only.
    pub normalizer: Option<Arc<Analyzer>>,
    /// Text only.
    pub analyzer: Option<Arc<Analyzer>>,
    pub search_analyzer: Option<Arc<Analyzer>>,
    pub search_quote_analyzer: Option<Arc<Analyzer>>,
    /// `null_value` as JSON text, to be read like a document's value.
    pub(super) null_json: Option<Box<str>>,
    /// Multi-fields: they receive every value of this field.
    pub(super) multi_fields: Vec<FieldId>,
    pub(super) copy_to: Vec<CopyTarget>,
    /// A newer version of the mapping lacks it.
    is_gone: bool,
}

/// Where `copy_to` leads.
#[derive(Debug, Clone)]
pub(super) enum CopyTarget {
    Field(FieldId),
    /// Full path of a field that the mapping does not have (yet).
    Unmapped(Box<str>),
}

/// A compiled mapping. Immutable; an update makes a new one in which every known field keeps its id.
#[derive(Debug, Clone)]
pub struct Mapping {
    spec: MappingSpec,
    fields: Vec<MappedField>,
    by_name: RapidHashMap<Box<str>, FieldId>,
    /// Other names of fields; those that lead nowhere are left out.
    aliases: RapidHashMap<Box<str>, FieldId>,
    /// Fields of which every document has the same value.
    constants: Vec<FieldId>,
    /// Fields that are computed for one search.
    computed: Vec<FieldId>,
    /// Fields that any search may compute or look up, by their full names.
    runtime: RapidHashSet<Box<str>>,
    /// What [`SEQ_NO_FIELD`] means; not one of `fields`, and its id means nothing.
    seq_no: Arc<MappedField>,
    pub(super) join: Option<FieldId>,
    has_fielddata: bool,
    tree: ObjectTree,
    dynamic_date_formats: Vec<DateFormat>,
    identity: u64,
}

/// Where a field of a mapping comes from.
enum Slot {
    /// The place in the specification.
    Given(usize),
    /// The version before had it.
    Gone(Box<MappedField>),
}

/// Each compiled mapping has its own number, so that scratch memory knows for which it was laid out.
static NEXT_IDENTITY: AtomicU64 = AtomicU64::new(1);

impl Mapping {
    /// Errors are `IllegalArgument` and name the field: an analyzer that the registry lacks, a format that cannot be read.
    pub fn new(spec: MappingSpec, registry: &Registry) -> Result<Self> {
        let order = (0..spec.fields.len()).map(Slot::Given).collect();
        Self::with_order(spec, order, registry)
    }

    /// The next version: fields known here keep their [`FieldId`], new ones follow. One that held nothing may be gone: its
    /// place stays, without a name. `Internal` when another one is missing.
    pub fn update(&self, spec: MappingSpec, registry: &Registry) -> Result<Self> {
        let places: RapidHashMap<&str, usize> =
            spec.fields.iter().enumerate().map(|(place, field)| (field.name.as_str(), place)).collect();
        let mut order = Vec::with_capacity(spec.fields.len());
        for field in &self.fields {
            let name = field.spec.name.as_str();
            order.push(match places.get(name) {
                Some(&place) if !field.is_gone => Slot::Given(place),
                _ if field.is_gone || field.holds_nothing() => Slot::Gone(Box::new(field.clone())),
                _ => {
                    let reason = format!("field [{name}] is gone in mapping version [{}]", spec.version);
                    return Err(Error::new(ErrorCode::Internal, reason));
                }
            });
        }
        let is_new = |place: &usize| !self.by_name.contains_key(spec.fields[*place].name.as_str());
        order.extend((0..spec.fields.len()).filter(is_new).map(Slot::Given));
        Self::with_order(spec, order, registry)
    }

    /// `order[id]` is where field `id` comes from.
    fn with_order(spec: MappingSpec, order: Vec<Slot>, registry: &Registry) -> Result<Self> {
        let mut fields = Vec::with_capacity(order.len());
        let mut by_name = RapidHashMap::default();
        for (id, slot) in order.into_iter().enumerate() {
            let field = match slot {
                Slot::Given(place) => MappedField::new(id as FieldId, &spec.fields[place], registry)?,
                Slot::Gone(mut field) => {
                    // No field of a document or a request has such a name.
                    field.spec.name = format!("\0gone {id}");
                    fields.push(MappedField { is_gone: true, ..*field });
                    continue;
                }
            };
            if by_name.insert(field.spec.name.as_str().into(), field.id).is_some() {
                let reason = format!("field [{}] is in the mapping twice", field.spec.name);
                return Err(Error::new(ErrorCode::Internal, reason));
            }
            fields.push(field);
        }
        let runtime = spec.runtime.iter().map(|field| field.name.as_str().into()).collect();
        link(&mut fields, &by_name, &runtime)?;
        let dynamic_date_formats =
            spec.dynamic_date_formats.iter().map(|format| DateFormat::new(format)).collect::<Result<_>>()?;
        let tree = ObjectTree::new(&spec, &fields)?;
        let target = |path: &str| by_name.get(path).copied();
        let aliases = spec.aliases.iter().filter_map(|alias| Some((alias.name.as_str().into(), target(&alias.path)?)));
        let aliases = aliases.collect();
        let constants = fields.iter().filter(|field| field.spec.constant.is_some()).map(|field| field.id).collect();
        let identity = NEXT_IDENTITY.fetch_add(1, Ordering::Relaxed);
        let computed = Vec::new();
        let seq_no = Arc::new(MappedField::new(FieldId::MAX, &FieldSpec::of_seq_nos(), registry)?);
        let join = fields.iter().find(|field| field.spec.join.is_some()).map(|field| field.id);
        let has_fielddata = fields.iter().any(|field| field.spec.fielddata);
        Ok(Mapping {
            spec,
            fields,
            by_name,
            aliases,
            constants,
            computed,
            runtime,
            seq_no,
            join,
            has_fielddata,
            tree,
            dynamic_date_formats,
            identity,
        })
    }

    /// The same for one search, with fields that are computed for it, and fields that it looks up elsewhere; one that has the
    /// name of another takes its place.
    pub fn for_search(&self, computed: &[FieldSpec], lookups: &[FieldSpec], registry: &Registry) -> Result<Self> {
        let mut mapping = self.clone();
        for spec in computed {
            let id = mapping.put(spec, registry)?;
            mapping.computed.push(id);
        }
        for spec in lookups {
            mapping.put(spec, registry)?;
        }
        mapping.identity = NEXT_IDENTITY.fetch_add(1, Ordering::Relaxed);
        Ok(mapping)
    }

    /// Adds a field, or puts it in the place of the one of that name.
    fn put(&mut self, spec: &FieldSpec, registry: &Registry) -> Result<FieldId> {
        let known = self.by_name.get(spec.name.as_str()).copied();
        let id = known.unwrap_or(self.fields.len() as FieldId);
        let field = MappedField::new(id, spec, registry)?;
        self.aliases.remove(spec.name.as_str());
        self.by_name.insert(spec.name.as_str().into(), id);
        match self.fields.get_mut(id as usize) {
            Some(place) => *place = field,
            None => self.fields.push(field),
        }
        self.constants.retain(|&constant| constant != id);
        Ok(id)
    }

    /// The field's values come from columns that were computed for the search, not from documents.
    pub fn is_computed(&self, field: FieldId) -> bool {
        self.computed.contains(&field)
    }

    /// Any field is computed or looked up by searches.
    pub(super) fn has_runtime(&self) -> bool {
        !self.runtime.is_empty()
    }

    /// Searches compute the field of this name, or look it up: documents have no values of it, unless a field of the index has the
    /// same name.
    pub(super) fn is_runtime(&self, path: &str) -> bool {
        self.runtime.contains(path)
    }

    /// A key of a flattened object, which is a field of one search because the request names it. No pattern means such keys.
    pub fn is_key(&self, field: &MappedField) -> bool {
        let of_objects = [DeclaredType::FlatObject, DeclaredType::Flattened, DeclaredType::RankFeature];
        self.is_computed(field.id) && field.spec.declared_type.is_some_and(|declared| of_objects.contains(&declared))
    }

    pub fn version(&self) -> u64 {
        self.spec.version
    }

    pub fn spec(&self) -> &MappingSpec {
        &self.spec
    }

    /// All fields; the position is the id.
    pub fn fields(&self) -> &[MappedField] {
        &self.fields
    }

    /// `id` comes from this mapping or an older one of the same shard.
    pub fn field(&self, id: FieldId) -> &MappedField {
        &self.fields[id as usize]
    }

    /// By full path, multi-fields (`title.raw`) and aliases included.
    pub fn field_by_name(&self, name: &str) -> Option<&MappedField> {
        let is_feature = |field: &MappedField| field.spec.declared_type == Some(DeclaredType::RankFeature);
        self.field_or_feature(name).filter(|field| !is_feature(field) || !self.is_computed(field.id))
    }

    /// A field, or a key of `rank_features` that the request names: for what reads features, no field is mapped for anything else.
    pub fn field_or_feature(&self, name: &str) -> Option<&MappedField> {
        self.by_name.get(name).or_else(|| self.aliases.get(name)).map(|&id| self.field(id))
    }

    /// What has values that can be searched for and aggregated: a field by its full path, or the sequence numbers.
    pub fn readable_field(&self, name: &str) -> Option<&MappedField> {
        self.field_by_name(name).or_else(|| (name == SEQ_NO_FIELD).then_some(&*self.seq_no))
    }

    /// What the scores of a field are computed by; `None`: BM25 with the usual parameters.
    pub fn similarity_of(&self, name: &str) -> Option<&SimilaritySpec> {
        let own = self.field_by_name(name).and_then(|field| field.spec.similarity.as_ref());
        own.or(self.spec.default_similarity.as_ref())
    }

    /// Some text field keeps its terms by document for searches that want them.
    pub fn has_fielddata(&self) -> bool {
        self.has_fielddata
    }

    pub fn has_aliases(&self) -> bool {
        !self.aliases.is_empty()
    }

    /// Other names of fields, in no order.
    pub fn aliases(&self) -> impl Iterator<Item = (&str, &MappedField)> {
        self.aliases.iter().map(|(name, &id)| (&**name, self.field(id)))
    }

    /// Fields of which every document has the same value.
    pub fn constants(&self) -> impl Iterator<Item = &MappedField> {
        self.constants.iter().map(|&id| self.field(id))
    }

    /// Whether the path is an object (declared, or implied by a field below it).
    pub fn is_object(&self, path: &str) -> bool {
        self.tree.find(path).is_some()
    }

    /// Whether the path is a nested object.
    pub fn is_nested(&self, path: &str) -> bool {
        self.tree.find(path).is_some_and(|node| self.tree.node(node).nested.is_some())
    }

    /// The innermost nested object that a path is, or leads through; empty where there is none.
    pub fn nested_around(&self, path: &str) -> &str {
        &self.tree.node(self.tree.nested_around(path)).path
    }

    /// The field whose values tell which documents have this one: an empty histogram has no number, but a total.
    pub fn presence_of<'m>(&'m self, field: &'m MappedField) -> &'m MappedField {
        field.histogram().map_or(field, |columns| self.field(columns.totals))
    }

    /// Whether users see what is stored of a field: plans of queries are kept beside what they store themselves.
    pub fn shows_stored(&self, name: &str) -> bool {
        let field = self.field_by_name(name);
        field.is_none_or(|field| field.spec.declared_type != Some(DeclaredType::Percolator))
    }

    pub(super) fn tree(&self) -> &ObjectTree {
        &self.tree
    }

    pub(super) fn dynamic_date_formats(&self) -> &[DateFormat] {
        &self.dynamic_date_formats
    }

    pub(super) fn identity(&self) -> u64 {
        self.identity
    }
}

/// Resolves what fields say about each other.
fn link(
    fields: &mut [MappedField],
    by_name: &RapidHashMap<Box<str>, FieldId>,
    runtime: &RapidHashSet<Box<str>>,
) -> Result<()> {
    for id in 0..fields.len() {
        let spec = &fields[id].spec;
        let targets = spec.copy_to.iter().filter_map(|path| match by_name.get(path.as_str()) {
            Some(&target) => (!fields[target as usize].spec.left_alone).then_some(CopyTarget::Field(target)),
            None if runtime.contains(path.as_str()) => None,
            None => Some(CopyTarget::Unmapped(path.as_str().into())),
        });
        let targets = targets.collect();
        if let Some(parent) = &spec.parent {
            let parent = *by_name.get(parent.as_str()).ok_or_else(|| {
                let reason = format!("multi-field [{}] has no parent [{parent}]", spec.name);
                Error::new(ErrorCode::Internal, reason)
            })?;
            // Ids of parents come from no value alone: the parser knows which belong to a join.
            if fields[id].spec.declared_type != Some(DeclaredType::JoinParent) {
                fields[parent as usize].multi_fields.push(id as FieldId);
            }
        }
        if let Some(owner) = fields[id].spec.hidden_of.clone() {
            let owner = *by_name
                .get(owner.as_str())
                .ok_or_else(|| Error::new(ErrorCode::Internal, format!("what is hidden for [{owner}] has no field")))?;
            fields[owner as usize].hidden.push(id as FieldId);
        }
        fields[id].copy_to = targets;
    }
    Ok(())
}

/// The hidden fields of a histogram: its numbers, and for each how many were counted up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistogramColumns {
    pub values: FieldId,
    pub totals: FieldId,
}

impl MappedField {
    fn new(id: FieldId, spec: &FieldSpec, registry: &Registry) -> Result<Self> {
        let name = &spec.name;
        let date_format =
            spec.field_type.has_dates().then(|| DateFormat::new(spec.format.as_deref().unwrap_or(DEFAULT_DATE_FORMAT)));
        let normalizer = spec.normalizer.as_deref().map(|normalizer| {
            let missing = || Error::illegal_argument(format!("normalizer [{normalizer}] not found for field [{name}]"));
            registry.normalizer(normalizer).ok_or_else(missing)
        });
        let feature_values = (spec.declared_type == Some(DeclaredType::RankFeatures)).then(|| {
            let declared_type = Some(DeclaredType::RankFeature);
            let values = FieldSpec { field_type: FieldType::Float, declared_type, ..spec.clone() };
            MappedField::new(id, &values, registry).map(Box::new)
        });
        let ends = spec.field_type.range_ends().map(|field_type| {
            let ends = FieldSpec { field_type, ..spec.clone() };
            MappedField::new(id, &ends, registry).map(Box::new)
        });
        let mut field = MappedField {
            ends: ends.transpose()?,
            hidden: Vec::new(),
            feature_values: feature_values.transpose()?,
            id,
            kind: spec.field_type.kind(),
            spec: spec.clone(),
            date_format: date_format.transpose()?,
            normalizer: normalizer.transpose()?,
            analyzer: None,
            search_analyzer: None,
            search_quote_analyzer: None,
            null_json: spec.null_value.as_ref().map(|value| value.to_string().into()),
            multi_fields: Vec::new(),
            copy_to: Vec::new(),
            is_gone: false,
        };
        if spec.field_type == FieldType::Text || spec.token_count.is_some() || spec.completion.is_some() {
            field.resolve_analyzers(registry)?;
        }
        if let Some(shingle) = spec.shingle {
            field.shingle_analyzers(shingle)?;
        }
        Ok(field)
    }

    /// What is looked for is as many words as words are made of, and never the beginning of one.
    fn shingle_analyzers(&mut self, ShingleSpec { size, prefixes }: ShingleSpec) -> Result<()> {
        if let Some(analyzer) = self.analyzer.take() {
            let analyzer = analyzer.shingled(size, prefixes)?;
            self.spec.position_increment_gap = analyzer.position_increment_gap();
            self.analyzer = Some(Arc::new(analyzer));
        }
        if let Some(analyzer) = self.search_analyzer.take() {
            let analyzer = Arc::new(analyzer.shingled(size, false)?);
            self.search_analyzer = Some(Arc::clone(&analyzer));
            self.search_quote_analyzer = Some(analyzer);
        }
        Ok(())
    }

    /// Its column holds numbers that one can compute with.
    pub fn is_number(&self) -> bool {
        self.kind == FieldKind::Number && !self.is_place()
    }

    /// No newer version of the mapping has the field.
    pub(super) fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// Documents may have it, but nothing of it is kept beside their sources; and no other field comes from it.
    fn holds_nothing(&self) -> bool {
        let FieldSpec { index, doc_values, store, fielddata, .. } = self.spec;
        let is_kept = index || doc_values || store || fielddata;
        !is_kept && self.hidden.is_empty() && self.multi_fields.is_empty() && self.copy_to.is_empty()
    }

    /// Nothing here has its values: hits show those of other indices.
    pub fn is_lookup(&self) -> bool {
        self.spec.lookup.is_some()
    }

    /// Its column holds places.
    pub fn is_place(&self) -> bool {
        self.spec.field_type == FieldType::GeoPoint
    }

    /// Its values are shapes: bytes in terms, and a column of boxes.
    pub fn is_shape(&self) -> bool {
        self.spec.field_type == FieldType::GeoShape
    }

    /// Places or shapes: nothing that one looks for by its value.
    pub fn is_geometry(&self) -> bool {
        self.is_place() || self.is_shape()
    }

    fn resolve_analyzers(&mut self, registry: &Registry) -> Result<()> {
        let name = &self.spec.name;
        let find = |analyzer: &str| {
            let missing = || {
                Error::illegal_argument(format!(
                    "analyzer [{analyzer}] has not been configured in mappings of field [{name}]"
                ))
            };
            registry.analyzer(analyzer).ok_or_else(missing)
        };
        let index = match &self.spec.analyzer {
            Some(analyzer) => find(analyzer)?,
            None => registry.analyzer("default").map_or_else(|| find("standard"), Ok)?,
        };
        let search = match &self.spec.search_analyzer {
            Some(analyzer) => find(analyzer)?,
            None if self.spec.analyzer.is_some() => Arc::clone(&index),
            None => registry.analyzer("default_search").unwrap_or_else(|| Arc::clone(&index)),
        };
        let quote = match &self.spec.search_quote_analyzer {
            Some(analyzer) => find(analyzer)?,
            None => Arc::clone(&search),
        };
        self.analyzer = Some(index);
        self.search_analyzer = Some(search);
        self.search_quote_analyzer = Some(quote);
        Ok(())
    }

    /// Of flattened objects: the hidden field with paths and leaves.
    pub fn keys(&self) -> Option<FieldId> {
        if self.histogram().is_some() { None } else { self.hidden.first().copied() }
    }

    /// Of histograms: the hidden fields.
    pub fn histogram(&self) -> Option<HistogramColumns> {
        match (self.spec.declared_type, self.hidden.as_slice()) {
            (Some(DeclaredType::Histogram), &[values, totals]) => Some(HistogramColumns { values, totals }),
            _ => None,
        }
    }

    /// Whether values of the field are searchable or kept in columns; when not, only `store` can make them count.
    pub fn is_indexed(&self) -> bool {
        self.spec.index || self.spec.doc_values
    }
}
