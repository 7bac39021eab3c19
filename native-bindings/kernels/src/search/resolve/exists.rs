//! `exists`: documents that have a value for a field.

use super::field::Target;
use super::{Resolver, failed_to_create};
use crate::error::{Error, Result};
use crate::mapping::spec::DeclaredType;
use crate::search::node::Node;
use crate::search::plan::query::ExistsQuery;
use crate::search::wildcard_name::matches_name;

impl Resolver<'_> {
    /// A name may be a field, an object (any field below it) or a pattern.
    pub(super) fn exists(&self, query: &ExistsQuery) -> Result<Node> {
        let name = query.field.as_str();
        let node = match self.target(name) {
            Target::Id | Target::Index => Node::All.constant(),
            Target::Metadata(metadata) => Node::Exists { fields: vec![metadata.to_owned()] },
            Target::Mapped(field) if field.spec.declared_type == Some(DeclaredType::RankFeatures) => {
                let reason = "[rank_features] fields do not support [exists] queries";
                return Err(failed_to_create(Error::illegal_argument(reason)));
            }
            Target::Mapped(field) => {
                Node::Exists { fields: vec![self.view.mapping.presence_of(field).spec.name.clone()] }
            }
            Target::Unmapped => {
                let below = format!("{name}.");
                let is_meant = |field: &str| field.starts_with(&below) || matches_name(name, field);
                let fields = self.view.mapping.fields().iter().map(|field| &field.spec.name);
                let fields: Vec<String> = fields.filter(|field| is_meant(field)).cloned().collect();
                if fields.is_empty() { Node::None } else { Node::Exists { fields } }
            }
        };
        Ok(node.boosted(query.boost))
    }
}
