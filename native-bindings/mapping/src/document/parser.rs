//! The walk over a document along the mapping's object tree.

use super::DocumentHead;
use super::histogram::Seen;
use super::nested::Nesting;
use super::scalar::{self, Scalar};
use super::scratch::ParseScratch;
use crate::compiled::{MappedField, Mapping};
use crate::completion::input::Entry;
use crate::keys::KEY_END;
use crate::sink::DocumentSink;
use crate::spec::{DeclaredType, Dynamic, FieldId};
use crate::tree::{ChildId, NodeId, ROOT, Target};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_json::keys::duplicate_key;
use quarry_json::{Fault, Scan, Scanner, Token, utf8};

/// Names that the root of a document may not use.
const METADATA_FIELDS: [&str; 13] = [
    "_id",
    "_index",
    "_source",
    "_routing",
    "_seq_no",
    "_version",
    "_primary_term",
    "_ignored",
    "_field_names",
    "_type",
    "_nested_path",
    "_doc_count",
    "_tier",
];

pub(super) struct Parser<'p, S> {
    pub(super) mapping: &'p Mapping,
    pub(super) head: DocumentHead<'p>,
    pub(super) source: &'p [u8],
    pub(super) scanner: Scanner<'p>,
    pub(super) sink: &'p mut S,
    pub(super) scratch: &'p mut ParseScratch,
    pub(super) nesting: Nesting<'p>,
    /// Inputs of completion fields.
    pub(super) completions: Vec<(FieldId, Entry)>,
    pub(super) single_values: Seen,
}

impl<'p, S: DocumentSink> Parser<'p, S> {
    pub(super) fn new(
        mapping: &'p Mapping,
        head: DocumentHead<'p>,
        source: &'p [u8],
        sink: &'p mut S,
        scratch: &'p mut ParseScratch,
    ) -> Result<Self> {
        let text = utf8(source).map_err(|fault| broken_json(fault, source))?;
        let (scanner, nesting) = (Scanner::new(text), Nesting::default());
        Ok(Parser {
            mapping,
            head,
            source,
            scanner,
            sink,
            scratch,
            nesting,
            completions: Vec::new(),
            single_values: Seen::new(),
        })
    }

    pub(super) fn run(mut self) -> Result<()> {
        if self.scanner.is_at_end() {
            return Err(Error::new(ErrorCode::MapperParsing, "failed to parse, document is empty"));
        }
        let token = self.scanner.peek();
        if self.check(token)? != Token::Object {
            return Err(Error::new(ErrorCode::MapperParsing, "Malformed content, must start with an object"));
        }
        if self.mapping.tree().node(ROOT).enabled {
            self.object(ROOT, 0)?;
            self.include(0)?;
            self.constant_values(ROOT)?;
            self.complete()?;
        } else {
            self.skip(0)?;
        }
        let end = self.scanner.finish();
        self.check(end)
    }

    /// Turns a fault of the text into the refusal of the document.
    #[inline]
    pub(super) fn check<T>(&self, scanned: Scan<T>) -> Result<T> {
        scanned.map_err(|fault| broken_json(fault, self.source))
    }

    pub(super) fn skip(&mut self, depth: usize) -> Result<()> {
        let skipped = self.scanner.skip(&mut self.scratch.keys, depth);
        self.check(skipped).map(drop)
    }

    /// An object of the mapping; `depth` is the number of objects and arrays around it.
    pub(super) fn object(&mut self, node: NodeId, depth: usize) -> Result<()> {
        self.check_depth(depth)?;
        let object = self.scratch.seen.open();
        let frame = self.scratch.keys.open();
        let mut previous = None;
        let entered = self.scanner.enter_object();
        let mut more = self.check(entered)?;
        while more {
            previous = self.member(node, object, previous, depth)?;
            let next = self.scanner.next_member();
            more = self.check(next)?;
        }
        let closed = self.scratch.keys.close(frame, self.scanner.text());
        self.check(closed)
    }

    /// A member of an object; returns the child for the order of keys.
    #[inline]
    fn member(
        &mut self,
        node: NodeId,
        object: u64,
        previous: Option<ChildId>,
        depth: usize,
    ) -> Result<Option<ChildId>> {
        let tree = self.mapping.tree();
        let expected = *self.scratch.order.after(node, previous);
        let recognised = expected.filter(|&child| self.scanner.key_if(&tree.child(child).quoted));
        if let Some(child) = recognised {
            if !self.scratch.seen.mark(object, child) {
                let fault = duplicate_key(self.scanner.offset(), &tree.child(child).name);
                return Err(broken_json(fault, self.source));
            }
            self.value(tree.child(child).target, &tree.child(child).name, depth + 1)?;
            return Ok(recognised);
        }
        let key = self.scanner.key();
        let (key, offset) = self.check(key)?;
        let mut buffer = std::mem::take(&mut self.scratch.text);
        let name = key.decode(&mut buffer);
        let child = tree.node(node).child_id(name);
        let done = match child {
            Some(child) if !self.scratch.seen.mark(object, child) => {
                Err(broken_json(duplicate_key(offset, name), self.source))
            }
            Some(child) => {
                *self.scratch.order.after(node, previous) = Some(child);
                self.value(tree.child(child).target, &tree.child(child).name, depth + 1)
            }
            None => {
                self.scratch.keys.add(key, offset);
                self.unknown_name(node, name, depth + 1)
            }
        };
        if buffer.capacity() > self.scratch.text.capacity() {
            self.scratch.text = buffer;
        }
        done.map(|()| child.or(previous))
    }

    /// A name that is no child of the object: a dotted path, or an unmapped field.
    pub(super) fn unknown_name(&mut self, node: NodeId, name: &str, depth: usize) -> Result<()> {
        if node == ROOT && METADATA_FIELDS.contains(&name) {
            let reason = format!(
                "Field [{name}] is a metadata field and cannot be added inside a document. Use the index API request parameters."
            );
            return Err(Error::new(ErrorCode::MapperParsing, reason));
        }
        validate_name(name).map_err(failed_to_parse)?;
        let mapping = self.mapping;
        let tree = mapping.tree();
        let mut node = node;
        let mut rest = name;
        while let Some((part, remaining)) = rest.split_once('.') {
            match tree.node(node).child_id(part).map(|child| tree.child(child).target) {
                Some(Target::Object(inner) | Target::Nested(inner)) if !tree.node(inner).enabled => {
                    return self.skip(depth);
                }
                Some(Target::Object(inner)) => (node, rest) = (inner, remaining),
                Some(Target::Nested(inner)) => return self.nested(inner, Some(remaining), depth),
                Some(Target::Field(field)) => return Err(not_an_object_path(name, mapping.field(field))),
                None => break,
            }
        }
        match tree.node(node).child_id(rest) {
            Some(child) => self.value(tree.child(child).target, rest, depth),
            None => self.unmapped_member(node, rest, depth),
        }
    }

    /// The value of a mapped name: `depth` objects and arrays are around it.
    pub(super) fn value(&mut self, target: Target, name: &str, depth: usize) -> Result<()> {
        let token = self.scanner.peek();
        let token = self.check(token)?;
        match target {
            Target::Object(node) | Target::Nested(node) if !self.mapping.tree().node(node).enabled => self.skip(depth),
            Target::Field(field) if self.mapping.field(field).spec.vector.is_some() => {
                self.vector(self.mapping.field(field), depth)
            }
            _ if token == Token::Array => self.array(target, name, depth),
            Target::Object(node) | Target::Nested(node) => match token {
                Token::Object if matches!(target, Target::Nested(_)) => self.nested(node, None, depth),
                Token::Object => self.object(node, depth),
                Token::Null => {
                    let null = self.scanner.null();
                    self.check(null)
                }
                _ => Err(self.not_an_object(node, name)),
            },
            Target::Field(field) => {
                let mapping = self.mapping;
                let field = mapping.field(field);
                if let Some(join) = &field.spec.join {
                    return self.join_value(field, join, token);
                }
                if token == Token::Object && field.spec.completion.is_some() {
                    return self.completion_object(field, depth);
                }
                if field.spec.declared_type == Some(DeclaredType::Percolator) {
                    return self.stored_query(field, depth);
                }
                if let Some(columns) = field.histogram() {
                    return self.histogram(field, columns, depth);
                }
                if let Some(keys) = field.keys() {
                    return self.flattened(field, keys, depth);
                }
                match token {
                    _ if field.ends.is_some() => self.whole(field, depth),
                    Token::Object if field.is_geometry() => self.whole(field, depth),
                    Token::Object => self.object_for_field(field, depth),
                    _ => self.scalar_for_field(field, token),
                }
            }
        }
    }

    #[inline]
    pub(super) fn scalar_for_field(&mut self, field: &MappedField, token: Token) -> Result<()> {
        if token != Token::String {
            let value = scalar::read(&mut self.scanner, token);
            let value = self.check(value)?;
            return self.field_value(field, &value);
        }
        let string = self.scanner.string();
        let string = self.check(string)?;
        if !string.escaped {
            return self.field_value(field, &Scalar::String(string.raw));
        }
        let mut buffer = std::mem::take(&mut self.scratch.text);
        let done = self.field_value(field, &Scalar::String(string.decode(&mut buffer)));
        self.scratch.text = buffer;
        done
    }

    fn array(&mut self, target: Target, name: &str, depth: usize) -> Result<()> {
        self.check_depth(depth)?;
        if let Target::Field(field) = target {
            let field = self.mapping.field(field);
            if field.is_place() && self.is_pair_next()? {
                return self.whole(field, depth);
            }
            if field.spec.completion.is_some() {
                return self.completion_array(field, depth);
            }
        }
        self.each_element(|parser| parser.value(target, name, depth + 1))
    }

    fn not_an_object(&self, node: NodeId, name: &str) -> Error {
        let path = &self.mapping.tree().node(node).path;
        let reason =
            format!("object mapping for [{path}] tried to parse field [{name}] as object, but found a concrete value");
        Error::new(ErrorCode::MapperParsing, reason)
    }

    /// Refuses an object or array that lies deeper than `index.mapping.depth.limit`.
    pub(super) fn check_depth(&self, depth: usize) -> Result<()> {
        let json_depth = self.scanner.check_depth(depth);
        self.check(json_depth)?;
        let limit = self.mapping.spec().depth_limit;
        if depth < limit as usize {
            return Ok(());
        }
        let reason = format!(
            "The depth of the field has exceeded the allowed limit of [{limit}]. This limit can be set by changing the [index.mapping.depth.limit] index level setting."
        );
        Err(failed_to_parse(Error::new(ErrorCode::Parse, reason)))
    }

    pub(super) fn refuse_strict(&self, dynamic: Dynamic, within: &str, name: &str) -> Result<()> {
        if dynamic != Dynamic::Strict {
            return Ok(());
        }
        let reason =
            format!("mapping set to strict, dynamic introduction of [{name}] within [{within}] is not allowed");
        Err(Error::new(ErrorCode::StrictDynamicMapping, reason))
    }

    /// A scalar that no mapped field takes.
    pub(super) fn unmapped_scalar(&mut self, path: &str, value: &Scalar<'_>) {
        self.scratch.found_unmapped = true;
        self.scratch.report.add_scalar(path, value, self.mapping);
    }
}

/// Refuses a path that leads through a field.
pub(super) fn not_an_object_path(path: &str, field: &MappedField) -> Error {
    let reason = format!(
        "Could not dynamically add mapping for field [{path}]. Existing mapping for [{}] must be of type object but found [{}].",
        field.spec.name,
        field.spec.type_name(),
    );
    Error::new(ErrorCode::MapperParsing, reason)
}

/// Refuses names whose dots leave a part empty or blank.
pub(super) fn validate_name(name: &str) -> Result<()> {
    let refuse = |reason: String| Err(Error::illegal_argument(reason));
    if name.is_empty() {
        return refuse("field name cannot be an empty string".into());
    }
    // What follows this character tells hidden fields from those of users.
    if name.contains(KEY_END) {
        return refuse(format!("field name cannot contain the null character: [{name}]"));
    }
    if name.bytes().all(|byte| byte == b'.') {
        return refuse("field name cannot contain only the character [.]".into());
    }
    for part in name.split('.') {
        if part.is_empty() {
            return refuse(format!(
                "object field starting or ending with a [.] makes object resolution ambiguous: [{name}]"
            ));
        }
        if part.trim().is_empty() {
            return refuse(format!("object field cannot contain only whitespace: ['{name}']"));
        }
    }
    Ok(())
}

pub(super) fn failed_to_parse(cause: Error) -> Error {
    Error::new(ErrorCode::MapperParsing, "failed to parse").caused_by(cause)
}

#[cold]
fn broken_json(fault: Fault, source: &[u8]) -> Error {
    failed_to_parse(fault.into_error(source))
}
