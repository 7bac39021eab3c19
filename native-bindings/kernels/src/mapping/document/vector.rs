//! Vectors: arrays of as many numbers as the mapping says, or as the first document has.

use super::parser::Parser;
use super::scalar::{self, Scalar};
use crate::error::{Error, Result};
use crate::json::Token;
use crate::mapping::compiled::MappedField;
use crate::mapping::sink::DocumentSink;
use crate::mapping::spec::VectorSpec;
use crate::vectors::similarity::{Similarity, dot};

/// The most that a mapping may say.
const DIMS_MAX: usize = 4_096;
/// Values that a message shows.
const PREVIEW_VALUES: usize = 20;
/// How far the square of the length of a vector of length 1 may be from 1.
const UNIT_TOLERANCE: f32 = 1e-4;

impl<S: DocumentSink> Parser<'_, S> {
    /// The value of such a field; the scanner is at its text.
    pub(super) fn vector(&mut self, field: &MappedField, depth: usize) -> Result<()> {
        let Some(spec) = field.spec.vector else { return Err(Error::internal("the field holds no vectors")) };
        let start = self.scanner.clone();
        let token = self.scanner.peek();
        match self.check(token)? {
            Token::Null => return self.skip(depth),
            Token::Array => {}
            _ => {
                self.skip(depth)?;
                let preview = scalar::preview(&mut start.clone());
                let preview = self.check(preview)?;
                return Err(self.malformed(field, &preview, not_a_vector(field)));
            }
        }
        self.check_depth(depth)?;
        self.only_once(field)?;
        let mut values = std::mem::take(&mut self.scratch.vector);
        values.clear();
        let read = self.vector_values(field, &mut values).and_then(|()| self.take_vector(field, &spec, &values));
        self.scratch.vector = values;
        read
    }

    fn vector_values(&mut self, field: &MappedField, values: &mut Vec<f32>) -> Result<()> {
        self.each_element(|parser| {
            let token = parser.scanner.peek();
            let place = values.len();
            let refused = |parser: &Self, what: String| {
                let cause = Error::illegal_argument(format!("{what} at position [{place}] of the vector"));
                Err(parser.malformed(field, &preview(values), cause))
            };
            match parser.check(token)? {
                Token::Number if place == DIMS_MAX => {
                    refused(parser, format!("a vector has at most [{DIMS_MAX}] dimensions, but there is one more"))
                }
                Token::Number => {
                    let number = scalar::read(&mut parser.scanner, Token::Number);
                    let Scalar::Number(number) = parser.check(number)? else {
                        return refused(parser, "no number".to_owned());
                    };
                    let value = number.as_f64() as f32;
                    if !value.is_finite() {
                        let what = format!("values of element_type [float] are finite, but there is [{}]", number.text);
                        return refused(parser, what);
                    }
                    values.push(value);
                    Ok(())
                }
                Token::Array => refused(parser, "a document has one vector, but there is an array".to_owned()),
                _ => refused(parser, "a vector is made of numbers, but there is something else".to_owned()),
            }
        })
    }

    fn take_vector(&mut self, field: &MappedField, spec: &VectorSpec, values: &[f32]) -> Result<()> {
        let Some(dims) = spec.dims else {
            if values.is_empty() {
                let cause = Error::illegal_argument("a vector has one dimension at least");
                return Err(self.malformed(field, &preview(values), cause));
            }
            self.scratch.found_unmapped = true;
            self.scratch.report.add_vector(&field.spec.name, values.len() as u32);
            return Ok(());
        };
        if values.len() != dims as usize {
            let cause = Error::illegal_argument(format!(
                "The [dense_vector] field [{}] in doc [document with id '{}'] has a different number of dimensions [{}] than \
                 defined in the mapping [{dims}]",
                field.spec.name,
                self.head.id,
                values.len(),
            ));
            return Err(self.malformed(field, &preview(values), cause));
        }
        check_length(spec.similarity, values).map_err(|cause| self.malformed(field, &preview(values), cause))?;
        self.sink.vector(field.id, values)
    }
}

/// Refuses vectors that a similarity cannot compare, whether of documents or of requests.
pub fn check_length(similarity: Option<Similarity>, vector: &[f32]) -> Result<()> {
    let square = dot(vector, vector);
    let why = match similarity {
        Some(similarity @ (Similarity::Cosine | Similarity::DotProduct)) if square == 0.0 => {
            format!("The [{}] similarity does not support vectors with zero magnitude.", similarity.name())
        }
        Some(Similarity::DotProduct) if (square - 1.0).abs() > UNIT_TOLERANCE => {
            "The [dot_product] similarity can only be used with unit-length vectors.".to_owned()
        }
        Some(_) if !square.is_finite() => {
            "The length of the vector is beyond what element_type [float] holds.".to_owned()
        }
        _ => return Ok(()),
    };
    Err(Error::illegal_argument(format!("{why} Preview of invalid vector: {}", preview(vector))))
}

/// The refusal of anything but an array of numbers.
pub(super) fn not_a_vector(field: &MappedField) -> Error {
    Error::illegal_argument(format!("[dense_vector] field [{}] takes an array of numbers", field.spec.name))
}

fn preview(values: &[f32]) -> String {
    let shown: Vec<String> = values.iter().take(PREVIEW_VALUES).map(|value| format!("{value:?}")).collect();
    let more = if values.len() > PREVIEW_VALUES { ", ..." } else { "" };
    format!("[{}{more}]", shown.join(", "))
}
