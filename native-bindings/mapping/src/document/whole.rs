//! Values that are objects or pairs of numbers as a whole: places, shapes and ranges. `copy_to` hands them on as they are written.

use super::parser::{Parser, failed_to_parse};
use super::scalar;
use crate::compiled::{CopyTarget, MappedField};
use crate::sink::DocumentSink;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_json::Token;

impl<S: DocumentSink> Parser<'_, S> {
    /// The value that comes next, for the field and those that it is copied to. Of places and shapes it is an object or a pair.
    pub(super) fn whole(&mut self, field: &MappedField, depth: usize) -> Result<()> {
        if field.copy_to.is_empty() {
            return self.own_whole(field, depth);
        }
        let start = self.scanner.clone();
        self.own_whole(field, depth)?;
        let behind = self.scanner.clone();
        for target in &field.copy_to {
            self.scanner = start.clone();
            match self.is_at_root() {
                true => self.copy_whole(target, field, depth)?,
                false => self.at_level_of(target, field, |parser| parser.copy_whole(target, field, depth))?,
            }
        }
        self.scanner = behind;
        Ok(())
    }

    fn own_whole(&mut self, field: &MappedField, depth: usize) -> Result<()> {
        match &field.ends {
            Some(ends) => self.range(field, ends, depth),
            None if field.is_place() => self.place_here(field, depth),
            None if field.is_shape() => self.shape_here(field, depth),
            None => self.object_for_field(field, depth),
        }
    }

    fn copy_whole(&mut self, target: &CopyTarget, from: &MappedField, depth: usize) -> Result<()> {
        let token = self.scanner.peek();
        match (self.check(token)?, target) {
            (Token::Object, CopyTarget::Field(field)) => self.own_whole(self.mapping.field(*field), depth),
            (Token::Array, CopyTarget::Field(field)) if self.mapping.field(*field).is_place() => {
                self.place_here(self.mapping.field(*field), depth)
            }
            (Token::Object | Token::Array, _) => Err(only_values(from)),
            (token, _) => {
                let mut buffer = String::new();
                let value = scalar::read_any(&mut self.scanner, token, &mut buffer);
                let value = self.check(value)?;
                self.copy(target, &value)
            }
        }
    }
}

fn only_values(from: &MappedField) -> Error {
    let reason = format!(
        "Cannot copy field [{}] to fields [{}]. Copy-to currently only works for value-type fields, not objects.",
        from.spec.name,
        from.spec.copy_to.join(", "),
    );
    failed_to_parse(Error::new(ErrorCode::MapperParsing, reason))
}
