//! Documents by how their shapes lie to that of a query: the box around them first, then the shapes themselves.

use super::bits;
use super::sets::DocSet;
use crate::error::Result;
use crate::geo::point::Steps;
use crate::geo::shape::pieces::Pieces;
use crate::geo::shape::{Frame, Question, Relation, Shape};
use crate::postings::FieldPostingsReader;
use crate::segment::column::numeric::{NumericColumn, NumericWindow};
use crate::segment::column::ordinal::{OrdinalColumn, OrdinalWindow};
use crate::segment::reader::FieldReader;
use crate::window::{NO_MORE_WINDOWS, WindowBits, window_count};

/// The columns of a field of shapes.
struct Columns<'a> {
    corners: &'a NumericColumn,
    ordinals: &'a OrdinalColumn,
    postings: &'a FieldPostingsReader,
}

pub struct ShapeSet<'a> {
    columns: Columns<'a>,
    question: Question<'a>,
    frame: Frame,
    relation: Relation,
    windows: u32,
    corners: NumericWindow,
    ordinals: OrdinalWindow,
}

impl<'a> ShapeSet<'a> {
    /// `None`: the segment has no shapes.
    pub fn new(reader: &'a FieldReader, shape: &'a Shape, relation: Relation, max_doc: u32) -> Option<Self> {
        let columns =
            Columns { corners: reader.numeric()?, ordinals: reader.ordinals()?, postings: reader.postings()? };
        Some(ShapeSet {
            columns,
            question: Question::new(shape, relation),
            frame: *shape.frame(),
            relation,
            windows: window_count(max_doc),
            corners: NumericWindow::default(),
            ordinals: OrdinalWindow::default(),
        })
    }

    /// The window may hold a document that matches.
    fn reaches(&self, window: u32) -> bool {
        let Some((low, high)) = self.columns.corners.window_range(window) else { return false };
        let (south, north) = (Steps::of_column(low).lat, Steps::of_column(high).lat);
        self.relation == Relation::Disjoint || (south <= self.frame.north && north >= self.frame.south)
    }

    fn holds(&self, doc: u16) -> Result<bool> {
        let Some(frame) = Frame::of_corners(self.corners.values_of(doc)) else { return Ok(false) };
        if let Some(known) = self.question.of_frame(&frame) {
            return Ok(known);
        }
        let mut pieces = Pieces::default();
        let mut term = Vec::new();
        for &ordinal in self.ordinals.ordinals_of(doc) {
            self.columns.postings.term(ordinal, &mut term)?;
            pieces.add(&term)?;
        }
        self.question.of_shapes(&pieces.finish()?)
    }
}

impl DocSet for ShapeSet<'_> {
    fn cost(&self) -> u64 {
        self.columns.corners.doc_count().into()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        Ok((window..self.windows).find(|&window| self.reaches(window)).unwrap_or(NO_MORE_WINDOWS))
    }

    fn add(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        if !self.reaches(window) {
            return Ok(());
        }
        self.columns.corners.decode_window(window, &mut self.corners);
        self.columns.ordinals.decode_window(window, &mut self.ordinals);
        let mut docs = Vec::new();
        bits::list(&self.corners.present, &mut docs);
        for doc in docs {
            if self.holds(doc)? {
                bits::set(bits, doc);
            }
        }
        Ok(())
    }
}
