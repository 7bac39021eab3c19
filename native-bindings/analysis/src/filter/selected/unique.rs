//! `unique` and `remove_duplicates`: each term once, in the text or at its position.

use crate::filter::StreamFilter;
use crate::params::Params;
use crate::token::TokenStream;
use quarry_base::error::Result;
use std::collections::HashSet;

#[derive(Debug)]
pub struct Unique {
    only_on_same_position: bool,
}

impl Unique {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        Ok(Unique { only_on_same_position: params.flag("only_on_same_position", false)? })
    }

    pub fn on_same_position() -> Self {
        Unique { only_on_same_position: true }
    }
}

impl StreamFilter for Unique {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        // What was removed leaves no gap: every position behind it moves up.
        let (mut removed, mut last) = (0, None);
        stream.tokens.retain_mut(|token| {
            let advance = last.map_or(0, |last| token.position - last);
            let is_new_position = last != Some(token.position);
            last = Some(token.position);
            if self.only_on_same_position && is_new_position {
                seen.clear();
            }
            if seen.contains(&token.term) {
                removed += advance;
                return false;
            }
            seen.insert(token.term.clone());
            token.position -= removed;
            true
        });
        stream.positions -= removed;
        Ok(())
    }
}
