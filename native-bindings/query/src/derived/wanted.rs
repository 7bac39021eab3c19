//! Which computed fields a plan names.

use super::keyed::{self, Key};
use crate::wildcard_name::matches_name;
use quarry_base::deep_json::of_value;
use quarry_base::error::{Error, Result};
use quarry_mapping::Mapping;
use quarry_mapping::spec::{DeclaredType, FieldSpec, FieldType, LookupSpec, RuntimeSpec};
use quarry_script::{Program, context};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock};

/// How many fields may read each other, one within the other.
const DEPTH_MAX: usize = 64;

/// A field to compute.
pub(super) struct WantedField {
    pub runtime: RuntimeSpec,
    pub field_type: FieldType,
    /// As the mapping of the search has it.
    pub spec: FieldSpec,
    pub program: Option<Arc<Program>>,
    /// Of keys of flattened objects, which no script computes.
    pub key: Option<Key>,
    /// The plan's query names it.
    pub is_queried: bool,
    /// Paths of the nested documents that it is computed for; the roots' is empty.
    pub scopes: Vec<String>,
    /// Stands for everything that its values depend on besides the segment.
    pub identity: Identity,
}

/// Keyed, so that nobody can send definitions that collide, and of a fixed size: one that held those of the fields that are
/// read would double with each of them.
pub(super) type Identity = u128;

static IDENTITIES: LazyLock<[RandomState; 2]> = LazyLock::new(|| [RandomState::new(), RandomState::new()]);

/// Hashes the parts, each with its length.
fn identity_of(parts: &impl std::hash::Hash) -> Identity {
    let [low, high] = IDENTITIES.each_ref().map(|hasher| u128::from(hasher.hash_one(parts)));
    low | high << 64
}

/// Stands for the terms of a text field by document.
pub(super) fn identity_of_terms(field: &str) -> Identity {
    identity_of(&("fielddata", field))
}

/// Fields to compute, each behind those that its script reads.
pub(super) struct Wanted {
    pub fields: Vec<Arc<WantedField>>,
    /// Text fields whose terms are wanted by document.
    pub uninverted: Vec<String>,
    /// Fields that are looked up in other indices.
    pub lookups: Vec<FieldSpec>,
}

/// Members of plans that define fields, as their JSON is written.
const DEFINITIONS: [&[u8]; 2] = [b"\"runtime\":[{", b"\"computed\":{"];

impl Wanted {
    /// `None`: nothing is to be computed.
    pub fn of(mapping: &Mapping, plan: &[u8]) -> Result<Option<Self>> {
        let defines = DEFINITIONS.iter().any(|member| memchr::memmem::find(plan, member).is_some());
        let has_others = mapping.has_fielddata() || Self::may_name_keys(mapping);
        if mapping.spec().runtime.is_empty() && !defines && !has_others {
            return Ok(None);
        }
        let unreadable = |error| Error::internal(format!("a plan cannot be read: {error}"));
        let plan: Value = quarry_base::deep_json::from_slice(plan).map_err(unreadable)?;
        let of_request: Vec<RuntimeSpec> = match plan.get("runtime") {
            Some(request) => of_value(request).map_err(unreadable)?,
            None => Vec::new(),
        };
        let mut known = of_request.clone();
        let of_mapping = mapping.spec().runtime.iter().filter(|field| !known.iter().any(|it| it.name == field.name));
        let of_mapping: Vec<RuntimeSpec> = of_mapping.cloned().collect();
        known.extend(of_mapping);
        let mut texts = Texts::default();
        texts.walk(&plan, Part::Other, "");
        let scopes = HashMap::new();
        let mut search =
            Search { mapping, known, texts, scopes, ordered: Vec::new(), open: Vec::new(), lookups: Vec::new() };
        search.add_keys()?;
        let mut named: Vec<String> = search.known.iter().map(|field| field.name.clone()).collect();
        named.retain(|name| search.texts.mention(name));
        named.iter().try_for_each(|name| search.visit(name))?;
        let mut computed = Vec::new();
        for (definition, scope) in std::mem::take(&mut search.texts.computed) {
            let field: RuntimeSpec = of_value(&definition).map_err(unreadable)?;
            let scopes = search.scopes.entry(field.name.clone()).or_default();
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
            if !search.known.iter().any(|known| known.name == field.name) {
                computed.push(field.name.clone());
                search.known.push(field);
            }
        }
        computed.iter().try_for_each(|name| search.visit(name))?;
        // What a request brings is refused as a whole, whether the rest of it names the field or not.
        of_request.iter().try_for_each(|field| program_of(field).map(drop))?;
        let uninverted = uninverted_of(mapping, &search.texts);
        let (fields, lookups) = (search.ordered.into_iter().map(Arc::new).collect::<Vec<_>>(), search.lookups);
        let is_needed = !fields.is_empty() || !uninverted.is_empty() || !lookups.is_empty();
        Ok(is_needed.then_some(Wanted { fields, uninverted, lookups }))
    }
}

/// Text fields whose values a plan asks for. Queries look for terms by themselves.
fn uninverted_of(mapping: &Mapping, texts: &Texts) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for field in mapping.fields().iter().filter(|field| field.spec.fielddata) {
        let name = &field.spec.name;
        let aliases = mapping.aliases().filter(|(_, target)| target.id == field.id).map(|(alias, _)| alias);
        if std::iter::once(name.as_str()).chain(aliases).any(|name| texts.ask_for_values(name)) {
            names.push(name.clone());
        }
    }
    names
}

/// What a part of a plan is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Query,
    /// Values of documents.
    Values,
    Other,
}

impl Part {
    /// A member of this part.
    fn within(self, member: &str) -> Self {
        match member {
            "query" | "post_filter" => Part::Query,
            "aggregations" | "sort" | "docvalue_fields" if self != Part::Query => Part::Values,
            _ => self,
        }
    }
}

/// What a plan says.
#[derive(Default)]
struct Texts {
    all: Vec<String>,
    /// Of the query alone.
    queried: Vec<String>,
    /// Where values of documents are asked for: by sorts, aggregations and hits, and by scripts.
    valued: Vec<String>,
    /// Fields that the scripts of computed fields read.
    read: Vec<String>,
    /// Definitions of fields that have no name of their own, with the path of the nested documents that they are for.
    computed: Vec<(Value, String)>,
}

fn mentions(texts: &[String], name: &str) -> bool {
    texts.iter().any(|text| has_word(text, name) || (text.contains('*') && matches_name(text, name)))
}

/// Whether a name is in a text, and not as a part of a longer one. Scripts write names behind points too.
fn has_word(text: &str, name: &str) -> bool {
    let goes_on = |character: Option<char>| character.is_some_and(|it| it.is_alphanumeric() || it == '_');
    let is_whole = |(start, found): (usize, &str)| {
        let (before, after) = (&text[..start], &text[start + found.len()..]);
        !goes_on(before.chars().next_back()) && !goes_on(after.chars().next())
    };
    text.match_indices(name).any(is_whole)
}

impl Texts {
    /// `scope` is the path of the nested documents that this part of the plan is about. Names of members are the plan's own,
    /// and name no field.
    fn walk(&mut self, value: &Value, part: Part, scope: &str) {
        match value {
            Value::String(text) => self.note(text, part),
            Value::Array(items) => items.iter().for_each(|item| self.walk(item, part, scope)),
            Value::Object(members) => {
                if reads_documents(value) {
                    each_text(value, &mut |text| self.valued.push(text.to_owned()));
                }
                for (name, member) in members {
                    match name.as_str() {
                        "runtime" => {}
                        "computed" if member.is_object() => self.computed.push((member.clone(), scope.to_owned())),
                        "aggs" => self.walk(member, part, scope_below(value).unwrap_or(scope)),
                        // What a query asks of nested documents, and what its inner hits show of them.
                        "nested" if member.get("query").is_some() => {
                            let path = member.get("path").and_then(Value::as_str).unwrap_or(scope);
                            self.walk(member, part, path);
                        }
                        _ => self.walk(member, part.within(name), scope),
                    }
                }
            }
            _ => {}
        }
    }

    fn note(&mut self, text: &str, part: Part) {
        self.all.push(text.to_owned());
        if part == Part::Query {
            self.queried.push(text.to_owned());
        }
        if part == Part::Values {
            self.valued.push(text.to_owned());
        }
    }

    fn mention(&self, name: &str) -> bool {
        mentions(&self.all, name)
    }

    fn ask_for_values(&self, name: &str) -> bool {
        self.read.iter().any(|read| read == name) || mentions(&self.valued, name)
    }
}

/// Whether a part of a plan is a script that may read the values of documents. What it names is in its source and its parameters,
/// and around the words that read there may be blanks and comments.
fn reads_documents(part: &Value) -> bool {
    match part.get("source") {
        Some(Value::String(source)) => {
            source.contains('$') || ["doc", "field"].iter().any(|word| has_word(source, word))
        }
        _ => false,
    }
}

fn each_text(value: &Value, each: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => each(text),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, each)),
        Value::Object(members) => members.values().for_each(|member| each_text(member, each)),
        _ => {}
    }
}

/// Where an aggregation leads those below it; `None`: nowhere else.
fn scope_below(aggregation: &Value) -> Option<&str> {
    let kind = aggregation.get("kind")?;
    match (kind.get("nested"), kind.get("reverse_nested")) {
        (Some(nested), _) => nested.get("path")?.as_str(),
        (None, Some(reverse)) => Some(reverse.get("path").and_then(Value::as_str).unwrap_or_default()),
        (None, None) => None,
    }
}

/// A field of one search; `has_values`: as if it were indexed.
fn field_spec(name: &str, field_type: FieldType, has_values: bool, format: Option<&str>) -> Result<FieldSpec> {
    let spec = json!({
        "name": name, "type": field_type.name(), "index": has_values, "doc_values": has_values, "store": false,
        "norms": false, "index_options": "docs", "position_increment_gap": 0, "coerce": true,
        "ignore_malformed": false, "copy_to": [], "format": format,
    });
    of_value(&spec)
        .map_err(|error| Error::internal(format!("the specification of a field of a search is not one: {error}")))
}

fn lookup_field(name: &str, lookup: &LookupSpec) -> Result<FieldSpec> {
    let spec = field_spec(name, FieldType::Keyword, false, None)?;
    Ok(FieldSpec { declared_type: Some(DeclaredType::Lookup), lookup: Some(Box::new(lookup.clone())), ..spec })
}

/// Errors: the script does not compile, or is not allowed.
fn program_of(field: &RuntimeSpec) -> Result<Option<Arc<Program>>> {
    field.script.as_ref().map(|script| script.program(context(&field.context)?)).transpose()
}

/// What a script may make names of fields from: its texts, and those of its parameters.
fn texts_of(runtime: &RuntimeSpec, program: &Program) -> Vec<String> {
    let mut texts: Vec<String> = program.texts.iter().map(|text| text.to_string()).collect();
    if let Some(script) = &runtime.script {
        each_text(&script.params, &mut |text| texts.push(text.to_owned()));
    }
    texts
}

struct Search<'a> {
    mapping: &'a Mapping,
    known: Vec<RuntimeSpec>,
    texts: Texts,
    /// Paths of the nested documents that fields without a name of their own are computed for.
    scopes: HashMap<String, Vec<String>>,
    ordered: Vec<WantedField>,
    /// Names of those whose dependencies are being looked for.
    open: Vec<String>,
    lookups: Vec<FieldSpec>,
}

impl Search<'_> {
    /// Keys that the plan names; a field of the same name that a script computes comes before them.
    fn add_keys(&mut self) -> Result<()> {
        for (key, spec) in keyed::named(self.mapping, &self.texts.all)? {
            if self.known.iter().any(|field| field.name == spec.name) {
                continue;
            }
            let runtime = RuntimeSpec {
                name: spec.name.clone(),
                field_type: Some(spec.field_type),
                script: None,
                context: String::new(),
                part: None,
                base: None,
                format: None,
                lookup: None,
            };
            let identity = identity_of(&(&key, format!("{spec:?}")));
            let field_type = spec.field_type;
            let (program, scopes) = (None, Vec::new());
            let key = Some(key);
            self.ordered.push(WantedField {
                runtime,
                field_type,
                spec,
                program,
                key,
                is_queried: false,
                scopes,
                identity,
            });
        }
        Ok(())
    }

    fn visit(&mut self, name: &str) -> Result<()> {
        if self.ordered.iter().any(|field| field.runtime.name == name) {
            return Ok(());
        }
        let Some(runtime) = self.known.iter().find(|field| field.name == name).cloned() else { return Ok(()) };
        if let Some(lookup) = &runtime.lookup {
            return self.add_lookup(name, lookup);
        }
        if self.open.iter().any(|open| open == name) {
            let circle = self.open.join(" -> ");
            let reason = format!("Cyclic dependency detected while resolving runtime fields: {circle} -> {name}");
            return Err(Error::illegal_argument(reason));
        }
        if self.open.len() == DEPTH_MAX {
            let reason =
                format!("runtime fields that read each other may be at most [{DEPTH_MAX}] deep, as [{name}] is not");
            return Err(Error::illegal_argument(reason));
        }
        self.open.push(name.to_owned());
        let program = program_of(&runtime)?;
        if program.as_ref().is_some_and(|program| program.uses_score) {
            let reason =
                "scripts that read [_score] are not supported here: values are computed before documents are scored";
            return Err(Error::illegal_argument(reason));
        }
        let fields = program.iter().flat_map(|program| program.fields.iter().map(|field| field.to_string()));
        let mut read: Vec<String> = fields.chain(runtime.base.clone()).collect();
        self.texts.read.extend(read.iter().cloned());
        if let Some(program) = program.as_ref().filter(|program| program.reads_any_field) {
            let texts = texts_of(&runtime, program);
            let named = self.known.iter().filter(|field| mentions(&texts, &field.name));
            read.extend(named.map(|field| field.name.clone()));
            self.texts.valued.extend(texts);
        }
        read.retain(|field| *field != name);
        for field in &read {
            self.visit(field)?;
        }
        self.open.pop();
        let wanted = self.wanted(runtime, program, &read);
        self.ordered.push(wanted?);
        Ok(())
    }

    /// With the field that tells what is looked up. One that is itself looked up has no values yet, and asks for nothing more.
    fn add_lookup(&mut self, name: &str, lookup: &LookupSpec) -> Result<()> {
        if self.lookups.iter().any(|known| known.name == name) {
            return Ok(());
        }
        self.lookups.push(lookup_field(name, lookup)?);
        let input = self.known.iter().find(|field| field.name == lookup.input_field);
        let Some(input) = input.cloned() else { return Ok(()) };
        match &input.lookup {
            None => self.visit(&input.name),
            Some(_) if self.lookups.iter().any(|known| known.name == input.name) => Ok(()),
            Some(of_input) => {
                self.lookups.push(lookup_field(&input.name, of_input)?);
                Ok(())
            }
        }
    }

    fn wanted(&self, runtime: RuntimeSpec, program: Option<Arc<Program>>, read: &[String]) -> Result<WantedField> {
        let field_type = runtime.field_type.unwrap_or_else(|| self.type_of_base(runtime.base.as_deref()));
        let is_date = matches!(field_type, FieldType::Date | FieldType::DateNanos);
        let format = runtime.format.as_deref().filter(|_| is_date);
        let spec = field_spec(&runtime.name, field_type, true, format)?;
        let is_queried = mentions(&self.texts.queried, &runtime.name);
        let scopes = self.scopes.get(&runtime.name).cloned().unwrap_or_else(|| vec![String::new()]);
        let source = program.as_ref().map(|program| (program.lang, &*program.source));
        // What a script makes of a field changes when the field is mapped: values and failures of before are not those of now.
        let mapped = read.iter().map(|name| self.mapping.field_by_name(name).map(|field| format!("{:?}", field.spec)));
        let mut mapped: Vec<Option<String>> = mapped.collect();
        if program.as_ref().is_some_and(|program| program.reads_any_field) {
            mapped.extend(self.mapping.fields().iter().map(|field| Some(format!("{:?}", field.spec))));
        }
        let read = read.iter().filter_map(|name| self.ordered.iter().find(|field| field.runtime.name == *name));
        let read: Vec<(&str, Identity)> = read.map(|field| (&*field.runtime.name, field.identity)).collect();
        let identity = identity_of(&(format!("{runtime:?}"), source, &scopes, mapped, read));
        Ok(WantedField { runtime, field_type, spec, program, key: None, is_queried, scopes, identity })
    }

    /// What scripts make of numbers are doubles.
    fn type_of_base(&self, base: Option<&str>) -> FieldType {
        let Some(base) = base else { return FieldType::Keyword };
        let computed = self.ordered.iter().find(|field| field.runtime.name == base).map(|field| field.field_type);
        match computed.or_else(|| self.mapping.field_by_name(base).map(|field| field.spec.field_type)) {
            Some(FieldType::Text | FieldType::Keyword | FieldType::Version) | None => FieldType::Keyword,
            Some(field_type @ (FieldType::Ip | FieldType::Boolean | FieldType::Date | FieldType::GeoPoint)) => {
                field_type
            }
            Some(FieldType::DateNanos) => FieldType::Date,
            Some(_) => FieldType::Double,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_analysis::Registry;
    use quarry_testing::mapping::{field, mapping_spec};

    #[test]
    fn scripts_ask_for_the_values_of_texts_in_many_ways() {
        let texts = ["title", "body"].map(|name| field(name, "text", json!({"fielddata": true})));
        let spec = serde_json::from_value(mapping_spec(texts.into())).unwrap();
        let mapping = Mapping::new(spec, &Registry::from_spec(&json!({})).unwrap()).unwrap();
        let asks = |script: Value| {
            let plan = json!({"query": {"script": {"script": script}}}).to_string();
            let wanted = Wanted::of(&mapping, plan.as_bytes()).unwrap();
            wanted.map(|wanted| wanted.uninverted).unwrap_or_default()
        };
        for source in [
            "doc['title'].value",
            "doc ['title'].value",
            "def d = doc; d['title'].value",
            "field('title').get('')",
            "field ('title').get('')",
            "field /* the */\n('title').get('')",
            "$('title', '')",
            "$ ('title', '')",
        ] {
            assert_eq!(asks(json!({"source": source})), ["title"], "{source}");
        }
        assert_eq!(asks(json!({"source": "doc[params.of].value", "params": {"of": ["body"]}})), ["body"]);
        assert!(asks(json!({"source": "params.title == 'body'"})).is_empty());
        assert!(asks(json!({"source": "doc['titles'].value"})).is_empty());
    }
}
