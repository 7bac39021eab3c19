//! Builds the three sections of one field, term by term.

use super::dictionary::writer::{DictionaryWriter, TermStatistics};
use super::impact::ImpactModel;
use super::layout::{self, Density, Layout};
use super::layout::{blocks, tiny, windows};
use super::pairs::FrequentTerms;
use super::positions::{self, TERM_POSITIONS_MAX};
use super::simd::LOAD_SLACK;
use super::{FieldPostings, FieldPostingsReader, PostingsOptions, ScoreModel, TermEntry, TermPostings};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_codec::shared_bytes::SharedBytes;
use quarry_codec::window::WINDOW;

/// Zeros behind the last list, so that whole vectors can be loaded anywhere in a section.
const SECTION_SLACK: usize = 3 * LOAD_SLACK;

/// Writer of one field's inverted index: terms come strictly ascending by bytes.
pub struct FieldPostingsWriter<'a> {
    max_doc: u32,
    options: PostingsOptions,
    density: Density,
    given: Option<ScoreModel<'a>>,
    model: ImpactModel<'a>,
    dictionary: DictionaryWriter,
    postings: Vec<u8>,
    positions: Vec<u8>,
    sum_doc_freq: u64,
    sum_total_term_freq: u64,
    frequent: FrequentTerms,
    /// Kept between terms.
    scratch: Vec<u32>,
}

impl<'a> FieldPostingsWriter<'a> {
    /// `max_doc` is the number of documents of the segment. `model` is `None` for a field without norms.
    pub fn new(max_doc: u32, options: PostingsOptions, model: Option<ScoreModel<'a>>) -> Self {
        FieldPostingsWriter {
            max_doc,
            options,
            density: Density::Terms,
            given: model,
            model: ImpactModel::new(model),
            dictionary: DictionaryWriter::new(options),
            postings: Vec::new(),
            positions: Vec::new(),
            sum_doc_freq: 0,
            sum_total_term_freq: 0,
            frequent: FrequentTerms::default(),
            scratch: Vec::new(),
        }
    }

    /// The same, of lists of something else than terms.
    pub(super) fn with_density(mut self, density: Density) -> Self {
        self.density = density;
        self
    }

    /// Appends a term with at least one document. Errors (`Internal`) when the caller breaks the order of terms or
    /// documents, a document is not below `max_doc`, or the slices' lengths disagree.
    pub fn add_term(&mut self, term: &[u8], postings: TermPostings<'_>) -> Result<()> {
        self.dictionary.check_term(term)?;
        postings.check(self.max_doc, self.options)?;
        if self.model.norms_len().is_some_and(|norms| norms < self.max_doc as usize) {
            return Err(Error::new(ErrorCode::Internal, "postings writer: fewer norms than documents"));
        }
        let total_term_freq = postings.total_term_freq();
        let postings_start = self.postings.len();
        let positions_start = self.positions.len();
        let list = Layout::of(postings.docs.len() as u32, self.max_doc, self.density);
        self.add_documents(list, &postings)?;
        if self.options.positions {
            if total_term_freq > TERM_POSITIONS_MAX {
                return Err(Error::illegal_argument("a term occurs more than 4,294,967,295 times in one segment"));
            }
            let bases = position_bases(list, self.max_doc, &postings);
            positions::encode(postings.positions, &bases, &mut self.positions);
        }
        self.sum_doc_freq += postings.docs.len() as u64;
        self.sum_total_term_freq += total_term_freq;
        let statistics = TermStatistics {
            doc_freq: postings.docs.len() as u32,
            total_term_freq,
            postings_length: (self.postings.len() - postings_start) as u64,
            positions_length: (self.positions.len() - positions_start) as u64,
        };
        if self.options.positions {
            let entry = TermEntry {
                ordinal: self.dictionary.term_count(),
                doc_freq: statistics.doc_freq,
                total_term_freq,
                postings_offset: postings_start as u64,
                postings_length: statistics.postings_length,
                positions_offset: positions_start as u64,
                positions_length: statistics.positions_length,
            };
            self.frequent.note(entry, self.max_doc);
        }
        self.dictionary.add(term, &statistics)
    }

    fn add_documents(&mut self, list: Layout, postings: &TermPostings<'_>) -> Result<()> {
        match list {
            Layout::Tiny => tiny::encode(&self.model, postings, &mut self.postings),
            Layout::Blocks => blocks::encode(&self.model, postings, &mut self.scratch, &mut self.postings),
            Layout::Windows => {
                let aligned = layout::align(self.postings.len() as u64) as usize;
                self.postings.resize(aligned, 0);
                windows::encode(&self.model, self.max_doc, postings, &mut self.scratch, &mut self.postings)?;
            }
        }
        Ok(())
    }

    /// As [`Self::finish`], with [`super::pairs`] where the field is large and has positions. Takes about a tenth of
    /// the time that the field takes to index; `check` is called again and again, and its error is given back.
    pub fn finish_with_pairs(mut self, check: &dyn Fn() -> Result<()>) -> Result<FieldPostings> {
        let (max_doc, options, model) = (self.max_doc, self.options, self.given);
        let frequent = std::mem::take(&mut self.frequent);
        let mut sections = self.finish()?;
        if !frequent.is_empty() {
            let [dictionary, postings, positions] =
                [&sections.dictionary, &sections.postings, &sections.positions].map(SharedBytes::clone);
            let field = FieldPostingsReader::open(dictionary, postings, positions, max_doc, options)?;
            sections.pairs = frequent.pairs(&field, model, check)?.map(SharedBytes::from);
        }
        Ok(sections)
    }

    pub fn finish(mut self) -> Result<FieldPostings> {
        self.postings.extend([0; SECTION_SLACK]);
        if self.options.positions {
            self.positions.extend([0; SECTION_SLACK]);
        }
        Ok(FieldPostings {
            term_count: self.dictionary.term_count(),
            dictionary: self.dictionary.finish(self.model.average_length())?.into(),
            postings: self.postings.into(),
            positions: self.positions.into(),
            pairs: None,
            sum_doc_freq: self.sum_doc_freq,
            sum_total_term_freq: self.sum_total_term_freq,
        })
    }
}

/// The number of positions before each window or block, as the layout wants them.
fn position_bases(list: Layout, max_doc: u32, postings: &TermPostings<'_>) -> Vec<u32> {
    let mut bases = vec![0; list.units(postings.docs.len() as u32, max_doc)];
    for (index, &doc) in postings.docs.iter().enumerate() {
        let unit = match list {
            Layout::Tiny => break,
            Layout::Blocks => index / blocks::BLOCK,
            Layout::Windows => doc as usize / WINDOW,
        };
        if let Some(after) = bases.get_mut(unit + 1) {
            *after += postings.freq(index);
        }
    }
    let mut before = 0;
    for base in &mut bases {
        before += *base;
        *base = before;
    }
    bases
}
