//! `join` fields: documents of one index that are parents and children of each other.
//!
//! The field itself has the name of a document's side of its relation. Beside it stands one field of ids for each kind of
//! parent: a parent has its own id there, and its children have the id of theirs.

use super::compiled::{MappedField, Mapping};
use serde::Deserialize;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoinSpec {
    pub relations: Vec<Relation>,
}

/// A kind of parent, and the kinds of its children.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    pub parent: String,
    pub children: Vec<String>,
}

impl JoinSpec {
    /// The relation in which documents of this kind are children.
    pub fn above(&self, child: &str) -> Option<&Relation> {
        self.relations.iter().find(|relation| relation.children.iter().any(|name| name == child))
    }

    /// The relation in which documents of this kind are parents.
    pub fn below(&self, parent: &str) -> Option<&Relation> {
        self.relations.iter().find(|relation| relation.parent == parent)
    }
}

/// The `join` field of a mapping.
#[derive(Debug, Clone, Copy)]
pub struct Join<'m> {
    pub field: &'m MappedField,
    pub spec: &'m JoinSpec,
}

impl Join<'_> {
    pub fn name(&self) -> &str {
        &self.field.spec.name
    }

    /// The field with the ids of a relation's parents.
    pub fn id_field(&self, relation: &Relation) -> String {
        format!("{}#{}", self.name(), relation.parent)
    }
}

impl Mapping {
    /// An index has one join field at most.
    pub fn join(&self) -> Option<Join<'_>> {
        let field = self.field(self.join?);
        field.spec.join.as_ref().map(|spec| Join { field, spec })
    }
}
