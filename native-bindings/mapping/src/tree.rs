//! The mapping as the parser walks it: a tree of objects whose children are found by name.

use super::compiled::MappedField;
use super::spec::{Dynamic, FieldId, FieldSpec, MappingSpec, NestedSpec, ObjectSpec};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_json::scanner::quoted_key;
use rapidhash::RapidHashMap;

/// Position of an object in its [`ObjectTree`]; 0 is the document itself.
pub(super) type NodeId = u32;
/// Position of a named child among the children of all objects.
pub(super) type ChildId = u32;

pub(super) const ROOT: NodeId = 0;

#[derive(Debug, Clone)]
pub(super) struct ObjectTree {
    nodes: Vec<ObjectNode>,
    children: Vec<Child>,
    by_path: RapidHashMap<Box<str>, NodeId>,
}

#[derive(Debug, Clone)]
pub(super) struct ObjectNode {
    /// Full path; empty for the document.
    pub path: Box<str>,
    pub dynamic: Dynamic,
    pub enabled: bool,
    pub nested: Option<NestedNode>,
    by_name: RapidHashMap<Box<str>, ChildId>,
}

/// A nested object: where its values go beside their own document.
#[derive(Debug, Clone, Copy)]
pub(super) struct NestedNode {
    pub include_in_parent: bool,
    /// Its values are those of the root as well, by themselves or by way of the objects around.
    pub in_root: bool,
    /// So are its values, or those of a nested object inside.
    pub has_parts_in_root: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Child {
    pub name: Box<str>,
    /// The name as most documents write it, with quotes and colon.
    pub quoted: Box<[u8]>,
    pub target: Target,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Field(FieldId),
    Object(NodeId),
    /// An object that is a document of its own.
    Nested(NodeId),
}

impl ObjectTree {
    /// `Internal` when a path is both an object and a field.
    pub(super) fn new(spec: &MappingSpec, fields: &[MappedField]) -> Result<Self> {
        let root = ObjectNode::new("", spec.dynamic, true);
        let mut tree = ObjectTree { nodes: vec![root], children: Vec::new(), by_path: RapidHashMap::default() };
        tree.by_path.insert("".into(), ROOT);
        let mut objects: Vec<_> = spec.objects.iter().collect();
        // Parents first, so that what is implied inherits from what is declared.
        objects.sort_by(|a, b| a.path.cmp(&b.path));
        for object in objects {
            let node = tree.ensure_object(&object.path)?;
            tree.declare(node, object);
        }
        let is_child = |field: &&MappedField| {
            let FieldSpec { parent, hidden_of, left_alone, .. } = &field.spec;
            parent.is_none() && hidden_of.is_none() && !left_alone && !field.is_gone()
        };
        for field in fields.iter().filter(is_child) {
            let (parent, name) = split_path(&field.spec.name);
            let parent = tree.ensure_object(parent)?;
            tree.add_child(parent, name, Target::Field(field.id), &field.spec.name)?;
        }
        Ok(tree)
    }

    fn ensure_object(&mut self, path: &str) -> Result<NodeId> {
        if let Some(node) = self.find(path) {
            return Ok(node);
        }
        let (parent_path, name) = split_path(path);
        let parent = self.ensure_object(parent_path)?;
        let node = self.nodes.len() as NodeId;
        self.nodes.push(ObjectNode::new(path, self.nodes[parent as usize].dynamic, true));
        self.by_path.insert(path.into(), node);
        self.add_child(parent, name, Target::Object(node), path)?;
        Ok(node)
    }

    fn declare(&mut self, node: NodeId, object: &ObjectSpec) {
        let declared = &mut self.nodes[node as usize];
        declared.dynamic = object.dynamic;
        declared.enabled = object.enabled;
        let Some(NestedSpec { include_in_parent, include_in_root }) = object.nested else { return };
        let (parent_path, name) = split_path(&object.path);
        let around = self.nested_around(parent_path);
        let parent_is_in_root = self.nodes[around as usize].nested.is_none_or(|parent| parent.in_root);
        let in_root = include_in_root || (include_in_parent && parent_is_in_root);
        let nested = NestedNode { include_in_parent, in_root, has_parts_in_root: in_root };
        self.nodes[node as usize].nested = Some(nested);
        if let Some(child) = self.find(parent_path).and_then(|parent| self.nodes[parent as usize].child_id(name)) {
            self.children[child as usize].target = Target::Nested(node);
        }
        let mut around = around;
        while let Some(outer) = self.nodes[around as usize].nested.as_mut().filter(|_| in_root) {
            outer.has_parts_in_root = true;
            let path = self.nodes[around as usize].path.clone();
            around = self.nested_around(split_path(&path).0);
        }
    }

    /// The innermost nested object that a path is, or leads through; the root where there is none.
    pub(super) fn nested_around(&self, path: &str) -> NodeId {
        let mut path = path;
        while !path.is_empty() {
            match self.find(path) {
                Some(node) if self.node(node).nested.is_some() => return node,
                _ => path = split_path(path).0,
            }
        }
        ROOT
    }

    fn add_child(&mut self, parent: NodeId, name: &str, target: Target, path: &str) -> Result<()> {
        let child = self.children.len() as ChildId;
        self.children.push(Child { name: name.into(), quoted: quoted_key(name), target });
        match self.nodes[parent as usize].by_name.insert(name.into(), child) {
            None => Ok(()),
            Some(_) => {
                Err(Error::new(ErrorCode::Internal, format!("[{path}] is in the mapping as a field and as an object")))
            }
        }
    }

    /// An object by its full path.
    pub(super) fn find(&self, path: &str) -> Option<NodeId> {
        self.by_path.get(path).copied()
    }

    pub(super) fn node(&self, node: NodeId) -> &ObjectNode {
        &self.nodes[node as usize]
    }

    pub(super) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn child(&self, child: ChildId) -> &Child {
        &self.children[child as usize]
    }

    pub(super) fn child_count(&self) -> usize {
        self.children.len()
    }
}

impl ObjectNode {
    fn new(path: &str, dynamic: Dynamic, enabled: bool) -> Self {
        ObjectNode { path: path.into(), dynamic, enabled, nested: None, by_name: RapidHashMap::default() }
    }

    pub(super) fn child_id(&self, name: &str) -> Option<ChildId> {
        self.by_name.get(name).copied()
    }

    /// As messages call the object.
    pub(super) fn display_path(&self) -> &str {
        if self.path.is_empty() { "_doc" } else { &self.path }
    }
}

/// The path around the last name (empty at the root), and that name.
pub(super) fn split_path(path: &str) -> (&str, &str) {
    path.rsplit_once('.').unwrap_or(("", path))
}
