//! The keys of several fields together: every combination of the keys that a document has in them.

use super::key_source::{Cell, KeySource};
use crate::collect::Batch;
use quarry_base::error::Result;
use quarry_query::view::SegmentView;

pub struct Tuples<'a> {
    pub sources: Vec<KeySource<'a>>,
    /// Fields that a document may lack.
    optional: Vec<bool>,
}

impl<'a> Tuples<'a> {
    pub fn new(sources: Vec<KeySource<'a>>, optional: Vec<bool>) -> Self {
        Tuples { sources, optional }
    }

    pub fn start_segment(&mut self, segment: &'a SegmentView) {
        self.sources.iter_mut().for_each(|source| source.start_segment(segment));
    }

    /// Reads the keys of a batch's documents.
    pub fn load(&mut self, batch: &Batch<'_>) -> Result<()> {
        self.sources.iter_mut().try_for_each(|source| source.load(batch))
    }

    /// The keys of each field, by document, where every document that was read has one in each.
    pub fn columns(&self) -> Option<Vec<&[i64]>> {
        self.sources.iter().map(KeySource::one_each).collect()
    }

    /// Calls `take` with the sources, the place of a document in the batch, and each of its tuples.
    pub fn for_each(
        &mut self,
        batch: &Batch<'_>,
        take: impl FnMut(&[KeySource<'a>], usize, &[Cell]) -> Result<()>,
    ) -> Result<()> {
        self.load(batch)?;
        self.for_each_loaded(batch, take)
    }

    /// As [`Tuples::for_each`] of a batch whose keys were read.
    pub fn for_each_loaded(
        &self,
        batch: &Batch<'_>,
        mut take: impl FnMut(&[KeySource<'a>], usize, &[Cell]) -> Result<()>,
    ) -> Result<()> {
        let sources = self.sources.as_slice();
        let mut tuple: Vec<Cell> = Vec::with_capacity(sources.len());
        if let Some(columns) = self.columns() {
            for place in 0..batch.docs.len() {
                tuple.clear();
                tuple.extend(columns.iter().map(|column| Some(column[place])));
                take(sources, place, &tuple)?;
            }
            return Ok(());
        }
        let mut choices = vec![0usize; sources.len()];
        for place in 0..batch.docs.len() {
            let lacks = |(source, optional): (&KeySource<'_>, &bool)| !optional && source.keys(place).is_empty();
            if sources.iter().zip(&self.optional).any(lacks) {
                continue;
            }
            choices.fill(0);
            loop {
                tuple.clear();
                tuple.extend(sources.iter().zip(&choices).map(|(source, &at)| source.keys(place).get(at).copied()));
                take(sources, place, &tuple)?;
                if !advance(sources, place, &mut choices) {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// The next combination of keys of a document; `false` after the last.
fn advance(sources: &[KeySource<'_>], place: usize, choices: &mut [usize]) -> bool {
    for (choice, source) in choices.iter_mut().zip(sources).rev() {
        *choice += 1;
        if *choice < source.keys(place).len() {
            return true;
        }
        *choice = 0;
    }
    false
}
