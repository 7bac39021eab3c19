//! What a document holds and the mapping does not.

use super::parser::{Parser, failed_to_parse, validate_name};
use super::scalar::{self, Scalar};
use crate::dynamic::DynamicKind;
use crate::sink::DocumentSink;
use crate::spec::Dynamic;
use crate::tree::{NodeId, ObjectNode};
use quarry_base::error::{Error, Result};
use quarry_json::Token;

#[derive(Debug, Clone, Copy)]
struct UnmappedWalk {
    /// `false` under `dynamic: runtime`, where objects are no part of the mapping: their leaves carry the whole path.
    objects_count: bool,
}

impl<S: DocumentSink> Parser<'_, S> {
    /// The value of a name that an object of the mapping lacks; the name may have dots.
    pub(super) fn unmapped_member(&mut self, node: NodeId, name: &str, depth: usize) -> Result<()> {
        let mapping = self.mapping;
        let node = mapping.tree().node(node);
        if !mapping.has_aliases() && !mapping.has_runtime() {
            return self.new_member(node, name, depth);
        }
        let path = if node.path.is_empty() { name.to_owned() } else { format!("{}.{name}", node.path) };
        self.refuse_alias(&path)?;
        match mapping.is_runtime(&path) && !name.contains('.') {
            true => self.runtime_member(node, name, depth),
            false => self.new_member(node, name, depth),
        }
    }

    /// What has the name of a field that searches compute: values are left alone, objects are as any others.
    fn runtime_member(&mut self, node: &ObjectNode, name: &str, depth: usize) -> Result<()> {
        let token = self.scanner.peek();
        match self.check(token)? {
            Token::Object => self.new_member(node, name, depth),
            Token::Array => {
                self.check_depth(depth)?;
                self.each_element(|parser| parser.runtime_member(node, name, depth + 1))
            }
            _ => self.skip(depth),
        }
    }

    fn new_member(&mut self, node: &ObjectNode, name: &str, depth: usize) -> Result<()> {
        self.refuse_strict(node.dynamic, node.display_path(), name)?;
        if node.dynamic == Dynamic::False {
            return self.skip(depth);
        }
        let token = self.scanner.peek();
        if self.check(token)? == Token::Null {
            return self.skip(depth);
        }
        let mut path = node.path.to_string();
        let walk = UnmappedWalk { objects_count: node.dynamic != Dynamic::Runtime };
        self.append_path(&mut path, name, depth, walk)
    }

    /// Another name of a field can be searched, but takes no values.
    fn refuse_alias(&self, path: &str) -> Result<()> {
        if self.mapping.aliases().any(|(alias, _)| alias == path) {
            let cause = Error::illegal_argument(format!("Cannot write to a field alias [{path}]."));
            return Err(failed_to_parse(cause));
        }
        Ok(())
    }

    /// An object that the mapping lacks. Only where objects count does it alone call for a mapping update.
    fn unmapped_object_at(&mut self, path: &str, walk: UnmappedWalk) {
        self.scratch.found_unmapped |= walk.objects_count;
        self.scratch.report.add(path, DynamicKind::Object);
    }

    /// Adds a name to the path, its leading parts as objects, and reads the value there. The path is restored.
    fn append_path(&mut self, path: &mut String, name: &str, depth: usize, walk: UnmappedWalk) -> Result<()> {
        validate_name(name).map_err(failed_to_parse)?;
        let length = path.len();
        let mut parts = name.split('.').peekable();
        while let Some(part) = parts.next() {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(part);
            if parts.peek().is_some() && !self.is_null_next()? {
                self.unmapped_object_at(path, walk);
            }
        }
        self.unmapped_value(path, depth, walk)?;
        path.truncate(length);
        Ok(())
    }

    fn is_null_next(&mut self) -> Result<bool> {
        let token = self.scanner.peek();
        Ok(self.check(token)? == Token::Null)
    }

    /// Whether the value was a number with a fraction.
    fn unmapped_value(&mut self, path: &mut String, depth: usize, walk: UnmappedWalk) -> Result<bool> {
        let token = self.scanner.peek();
        match self.check(token)? {
            Token::Null => self.skip(depth)?,
            Token::Object => self.unmapped_object(path, depth, walk)?,
            Token::Array => self.unmapped_array(path, depth, walk)?,
            _ if self.mapping.is_runtime(path) => self.skip(depth)?,
            token => {
                let mut buffer = std::mem::take(&mut self.scratch.text);
                let value = scalar::read_any(&mut self.scanner, token, &mut buffer);
                let done = self.check(value).map(|value| {
                    self.unmapped_scalar(path, &value);
                    matches!(value, Scalar::Number(number) if !number.is_integer)
                });
                self.scratch.text = buffer;
                return done;
            }
        }
        Ok(false)
    }

    /// Fractions alone may be a vector: how many they are is reported with their field. Arrays within arrays are none.
    fn unmapped_array(&mut self, path: &mut String, depth: usize, walk: UnmappedWalk) -> Result<()> {
        self.check_depth(depth)?;
        let known = self.scratch.report.fields().len();
        let mut fractions = Some(0);
        self.each_element(|parser| {
            let is_fraction = parser.unmapped_value(path, depth + 1, walk)?;
            fractions = fractions.filter(|_| is_fraction).map(|count| count + 1);
            Ok(())
        })?;
        self.scratch.report.set_dims(known, path, fractions);
        Ok(())
    }

    fn unmapped_object(&mut self, path: &mut String, depth: usize, walk: UnmappedWalk) -> Result<()> {
        self.check_depth(depth)?;
        self.unmapped_object_at(path, walk);
        self.each_member(|parser, name| parser.append_path(path, name, depth + 1, walk))
    }
}
