//! `knn`: the nearest vectors, and documents that an earlier search found by theirs.

use super::Resolver;
use crate::node::{BoolNode, FoundNode, KnnNode, NearNode, NestedNode, NestedVectors, Node, SoughtVector};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_mapping::Mapping;
use quarry_mapping::document::{check_vector_length, check_vector_value, vector_to_bytes};
use quarry_mapping::spec::VectorSpec;
use quarry_plan::nested::NestedScore;
use quarry_plan::query::Query;
use quarry_plan::vectors::{FoundQuery, KnnQuery, ShownVectors};
use quarry_vectors::measure::{Element, Measure};
use quarry_vectors::similarity::{Similarity, magnitude};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

impl Resolver<'_> {
    pub(super) fn knn(&self, query: &KnnQuery) -> Result<Node> {
        let name = &query.field;
        let path = self.view.mapping.field_by_name(name).map(|field| self.view.mapping.nested_around(&field.spec.name));
        // What is refused for its form is refused of every shard, also where nothing can be found.
        let (filter, nested_filter) = self.knn_filters(query, path.unwrap_or_default())?;
        let Some(field) = self.view.mapping.field_by_name(name) else { return Ok(Node::None) };
        let Some(spec) = &field.spec.vector else {
            return refused("[knn] queries are only supported on [dense_vector] fields".to_owned());
        };
        let Some(similarity) = spec.similarity else {
            return refused(format!(
                "to perform knn search on field [{name}], its mapping must have [index] set to [true]"
            ));
        };
        let path = self.view.mapping.nested_around(&field.spec.name);
        if !is_within(path, self.scope) {
            return refused(format!(
                "[knn] of field [{name}] cannot be within a [nested] query of path [{}]",
                self.scope
            ));
        }
        // Without a number of dimensions no document has a vector.
        let Some(dims) = spec.dims else { return Ok(Node::None) };
        let measure = Measure { similarity, element: spec.element, dims };
        let vector = sought(measure, &query.query_vector).or_else(|cause| refused(cause.reason))?;
        let (field, similarity) = (field.spec.name.clone(), query.similarity);
        let node = if self.compares_all {
            Node::Near(NearNode { field, vector, measure, similarity })
        } else {
            let (k, num_candidates) = query.sizes();
            let oversample = oversample(query, spec);
            let nested = self.nested_vectors(path);
            Node::Knn(Box::new(KnnNode {
                field,
                vector,
                measure,
                nested,
                k,
                num_candidates,
                oversample,
                filter,
                nested_filter,
                similarity,
                compared: AtomicU64::new(0),
            }))
        };
        Ok(self.joined(node, path).boosted(query.boost))
    }

    /// Filters of whole documents, and those of the nested documents at the path of the vectors.
    fn knn_filters(&self, query: &KnnQuery, path: &str) -> Result<(Option<Node>, Option<Node>)> {
        let of_nested = |filter: &&Query| !path.is_empty() && self.asks_for_fields_at(filter, path);
        let (nested, whole): (Vec<&Query>, Vec<&Query>) = query.filter.iter().partition(of_nested);
        let whole: Vec<&Query> = whole.into_iter().chain(&query.alias_filter).collect();
        Ok((self.all_of(&whole, "")?, self.all_of(&nested, path)?))
    }

    /// `None`: of no filters.
    fn all_of(&self, filters: &[&Query], scope: &str) -> Result<Option<Node>> {
        let resolver = Resolver { scope, ..*self };
        let filters = filters.iter().map(|filter| resolver.resolve(filter)).collect::<Result<Vec<_>>>()?;
        Ok((!filters.is_empty()).then(|| Node::Bool(BoolNode { filter: filters, ..BoolNode::default() })))
    }

    /// Only nested documents at the path can match.
    fn asks_for_fields_at(&self, query: &Query, path: &str) -> bool {
        let is_at = |query: &Query| self.asks_for_fields_at(query, path);
        match query {
            Query::Bool(inner) => {
                let mut required = inner.must.iter().chain(&inner.filter);
                let some_of = !inner.should.is_empty() && inner.should.iter().all(is_at);
                required.any(is_at) || some_of && inner.must.is_empty() && inner.filter.is_empty()
            }
            Query::ConstantScore(inner) => is_at(&inner.filter),
            Query::DisMax(inner) => !inner.queries.is_empty() && inner.queries.iter().all(is_at),
            // The nearest vectors are found of whole documents.
            Query::Knn(_) => false,
            other => {
                let field = other.field().and_then(|name| self.view.mapping.field_by_name(name));
                field.is_some_and(|field| self.view.mapping.nested_around(&field.spec.name) == path)
            }
        }
    }

    /// Of each document around them one of those at a path counts: around the path where the query is about these, else what it is about.
    fn nested_vectors(&self, path: &str) -> Option<NestedVectors> {
        let around = |path: &str| {
            let parent = path.rsplit_once('.').map_or("", |(parent, _)| parent);
            self.view.mapping.nested_around(parent).to_owned()
        };
        let parent = if path == self.scope { around(path) } else { self.scope.to_owned() };
        (!path.is_empty()).then_some(NestedVectors { parent })
    }

    /// What the query is about, by its nested documents at a path.
    fn joined(&self, node: Node, path: &str) -> Node {
        if path == self.scope {
            return node;
        }
        let (path, parent) = (path.to_owned(), self.scope.to_owned());
        Node::Nested(Box::new(NestedNode { path, parent, query: node, score: NestedScore::Max }))
    }

    pub(super) fn found(&self, query: &FoundQuery) -> Result<Node> {
        if let Some(shown) = &query.shown {
            shown_path(&self.view.mapping, shown)?;
        }
        Ok(Node::Found(FoundNode { documents: Arc::clone(&query.documents) }))
    }
}

/// The path of the nested documents that hits show by their vectors. `None`: the field is not mapped.
///
/// Errors: it is not one of nested documents.
pub fn shown_path<'m>(mapping: &'m Mapping, shown: &ShownVectors) -> Result<Option<&'m str>> {
    let Some(field) = mapping.field_by_name(shown.query.field().unwrap_or_default()) else { return Ok(None) };
    let path = mapping.nested_around(&field.spec.name);
    if path.is_empty() {
        let name = &field.spec.name;
        let reason = format!("[inner_hits] of [knn] need a field of nested objects, and [{name}] is none");
        return Err(Error::illegal_argument(reason));
    }
    Ok(Some(path))
}

fn refused<T>(reason: String) -> Result<T> {
    let cause = Error::illegal_argument(reason);
    Err(Error::new(ErrorCode::QueryShard, format!("failed to create query: {}", cause.reason)).caused_by(cause))
}

/// Whether a path is another one or below it; everything is below the empty one.
fn is_within(path: &str, around: &str) -> bool {
    let rest = path.strip_prefix(around);
    around.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// What the request says, else the mapping; at least as many as are wanted.
fn oversample(query: &KnnQuery, spec: &VectorSpec) -> f32 {
    let own = spec.quantised.and_then(|quantised| quantised.oversample);
    query.oversample.or(own).unwrap_or(1.0).max(1.0)
}

/// A vector of a request as it is compared with those of a field.
///
/// Errors: it cannot be.
fn sought(measure: Measure, vector: &Arc<[f32]>) -> Result<SoughtVector> {
    let Measure { similarity, element, dims } = measure;
    let given = vector.len() as u32 * element.dims_of_value();
    if given != dims {
        return Err(Error::illegal_argument(format!(
            "The query vector has a different number of dimensions [{given}] than the document vectors [{dims}]."
        )));
    }
    vector.iter().enumerate().try_for_each(|(place, &value)| check_vector_value(element, place, value))?;
    check_vector_length(Some(similarity), element, vector)?;
    if element != Element::Float {
        return Ok(SoughtVector::Bytes(vector_to_bytes(vector).into()));
    }
    if similarity != Similarity::Cosine {
        return Ok(SoughtVector::Floats(Arc::clone(vector)));
    }
    let length = magnitude(vector);
    Ok(SoughtVector::Floats(vector.iter().map(|value| value / length).collect()))
}
