//! Vectors: arrays of as many numbers as the mapping says, or as the first document has. Bytes and bits come as hexadecimal digits as well.

use super::parser::Parser;
use super::scalar::{self, Scalar};
use crate::compiled::MappedField;
use crate::sink::DocumentSink;
use crate::spec::VectorSpec;
use quarry_base::error::{Error, Result};
use quarry_json::Token;
use quarry_segment::vectors::elements::VectorValues;
use quarry_vectors::measure::Element;
use quarry_vectors::similarity::{Similarity, dot};

/// The most numbers that a document's vector may have, of which each may be eight dimensions.
const VALUES_MAX: usize = 4_096;
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
        let token = self.check(token)?;
        match token {
            Token::Null => return self.skip(depth),
            Token::Array => self.check_depth(depth)?,
            Token::String if spec.element != Element::Float => {}
            _ => {
                self.skip(depth)?;
                let preview = scalar::preview(&mut start.clone());
                let preview = self.check(preview)?;
                return Err(self.malformed(field, &preview, not_a_vector(field)));
            }
        }
        self.only_once(field)?;
        let mut values = std::mem::take(&mut self.scratch.vector);
        values.clear();
        let read = match token {
            Token::Array => self.vector_values(field, spec.element, &mut values),
            _ => self.vector_digits(field, &mut values),
        };
        let read = read.and_then(|()| self.take_vector(field, &spec, &values));
        self.scratch.vector = values;
        read
    }

    fn vector_values(&mut self, field: &MappedField, element: Element, values: &mut Vec<f32>) -> Result<()> {
        self.each_element(|parser| {
            let token = parser.scanner.peek();
            let place = values.len();
            let refused = |parser: &Self, what: String| {
                let cause = Error::illegal_argument(format!("{what} at position [{place}] of the vector"));
                Err(parser.malformed(field, &preview(values), cause))
            };
            match parser.check(token)? {
                Token::Number if place == VALUES_MAX => {
                    refused(parser, format!("a vector has at most [{VALUES_MAX}] values, but there is one more"))
                }
                Token::Number => {
                    let number = scalar::read(&mut parser.scanner, Token::Number);
                    let Scalar::Number(number) = parser.check(number)? else {
                        return refused(parser, "no number".to_owned());
                    };
                    let value = number.as_f64() as f32;
                    if !value.is_finite() {
                        let what = format!(
                            "values of element_type [{}] are finite, but there is [{}]",
                            element.name(),
                            number.text
                        );
                        return refused(parser, what);
                    }
                    check_value(element, place, value)
                        .map_err(|cause| parser.malformed(field, &preview(values), cause))?;
                    values.push(value);
                    Ok(())
                }
                Token::Array => refused(parser, "a document has one vector, but there is an array".to_owned()),
                _ => refused(parser, "a vector is made of numbers, but there is something else".to_owned()),
            }
        })
    }

    /// Two hexadecimal digits for each byte.
    fn vector_digits(&mut self, field: &MappedField, values: &mut Vec<f32>) -> Result<()> {
        let text = self.scanner.string();
        let text = self.check(text)?.raw;
        let refused = |what: String| Err(self.malformed(field, &digits_preview(text), Error::illegal_argument(what)));
        if !text.len().is_multiple_of(2) || text.len() > VALUES_MAX * 2 {
            let most = VALUES_MAX * 2;
            return refused(format!(
                "a vector has an even number of hexadecimal digits up to [{most}], not [{}]",
                text.len()
            ));
        }
        for pair in text.as_bytes().chunks(2) {
            let digits =
                std::str::from_utf8(pair).ok().filter(|pair| pair.bytes().all(|digit| digit.is_ascii_hexdigit()));
            match digits.map(|digits| u8::from_str_radix(digits, 16)) {
                Some(Ok(byte)) => values.push(f32::from(byte as i8)),
                _ => return refused(format!("not a hexadecimal digit at position [{}]", values.len() * 2)),
            }
        }
        Ok(())
    }

    fn take_vector(&mut self, field: &MappedField, spec: &VectorSpec, values: &[f32]) -> Result<()> {
        let given = values.len() as u32 * spec.element.dims_of_value();
        let Some(dims) = spec.dims else {
            if values.is_empty() {
                let cause = Error::illegal_argument("a vector has one dimension at least");
                return Err(self.malformed(field, &preview(values), cause));
            }
            self.scratch.found_unmapped = true;
            self.scratch.report.add_vector(&field.spec.name, given);
            return Ok(());
        };
        if given != dims {
            let cause = Error::illegal_argument(format!(
                "The [dense_vector] field [{}] in doc [document with id '{}'] has a different number of dimensions [{given}] than \
                 defined in the mapping [{dims}]",
                field.spec.name, self.head.id,
            ));
            return Err(self.malformed(field, &preview(values), cause));
        }
        check_length(spec.similarity, spec.element, values)
            .map_err(|cause| self.malformed(field, &preview(values), cause))?;
        match spec.element {
            Element::Float => self.sink.vector(field.id, VectorValues::Floats(values)),
            Element::Byte | Element::Bit => self.sink.vector(field.id, VectorValues::Bytes(&to_bytes(values))),
        }
    }
}

/// Whole numbers from -128 to 127 as bytes.
pub fn to_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().map(|&value| value as i8 as u8).collect()
}

/// Refuses values that an element cannot hold, whether of documents or of requests.
pub fn check_value(element: Element, place: usize, value: f32) -> Result<()> {
    if element == Element::Float || (value.fract() == 0.0 && (-128.0..=127.0).contains(&value)) {
        return Ok(());
    }
    let name = element.name();
    Err(Error::illegal_argument(if value.fract() == 0.0 {
        format!(
            "element_type [{name}] vectors only support integers between [-128, 127] but found [{value}] at dim [{place}];"
        )
    } else {
        format!(
            "element_type [{name}] vectors only support non-decimal values but found decimal value [{value}] at dim [{place}];"
        )
    }))
}

/// Refuses vectors that a similarity cannot compare, whether of documents or of requests.
pub fn check_length(similarity: Option<Similarity>, element: Element, vector: &[f32]) -> Result<()> {
    if element == Element::Bit {
        return Ok(());
    }
    let square = dot(vector, vector);
    let is_float = element == Element::Float;
    let why = match similarity {
        Some(Similarity::Cosine) if square == 0.0 => no_length(Similarity::Cosine),
        Some(Similarity::DotProduct) if square == 0.0 && is_float => no_length(Similarity::DotProduct),
        Some(Similarity::DotProduct) if (square - 1.0).abs() > UNIT_TOLERANCE && is_float => {
            "The [dot_product] similarity can only be used with unit-length vectors.".to_owned()
        }
        Some(_) if !square.is_finite() => {
            "The length of the vector is beyond what element_type [float] holds.".to_owned()
        }
        _ => return Ok(()),
    };
    Err(Error::illegal_argument(format!("{why} Preview of invalid vector: {}", preview(vector))))
}

fn no_length(similarity: Similarity) -> String {
    format!("The [{}] similarity does not support vectors with zero magnitude.", similarity.name())
}

/// The refusal of anything but a vector.
pub(super) fn not_a_vector(field: &MappedField) -> Error {
    let name = &field.spec.name;
    Error::illegal_argument(match field.spec.vector.map(|vector| vector.element) {
        Some(Element::Byte | Element::Bit) => {
            format!("[dense_vector] field [{name}] takes an array of numbers or a string of hexadecimal digits")
        }
        Some(Element::Float) | None => format!("[dense_vector] field [{name}] takes an array of numbers"),
    })
}

fn digits_preview(text: &str) -> String {
    text.chars().take(PREVIEW_VALUES * 2).collect()
}

fn preview(values: &[f32]) -> String {
    let shown: Vec<String> = values.iter().take(PREVIEW_VALUES).map(|value| format!("{value:?}")).collect();
    let more = if values.len() > PREVIEW_VALUES { ", ..." } else { "" };
    format!("[{}{more}]", shown.join(", "))
}
