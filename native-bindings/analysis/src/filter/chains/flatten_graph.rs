//! `flatten_graph`: a graph of tokens as one chain of places that every way goes through, as an index keeps it.
//!
//! Places of the graph that lie side by side become one; each place of the chain follows the last place that leads to it.
//! Words that were taken out leave holes, which nothing leads over: what follows one is put behind what may lead there.

use crate::filter::StreamFilter;
use crate::token::{Token, TokenStream};
use quarry_base::error::{Error, Result};
use std::collections::BTreeMap;

#[derive(Debug)]
pub struct FlattenGraph;

impl StreamFilter for FlattenGraph {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let trailing = stream.trailing();
        let mut chain = Chain::default();
        chain.start();
        let mut before = None;
        for (at, token) in stream.tokens.iter().enumerate() {
            chain.add(at, token, before);
            before = Some(token.position);
        }
        stream.tokens = chain.flattened(&stream.tokens)?;
        stream.positions = stream.end_of_last() + trailing;
        Ok(())
    }
}

/// A place of the graph.
#[derive(Debug, Default)]
struct Place {
    /// Tokens that leave from it.
    tokens: Vec<usize>,
    /// The nearest place that one of them leads to.
    nearest: Option<u32>,
    /// Where it is in the chain.
    link: Option<usize>,
}

/// A place of the chain.
#[derive(Debug, Default)]
struct Link {
    /// Places of the graph, in the order in which they came here.
    places: Vec<u32>,
    /// The last beginning of what leaves from here.
    start_offset: Option<u32>,
    /// The first end of what leads here.
    end_offset: Option<u32>,
}

#[derive(Debug, Default)]
struct Chain {
    places: BTreeMap<u32, Place>,
    links: Vec<Link>,
}

impl Chain {
    fn start(&mut self) {
        self.places.insert(0, Place { link: Some(0), ..Place::default() });
        self.links.push(Link { places: vec![0], start_offset: Some(0), end_offset: None });
    }

    /// `before`: the position of the token before this one.
    fn add(&mut self, at: usize, token: &Token, before: Option<u32>) {
        let from = token.position;
        let to = from + token.position_length.max(1);
        let known = self.places.entry(from).or_default().link;
        let link = match known {
            None => self.behind_hole(from, before, token.start_offset),
            Some(link) if self.ends_in_hole(from, link, before) => {
                let end_offset = self.links[link].end_offset;
                self.links[link].places.retain(|&place| place != from);
                let link = self.behind_hole(from, before, token.start_offset);
                self.links[link].end_offset = end_offset;
                link
            }
            Some(link) => link,
        };
        let start = &mut self.links[link].start_offset;
        *start = Some(start.map_or(token.start_offset, |start| start.max(token.start_offset)));
        let source = self.places.entry(from).or_default();
        source.tokens.push(at);
        source.nearest = Some(source.nearest.map_or(to, |nearest| nearest.min(to)));
        self.lead(to, link + 1, token.end_offset);
    }

    /// The place `to` comes at `link` of the chain, or behind.
    fn lead(&mut self, to: u32, link: usize, end_offset: u32) {
        let place = self.places.entry(to).or_default();
        let link = match place.link {
            Some(known) if known >= link => known,
            known => {
                place.link = Some(link);
                if let Some(known) = known {
                    self.links[known].places.retain(|&place| place != to);
                }
                self.link_at(link).places.push(to);
                link
            }
        };
        let end = &mut self.links[link].end_offset;
        *end = Some(end.map_or(end_offset, |end| end.min(end_offset)));
    }

    fn link_at(&mut self, link: usize) -> &mut Link {
        if self.links.len() <= link {
            self.links.resize_with(link + 1, Link::default);
        }
        &mut self.links[link]
    }

    /// The last word of a way to here was taken out, so that only other ways told where the place is.
    fn ends_in_hole(&self, from: u32, link: usize, before: Option<u32>) -> bool {
        let Some(before) = before.filter(|&before| before + 1 < from) else { return false };
        let Some(previous) = self.places.get(&before) else { return false };
        previous.link.is_some_and(|previous| link <= previous + 1) && previous.nearest != Some(from)
    }

    /// Finds a place in the chain for one that nothing leads to.
    fn behind_hole(&mut self, from: u32, before: Option<u32>, start_offset: u32) -> usize {
        let end = self.links.len();
        let link = match before {
            // What leads around the hole tells where it ends, at the earliest.
            Some(before) => match self.places.get(&before).and_then(|place| place.nearest) {
                Some(nearest) if nearest < from => {
                    self.places.get(&nearest).and_then(|place| place.link).map_or(end, |link| link + 1)
                }
                _ => end - 1,
            },
            None => end,
        };
        self.places.entry(from).or_default().link = Some(link);
        let found = self.link_at(link);
        found.start_offset = Some(found.start_offset.map_or(start_offset, |start| start.max(start_offset)));
        found.places.push(from);
        link
    }

    fn flattened(&self, tokens: &[Token]) -> Result<Vec<Token>> {
        let lost = || Error::internal("a token leads out of its graph");
        let mut out = Vec::with_capacity(tokens.len());
        let mut last_start = 0;
        for (position, link) in self.links.iter().enumerate() {
            let leaving = link.places.iter().filter_map(|place| self.places.get(place)).flat_map(|place| &place.tokens);
            for &at in leaving {
                let token = &tokens[at];
                let to = token.position + token.position_length.max(1);
                let end = self.places.get(&to).and_then(|place| place.link).ok_or_else(lost)?;
                let start_offset = link.start_offset.map_or(last_start, |start| start.max(last_start));
                last_start = start_offset;
                out.push(Token {
                    position: position as u32,
                    position_length: end.saturating_sub(position) as u32,
                    start_offset,
                    end_offset: self.links[end].end_offset.map_or(start_offset, |end| end.max(start_offset)),
                    ..token.clone()
                });
            }
        }
        Ok(out)
    }
}
