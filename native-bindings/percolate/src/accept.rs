//! A query that a document wants to store: whether it may, and what it is indexed by.

use super::extract::{Extracted, extract};
use super::keys::{self, ALWAYS};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_mapping::Mapping;
use quarry_plan as plan;
use quarry_plan::query::Query;
use quarry_query::derived::view_of;
use quarry_query::resolve::Resolver;
use quarry_query::view::ShardView;
use quarry_query::weight::{QueryEnv, weigh};
use quarry_segment::{IGNORED_FIELD, ROUTING_FIELD};
use serde_json::Value;
use std::cell::Cell;

/// Bytes of a plan: the plan of a query that takes more is refused.
pub const PLAN_BYTES_MAX: usize = 4 << 20;

/// Terms of the percolator field.
pub type IndexTerms = Vec<Vec<u8>>;

/// Checks a query against the mapping. `view` need not have segments.
///
/// Errors: fields that the mapping lacks (unless it says that these are texts), values that do not fit their fields, queries
/// that cannot be stored.
pub fn accept(view: &ShardView, env: &QueryEnv, plan: &str) -> Result<IndexTerms> {
    if plan.len() > PLAN_BYTES_MAX {
        let length = plan.len();
        return Err(Error::illegal_argument(format!(
            "a query of a [percolator] field takes [{length}] bytes, but may take [{PLAN_BYTES_MAX}] at most"
        )));
    }
    let query: Query = plan::from_json(plan.as_bytes())?;
    let value: Value = quarry_base::deep_json::from_str(plan).map_err(|error| Error::internal(error.to_string()))?;
    let view = view_of(view, plan.as_bytes(), env.is_cancelled)?;
    check_kinds(&query)?;
    let mut fields = Fields { mapping: &view.mapping, are_settled: true };
    fields.walk(&value)?;
    let are_settled = fields.are_settled;
    let reads_statistics = Cell::new(false);
    let node = Resolver::new(&view, env).telling_statistics(&reads_statistics).resolve(&query)?;
    // Has it too many clauses? Each search that puts it to documents would fail.
    weigh(&view, env, &node, None)?;
    Ok(match extract(&view.mapping, &node) {
        // What statistics make of it, here those of other documents or of none, is not what it will be.
        Extracted::OneOf(found) if are_settled && !reads_statistics.get() => {
            let mut terms: IndexTerms = found.keys.into_iter().map(|key| keys::to_term(key).to_vec()).collect();
            terms.sort_unstable();
            terms.dedup();
            terms
        }
        _ => always(),
    })
}

/// What a query is indexed by of which nothing is known.
pub fn always() -> IndexTerms {
    vec![ALWAYS.to_vec()]
}

fn check_kinds(query: &Query) -> Result<()> {
    let refused = match query {
        Query::HasChild(_) => "has_child",
        Query::HasParent(_) => "has_parent",
        Query::Percolate(_) => "percolate",
        Query::Knn(_) => "knn",
        _ => return query.parts().into_iter().try_for_each(check_kinds),
    };
    Err(Error::illegal_argument(format!("the [{refused}] query is unsupported inside a percolator query")))
}

/// Looks through a plan for the fields it names.
struct Fields<'m> {
    mapping: &'m Mapping,
    /// What the query means does not depend on fields that come later, or on the moment.
    are_settled: bool,
}

impl Fields<'_> {
    fn walk(&mut self, value: &Value) -> Result<()> {
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.walk(item)),
            Value::Object(members) => {
                // Such a query matches nothing where the field is not there.
                let may_lack = members.get("ignore_unmapped").and_then(Value::as_bool).unwrap_or(false);
                members.iter().try_for_each(|(name, member)| self.member(name, member, may_lack))
            }
            Value::String(text) => {
                let is_moment = text.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("now"));
                self.are_settled &= !is_moment;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn member(&mut self, name: &str, member: &Value, may_lack: bool) -> Result<()> {
        match (name, member) {
            ("field" | "use_field", Value::String(field)) => self.field(field, may_lack),
            // Names of the whole mapping are nothing that one could misspell.
            ("exists", Value::Object(exists)) => {
                let field = exists.get("field").and_then(Value::as_str).unwrap_or_default();
                self.are_settled &= self.is_known(field);
                Ok(())
            }
            // What they find depends on all documents of the shard, or is shown and not looked for.
            ("more_like_this", like) => {
                self.are_settled = false;
                let fields = like.get("fields").and_then(Value::as_array);
                let mut names = fields.into_iter().flatten().filter_map(Value::as_str);
                names.try_for_each(|field| self.field(field, false))
            }
            ("inner_hits" | "like_documents" | "unlike_documents" | "params", _) => Ok(()),
            _ => self.walk(member),
        }
    }

    fn is_known(&self, field: &str) -> bool {
        matches!(field, "_id" | "_index")
            || [ROUTING_FIELD, IGNORED_FIELD].contains(&field)
            || self.mapping.field_by_name(field).is_some()
    }

    fn field(&mut self, field: &str, may_lack: bool) -> Result<()> {
        if field.contains('*') {
            self.are_settled = false;
            return Ok(());
        }
        if self.is_known(field) || field.starts_with('_') {
            return Ok(());
        }
        self.are_settled = false;
        if may_lack || self.mapping.spec().unmapped_queries_as_text {
            return Ok(());
        }
        let reason = format!("No field mapping can be found for the field with name [{field}]");
        Err(Error::new(ErrorCode::QueryShard, reason))
    }
}
