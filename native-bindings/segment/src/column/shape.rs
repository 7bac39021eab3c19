//! The shapes of documents: a column has the corners of the boxes around them, terms have their bytes in pieces.

use super::numeric::{NumericColumn, NumericWindow};
use super::ordinal::{OrdinalColumn, OrdinalWindow};
use crate::reader::FieldReader;
use quarry_base::error::Result;
use quarry_codec::window::WindowBits;
use quarry_geo::shape::pieces::Pieces;
use quarry_geo::shape::{Frame, Shape};
use quarry_postings::FieldPostingsReader;

/// The columns of a field of shapes.
#[derive(Clone, Copy)]
pub struct ShapeColumns<'a> {
    pub corners: &'a NumericColumn,
    ordinals: &'a OrdinalColumn,
    postings: &'a FieldPostingsReader,
}

/// The shapes of one window.
#[derive(Default)]
pub struct ShapeWindow {
    corners: NumericWindow,
    ordinals: OrdinalWindow,
    term: Vec<u8>,
}

impl<'a> ShapeColumns<'a> {
    /// `None`: the segment has no shapes.
    #[inline]
    pub fn of(reader: &'a FieldReader) -> Option<Self> {
        Some(ShapeColumns { corners: reader.numeric()?, ordinals: reader.ordinals()?, postings: reader.postings()? })
    }

    #[inline]
    pub fn decode_window(&self, window: u32, into: &mut ShapeWindow) {
        self.corners.decode_window(window, &mut into.corners);
        self.ordinals.decode_window(window, &mut into.ordinals);
    }

    /// The shapes of a document of the window, in their order.
    ///
    /// Errors: `Corrupt`.
    #[inline]
    pub fn shapes_of(&self, window: &mut ShapeWindow, doc: u16) -> Result<Vec<Shape>> {
        let mut pieces = Pieces::default();
        for &ordinal in window.ordinals.ordinals_of(doc) {
            self.postings.term(ordinal, &mut window.term)?;
            pieces.add(&window.term)?;
        }
        pieces.finish()
    }
}

impl ShapeWindow {
    /// Documents with shapes.
    #[inline]
    pub fn present(&self) -> &WindowBits {
        &self.corners.present
    }

    /// The box around all shapes of a document; `None`: it has none.
    #[inline]
    pub fn frame_of(&self, doc: u16) -> Option<Frame> {
        Frame::of_corners(self.corners.values_of(doc))
    }
}
