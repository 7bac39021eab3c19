//! Queries that ask scripts: programs are compiled here.

use super::Resolver;
use crate::node::{Node, ScriptNode, ScriptScoreNode};
use quarry_base::error::{Error, Result};
use quarry_plan::query::{ScriptQuery, ScriptScoreQuery};
use quarry_script::{ScriptSpec, context};
use std::sync::Arc;

impl Resolver<'_> {
    pub(super) fn script(&self, query: &ScriptQuery) -> Result<Node> {
        self.check_expensive_script("script")?;
        Ok(Node::Script(script_node(&query.script, "filter", self.scope)?).boosted(query.boost))
    }

    pub(super) fn script_score(&self, query: &ScriptScoreQuery) -> Result<Node> {
        self.check_expensive_script("script score")?;
        let inner = Box::new(self.resolve(&query.query)?);
        let script = script_node(&query.script, "score", self.scope)?;
        Ok(Node::ScriptScore(ScriptScoreNode { inner, script, min_score: query.min_score }).boosted(query.boost))
    }

    fn check_expensive_script(&self, query: &str) -> Result<()> {
        if self.env.limits.allow_expensive_queries {
            return Ok(());
        }
        Err(Error::illegal_argument(format!(
            "[{query}] queries cannot be executed when 'search.allow_expensive_queries' is set to false."
        )))
    }
}

/// `scope` is the path of the nested documents that the script is about.
pub(crate) fn script_node(script: &ScriptSpec, of: &str, scope: &str) -> Result<ScriptNode> {
    let (program, params) = (script.program(context(of)?)?, Arc::new(script.params.clone()));
    Ok(ScriptNode { program, params, scope: scope.into() })
}
