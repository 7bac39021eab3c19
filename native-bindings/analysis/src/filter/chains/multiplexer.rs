//! `multiplexer`: each token as several chains of filters make it, all at its position.

use crate::filter::{StreamFilter, TokenFilter, wrong};
use crate::params::{Component, Params};
use crate::token::{Token, TokenStream, check_made};
use quarry_base::error::Result;
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::sync::Arc;

/// The type's name: it is built apart from the others, since it names them.
pub const KIND: &str = "multiplexer";
/// Chains of one filter.
const BRANCHES_MAX: usize = 64;

#[derive(Debug)]
struct Multiplexer {
    /// Chains of filters; one without filters gives the token itself.
    branches: Vec<Vec<Arc<TokenFilter>>>,
}

/// Builds the filter; `find` gives the filters that it names.
pub fn build(
    name: &str,
    values: &Map<String, Value>,
    find: impl Fn(&str) -> Result<Option<Arc<TokenFilter>>>,
) -> Result<TokenFilter> {
    let params = Params::new(Component::Filter, name, values);
    let lists = params.list_of_rules("filters")?.unwrap_or_default();
    let mut branches = Vec::with_capacity(lists.len() + 1);
    if params.flag("preserve_original", true)? {
        branches.push(Vec::new());
    }
    for list in &lists {
        let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
        let missing =
            |wanted: &str| wrong(format!("Multiplexer filter [{name}] refers to undefined tokenfilter [{wanted}]"));
        let chain = names.map(|wanted| find(wanted)?.ok_or_else(|| missing(wanted)));
        branches.push(chain.collect::<Result<_>>()?);
    }
    if branches.len() > BRANCHES_MAX {
        return Err(wrong(format!("multiplexer filter [{name}] has more than [{BRANCHES_MAX}] lists of filters")));
    }
    params.finish()?;
    Ok(TokenFilter::stream(Multiplexer { branches }))
}

impl StreamFilter for Multiplexer {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let mut out = Vec::with_capacity(stream.tokens.len() * 2);
        let mut terms: HashSet<Vec<u8>> = HashSet::new();
        for token in std::mem::take(&mut stream.tokens) {
            terms.clear();
            for branch in &self.branches {
                let made = through(branch, &token)?;
                out.extend(made.into_iter().filter(|made| terms.insert(made.term.clone())));
                check_made(&out)?;
            }
        }
        stream.tokens = out;
        // Empty places after the last token are not told of.
        if !stream.tokens.is_empty() {
            stream.positions = stream.end_of_last();
        }
        Ok(())
    }

    fn knows_keywords(&self) -> bool {
        self.branches.iter().flatten().any(|filter| filter.knows_keywords())
    }

    fn knows_payloads(&self) -> bool {
        self.branches.iter().flatten().any(|filter| filter.knows_payloads())
    }
}

/// What a chain makes of one token alone.
fn through(branch: &[Arc<TokenFilter>], token: &Token) -> Result<Vec<Token>> {
    let mut alone = TokenStream {
        tokens: vec![Token { position: 0, ..token.clone() }],
        positions: 1,
        end_offset: token.end_offset,
    };
    for filter in branch {
        filter.apply(&mut alone)?;
    }
    for made in &mut alone.tokens {
        made.position = token.position;
    }
    Ok(alone.tokens)
}
