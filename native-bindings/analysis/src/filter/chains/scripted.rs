//! `predicate_token_filter` and `condition`: a script says of each token whether it stays, or whether filters apply to it.

use crate::filter::{StreamFilter, TokenFilter, wrong};
use crate::params::{Component, Params};
use crate::token::{Token, TokenStream, check_made};
use quarry_base::error::{Error, Result};
use quarry_script::{Instance, Nothing, ScriptSpec, context};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The type's name: it is built apart from the others, since it names them.
pub const CONDITION: &str = "condition";
/// Filters of one condition.
const FILTERS_MAX: usize = 64;
/// Operations that the script may take for all tokens of one text.
const OPERATIONS_MAX: u64 = 1 << 28;
/// Place of `token` among the variables of the context.
const TOKEN: usize = 1;

/// A script over what is known of a token.
#[derive(Debug)]
struct Predicate(ScriptSpec);

impl Predicate {
    /// Reads `script` and compiles it, so that an error is the definition's. A stored script is refused: a shard could not be
    /// opened any more once it is deleted.
    fn new(params: &Params<'_>) -> Result<Self> {
        let missing = || wrong("must specify either [source] for an inline script or [id] for a stored script");
        let script = match params.object("script")? {
            None => return Err(missing()),
            Some(given) if !given.contains_key("source") && !given.contains_key("id") => return Err(missing()),
            Some(given) => Value::Object(given.clone()),
        };
        let spec: ScriptSpec = serde_json::from_value(script).map_err(|error| params.wrong("script", error))?;
        if spec.id.is_some() && spec.source.is_none() {
            return Err(wrong(format!("Cannot use stored scripts in tokenfilter [{}]", params.name)));
        }
        let predicate = Predicate(spec);
        predicate.run()?;
        Ok(predicate)
    }

    fn run(&self) -> Result<PredicateRun> {
        Ok(PredicateRun { instance: self.0.instance(context("analysis")?)?, operations: 0, before: None })
    }
}

/// A predicate on its way through one text.
struct PredicateRun {
    instance: Instance,
    operations: u64,
    /// Position of the token before.
    before: Option<u32>,
}

impl PredicateRun {
    fn test(&mut self, token: &Token) -> Result<bool> {
        let increment = i64::from(token.position) - self.before.map_or(-1, i64::from);
        self.before = Some(token.position);
        let seen = self.instance.import_bean(&json!({
            "term": token.text(), "position": token.position, "positionIncrement": increment,
            "positionLength": token.position_length, "startOffset": token.start_offset, "endOffset": token.end_offset,
            "type": token.kind, "keyword": token.keyword,
        }))?;
        self.instance.set(TOKEN, seen);
        let answer = self.instance.run_bool(&mut Nothing)?;
        self.operations += u64::from(self.instance.operations());
        self.instance.set(TOKEN, quarry_script::Value::Null);
        self.instance.forget();
        if self.operations > OPERATIONS_MAX {
            return Err(Error::illegal_argument(format!(
                "the script of a token filter takes more than [{OPERATIONS_MAX}] operations for one text"
            )));
        }
        Ok(answer)
    }
}

#[derive(Debug)]
pub struct PredicateFilter {
    predicate: Predicate,
}

impl PredicateFilter {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        Ok(PredicateFilter { predicate: Predicate::new(params)? })
    }
}

impl StreamFilter for PredicateFilter {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let mut run = self.predicate.run()?;
        let mut kept = Vec::with_capacity(stream.tokens.len());
        for token in std::mem::take(&mut stream.tokens) {
            if run.test(&token)? {
                kept.push(token);
            }
        }
        stream.tokens = kept;
        Ok(())
    }

    fn knows_keywords(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct Condition {
    predicate: Predicate,
    filters: Vec<Arc<TokenFilter>>,
}

/// Builds the filter; `find` gives the filters that it names.
pub fn condition(
    name: &str,
    values: &Map<String, Value>,
    find: impl Fn(&str) -> Result<Option<Arc<TokenFilter>>>,
) -> Result<TokenFilter> {
    let params = Params::new(Component::Filter, name, values);
    let names = params.list("filter")?.unwrap_or_default();
    if names.is_empty() {
        return Err(wrong(format!("Empty list of filters provided to tokenfilter [{name}]")));
    }
    if names.len() > FILTERS_MAX {
        return Err(params.wrong("filter", format!("there are more than [{FILTERS_MAX}]")));
    }
    let missing = |wanted: &str| {
        wrong(format!("ScriptedConditionTokenFilter [{name}] refers to undefined token filter [{wanted}]"))
    };
    let filters =
        names.iter().map(|wanted| find(wanted)?.ok_or_else(|| missing(wanted))).collect::<Result<Vec<_>>>()?;
    let predicate = Predicate::new(&params)?;
    params.finish()?;
    Ok(TokenFilter::stream(Condition { predicate, filters }))
}

impl Condition {
    /// What the filters make of tokens in a row, which follow a token at `before`; returns how far the positions behind move.
    fn filtered(&self, row: Vec<Token>, before: Option<u32>, out: &mut Vec<Token>) -> Result<i64> {
        let Some((first, last)) = row.first().zip(row.last()) else { return Ok(0) };
        // For the filters the row is a text of its own, whose first token stands at a place of its own, also where it is
        // beside the token before.
        let base = before.map_or(0, |before| before + 1).min(first.position);
        let (positions, end_offset) = (last.position + 1 - base, last.end_offset);
        let tokens = row.into_iter().map(|token| Token { position: token.position - base, ..token }).collect();
        let mut alone = TokenStream { tokens, positions, end_offset };
        for filter in &self.filters {
            filter.apply(&mut alone)?;
        }
        let moved = i64::from(alone.positions) - i64::from(positions);
        out.extend(alone.tokens.into_iter().map(|token| Token { position: base + token.position, ..token }));
        check_made(out)?;
        Ok(moved)
    }
}

impl StreamFilter for Condition {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let mut run = self.predicate.run()?;
        let mut out: Vec<Token> = Vec::with_capacity(stream.tokens.len());
        let mut row: Vec<Token> = Vec::new();
        // How far what follows has moved.
        let mut moved = 0i64;
        let mut before = None;
        for token in std::mem::take(&mut stream.tokens) {
            let applies = run.test(&token)?;
            let original = i64::from(token.position);
            if applies {
                row.push(Token { position: (original + moved).max(0) as u32, ..token });
                continue;
            }
            let by = self.filtered(std::mem::take(&mut row), before, &mut out)?;
            // Where the filters leave no place at all, what follows would stand before the token before them.
            let least = out.last().map_or(0, |last| last.position);
            let position = (original + moved + by).max(i64::from(least)) as u32;
            moved = i64::from(position) - original;
            before = Some(position);
            out.push(Token { position, ..token });
        }
        moved += self.filtered(row, before, &mut out)?;
        stream.positions = (i64::from(stream.positions) + moved).max(0) as u32;
        stream.tokens = out;
        Ok(())
    }

    fn knows_keywords(&self) -> bool {
        true
    }

    fn knows_payloads(&self) -> bool {
        self.filters.iter().any(|filter| filter.knows_payloads())
    }
}
