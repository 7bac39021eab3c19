//! The record of one document: its source, and values of fields with `store: true`.
//!
//! `varint(source length + 1) source` (a single 0 where the mapping keeps no source), then for each stored value
//! `varint(length) name varint(length) JSON value`, to the end of the record.

use quarry_base::error::{Error, Result};
use quarry_codec::varint;

/// A parsed record, borrowed from its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    source: Option<&'a [u8]>,
    fields: &'a [u8],
}

impl<'a> Record<'a> {
    /// Appends a record. `source` is `None` where the mapping does not keep it; `fields` are name and JSON value, a name
    /// may come several times (each time one value).
    pub fn write<'f>(out: &mut Vec<u8>, source: Option<&[u8]>, fields: impl IntoIterator<Item = (&'f str, &'f [u8])>) {
        match source {
            None => varint::write_u64(out, 0),
            Some(source) => {
                varint::write_u64(out, source.len() as u64 + 1);
                out.extend_from_slice(source);
            }
        }
        for (name, value) in fields {
            write_bytes(out, name.as_bytes());
            write_bytes(out, value);
        }
    }

    /// Checks the whole record, so that reading its fields cannot fail.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let mut at = 0;
        let source = match varint::read_u64(bytes, &mut at)? {
            0 => None,
            length => Some(take(bytes, &mut at, length - 1)?),
        };
        let fields = &bytes[at..];
        let mut field_at = 0;
        while field_at < fields.len() {
            let name = read_bytes(fields, &mut field_at)?;
            std::str::from_utf8(name).map_err(|_| Error::corrupt("stored field's name is not UTF-8"))?;
            read_bytes(fields, &mut field_at)?;
        }
        Ok(Record { source, fields })
    }

    pub fn source(&self) -> Option<&'a [u8]> {
        self.source
    }

    /// Name and JSON value, in the order they were written.
    pub fn fields(&self) -> impl Iterator<Item = (&'a str, &'a [u8])> + use<'a> {
        let fields = self.fields;
        let mut at = 0;
        std::iter::from_fn(move || {
            if at >= fields.len() {
                return None;
            }
            let name = read_bytes(fields, &mut at).ok()?;
            let value = read_bytes(fields, &mut at).ok()?;
            Some((std::str::from_utf8(name).ok()?, value))
        })
    }
}

fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    varint::write_u64(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn read_bytes<'a>(bytes: &'a [u8], at: &mut usize) -> Result<&'a [u8]> {
    let length = varint::read_u64(bytes, at)?;
    take(bytes, at, length)
}

fn take<'a>(bytes: &'a [u8], at: &mut usize, length: u64) -> Result<&'a [u8]> {
    let end = usize::try_from(length).ok().and_then(|length| at.checked_add(length));
    let part = end.and_then(|end| bytes.get(*at..end));
    let part = part.ok_or_else(|| Error::corrupt("stored record is cut off"))?;
    *at += part.len();
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn records_round_trip(source: Option<Vec<u8>>, fields: Vec<(String, Vec<u8>)>) {
            let mut bytes = Vec::new();
            let borrowed = fields.iter().map(|(name, value)| (name.as_str(), value.as_slice()));
            Record::write(&mut bytes, source.as_deref(), borrowed.clone());
            let record = Record::parse(&bytes).unwrap();
            prop_assert_eq!(record.source(), source.as_deref());
            prop_assert_eq!(record.fields().collect::<Vec<_>>(), borrowed.collect::<Vec<_>>());
        }

        #[test]
        fn any_bytes_parse_or_are_damage(bytes: Vec<u8>) {
            if let Ok(record) = Record::parse(&bytes) {
                record.fields().for_each(drop);
            }
        }
    }
}
