//! Nested objects: each is a document of its own, before the one that it is part of.
//!
//! What an object includes in its parent or in the root is read a second time, when that document has all of its own values:
//! a field takes the values of one document after the other.

use super::parser::{Parser, failed_to_parse};
use super::scalar::Scalar;
use crate::compiled::{CopyTarget, MappedField};
use crate::sink::DocumentSink;
use crate::tree::{NodeId, ROOT, Target};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_json::{Scanner, Token};

/// The nested objects around the place where a document is being read.
#[derive(Debug, Default)]
pub(super) struct Nesting<'p> {
    /// The innermost last.
    open: Vec<NodeId>,
    /// Objects of the document so far.
    count: u32,
    /// Objects to be read again for a document around them.
    included: Vec<Included<'p>>,
    /// Where the objects are read again that are included: what of them goes to the open document.
    reading: Option<Reading>,
}

/// A nested object that the document around it includes.
#[derive(Debug)]
struct Included<'p> {
    /// At the object's text.
    at: Scanner<'p>,
    node: NodeId,
    /// Names from the object to the value at hand, where they were written with dots.
    path: Option<Box<str>>,
}

/// Values that are read a second time.
#[derive(Debug, Clone, Copy)]
struct Reading {
    /// The nested object whose values these are.
    of: NodeId,
    /// For the root, not for the parent of the object.
    for_root: bool,
}

impl<'p, S: DocumentSink> Parser<'p, S> {
    /// A nested object; the scanner is at its text. `path`: names with dots that lead on from it to a value.
    pub(super) fn nested(&mut self, node: NodeId, path: Option<&str>, depth: usize) -> Result<()> {
        let limit = self.mapping.spec().nested_objects_limit;
        self.nesting.count += 1;
        if self.nesting.count > limit {
            return Err(Error::new(
                ErrorCode::MapperParsing,
                format!(
                    "The number of nested documents has exceeded the allowed limit of [{limit}]. This limit can be set by changing the [index.mapping.nested_objects.limit] index level setting."
                ),
            ));
        }
        let start = self.scanner.clone();
        let waiting = self.nesting.included.len();
        self.sink.begin_child();
        let around = std::mem::take(&mut self.single_values);
        self.nesting.open.push(node);
        match path {
            None => self.object(node, depth)?,
            Some(path) => self.unknown_name(node, path, depth)?,
        }
        self.include(waiting)?;
        self.constant_values(node)?;
        self.nesting.open.pop();
        self.single_values = around;
        let mapping = self.mapping;
        self.sink.end_child(&mapping.tree().node(node).path);
        let nested = mapping.tree().node(node).nested;
        let is_outermost = self.nesting.open.is_empty();
        if nested.is_some_and(|it| if is_outermost { it.has_parts_in_root } else { it.include_in_parent }) {
            self.nesting.included.push(Included { at: start, node, path: path.map(Into::into) });
        }
        Ok(())
    }

    /// The open document is complete but for what it includes: all after the first `waiting` of what is noted.
    pub(super) fn include(&mut self, waiting: usize) -> Result<()> {
        if self.nesting.included.len() == waiting {
            return Ok(());
        }
        let for_root = self.nesting.open.is_empty();
        for Included { at, node, path } in self.nesting.included.split_off(waiting) {
            let behind = std::mem::replace(&mut self.scanner, at);
            self.nesting.reading = Some(Reading { of: node, for_root });
            match path {
                None => self.included_object(node)?,
                Some(path) => self.included_name(node, &path)?,
            }
            self.nesting.reading = None;
            self.scanner = behind;
        }
        Ok(())
    }

    /// Whether values of a nested object are wanted where objects are read again.
    fn is_included(&self, node: NodeId) -> bool {
        let nested = self.mapping.tree().node(node).nested;
        let for_root = self.nesting.reading.is_some_and(|reading| reading.for_root);
        nested.is_some_and(|nested| if for_root { nested.in_root } else { nested.include_in_parent })
    }

    /// An object within one that is read again.
    fn included_object(&mut self, node: NodeId) -> Result<()> {
        self.each_member(|parser, name| parser.included_name(node, name))
    }

    fn included_name(&mut self, node: NodeId, name: &str) -> Result<()> {
        let mapping = self.mapping;
        let tree = mapping.tree();
        let mut around = node;
        let mut rest = name;
        loop {
            let (part, behind) = rest.split_once('.').map_or((rest, None), |(part, behind)| (part, Some(behind)));
            let target = tree.node(around).child_id(part).map(|child| tree.child(child).target);
            match (target, behind) {
                (Some(target), None) => return self.included_value(target, rest),
                (Some(Target::Object(inner)), Some(behind)) => (around, rest) = (inner, behind),
                (Some(Target::Nested(inner)), Some(behind)) => {
                    return self.within(inner, |parser| parser.included_name(inner, behind));
                }
                _ => return self.skip(0),
            }
        }
    }

    fn included_value(&mut self, target: Target, name: &str) -> Result<()> {
        let token = self.scanner.peek();
        let token = self.check(token)?;
        if token == Token::Array && !matches!(target, Target::Field(_)) {
            return self.each_element(|parser| parser.included_value(target, name));
        }
        let mapping = self.mapping;
        match target {
            Target::Object(node) | Target::Nested(node)
                if token != Token::Object || !mapping.tree().node(node).enabled =>
            {
                self.skip(0)
            }
            Target::Object(node) => self.included_object(node),
            Target::Nested(node) => self.within(node, |parser| parser.included_object(node)),
            Target::Field(_) if self.nesting.reading.is_some_and(|reading| self.is_included(reading.of)) => {
                self.value(target, name, 1)
            }
            Target::Field(_) => self.skip(0),
        }
    }

    /// Reads what belongs to a nested object inside the one that is read again.
    fn within(&mut self, node: NodeId, read: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let for_root = self.nesting.reading.is_some_and(|reading| reading.for_root);
        let nested = self.mapping.tree().node(node).nested;
        let has_parts = nested.is_some_and(|it| if for_root { it.has_parts_in_root } else { it.include_in_parent });
        if !has_parts {
            return self.skip(0);
        }
        let outer = self.nesting.reading.replace(Reading { of: node, for_root });
        read(self)?;
        self.nesting.reading = outer;
        Ok(())
    }

    /// Copies a value to a field, perhaps of a document around the open one.
    pub(super) fn copy_to_level(&mut self, target: &CopyTarget, field: &MappedField, value: &Scalar<'_>) -> Result<()> {
        self.at_level_of(target, field, |parser| parser.copy(target, value))
    }

    /// Calls `copy` where the target's values go.
    pub(super) fn at_level_of(
        &mut self,
        target: &CopyTarget,
        field: &MappedField,
        copy: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let tree = self.mapping.tree();
        let level = match target {
            CopyTarget::Field(field) => tree.nested_around(&self.mapping.field(*field).spec.name),
            CopyTarget::Unmapped(path) => tree.nested_around(path),
        };
        if let Some(reading) = self.nesting.reading {
            // What goes elsewhere went there when the object was read first.
            return if level == reading.of { copy(self) } else { Ok(()) };
        }
        let place = self.nesting.open.iter().rposition(|&node| node == level);
        let levels = match place {
            Some(place) => self.nesting.open.len() - 1 - place,
            None if level == ROOT => self.nesting.open.len(),
            None => {
                let reason = format!("[{}] is copied into a nested object that it is not in", field.spec.name);
                return Err(failed_to_parse(Error::illegal_argument(reason)));
            }
        };
        if levels == 0 {
            return copy(self);
        }
        self.sink.exchange_with_outer(levels);
        let copied = copy(self);
        self.sink.exchange_with_outer(levels);
        copied
    }

    /// No nested object is around.
    pub(super) fn is_at_root(&self) -> bool {
        self.nesting.open.is_empty() && self.nesting.reading.is_none()
    }
}
