//! A field of shapes: their bytes, in pieces, as terms, and the corners of the boxes around them as numbers.

use super::number::NumberField;
use super::order::DocumentOrder;
use super::term::TermField;

#[derive(Debug, Default)]
pub struct ShapeField {
    pub pieces: TermField,
    pub corners: NumberField,
}

impl ShapeField {
    pub fn commit(&mut self) {
        self.pieces.commit();
        self.corners.commit();
    }

    /// What was added since the last commit is of this document.
    pub fn commit_as(&mut self, ordinal: u32) {
        self.pieces.commit_as(ordinal);
        self.corners.commit_as(ordinal);
    }

    pub(super) fn rearrange(&mut self, order: &DocumentOrder) {
        self.pieces.rearrange(order);
        self.corners.rearrange(order);
    }

    pub fn rollback(&mut self) {
        self.pieces.rollback();
        self.corners.rollback();
    }

    pub fn rollback_to(&mut self, first: u32) {
        self.pieces.rollback_to(first);
        self.corners.rollback_to(first);
    }

    pub fn clear(&mut self) {
        self.pieces.clear();
        self.corners.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub fn memory_bytes(&self) -> usize {
        self.pieces.memory_bytes() + self.corners.memory_bytes()
    }
}
