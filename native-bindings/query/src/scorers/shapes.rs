//! Documents by how their shapes lie to the figure of a query: the box around them first, then the shapes themselves.

use super::bits;
use super::sets::DocSet;
use quarry_base::error::Result;
use quarry_codec::window::{NO_MORE_WINDOWS, WindowBits, window_count};
use quarry_geo::point::Steps;
use quarry_geo::shape::{Asking, Figure, Relation};
use quarry_segment::column::shape::{ShapeColumns, ShapeWindow};
use quarry_segment::reader::FieldReader;

pub struct ShapeSet<'a> {
    columns: ShapeColumns<'a>,
    asking: Asking<'a>,
    /// Of the figure, in steps.
    latitudes: (i32, i32),
    relation: Relation,
    windows: u32,
    decoded: ShapeWindow,
}

impl<'a> ShapeSet<'a> {
    /// `None`: the segment has no shapes.
    pub fn new(reader: &'a FieldReader, figure: &'a Figure, relation: Relation, max_doc: u32) -> Option<Self> {
        Some(ShapeSet {
            columns: ShapeColumns::of(reader)?,
            asking: figure.ask(relation),
            latitudes: figure.latitudes(),
            relation,
            windows: window_count(max_doc),
            decoded: ShapeWindow::default(),
        })
    }

    /// The window may hold a document that matches.
    fn reaches(&self, window: u32) -> bool {
        let Some((low, high)) = self.columns.corners.window_range(window) else { return false };
        let (south, north) = (Steps::of_column(low).lat, Steps::of_column(high).lat);
        self.relation == Relation::Disjoint || (south <= self.latitudes.1 && north >= self.latitudes.0)
    }

    fn holds(&mut self, doc: u16) -> Result<bool> {
        let Some(frame) = self.decoded.frame_of(doc) else { return Ok(false) };
        if let Some(known) = self.asking.of_frame(&frame) {
            return Ok(known);
        }
        self.asking.of_shapes(&self.columns.shapes_of(&mut self.decoded, doc)?)
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
        self.columns.decode_window(window, &mut self.decoded);
        let mut docs = Vec::new();
        bits::list(self.decoded.present(), &mut docs);
        for doc in docs {
            if self.holds(doc)? {
                bits::set(bits, doc);
            }
        }
        Ok(())
    }
}
