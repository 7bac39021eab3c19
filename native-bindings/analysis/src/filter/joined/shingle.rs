//! `shingle`: neighbouring words joined to one token.

use crate::filter::{Shingles, StreamFilter, wrong};
use crate::params::Params;
use crate::registry::Limits;
use crate::token::{Token, TokenStream};
use quarry_base::error::Result;

#[derive(Debug)]
pub struct Shingle {
    least: usize,
    most: usize,
    unigrams: bool,
    unigrams_if_no_shingles: bool,
    separator: String,
    filler: String,
}

impl Shingle {
    pub fn new(params: &Params<'_>, limits: &Limits) -> Result<Self> {
        let most = params.bounded("max_shingle_size", 2, 2, usize::MAX)?;
        let least = params.bounded("min_shingle_size", 2, 2, usize::MAX)?;
        if least > most {
            return Err(wrong("Min shingle size must be <= max shingle size"));
        }
        let unigrams = params.flag("output_unigrams", true)?;
        let difference = most - least + usize::from(unigrams);
        if difference > limits.max_shingle_diff {
            return Err(wrong(format!(
                "In Shingle TokenFilter the difference between max_shingle_size and min_shingle_size (and +1 if outputting \
                 unigrams) must be less than or equal to: [{}] but was [{difference}]. This limit can be set by changing \
                 the [index.max_shingle_diff] index level setting.",
                limits.max_shingle_diff
            )));
        }
        Ok(Shingle {
            least,
            most,
            unigrams,
            unigrams_if_no_shingles: params.flag("output_unigrams_if_no_shingles", false)?,
            separator: params.text("token_separator")?.unwrap_or_else(|| " ".to_owned()),
            filler: params.text("filler_token")?.unwrap_or_else(|| "_".to_owned()),
        })
    }

    /// The words with fillers for the empty positions before them, as many in a row as one shingle can hold; those beyond are
    /// given up.
    fn slots<'a>(&self, stream: &'a TokenStream) -> Vec<Slot<'a>> {
        let mut slots = Vec::with_capacity(stream.tokens.len());
        let mut next_position = 0;
        for token in &stream.tokens {
            self.fill(&mut slots, token.position.saturating_sub(next_position), token.start_offset);
            slots.push(Slot { token: Some(token), position: slots.len() as u32, offset: token.start_offset });
            next_position = token.position + 1;
        }
        self.fill(&mut slots, stream.trailing(), stream.end_offset);
        slots
    }

    fn fill(&self, slots: &mut Vec<Slot<'_>>, missing: u32, offset: u32) {
        for _ in 0..missing.min(self.most as u32 - 1) {
            slots.push(Slot { token: None, position: slots.len() as u32, offset });
        }
    }

    /// Positions that a shingle of so many slots takes: without single words the shortest shingle takes one.
    fn length_of(&self, size: usize) -> u32 {
        if self.unigrams { size as u32 } else { (size - self.least) as u32 + 1 }
    }

    /// Several slots as one token; `None` when all are fillers.
    fn joined(&self, slots: &[Slot<'_>]) -> Option<Token> {
        slots.iter().find(|slot| slot.token.is_some())?;
        let texts: Vec<&str> =
            slots.iter().map(|slot| slot.token.map_or(self.filler.as_str(), |token| token.text())).collect();
        let last = slots.last()?;
        Some(Token {
            term: texts.join(&self.separator).into_bytes(),
            position: slots[0].position,
            position_length: self.length_of(slots.len()),
            start_offset: slots[0].offset,
            end_offset: last.token.map_or(last.offset, |token| token.end_offset),
            kind: "shingle",
            keyword: false,
            payload: None,
        })
    }
}

/// A word, or the place of a removed one.
struct Slot<'a> {
    token: Option<&'a Token>,
    position: u32,
    /// Where it starts.
    offset: u32,
}

impl StreamFilter for Shingle {
    fn shingles(&self) -> Option<Shingles> {
        Some(Shingles { most: self.most, has_unigrams: self.unigrams })
    }

    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let slots = self.slots(stream);
        let trailing = stream.trailing();
        let mut out = Vec::with_capacity(slots.len() * 2);
        let mut any_shingle = false;
        for start in 0..slots.len() {
            if self.unigrams {
                let position = slots[start].position;
                out.extend(slots[start].token.map(|token| Token { position, ..token.clone() }));
            }
            for size in self.least..=self.most.min(slots.len() - start) {
                if let Some(shingle) = self.joined(&slots[start..start + size]) {
                    out.push(shingle);
                    any_shingle = true;
                }
            }
        }
        if !any_shingle && !self.unigrams && self.unigrams_if_no_shingles {
            return Ok(());
        }
        stream.tokens = out;
        stream.positions = stream.end_of_last() + trailing;
        Ok(())
    }
}
