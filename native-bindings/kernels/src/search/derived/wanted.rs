//! Which computed fields a plan names.

use crate::error::{Error, Result};
use crate::mapping::Mapping;
use crate::mapping::spec::{FieldSpec, FieldType, RuntimeSpec};
use crate::script::{Program, context};
use crate::search::wildcard_name::matches_name;
use serde_json::{Value, json};
use std::sync::Arc;

/// A field to compute.
pub(super) struct WantedField {
    pub runtime: RuntimeSpec,
    pub field_type: FieldType,
    /// As the mapping of the search has it.
    pub spec: FieldSpec,
    pub program: Option<Arc<Program>>,
    /// The plan's query names it.
    pub is_queried: bool,
    /// Everything that its values depend on besides the segment.
    pub identity: String,
}

/// Fields to compute, each behind those that its script reads.
pub(super) struct Wanted {
    pub fields: Vec<WantedField>,
}

/// Members of plans that define fields, as their JSON is written.
const DEFINITIONS: [&[u8]; 2] = [b"\"runtime\":[{", b"\"computed\":{"];

impl Wanted {
    /// `None`: nothing is to be computed.
    pub fn of(mapping: &Mapping, plan: &[u8]) -> Result<Option<Self>> {
        let defines = DEFINITIONS.iter().any(|member| memchr::memmem::find(plan, member).is_some());
        if mapping.spec().runtime.is_empty() && !defines {
            return Ok(None);
        }
        let unreadable = |error| Error::internal(format!("a plan cannot be read: {error}"));
        let plan: Value = serde_json::from_slice(plan).map_err(unreadable)?;
        let mut known: Vec<RuntimeSpec> = Vec::new();
        if let Some(request) = plan.get("runtime") {
            known = serde_json::from_value(request.clone()).map_err(unreadable)?;
        }
        let of_mapping = mapping.spec().runtime.iter().filter(|field| !known.iter().any(|it| it.name == field.name));
        let of_mapping: Vec<RuntimeSpec> = of_mapping.cloned().collect();
        known.extend(of_mapping);
        let mut texts = Texts::default();
        texts.walk(&plan, false);
        let mut search = Search { mapping, known, texts, ordered: Vec::new(), open: Vec::new() };
        let mut named: Vec<String> = search.known.iter().map(|field| field.name.clone()).collect();
        named.retain(|name| search.texts.mention(name));
        named.iter().try_for_each(|name| search.visit(name))?;
        for definition in std::mem::take(&mut search.texts.computed) {
            let field: RuntimeSpec = serde_json::from_value(definition).map_err(unreadable)?;
            if !search.known.iter().any(|known| known.name == field.name) {
                let name = field.name.clone();
                search.known.push(field);
                search.visit(&name)?;
            }
        }
        let fields = search.ordered;
        Ok((!fields.is_empty()).then_some(Wanted { fields }))
    }
}

/// What a plan says.
#[derive(Default)]
struct Texts {
    all: Vec<String>,
    /// Of the query alone.
    queried: Vec<String>,
    /// Definitions of fields that have no name of their own.
    computed: Vec<Value>,
}

fn mentions(texts: &[String], name: &str) -> bool {
    texts.iter().any(|text| text.contains(name) || (text.contains('*') && matches_name(text, name)))
}

impl Texts {
    fn walk(&mut self, value: &Value, in_query: bool) {
        match value {
            Value::String(text) => self.note(text, in_query),
            Value::Array(items) => items.iter().for_each(|item| self.walk(item, in_query)),
            Value::Object(members) => {
                for (name, member) in members {
                    match name.as_str() {
                        "runtime" => {}
                        "computed" if member.is_object() => self.computed.push(member.clone()),
                        _ => {
                            self.note(name, in_query);
                            self.walk(member, in_query || matches!(name.as_str(), "query" | "post_filter"));
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn note(&mut self, text: &str, in_query: bool) {
        self.all.push(text.to_owned());
        if in_query {
            self.queried.push(text.to_owned());
        }
    }

    fn mention(&self, name: &str) -> bool {
        mentions(&self.all, name)
    }
}

struct Search<'a> {
    mapping: &'a Mapping,
    known: Vec<RuntimeSpec>,
    texts: Texts,
    ordered: Vec<WantedField>,
    /// Names of those whose dependencies are being looked for.
    open: Vec<String>,
}

impl Search<'_> {
    fn visit(&mut self, name: &str) -> Result<()> {
        if self.ordered.iter().any(|field| field.runtime.name == name) {
            return Ok(());
        }
        let Some(runtime) = self.known.iter().find(|field| field.name == name).cloned() else { return Ok(()) };
        if self.open.iter().any(|open| open == name) {
            let circle = self.open.join(" -> ");
            let reason = format!("Cyclic dependency detected while resolving runtime fields: {circle} -> {name}");
            return Err(Error::illegal_argument(reason));
        }
        self.open.push(name.to_owned());
        let program = runtime.script.as_ref().map(|script| script.program(context(&runtime.context)?)).transpose()?;
        if program.as_ref().is_some_and(|program| program.uses_score) {
            let reason =
                "scripts that read [_score] are not supported here: values are computed before documents are scored";
            return Err(Error::illegal_argument(reason));
        }
        let fields = program.iter().flat_map(|program| program.fields.iter().map(|field| field.to_string()));
        let read: Vec<String> = fields.chain(runtime.base.clone()).filter(|field| *field != name).collect();
        for field in &read {
            self.visit(field)?;
        }
        self.open.pop();
        let wanted = self.wanted(runtime, program, &read);
        self.ordered.push(wanted?);
        Ok(())
    }

    fn wanted(&self, runtime: RuntimeSpec, program: Option<Arc<Program>>, read: &[String]) -> Result<WantedField> {
        let field_type = runtime.field_type.unwrap_or_else(|| self.type_of_base(runtime.base.as_deref()));
        let is_date = matches!(field_type, FieldType::Date | FieldType::DateNanos);
        let spec = json!({
            "name": runtime.name, "type": field_type.name(), "index": true, "doc_values": true, "store": false,
            "norms": false, "index_options": "docs", "position_increment_gap": 0, "coerce": true,
            "ignore_malformed": false, "copy_to": [], "format": runtime.format.as_ref().filter(|_| is_date),
        });
        let spec = serde_json::from_value(spec)
            .map_err(|error| Error::internal(format!("the specification of a computed field is not one: {error}")))?;
        let is_queried = mentions(&self.texts.queried, &runtime.name);
        let mut identity = format!("{runtime:?}");
        if let Some(program) = &program {
            identity.push_str(&program.source);
        }
        for name in read {
            if let Some(field) = self.ordered.iter().find(|field| field.runtime.name == *name) {
                identity.push_str(&field.identity);
            }
        }
        Ok(WantedField { runtime, field_type, spec, program, is_queried, identity })
    }

    /// What scripts make of numbers are doubles.
    fn type_of_base(&self, base: Option<&str>) -> FieldType {
        let Some(base) = base else { return FieldType::Keyword };
        let computed = self.ordered.iter().find(|field| field.runtime.name == base).map(|field| field.field_type);
        match computed.or_else(|| self.mapping.field_by_name(base).map(|field| field.spec.field_type)) {
            Some(FieldType::Text | FieldType::Keyword) | None => FieldType::Keyword,
            Some(field_type @ (FieldType::Ip | FieldType::Boolean | FieldType::Date)) => field_type,
            Some(FieldType::DateNanos) => FieldType::Date,
            Some(_) => FieldType::Double,
        }
    }
}
