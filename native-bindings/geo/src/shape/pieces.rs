//! The shapes of a document as terms: terms are short and come in their order, so each begins with the number of the shape in
//! the document and that of the piece in the shape.

use super::Shape;
use super::encode::{decode, encode};
use quarry_base::error::{Error, Result};
use quarry_base::limits::TERM_BYTES_MAX;

const PREFIX_BYTES: usize = 6;
const PIECE_BYTES: usize = TERM_BYTES_MAX - PREFIX_BYTES;

/// Calls `take` with each piece of a shape. `number` is that of the shape in its document.
pub fn each_piece(shape: &Shape, number: u32, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let bytes = encode(shape);
    let mut piece = Vec::with_capacity(PREFIX_BYTES + bytes.len().min(PIECE_BYTES));
    for (place, part) in bytes.chunks(PIECE_BYTES).enumerate() {
        let place = u16::try_from(place).map_err(|_| Error::illegal_argument("a shape is too large"))?;
        piece.clear();
        piece.extend_from_slice(&number.to_be_bytes());
        piece.extend_from_slice(&place.to_be_bytes());
        piece.extend_from_slice(part);
        take(&piece)?;
    }
    Ok(())
}

/// Puts the pieces of a document together again.
#[derive(Debug, Default)]
pub struct Pieces {
    shapes: Vec<Shape>,
    number: Option<u32>,
    next: u16,
    bytes: Vec<u8>,
}

impl Pieces {
    /// In the order of the terms. Errors: `Corrupt`.
    pub fn add(&mut self, piece: &[u8]) -> Result<()> {
        let parts = piece.split_first_chunk::<4>().and_then(|(number, rest)| {
            let (place, bytes) = rest.split_first_chunk::<2>()?;
            Some((u32::from_be_bytes(*number), u16::from_be_bytes(*place), bytes))
        });
        let (number, place, bytes) = parts.ok_or_else(|| Error::corrupt("a piece of a shape has no number"))?;
        if self.number != Some(number) {
            self.end_shape()?;
            self.number = Some(number);
        }
        if place != self.next {
            return Err(Error::corrupt(format!("piece [{}] of a shape is missing", self.next)));
        }
        self.next = self.next.wrapping_add(1);
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn end_shape(&mut self) -> Result<()> {
        if self.number.take().is_some() {
            self.shapes.push(decode(&self.bytes)?);
            self.bytes.clear();
            self.next = 0;
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<Vec<Shape>> {
        self.end_shape()?;
        Ok(self.shapes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::read::{Drawn, Orientation};
    use ::geo::{Coord, Geometry, LineString};

    fn line(points: usize) -> Shape {
        let points = (0..points).map(|place| Coord { x: place as f64 / 1e4, y: (place % 7) as f64 });
        Shape::new(Drawn::Geometry(Geometry::LineString(LineString(points.collect()))), Orientation::Right).unwrap()
    }

    #[test]
    fn large_shapes_come_in_pieces() {
        let shapes = [line(2), line(20_000), line(3)];
        let mut pieces = Vec::new();
        for (number, shape) in shapes.iter().enumerate() {
            each_piece(shape, number as u32, |piece| {
                pieces.push(piece.to_vec());
                Ok(())
            })
            .unwrap();
        }
        assert!(pieces.len() > 6 && pieces.is_sorted());
        let together = |pieces: &[Vec<u8>]| {
            let mut found = Pieces::default();
            pieces.iter().try_for_each(|piece| found.add(piece))?;
            found.finish()
        };
        assert_eq!(together(&pieces).unwrap(), shapes);
        pieces.remove(2);
        assert!(together(&pieces).is_err());
        assert!(together(&[vec![1, 2]]).is_err());
    }
}
