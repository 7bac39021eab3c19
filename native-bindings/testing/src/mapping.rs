//! Compiled mappings as TypeScript hands them down.

use serde_json::{Value, json};

/// A field of a compiled mapping with the type's defaults; `more` replaces members.
pub fn field(name: &str, kind: &str, more: Value) -> Value {
    let is_text = kind == "text";
    let mut field = json!({
        "name": name, "type": kind, "index": true, "doc_values": !is_text, "store": false, "norms": is_text,
        "index_options": if is_text { "positions" } else { "docs" },
        "analyzer": if is_text { Some("standard") } else { None }, "search_analyzer": null, "search_quote_analyzer": null,
        "position_increment_gap": 100, "normalizer": null, "ignore_above": null, "null_value": null,
        "format": if kind == "date" { Some("strict_date_optional_time||epoch_millis") } else { None },
        "scaling_factor": null, "coerce": true, "ignore_malformed": false, "copy_to": [], "parent": null,
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        field[key] = value.clone();
    }
    field
}

/// A mapping of these fields that takes no others.
pub fn mapping_spec(fields: Vec<Value>) -> Value {
    json!({
        "version": 1, "dynamic": "false", "date_detection": true, "numeric_detection": false, "dynamic_date_formats": [],
        "source_enabled": true, "source_includes": [], "source_excludes": [], "routing_required": false, "fields": fields,
        "objects": [], "depth_limit": 20,
    })
}
