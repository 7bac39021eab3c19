//! The shapes of a batch's documents.

use crate::collect::Batch;
use crate::source::FieldSource;
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_geo::point::Steps;
use quarry_geo::shape::{Frame, Shape};
use quarry_segment::column::shape::{ShapeColumns, ShapeWindow};
use quarry_segment::reader::FieldReader;

/// Shapes of one field, window by window; a missing one stands in for documents without any.
pub struct ShapeValues<'a> {
    columns: Option<ShapeColumns<'a>>,
    missing: Option<Shape>,
    window: ShapeWindow,
}

impl<'a> ShapeValues<'a> {
    pub fn new(source: &FieldSource) -> Result<Self> {
        let point = |value: i64| {
            let Steps { lat, lon } = Steps::of_column(value);
            Shape::of_frame(&Frame { south: lat, north: lat, west: lon, east: lon })
        };
        let missing = source.missing_number().map(point).transpose()?;
        Ok(ShapeValues { columns: None, missing, window: ShapeWindow::default() })
    }

    pub fn start_segment(&mut self, reader: Option<&'a FieldReader>) {
        self.columns = reader.and_then(ShapeColumns::of);
    }

    /// Calls `take` with the place in the batch and the shapes of each document that has any, looking for cancellation at each.
    pub fn for_each(
        &mut self,
        batch: &Batch<'_>,
        mut take: impl FnMut(usize, &mut ShapesOf<'_>) -> Result<()>,
    ) -> Result<()> {
        if let Some(columns) = &self.columns {
            columns.decode_window(batch.window, &mut self.window);
        }
        for (place, &doc) in batch.docs.iter().enumerate() {
            let held = self.columns.as_ref().and_then(|columns| Some((columns, self.window.frame_of(doc)?)));
            let mut shapes = match (held, &self.missing) {
                (Some((columns, frame)), _) => ShapesOf::Held { columns, window: &mut self.window, doc, frame },
                (None, Some(missing)) => ShapesOf::Missing(missing),
                (None, None) => continue,
            };
            interrupt::check()?;
            take(place, &mut shapes)?;
        }
        Ok(())
    }
}

/// The shapes of one document.
pub enum ShapesOf<'s> {
    Held { columns: &'s ShapeColumns<'s>, window: &'s mut ShapeWindow, doc: u16, frame: Frame },
    Missing(&'s Shape),
}

impl ShapesOf<'_> {
    /// The box around all of them.
    pub fn frame(&self) -> Frame {
        match self {
            ShapesOf::Held { frame, .. } => *frame,
            ShapesOf::Missing(shape) => *shape.frame(),
        }
    }

    /// Errors: `Corrupt`.
    pub fn shapes(&mut self) -> Result<Vec<Shape>> {
        match self {
            ShapesOf::Held { columns, window, doc, .. } => columns.shapes_of(window, *doc),
            ShapesOf::Missing(shape) => Ok(vec![shape.clone()]),
        }
    }
}
