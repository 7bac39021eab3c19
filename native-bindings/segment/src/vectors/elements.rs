//! The values of vectors in memory: fractions, or bytes.

use quarry_vectors::measure::Element;

/// The values of one vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum VectorValues<'a> {
    Floats(&'a [f32]),
    /// Numbers from -128 to 127, or eight bits each.
    Bytes(&'a [u8]),
}

/// The values of vectors of one length, one after another.
#[derive(Debug, Clone, PartialEq)]
pub enum Elements {
    Floats(Vec<f32>),
    Bytes(Vec<u8>),
}

impl Default for Elements {
    fn default() -> Self {
        Elements::Floats(Vec::new())
    }
}

impl Elements {
    pub fn of(element: Element) -> Self {
        match element {
            Element::Float => Elements::Floats(Vec::new()),
            Element::Byte | Element::Bit => Elements::Bytes(Vec::new()),
        }
    }

    /// Values of all vectors together.
    pub fn value_count(&self) -> usize {
        match self {
            Elements::Floats(values) => values.len(),
            Elements::Bytes(values) => values.len(),
        }
    }

    pub fn truncate(&mut self, length: usize) {
        match self {
            Elements::Floats(values) => values.truncate(length),
            Elements::Bytes(values) => values.truncate(length),
        }
    }

    pub fn memory_bytes(&self) -> usize {
        match self {
            Elements::Floats(values) => size_of_val(values.as_slice()),
            Elements::Bytes(values) => values.len(),
        }
    }

    /// The vectors with these numbers, in this order. `width`: values of each.
    pub fn rearranged(&self, rows: impl Iterator<Item = usize>, width: usize) -> Self {
        match self {
            Elements::Floats(values) => Elements::Floats(in_order(values, rows, width)),
            Elements::Bytes(values) => Elements::Bytes(in_order(values, rows, width)),
        }
    }
}

fn in_order<T: Copy>(values: &[T], rows: impl Iterator<Item = usize>, width: usize) -> Vec<T> {
    rows.flat_map(|row| &values[row * width..][..width]).copied().collect()
}
