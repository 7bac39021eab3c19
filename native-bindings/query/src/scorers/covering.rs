//! Documents that match as many of several scorers as a field of theirs, or a script, says; scores added.

use super::bits;
use crate::script::docs::SegmentDocs;
use crate::view::SegmentView;
use quarry_base::error::Result;
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW, WindowBits};
use quarry_scores::scorer::WindowScorer;
use quarry_script::Instance;
use quarry_segment::column::numeric::{NumericColumn, NumericWindow};

/// How many parts a document has to match, at least one.
pub struct Minimum<'a>(Source<'a>);

enum Source<'a> {
    Column(&'a NumericColumn, Box<NumericWindow>),
    Script(Box<Asked<'a>>),
}

/// A script and the documents that it is asked about.
struct Asked<'a> {
    script: Instance,
    docs: SegmentDocs<'a>,
    segment: &'a SegmentView,
    /// Path of the nested documents that match; empty for the roots.
    scope: &'a str,
}

impl<'a> Minimum<'a> {
    pub fn column(column: &'a NumericColumn) -> Self {
        Minimum(Source::Column(column, Box::default()))
    }

    pub fn script(script: Instance, docs: SegmentDocs<'a>, segment: &'a SegmentView, scope: &'a str) -> Self {
        Minimum(Source::Script(Box::new(Asked { script, docs, segment, scope })))
    }

    /// Leaves those of the candidates that may be asked for.
    fn load(&mut self, window: u32, candidates: &mut WindowBits) -> Result<()> {
        match &mut self.0 {
            Source::Column(column, decoded) => column.decode_window(window, decoded),
            // A script may fail on documents that nobody sees.
            Source::Script(asked) => asked.segment.retain_scope(window, candidates, asked.scope)?,
        }
        Ok(())
    }

    /// `None`: the document has no value, and does not match.
    fn of(&mut self, window: u32, doc: u16) -> Result<Option<i64>> {
        Ok(match &mut self.0 {
            Source::Column(_, decoded) => decoded.values_of(doc).first().copied(),
            Source::Script(asked) => {
                let Asked { script, docs, .. } = &mut **asked;
                docs.at(window * WINDOW as u32 + u32::from(doc), None);
                Some(script.run_long(docs)?)
            }
        })
    }
}

pub struct CoveringScorer<'a> {
    parts: Vec<Box<dyn WindowScorer + 'a>>,
    minimum: Minimum<'a>,
    window: Option<u32>,
    matched: WindowBits,
}

impl<'a> CoveringScorer<'a> {
    pub fn new(parts: Vec<Box<dyn WindowScorer + 'a>>, minimum: Minimum<'a>) -> Self {
        CoveringScorer { parts, minimum, window: None, matched: bits::EMPTY }
    }

    fn load(&mut self, window: u32) -> Result<()> {
        if self.window == Some(window) {
            return Ok(());
        }
        self.window = Some(window);
        self.matched = bits::EMPTY;
        let mut counts = vec![0i64; WINDOW];
        let (mut docs, mut candidates) = (Vec::new(), bits::EMPTY);
        for part in &mut self.parts {
            if part.next_window(window)? != window {
                continue;
            }
            let mut own = bits::EMPTY;
            part.matches(window, &mut own)?;
            bits::list(&own, &mut docs);
            docs.iter().for_each(|&doc| counts[usize::from(doc)] += 1);
            bits::or(&mut candidates, &own);
        }
        self.minimum.load(window, &mut candidates)?;
        bits::list(&candidates, &mut docs);
        for doc in docs {
            let count = counts[usize::from(doc)];
            if self.minimum.of(window, doc)?.is_some_and(|least| count >= least.max(1)) {
                bits::set(&mut self.matched, doc);
            }
        }
        Ok(())
    }
}

impl WindowScorer for CoveringScorer<'_> {
    fn cost(&self) -> u64 {
        self.parts.iter().map(|part| part.cost()).sum()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        let mut first = NO_MORE_WINDOWS;
        for part in &mut self.parts {
            first = first.min(part.next_window(window)?);
        }
        Ok(first)
    }

    fn max_score(&mut self, window: u32) -> Result<f32> {
        let mut sum = 0.0;
        for part in &mut self.parts {
            if part.next_window(window)? == window {
                sum += part.max_score(window)?;
            }
        }
        Ok(sum)
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.load(window)?;
        bits::or(bits, &self.matched);
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        self.load(window)?;
        let mut sums = vec![0f32; docs.len()];
        for part in &mut self.parts {
            if part.next_window(window)? == window {
                part.score(window, docs, &mut sums)?;
            }
        }
        for ((&doc, total), sum) in docs.iter().zip(scores).zip(sums) {
            if bits::contains(&self.matched, doc) {
                *total += sum;
            }
        }
        Ok(())
    }
}
