//! Pages of hits that show what is to be looked up elsewhere (see `fetch/lookups.rs`): what has to be asked for a page, and the
//! page with the answers in it. Of hits nothing else is read, and nothing of them is written anew.

use quarry_base::error::{Error, Result};
use quarry_json::members::members;
use quarry_json::write::write_string;
use quarry_mapping::spec::FetchedField;
use rapidhash::RapidHashMap;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What a hit shows of a field whose values are still to be looked up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unresolved {
    pub target_index: String,
    pub target_field: String,
    pub fetch_fields: Vec<FetchedField>,
    /// What the target field is to have, each in a document of its own.
    pub values: Vec<String>,
}

impl Unresolved {
    pub fn to_json(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|error| Error::internal(format!("a lookup cannot be written: {error}")))
    }

    fn into_parts(self) -> (Kind, Vec<String>) {
        ((self.target_index, self.target_field, self.fetch_fields), self.values)
    }
}

/// One kind of lookup: where, and what is shown.
type Kind = (String, String, Vec<FetchedField>);

/// All that a page asks for: each kind of lookup once, with the different values that are wanted by it.
#[derive(Debug, Default)]
struct Wanted {
    groups: Vec<Unresolved>,
    /// Places among the groups, and those of values in their group.
    places: RapidHashMap<Kind, (usize, RapidHashMap<String, usize>)>,
}

impl Wanted {
    /// Of the `hits` object of a response.
    fn of(hits: &[u8]) -> Result<Self> {
        let mut wanted = Wanted::default();
        for (_, unresolved) in Page::read(hits)?.unresolved()? {
            wanted.add(unresolved);
        }
        Ok(wanted)
    }

    fn add(&mut self, unresolved: Unresolved) {
        let groups = &mut self.groups;
        let (kind, values) = unresolved.into_parts();
        let (place, known) = self.places.entry(kind).or_insert_with_key(|kind| {
            let (target_index, target_field, fetch_fields) = kind.clone();
            groups.push(Unresolved { target_index, target_field, fetch_fields, values: Vec::new() });
            (groups.len() - 1, RapidHashMap::default())
        });
        let Some(group) = groups.get_mut(*place) else { return };
        for value in values {
            let next = known.len();
            known.entry(value).or_insert_with_key(|value| {
                group.values.push(value.clone());
                next
            });
        }
    }

    /// Where the answers of each group begin among those of all.
    fn offsets(&self) -> Vec<usize> {
        let ends = self.groups.iter().scan(0, |end, group| Some(std::mem::replace(end, *end + group.values.len())));
        ends.collect()
    }
}

/// What has to be asked for a page, whose `hits` object this is: an array of [`Unresolved`], each of another kind.
pub fn wanted(hits: &[u8]) -> Result<String> {
    let wanted = Wanted::of(hits)?;
    serde_json::to_string(&wanted.groups)
        .map_err(|error| Error::internal(format!("lookups cannot be written: {error}")))
}

/// The page with what was found. `answers` has for each value of each group, in the order of [`wanted`], the `hits` object of the
/// search for it, or nothing.
pub fn resolved(hits: &[u8], answers: &[impl AsRef<[u8]>]) -> Result<Vec<u8>> {
    let wanted = Wanted::of(hits)?;
    let offsets = wanted.offsets();
    let found = answers.iter().map(|answer| found_fields(answer.as_ref())).collect::<Result<Vec<_>>>()?;
    let values_of = |unresolved: Unresolved| -> Result<Vec<&str>> {
        let (kind, values) = unresolved.into_parts();
        let (place, known) = wanted.places.get(&kind).ok_or_else(unknown)?;
        let offset = offsets.get(*place).ok_or_else(unknown)?;
        let mut shown = Vec::new();
        for value in &values {
            let at = known.get(value).ok_or_else(unknown)?;
            shown.extend(found.get(offset + at).ok_or_else(unknown)?.iter().copied());
        }
        Ok(shown)
    };
    Page::read(hits)?.written(values_of)
}

fn unknown() -> Error {
    Error::internal("a value that was to be looked up was not asked for")
}

/// The `fields` of each hit that has some.
fn found_fields(hits: &[u8]) -> Result<Vec<&str>> {
    if hits.is_empty() {
        return Ok(Vec::new());
    }
    let Page { hits, .. } = Page::read(hits)?;
    let mut found = Vec::new();
    for hit in hits {
        let of_hit = object(hit)?;
        found.extend(of_hit.iter().find(|(name, _)| name == FIELDS).map(|(_, fields)| fields.get()));
    }
    Ok(found)
}

const HITS: &str = "hits";
const FIELDS: &str = "fields";

type Members<'a> = Vec<(String, &'a RawValue)>;

fn unreadable(error: serde_json::Error) -> Error {
    Error::internal(format!("hits cannot be read: {error}"))
}

fn object(value: &RawValue) -> Result<Members<'_>> {
    members(value.get()).map_err(unreadable)
}

/// The `hits` object of a response.
struct Page<'a> {
    members: Members<'a>,
    hits: Vec<&'a RawValue>,
}

impl<'a> Page<'a> {
    fn read(json: &'a [u8]) -> Result<Self> {
        let text =
            std::str::from_utf8(json).map_err(|error| Error::internal(format!("hits are not UTF-8: {error}")))?;
        let members = members(text).map_err(unreadable)?;
        let list = members.iter().find(|(name, _)| name == HITS).map(|(_, list)| list.get());
        let hits = list.map_or(Ok(Vec::new()), quarry_base::deep_json::from_str).map_err(unreadable)?;
        Ok(Page { members, hits })
    }

    /// All that is to be looked up, with the names of the fields.
    fn unresolved(&self) -> Result<Vec<(String, Unresolved)>> {
        let mut found = Vec::new();
        for hit in &self.hits {
            for (_, fields) in object(hit)?.into_iter().filter(|(name, _)| name == FIELDS) {
                for (name, value) in object(fields)? {
                    if let Some(unresolved) = unresolved(value)? {
                        found.push((name, unresolved));
                    }
                }
            }
        }
        Ok(found)
    }

    /// The page with values (JSON) where something was to be looked up.
    fn written<'v>(&self, values_of: impl Fn(Unresolved) -> Result<Vec<&'v str>>) -> Result<Vec<u8>> {
        let hits: Vec<Vec<u8>> = self.hits.iter().map(|hit| written_hit(hit, &values_of)).collect::<Result<_>>()?;
        let mut out = ObjectWriter::default();
        for (name, value) in &self.members {
            match name.as_str() {
                HITS => out.array(name, &hits),
                _ => out.member(name, value.get().as_bytes()),
            }
        }
        Ok(out.finish())
    }
}

fn written_hit<'v>(hit: &RawValue, values_of: &impl Fn(Unresolved) -> Result<Vec<&'v str>>) -> Result<Vec<u8>> {
    let mut out = ObjectWriter::default();
    for (name, value) in object(hit)? {
        if name != FIELDS {
            out.member(&name, value.get().as_bytes());
            continue;
        }
        let mut fields = ObjectWriter::default();
        for (field, value) in object(value)? {
            match unresolved(value)? {
                None => fields.member(&field, value.get().as_bytes()),
                Some(unresolved) => {
                    let values = values_of(unresolved)?;
                    if !values.is_empty() {
                        fields.array(&field, &values);
                    }
                }
            }
        }
        if !fields.is_empty() {
            out.member(&name, &fields.finish());
        }
    }
    Ok(out.finish())
}

/// An object, member by member; values are JSON.
#[derive(Default)]
struct ObjectWriter {
    out: Vec<u8>,
}

impl ObjectWriter {
    fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    fn begin(&mut self, name: &str) {
        self.out.push(if self.out.is_empty() { b'{' } else { b',' });
        write_string(&mut self.out, name);
        self.out.push(b':');
    }

    fn member(&mut self, name: &str, value: &[u8]) {
        self.begin(name);
        self.out.extend_from_slice(value);
    }

    fn array(&mut self, name: &str, items: &[impl AsRef<[u8]>]) {
        self.begin(name);
        self.out.push(b'[');
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                self.out.push(b',');
            }
            self.out.extend_from_slice(item.as_ref());
        }
        self.out.push(b']');
    }

    fn finish(mut self) -> Vec<u8> {
        if self.out.is_empty() {
            self.out.push(b'{');
        }
        self.out.push(b'}');
        self.out
    }
}

/// Values of a field are in an array; what is still to be looked up is an object.
fn unresolved(value: &RawValue) -> Result<Option<Unresolved>> {
    if !value.get().starts_with('{') {
        return Ok(None);
    }
    quarry_base::deep_json::from_str(value.get()).map(Some).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn lookup(index: &str, values: &[&str]) -> Value {
        json!({"target_index": index, "target_field": "id", "fetch_fields": [{"field": "name"}], "values": values})
    }

    fn page(hits: Value) -> String {
        json!({"total": {"value": 9, "relation": "eq"}, "max_score": 1.5, "hits": hits}).to_string()
    }

    #[test]
    fn each_value_is_asked_for_once() {
        let hits = page(json!([
            {"_id": "1", "fields": {"a": [1], "of": lookup("x", &["p", "q", "p"])}},
            {"_id": "2"},
            {"_id": "3", "fields": {"of": lookup("x", &["q", "r"]), "other": lookup("y", &["p"])}},
        ]));
        let groups: Value = serde_json::from_str(&wanted(hits.as_bytes()).unwrap()).unwrap();
        let expected = [lookup("x", &["p", "q", "r"]), lookup("y", &["p"])];
        assert_eq!(groups, json!(expected));
    }

    #[test]
    fn what_was_found_takes_the_place_and_all_else_stays() {
        let hits = page(json!([
            {"_id": "1", "_source": {"of": {"values": 1e2, "fields": {}}}, "fields": {"a": [1.0], "of": lookup("x", &["p", "q", "p"])}},
            {"_id": "2", "fields": {"b": [[]], "of": lookup("x", &["q"])}, "sort": ["\u{e9}\"", 12345678901234567890u64]},
            {"_id": "3", "fields": {"of": lookup("x", &["r", "q"])}, "_score": null},
        ]));
        let found = page(json!([{"_id": "p", "fields": {"name": ["P"]}}]));
        let without_fields = page(json!([{"_id": "q"}]));
        let answers = [found.as_str(), &without_fields, ""];
        let shown: Value = serde_json::from_slice(&resolved(hits.as_bytes(), &answers).unwrap()).unwrap();
        let expected = page(json!([
            {"_id": "1", "_source": {"of": {"values": 1e2, "fields": {}}}, "fields": {"a": [1.0], "of": [{"name": ["P"]}, {"name": ["P"]}]}},
            {"_id": "2", "fields": {"b": [[]]}, "sort": ["\u{e9}\"", 12345678901234567890u64]},
            {"_id": "3", "_score": null},
        ]));
        assert_eq!(shown, serde_json::from_str::<Value>(&expected).unwrap());
    }

    /// A field of a hit: its values, or what is to be looked up for it.
    #[derive(Debug, Clone)]
    enum Shown {
        Values(Vec<i32>),
        Lookup(usize, Vec<usize>),
    }

    const INDICES: [&str; 3] = ["x", "y", "z"];
    const VALUES: [&str; 5] = ["missing", "bare", "\u{e9}\"", "p", "q"];

    /// The fields of the document that a lookup finds.
    fn document(index: &str, value: &str) -> Option<Value> {
        (value != "missing" && value != "bare").then(|| json!({"name": [format!("{value} of {index}")]}))
    }

    fn answer(index: &str, value: &str) -> String {
        match (document(index, value), value) {
            (Some(fields), _) => page(json!([{"_id": value, "fields": fields}])),
            (None, "bare") => page(json!([{"_id": value}])),
            (None, _) => String::new(),
        }
    }

    fn hits() -> impl Strategy<Value = Vec<Vec<Shown>>> {
        let values = prop::collection::vec(any::<i32>(), 0..3).prop_map(Shown::Values);
        let lookups = (0..INDICES.len(), prop::collection::vec(0..VALUES.len(), 0..4));
        let lookups = lookups.prop_map(|(index, values)| Shown::Lookup(index, values));
        prop::collection::vec(prop::collection::vec(prop_oneof![values, lookups], 0..4), 0..8)
    }

    /// A page of such hits; `show` gives the value of a field, or leaves it out.
    fn page_of(hits: &[Vec<Shown>], show: impl Fn(&Shown) -> Option<Value>) -> String {
        let hit = |(id, shown): (usize, &Vec<Shown>)| {
            let named = shown.iter().enumerate().filter_map(|(place, field)| Some((format!("f{place}"), show(field)?)));
            let fields: serde_json::Map<String, Value> = named.collect();
            match fields.is_empty() {
                true => json!({"_id": id}),
                false => json!({"_id": id, "fields": fields}),
            }
        };
        page(hits.iter().enumerate().map(hit).collect())
    }

    proptest! {
        #[test]
        fn pages_show_what_each_value_finds(hits in hits()) {
            let texts = |values: &[usize]| values.iter().map(|&value| VALUES[value]).collect::<Vec<_>>();
            let asked = page_of(&hits, |field| Some(match field {
                Shown::Values(values) => json!(values),
                Shown::Lookup(index, values) => lookup(INDICES[*index], &texts(values)),
            }));
            let expected = page_of(&hits, |field| match field {
                Shown::Values(values) => Some(json!(values)),
                Shown::Lookup(index, values) => {
                    let texts = texts(values);
                    let found: Vec<Value> = texts.iter().filter_map(|value| document(INDICES[*index], value)).collect();
                    (!found.is_empty()).then(|| json!(found))
                }
            });
            let groups: Vec<Unresolved> = serde_json::from_str(&wanted(asked.as_bytes()).unwrap()).unwrap();
            let of_group = |group: &Unresolved| {
                group.values.iter().map(|value| answer(&group.target_index, value)).collect::<Vec<_>>()
            };
            let answers: Vec<String> = groups.iter().flat_map(of_group).collect();
            let shown = resolved(asked.as_bytes(), &answers).unwrap();
            prop_assert_eq!(serde_json::from_slice::<Value>(&shown).unwrap(), serde_json::from_str::<Value>(&expected).unwrap());
        }
    }

    #[test]
    fn too_few_answers_and_other_texts_are_errors() {
        let hits = page(json!([{"fields": {"of": lookup("x", &["p"])}}]));
        assert!(resolved(hits.as_bytes(), &[] as &[&str]).is_err());
        for text in ["", "[]", "{\"hits\":1}", "{\"hits\":[{\"fields\":{\"of\":{}}}]}"] {
            assert!(wanted(text.as_bytes()).is_err(), "{text}");
        }
    }
}
