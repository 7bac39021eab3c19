use super::*;
use proptest::prelude::*;

const SEED: &[u8; ID_SEED_BYTES] = b"eleven byte";

fn split(body: &str) -> Result<SplitBulk> {
    split_bulk(body.as_bytes(), &SplitOptions { allow_explicit_index: true, ..SplitOptions::default() }, SEED)
}

fn reason(body: &str) -> String {
    split(body).unwrap_err().reason
}

fn item(split: &SplitBulk, at: usize) -> Item<'_> {
    Item::read(&split.items.words, &split.items.strings, at).unwrap()
}

#[test]
fn items_hold_what_their_action_lines_say() {
    let body = concat!(
        r#"{"index":{"_index":"a","_id":"1","routing":"r"}}"#,
        "\n",
        "{\"x\":1}\r\n",
        r#"{"delete":{"_index":"b","_id":2,"if_seq_no":3,"if_primary_term":4}}"#,
        "\n\n",
        r#"{"create":{"_index":"a"}}"#,
        "\n",
        "{}\n",
        r#"{"update":{"_index":"a","_id":"\u0031","_source":["f"],"retry_on_conflict":3}}"#,
        "\n",
        "{\"doc\":{}}\n",
        r#"{"index":{"_index":"a","_id":"v","version":7,"version_type":"external","require_alias":true}}"#,
        "\n",
        "{}\n",
    );
    let split = split(body).unwrap();
    assert_eq!(split.index_names, ["a", "b"]);
    assert_eq!(split.items.len(), 5);
    assert!(split.requires_alias);
    let first = item(&split, 0);
    assert_eq!((first.action, first.id, first.routing), (Action::Index, "1", Some("r")));
    assert_eq!(first.source_in(body.as_bytes()).unwrap(), b"{\"x\":1}");
    let second = item(&split, 1);
    assert_eq!((second.action, second.index, second.id), (Action::Delete, 1, "2"));
    assert_eq!(second.expected, Some(Expected { seq_no: 3, primary_term: 4 }));
    let third = item(&split, 2);
    assert!(third.auto_id && third.id.len() == 20);
    let fourth = item(&split, 3);
    assert_eq!((fourth.action, fourth.id, fourth.source_spec), (Action::Update, "1", Some("[\"f\"]")));
    let fifth = item(&split, 4);
    assert_eq!((fifth.version, fifth.version_type, fifth.require_alias), (Some(7), VersionType::External, true));
}

#[test]
fn broken_lines_are_refused_with_their_number() {
    let fine = "{\"index\":{\"_index\":\"a\"}}\n{}\n";
    let cases = [
        ("[]\n", "Malformed action/metadata line [3], expected START_OBJECT but found [START_ARRAY]"),
        ("{}\n", "Malformed action/metadata line [3], expected FIELD_NAME but found [END_OBJECT]"),
        (
            "{\"index\":\"x\"}\n{}\n",
            "Malformed action/metadata line [3], expected START_OBJECT or END_OBJECT but found [VALUE_STRING]",
        ),
        (
            "{\"index\":{\"_id\":[1]}}\n{}\n",
            "Malformed action/metadata line [3], expected a simple value for field [_id] but found [START_ARRAY]",
        ),
        (
            "{\"upsert\":{}}\n{}\n",
            "Malformed action/metadata line [3], expected field [create], [delete], [index] or [update] but found [upsert]",
        ),
        ("{\"index\":{\"_type\":\"t\"}}\n{}\n", "Action/metadata line [3] contains an unknown parameter [_type]"),
        (
            "{\"index\":{},\"b\":1}\n{}\n",
            "Malformed action/metadata line [3], expected END_OBJECT but found [FIELD_NAME]",
        ),
        ("{\"index\":{}} x\n{}\n", "Malformed action/metadata line [3], unexpected data after the closing brace"),
        ("{\"index\":{}\n{}\n", "Malformed action/metadata line [3]"),
        ("{\"index\":{}}\n", "Malformed action/metadata line [3], the document after it is missing"),
        ("{\"index\":{}}", "The bulk request must be terminated by a newline [\\n]"),
        (
            "{\"index\":{\"pipeline\":\"p\"}}\n{}\n",
            "Action/metadata line [3] contains [pipeline], which is not supported",
        ),
    ];
    for (bad, expected) in cases {
        assert_eq!(reason(&format!("{fine}{bad}")), expected, "{bad}");
    }
}

#[test]
fn contradictions_are_listed() {
    let body = concat!(
        "{\"delete\":{\"_index\":\"a\"}}\n",
        "{\"index\":{}}\n{}\n",
        "{\"create\":{\"_index\":\"a\",\"_id\":\"1\",\"version\":1,\"version_type\":\"external\"}}\n{}\n",
        "{\"index\":{\"_index\":\"a\",\"_id\":\"1\",\"if_seq_no\":1}}\n{}\n",
    );
    assert_eq!(
        reason(body),
        "Validation Failed: 1: id is missing;2: index is missing;\
         3: create operations only support internal versioning. use index instead;\
         4: ifSeqNo is set, but primary term is [0];"
    );
    assert_eq!(reason("\n"), "Validation Failed: 1: no requests added;");
    assert!(reason("{\"update\":{\"_index\":\"a\",\"_id\":\"1\"}}\n{}\n").contains("script or doc is missing"));
}

#[test]
fn an_update_that_compares_neither_inserts_nor_is_retried() {
    let line = r#"{"update":{"_index":"a","_id":"1","if_seq_no":1,"if_primary_term":1,"retry_on_conflict":1}}"#;
    assert_eq!(
        reason(&format!("{line}\n{}\n", r#"{"doc":{},"doc_as_upsert":true,"upsert":{}}"#)),
        "Validation Failed: 1: compare and write operations can not be retried;\
         2: compare and write operations can not be used with upsert;\
         3: upsert requests don't support `if_seq_no` and `if_primary_term`;"
    );
}

#[test]
fn automatic_ids_differ_and_are_safe_in_urls() {
    let body = "{\"index\":{\"_index\":\"a\"}}\n{}\n".repeat(300);
    let split = split(&body).unwrap();
    let ids: std::collections::HashSet<&str> = (0..300).map(|at| item(&split, at).id).collect();
    assert_eq!(ids.len(), 300);
    assert!(ids.iter().all(|id| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(lines in prop::collection::vec("[ -~é]{0,60}|\\{\"index\":\\{.{0,20}\\}\\}", 0..6)) {
        let body = lines.join("\n");
        let _ = split(&body);
        let _ = split_bulk(body.as_bytes(), &SplitOptions::default(), SEED);
    }

    #[test]
    fn any_id_and_routing_survive(id in ".{1,80}", routing in ".{1,20}", source: i32) {
        let line = serde_json::json!({ "index": { "_index": "a", "_id": id, "routing": routing } });
        let document = serde_json::json!({ "n": source }).to_string();
        let body = format!("{line}\n{document}\n");
        if let Ok(split) = split(&body) {
            let item = item(&split, 0);
            prop_assert_eq!(item.id, &id);
            prop_assert_eq!(item.routing, Some(routing.as_str()));
            prop_assert_eq!(item.source_in(body.as_bytes()).unwrap(), document.as_bytes());
        } else {
            prop_assert!(id.len() > quarry_base::limits::ID_BYTES_MAX);
        }
    }
}

#[test]
fn a_body_that_names_pipelines_is_told_from_one_that_speaks_of_them() {
    assert!(mentions_pipelines(b"{\"index\":{\"pipeline\":\"p\"}}\n{}\n"));
    assert!(mentions_pipelines(b"{\"index\":{\"list_executed_pipelines\":true}}\n{}\n"));
    assert!(!mentions_pipelines(b"{\"index\":{}}\n{\"a\":\"a pipeline of pipelines\"}\n"));
    assert!(!mentions_pipelines(b""));
}
