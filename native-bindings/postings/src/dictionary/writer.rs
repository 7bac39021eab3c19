//! Writes the term dictionary; see [`super`] for its shape.

use super::{BLOCK_TERMS, FORMAT, prefix_of};
use crate::PostingsOptions;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::limits::TERM_BYTES_MAX;
use quarry_codec::varint;

/// What is recorded of one term.
pub(crate) struct TermStatistics {
    pub(crate) doc_freq: u32,
    pub(crate) total_term_freq: u64,
    pub(crate) postings_length: u64,
    pub(crate) positions_length: u64,
}

pub(crate) struct DictionaryWriter {
    options: PostingsOptions,
    term_count: u32,
    prefixes: Vec<u64>,
    offsets: Vec<u32>,
    blocks: Vec<u8>,
    statistics: Vec<u8>,
    terms: Vec<u8>,
    last_term: Vec<u8>,
    postings_end: u64,
    positions_end: u64,
}

impl DictionaryWriter {
    pub(crate) fn new(options: PostingsOptions) -> Self {
        DictionaryWriter {
            options,
            term_count: 0,
            prefixes: Vec::new(),
            offsets: Vec::new(),
            blocks: Vec::new(),
            statistics: Vec::new(),
            terms: Vec::new(),
            last_term: Vec::new(),
            postings_end: 0,
            positions_end: 0,
        }
    }

    pub(crate) fn term_count(&self) -> u32 {
        self.term_count
    }

    /// A term must follow the one before it, and be no longer than terms can be.
    pub(crate) fn check_term(&self, term: &[u8]) -> Result<()> {
        if self.term_count > 0 && term <= self.last_term.as_slice() {
            return Err(Error::new(ErrorCode::Internal, "postings writer: terms are not strictly ascending"));
        }
        if term.len() > TERM_BYTES_MAX {
            return Err(Error::new(ErrorCode::Internal, "postings writer: a term is too long"));
        }
        Ok(())
    }

    pub(crate) fn add(&mut self, term: &[u8], statistics: &TermStatistics) -> Result<()> {
        if self.term_count.is_multiple_of(BLOCK_TERMS) {
            self.start_block(term)?;
            varint::write_u32(&mut self.terms, term.len() as u32);
            self.terms.extend_from_slice(term);
        } else {
            let shared = term.iter().zip(&self.last_term).take_while(|(a, b)| a == b).count();
            varint::write_u32(&mut self.terms, shared as u32);
            varint::write_u32(&mut self.terms, (term.len() - shared) as u32);
            self.terms.extend_from_slice(&term[shared..]);
        }
        varint::write_u32(&mut self.statistics, statistics.doc_freq);
        if self.options.freqs {
            varint::write_u64(&mut self.statistics, statistics.total_term_freq - u64::from(statistics.doc_freq));
        }
        varint::write_u64(&mut self.statistics, statistics.postings_length);
        if self.options.positions {
            varint::write_u64(&mut self.statistics, statistics.positions_length);
        }
        self.postings_end += statistics.postings_length;
        self.positions_end += statistics.positions_length;
        self.last_term.clear();
        self.last_term.extend_from_slice(term);
        self.term_count += 1;
        Ok(())
    }

    fn start_block(&mut self, first_term: &[u8]) -> Result<()> {
        self.end_block()?;
        self.prefixes.push(prefix_of(first_term));
        varint::write_u64(&mut self.statistics, self.postings_end);
        if self.options.positions {
            varint::write_u64(&mut self.statistics, self.positions_end);
        }
        Ok(())
    }

    /// Moves the open block, if any, behind the others and notes where the next starts.
    fn end_block(&mut self) -> Result<()> {
        if !self.statistics.is_empty() {
            varint::write_u32(&mut self.blocks, self.statistics.len() as u32);
            self.blocks.append(&mut self.statistics);
            self.blocks.append(&mut self.terms);
        }
        let too_large = |_| Error::illegal_argument("the term dictionary of one field is larger than 4 GiB");
        self.offsets.push(u32::try_from(self.blocks.len()).map_err(too_large)?);
        Ok(())
    }

    pub(crate) fn finish(mut self, average_length: f32) -> Result<Vec<u8>> {
        self.end_block()?;
        let mut out = Vec::with_capacity(16 + self.prefixes.len() * 12 + 4 + self.blocks.len());
        out.extend(FORMAT.to_le_bytes());
        out.extend(self.term_count.to_le_bytes());
        out.extend(average_length.to_le_bytes());
        out.extend([0; 4]);
        out.extend(self.prefixes.iter().flat_map(|prefix| prefix.to_le_bytes()));
        out.extend(self.offsets.iter().flat_map(|offset| offset.to_le_bytes()));
        out.append(&mut self.blocks);
        Ok(out)
    }
}
