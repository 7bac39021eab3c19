//! `exists`: documents that have a value for a field.

use super::field::{Target, not_searchable};
use super::{Resolver, failed_to_create};
use crate::node::{BoolNode, Node};
use crate::wildcard_name::matches_name;
use quarry_base::error::{Error, Result};
use quarry_mapping::MappedField;
use quarry_mapping::spec::DeclaredType;
use quarry_plan::query::ExistsQuery;
use quarry_segment::STORED_ONLY_FIELD;

impl Resolver<'_> {
    /// A name may be a field, an object (any field below it) or a pattern.
    pub(super) fn exists(&self, query: &ExistsQuery) -> Result<Node> {
        let name = query.field.as_str();
        let node = match self.target(name) {
            Target::Id | Target::Index | Target::Unsearchable("_version") => Node::All.constant(),
            Target::Unsearchable(metadata) => return Err(not_searchable(metadata)),
            // Nested documents have the number of the one that they are part of.
            Target::Mapped(field) if field.spec.declared_type == Some(DeclaredType::SeqNo) => Node::All.constant(),
            Target::Metadata(metadata) => Node::Exists { fields: vec![metadata.to_owned()] },
            Target::Mapped(field) if field.spec.declared_type == Some(DeclaredType::RankFeatures) => {
                let reason = "[rank_features] fields do not support [exists] queries";
                return Err(failed_to_create(Error::illegal_argument(reason)));
            }
            Target::Mapped(field) if field.spec.constant.is_some() => Node::All.constant(),
            Target::Mapped(field) => self.presence(std::iter::once(field)),
            Target::Unmapped => {
                let below = format!("{name}.");
                let is_meant = |field: &str| field.starts_with(&below) || matches_name(name, field);
                let mapping = &self.view.mapping;
                let fields = mapping.fields().iter().filter(|field| !mapping.is_key(field));
                self.presence(fields.filter(|field| is_meant(&field.spec.name)))
            }
        };
        Ok(node.boosted(query.boost))
    }

    /// Documents that have any of the fields.
    fn presence<'m>(&'m self, fields: impl Iterator<Item = &'m MappedField>) -> Node {
        let (mut present, mut stored) = (Vec::new(), Vec::new());
        // What is looked up elsewhere no document has.
        for field in fields.filter(|field| !field.is_lookup()) {
            if field.spec.store && !field.is_indexed() {
                stored.push(field.spec.name.clone().into_bytes());
            } else {
                present.push(self.view.mapping.presence_of(field).spec.name.clone());
            }
        }
        stored.sort_unstable();
        let present = (!present.is_empty()).then_some(Node::Exists { fields: present });
        let field = STORED_ONLY_FIELD.to_owned();
        let stored = (!stored.is_empty()).then_some(Node::Terms { field, terms: stored });
        match (present, stored) {
            (Some(present), Some(stored)) => {
                let should = vec![present, stored];
                Node::Bool(BoolNode { should, min_should: 1, ..BoolNode::default() }).constant()
            }
            (present, stored) => present.or(stored).unwrap_or(Node::None),
        }
    }
}
