//! `knn`: the nearest vectors, and documents that an earlier search found by theirs.

use super::Resolver;
use crate::error::{Error, ErrorCode, Result};
use crate::mapping::document::check_vector_length;
use crate::search::node::{BoolNode, FoundNode, KnnNode, Node};
use crate::search::plan::vectors::{FoundQuery, KnnQuery};
use crate::vectors::similarity::{Similarity, magnitude};
use std::sync::Arc;

impl Resolver<'_> {
    pub(super) fn knn(&self, query: &KnnQuery) -> Result<Node> {
        let name = &query.field;
        let refused = |reason: String| {
            let cause = Error::illegal_argument(reason);
            Err(Error::new(ErrorCode::QueryShard, format!("failed to create query: {}", cause.reason)).caused_by(cause))
        };
        if !self.scope.is_empty() {
            return refused(format!("[knn] queries are not supported inside [nested] ones (path [{}])", self.scope));
        }
        // What is refused for its form is refused of every shard, also where nothing can be found.
        let filter = self.knn_filter(query)?;
        let Some(field) = self.view.mapping.field_by_name(name) else { return Ok(Node::None) };
        let Some(spec) = &field.spec.vector else {
            return refused("[knn] queries are only supported on [dense_vector] fields".to_owned());
        };
        let Some(measure) = spec.similarity else {
            return refused(format!(
                "to perform knn search on field [{name}], its mapping must have [index] set to [true]"
            ));
        };
        // Without a number of dimensions no document has a vector.
        let Some(dims) = spec.dims else { return Ok(Node::None) };
        if query.query_vector.len() != dims as usize {
            let given = query.query_vector.len();
            return refused(format!(
                "the query vector has a different dimension [{given}] than the index vectors [{dims}]"
            ));
        }
        if let Err(cause) = check_vector_length(Some(measure), &query.query_vector) {
            return refused(cause.reason);
        }
        let (k, num_candidates) = query.sizes();
        let node = KnnNode {
            field: field.spec.name.clone(),
            vector: direction(measure, &query.query_vector),
            measure,
            k,
            num_candidates,
            filter,
            similarity: query.similarity,
        };
        Ok(Node::Knn(Box::new(node)).boosted(query.boost))
    }

    fn knn_filter(&self, query: &KnnQuery) -> Result<Option<Node>> {
        let filters = query.filter.iter().map(|filter| self.resolve(filter)).collect::<Result<Vec<_>>>()?;
        Ok((!filters.is_empty()).then(|| Node::Bool(BoolNode { filter: filters, ..BoolNode::default() })))
    }

    pub(super) fn found(&self, query: &FoundQuery) -> Node {
        Node::Found(FoundNode { documents: Arc::clone(&query.documents) })
    }
}

/// The vector as it is compared: with length 1 where only the angle counts.
fn direction(measure: Similarity, vector: &Arc<[f32]>) -> Arc<[f32]> {
    if measure != Similarity::Cosine {
        return Arc::clone(vector);
    }
    let length = magnitude(vector);
    vector.iter().map(|value| value / length).collect()
}
