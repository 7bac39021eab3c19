//! `has_child`, `has_parent` and `parent_id`: queries on the other side of a relation.

use super::Resolver;
use crate::join::JoinNode;
use crate::node::{BoolNode, Node};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_mapping::join::{Join, Relation};
use quarry_plan::join::{ChildScore, HasChildQuery, HasParentQuery, ParentIdQuery};
use quarry_plan::query::Query;

impl<'a> Resolver<'a> {
    pub(super) fn has_child(&self, query: &HasChildQuery) -> Result<Node> {
        let Some((join, relation)) = self.relation("has_child", query.ignore_unmapped, |join| {
            let missing =
                || format!("[has_child] join field [{}] doesn't hold [{}] as a child", join.name(), query.kind);
            join.spec.above(&query.kind).ok_or_else(missing)
        })?
        else {
            return Ok(Node::None);
        };
        let node = JoinNode {
            field: join.id_field(relation),
            from: self.of_side(join, &query.query, std::slice::from_ref(&query.kind))?,
            to: side(join, std::slice::from_ref(&relation.parent)),
            score: query.score_mode,
            least: query.min_children,
            most: query.max_children,
        };
        Ok(Node::Join(Box::new(node)).boosted(query.boost))
    }

    pub(super) fn has_parent(&self, query: &HasParentQuery) -> Result<Node> {
        let Some((join, relation)) = self.relation("has_parent", query.ignore_unmapped, |join| {
            let (field, parent) = (join.name(), &query.parent_type);
            let missing = || format!("[has_parent] join field [{field}] doesn't hold [{parent}] as a parent");
            join.spec.below(&query.parent_type).ok_or_else(missing)
        })?
        else {
            return Ok(Node::None);
        };
        let node = JoinNode {
            field: join.id_field(relation),
            from: self.of_side(join, &query.query, std::slice::from_ref(&relation.parent))?,
            to: side(join, &relation.children),
            score: if query.score { ChildScore::Max } else { ChildScore::None },
            least: 1,
            most: u32::MAX,
        };
        Ok(Node::Join(Box::new(node)).boosted(query.boost))
    }

    pub(super) fn parent_id(&self, query: &ParentIdQuery) -> Result<Node> {
        let Some((join, relation)) = self.relation("parent_id", query.ignore_unmapped, |join| {
            let missing = || format!("[parent_id] no relation found for child [{}]", query.kind);
            join.spec.above(&query.kind).ok_or_else(missing)
        })?
        else {
            return Ok(Node::None);
        };
        let of_parent = Node::term(&join.id_field(relation), query.id.clone().into_bytes());
        let children = side(join, std::slice::from_ref(&query.kind));
        let both = BoolNode { must: vec![of_parent], filter: vec![children], ..BoolNode::default() };
        Ok(Node::Bool(both).boosted(query.boost))
    }

    /// The join field and the relation that a query is about; `None` where the index lacks it and that is no matter.
    fn relation<'r>(
        &self,
        query: &str,
        ignore_unmapped: bool,
        find: impl FnOnce(Join<'a>) -> std::result::Result<&'r Relation, String>,
    ) -> Result<Option<(Join<'a>, &'r Relation)>>
    where
        'a: 'r,
    {
        if !self.env.limits.allow_expensive_queries {
            return Err(Error::illegal_argument(
                "[joining] queries cannot be executed when 'search.allow_expensive_queries' is set to false.",
            ));
        }
        let reason = match self.view.mapping.join() {
            Some(join) => match find(join) {
                Ok(relation) => return Ok(Some((join, relation))),
                Err(reason) => reason,
            },
            None if query == "parent_id" => format!("[parent_id] no join field found for index [{}]", self.view.index),
            None => format!("[{query}] no join field has been configured"),
        };
        if ignore_unmapped { Ok(None) } else { Err(Error::new(ErrorCode::QueryShard, reason)) }
    }

    /// What a query finds among the documents of some kinds. It is about documents of their own, wherever it stands.
    fn of_side(&self, join: Join<'_>, query: &Query, kinds: &[String]) -> Result<Node> {
        let inner = Resolver { scope: "", ..*self }.resolve(query)?;
        Ok(match inner {
            Node::None => Node::None,
            inner => Node::Bool(BoolNode { must: vec![inner], filter: vec![side(join, kinds)], ..BoolNode::default() }),
        })
    }
}

/// The documents of some kinds.
pub fn side(join: Join<'_>, kinds: &[String]) -> Node {
    let mut terms: Vec<Vec<u8>> = kinds.iter().map(|kind| kind.clone().into_bytes()).collect();
    terms.sort_unstable();
    Node::Terms { field: join.name().to_owned(), terms }
}
