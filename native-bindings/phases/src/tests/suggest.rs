//! Suggestions over real segments: scenes with known answers, and random completions against a slow reference.

use crate::tests::fixture::{NOW_MS, Shard, field, merged, shard};
use proptest::prelude::*;
use quarry_segment::completion::key;
use quarry_segment::completion::weights::score;
use quarry_suggest::plan::SuggestPlan;
use quarry_suggest::suggest;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn run(shard: &Shard, suggester: Value) -> quarry_base::error::Result<Value> {
    let plan = json!({ "suggestions": [suggester], "fetch": { "source": { "enabled": true } }, "now_ms": NOW_MS });
    let plan: SuggestPlan = serde_json::from_value(plan).unwrap();
    let found = suggest(&shard.view, &plan, &|| false)?;
    Ok(serde_json::from_slice::<Value>(&found).unwrap()[0].clone())
}

fn spell(more: Value) -> Value {
    let mut spell = json!({
        "suggest_mode": "missing", "accuracy": 0.5, "sort": "score", "string_distance": "internal", "max_edits": 2,
        "max_inspections": 5, "max_term_freq": 0.01, "prefix_length": 1, "min_word_length": 4, "min_doc_freq": 0.0,
    });
    for (name, value) in more.as_object().unwrap() {
        spell[name] = value.clone();
    }
    spell
}

fn texts(entry: &Value) -> Vec<&str> {
    entry["options"].as_array().unwrap().iter().map(|option| option["text"].as_str().unwrap()).collect()
}

fn library() -> Shard {
    let documents = |texts: &[&str]| texts.iter().map(|text| json!({ "body": text })).collect::<Vec<_>>();
    shard(
        vec![field("body", "text", json!({}))],
        &[
            (documents(&["amsterdam meetup", "amsterdam", "amsterdm museum"]), vec![]),
            (documents(&["the amsterdam meeting", "nobel prize", "noble prize nobel"]), vec![1]),
        ],
    )
}

fn term(text: &str, more: Value) -> Value {
    json!({ "term": { "text": text, "field": "body", "shard_size": 5, "spell": spell(more) } })
}

#[test]
fn near_terms_are_found_for_each_word() {
    let shard = library();
    let found = run(&shard, term("The Amsterdma meetpu", json!({}))).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 3);
    assert_eq!((texts(&found[0]), texts(&found[1])), (vec![], vec!["amsterdam", "amsterdm"]));
    assert_eq!(texts(&found[2]), ["meetup"]);
    assert_eq!((&found[1]["offset"], &found[1]["length"]), (&json!(4), &json!(9)));
    assert_eq!((&found[1]["options"][0]["freq"], &found[1]["options"][0]["score"]), (&json!(3), &json!(0.8888889)));
}

#[test]
fn options_narrow_what_is_near() {
    let shard = library();
    let words = |text: &str, more: Value| {
        let found = run(&shard, term(text, more)).unwrap();
        texts(&found[0]).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(words("amsterdam", json!({})), [""; 0]);
    assert_eq!(words("amsterdam", json!({ "suggest_mode": "always", "max_term_freq": 1000 })), ["amsterdm"]);
    assert_eq!(words("amsterdm", json!({ "suggest_mode": "popular", "max_term_freq": 1000 })), ["amsterdam"]);
    assert_eq!(words("amsterdan", json!({ "min_doc_freq": 2 })), ["amsterdam"]);
    assert_eq!(words("amsterdn", json!({ "sort": "frequency" })), ["amsterdam", "amsterdm"]);
    assert_eq!(words("amsterdn", json!({})), ["amsterdm", "amsterdam"]);
    assert_eq!(words("bmsterdam", json!({})), [""; 0]);
    assert_eq!(words("bmsterdam", json!({ "prefix_length": 0 })), ["amsterdam"]);
    assert_eq!(words("amsterxxm", json!({ "max_edits": 1 })), [""; 0]);
    assert_eq!(words("amsterdan", json!({ "string_distance": "jaro_winkler", "accuracy": 0.97 })), ["amsterdam"]);
    assert!(
        run(&shard, json!({ "term": { "text": "a", "field": "no", "shard_size": 5, "spell": spell(json!({})) } }))
            .is_err()
    );
}

fn phrase(text: &str, more: Value) -> Value {
    let mut phrase = json!({
        "text": text, "field": "body", "shard_size": 5, "generators": [], "default_spell": spell(json!({})),
        "smoothing": { "stupid_backoff": { "discount": 0.4 } }, "real_word_error_likelihood": 0.95, "confidence": 1.0,
        "max_errors": 1.0, "separator": " ", "force_unigrams": true, "token_limit": 10,
    });
    for (name, value) in more.as_object().unwrap() {
        phrase[name] = value.clone();
    }
    json!({ "phrase": phrase })
}

#[test]
fn phrases_are_corrected_as_a_whole() {
    let shard = library();
    let corrected = run(&shard, phrase("nobel prise", json!({ "highlight": ["<b>", "</b>"] }))).unwrap();
    assert_eq!(texts(&corrected[0]), ["nobel prize"]);
    assert_eq!(corrected[0]["options"][0]["highlighted"], "nobel <b>prize</b>");
    let both = json!({ "max_errors": 2.0, "confidence": 0.0, "highlight": ["[", "]"] });
    let corrected = run(&shard, phrase("nobell prise", both)).unwrap();
    assert_eq!(corrected[0]["options"][0]["highlighted"], "[nobel prize]");
    for (gram_size, smoothing) in [
        (1, json!({ "laplace": { "alpha": 0.5 } })),
        (3, json!({ "linear_interpolation": { "trigram_lambda": 0.6, "bigram_lambda": 0.3, "unigram_lambda": 0.1 } })),
    ] {
        let more = json!({ "smoothing": smoothing, "gram_size": gram_size });
        let corrected = run(&shard, phrase("nobel prise", more)).unwrap();
        assert_eq!(texts(&corrected[0])[0], "nobel prize");
    }
    let untouched = run(&shard, phrase("nobel prise", json!({ "token_limit": 2 }))).unwrap();
    assert_eq!(texts(&untouched[0]), [""; 0]);
}

#[test]
fn a_phrase_with_too_many_ways_is_refused() {
    let words: Vec<String> = (0..64).map(|number| format!("word{:06b}", number)).collect();
    let shard = shard(vec![field("body", "text", json!({}))], &[(vec![json!({ "body": words.join(" ") })], vec![])]);
    let generator = json!({
        "field": "body", "size": 60, "pre_filter": null, "post_filter": null,
        "spell": spell(json!({ "suggest_mode": "always", "max_term_freq": 1000, "max_inspections": 60 })),
    });
    let more = json!({ "generators": [generator], "max_errors": 9.0, "confidence": 0.0, "shard_size": 60 });
    let refused = run(&shard, phrase(&["word000000"; 9].join(" "), more)).unwrap_err();
    assert!(refused.reason.contains("ways to be corrected"), "{}", refused.reason);
}

const CONTEXTS: [&str; 3] = ["red", "re", "blue"];

fn completion_field(has_contexts: bool) -> Value {
    let contexts = if has_contexts { json!([{ "name": "color", "type": "category" }]) } else { json!([]) };
    let completion = json!({
        "preserve_separators": true, "preserve_position_increments": true, "max_input_length": 50, "contexts": contexts,
    });
    field(
        "suggest",
        "keyword",
        json!({
            "declared_type": "completion", "index": false, "doc_values": false, "completion": completion,
            "analyzer": "simple",
        }),
    )
}

#[derive(Debug, Clone)]
struct Input {
    text: String,
    weight: u32,
    colors: BTreeSet<&'static str>,
}

fn inputs() -> impl Strategy<Value = Vec<Input>> {
    let colors = proptest::sample::subsequence(CONTEXTS.to_vec(), 1..=3);
    let input = ("[ab]{1,3}( [ab]{1,2})?", 0..4u32, colors).prop_map(|(text, weight, colors)| Input {
        text,
        weight,
        colors: colors.into_iter().collect(),
    });
    proptest::collection::vec(input, 1..3)
}

fn form(text: &str) -> Vec<u8> {
    text.replace(' ', "\u{1f}").into_bytes()
}

fn documents(segment: &[Vec<Input>], has_contexts: bool) -> Vec<Value> {
    let object = |input: &Input| {
        let mut object = json!({ "input": input.text, "weight": input.weight });
        if has_contexts {
            object["contexts"] = json!({ "color": input.colors });
        }
        object
    };
    segment.iter().map(|inputs| json!({ "suggest": inputs.iter().map(object).collect::<Vec<_>>() })).collect()
}

/// What of a form a request accepts, by trying every beginning.
fn accepted(wanted: &Value, form: &[u8]) -> Option<usize> {
    (0..=form.len()).find(|&length| {
        let begin = std::str::from_utf8(&form[..length]).unwrap();
        match wanted.as_object().unwrap().iter().next().unwrap() {
            (kind, prefix) if kind == "prefix" => begin.as_bytes() == self::form(prefix["text"].as_str().unwrap()),
            (_, regex) => {
                let pattern = format!("^(?:{})$", regex["pattern"].as_str().unwrap());
                regex::Regex::new(&pattern).unwrap().is_match(begin)
            }
        }
    })
}

/// Every term of every live document, the best first; then documents by the rules.
fn expected(
    segments: &[(Vec<Vec<Input>>, Vec<u32>)],
    wanted: &Value,
    contexts: Option<&[(&str, bool, u32)]>,
    (size, skip_duplicates): (usize, bool),
) -> Vec<(String, f32, u32)> {
    let mut all: Vec<(String, f32, u32)> = Vec::new();
    let mut base = 0;
    for (documents, deleted) in segments {
        let mut terms: Vec<(f32, Vec<u8>, u32, String)> = Vec::new();
        for (doc, inputs) in documents.iter().enumerate().filter(|(doc, _)| !deleted.contains(&(*doc as u32))) {
            let mut inputs = inputs.clone();
            inputs.sort_by(|left, right| left.text.cmp(&right.text).then(right.weight.cmp(&left.weight)));
            inputs.dedup_by(|later, kept| later.text == kept.text);
            for input in &inputs {
                let form = form(&input.text);
                if accepted(wanted, &form).is_none() {
                    continue;
                }
                let mut add = |context: &[u8], boost: f32| {
                    let term = key::encode(context, &form, &input.text, input.weight);
                    terms.push((score(input.weight, boost), term, doc as u32, input.text.clone()));
                };
                let Some(contexts) = contexts else {
                    add(b"", 0.0);
                    continue;
                };
                for color in &input.colors {
                    let meant = |(value, is_prefix, _): &&(&str, bool, u32)| {
                        if *is_prefix { color.starts_with(value) } else { color == value }
                    };
                    let longest = contexts.iter().filter(meant).rev().max_by_key(|(value, ..)| value.len());
                    if let Some((.., boost)) = longest {
                        add(&key::context_prefix(0, color.as_bytes()), *boost as f32);
                    }
                }
            }
        }
        terms.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        let (mut found, mut seen, mut known) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        for (score, _, doc, input) in terms {
            if skip_duplicates && !seen.insert(input.clone()) {
                continue;
            }
            if known.insert(doc) {
                if found.len() == size {
                    break;
                }
                found.push((input, score, base + doc));
            }
        }
        all.append(&mut found);
        base += documents.len() as u32;
    }
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)).then(a.2.cmp(&b.2)));
    let mut seen = BTreeSet::new();
    all.retain(|(input, ..)| !skip_duplicates || seen.insert(input.clone()));
    all.truncate(size);
    all
}

fn completion(wanted: &Value, contexts: Option<&[(&str, bool, u32)]>, (size, skip): (usize, bool)) -> Value {
    let contexts = contexts.map(|contexts| {
        let object = |(value, is_prefix, boost): &(&str, bool, u32)| {
            json!({ "context": value, "prefix": is_prefix, "boost": boost })
        };
        json!({ "color": contexts.iter().map(object).collect::<Vec<_>>() })
    });
    json!({ "completion": {
        "text": "", "field": "suggest", "size": size, "shard_size": size, "skip_duplicates": skip, "wanted": wanted,
        "contexts": contexts,
    }})
}

fn found(shard: &Shard, suggester: Value) -> Vec<(String, f32, u32)> {
    let found = run(shard, suggester).unwrap();
    let option = |option: &Value| {
        let hit: Value = serde_json::from_str(option["hit"].as_str().unwrap()).unwrap();
        let text = option["text"].as_str().unwrap().to_owned();
        (text, option["score"].as_f64().unwrap() as f32, hit["_id"].as_str().unwrap().parse().unwrap())
    };
    found[0]["options"].as_array().unwrap().iter().map(option).collect()
}

fn wanted() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[ab]{1,2}( [ab])?".prop_map(|text| json!({ "prefix": { "text": text } })),
        "[ab.][ab]?([+*?][ab])?".prop_map(|pattern| json!({
            "regex": { "pattern": pattern, "flags": [], "max_determinized_states": 10_000 }
        })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]
    #[test]
    fn completions_agree_with_trying_every_input(
        segments in proptest::collection::vec(
            (proptest::collection::vec(inputs(), 1..8), proptest::collection::vec(0..8u32, 0..3)),
            1..3,
        ),
        wanted in wanted(),
        how in (1..5usize, any::<bool>()),
        contexts in proptest::option::of(proptest::collection::vec(
            (proptest::sample::select(vec!["red", "re", "r", "blue", "none"]), any::<bool>(), 1..4u32),
            1..3,
        )),
    ) {
        let contexts = contexts.map(|mut contexts| {
            contexts.sort_by_key(|(value, ..)| *value);
            contexts.dedup_by_key(|(value, ..)| *value);
            contexts
        });
        let segments: Vec<(Vec<Vec<Input>>, Vec<u32>)> = segments
            .into_iter()
            .map(|(documents, deleted)| {
                let count = documents.len() as u32;
                (documents, deleted.into_iter().filter(|&doc| doc < count).collect())
            })
            .collect();
        let written: Vec<(Vec<Value>, Vec<u32>)> = segments
            .iter()
            .map(|(segment, deleted)| (documents(segment, contexts.is_some()), deleted.clone()))
            .collect();
        let shard = shard(vec![completion_field(contexts.is_some())], &written);
        let expected_now = expected(&segments, &wanted, contexts.as_deref(), how);
        prop_assert_eq!(found(&shard, completion(&wanted, contexts.as_deref(), how)), expected_now);
        // Merged, the ids are those of the documents that are left; without deletions nothing else changes.
        if segments.iter().all(|(_, deleted)| deleted.is_empty()) {
            let together: Vec<Vec<Input>> = segments.iter().flat_map(|(documents, _)| documents.clone()).collect();
            let expected_then = expected(&[(together, vec![])], &wanted, contexts.as_deref(), how);
            prop_assert_eq!(found(&merged(shard), completion(&wanted, contexts.as_deref(), how)), expected_then);
        }
    }
}

fn songs() -> Shard {
    let song = |input: &str, weight: u32| json!({ "suggest": { "input": input, "weight": weight } });
    let documents =
        vec![song("Nevermind", 9), song("Never mind", 4), song("Nirvana", 3), song("Nérée", 2), song("Nervermind", 1)];
    shard(vec![completion_field(false)], &[(documents, vec![])])
}

fn fuzzy(text: &str, more: Value) -> Value {
    let mut fuzzy = json!({
        "text": text, "edits": 1, "transpositions": true, "min_length": 3, "prefix_length": 1, "unicode_aware": false,
    });
    for (name, value) in more.as_object().unwrap() {
        fuzzy[name] = value.clone();
    }
    completion(&json!({ "fuzzy": fuzzy }), None, (5, false))
}

fn names(shard: &Shard, suggester: Value) -> Vec<String> {
    found(shard, suggester).into_iter().map(|(text, ..)| text).collect()
}

#[test]
fn completions_allow_for_misspellings() {
    let shard = songs();
    assert_eq!(names(&shard, fuzzy("nevre", json!({}))), ["Nevermind", "Never mind", "Nervermind"]);
    assert_eq!(names(&shard, fuzzy("nevre", json!({ "transpositions": false, "edits": 0 }))), [""; 0]);
    assert_eq!(names(&shard, fuzzy("irv", json!({ "prefix_length": 0 })))[..], ["Nirvana"]);
    assert_eq!(names(&shard, fuzzy("ni", json!({}))), ["Nirvana"]);
    // The longer the common beginning, the better; bytes count, unless characters are asked for.
    assert_eq!(found(&shard, fuzzy("nirv", json!({})))[0], ("Nirvana".to_owned(), 9.0, 2));
    assert!(!names(&shard, fuzzy("nerée", json!({}))).contains(&"Nérée".to_owned()));
    assert!(names(&shard, fuzzy("nerée", json!({ "unicode_aware": true }))).contains(&"Nérée".to_owned()));
}

#[test]
fn contexts_are_mandatory_where_the_mapping_has_some() {
    let shard = shard(vec![completion_field(true)], &[]);
    let prefix = json!({ "prefix": { "text": "a" } });
    let refused = run(&shard, completion(&prefix, None, (5, false))).unwrap_err();
    assert_eq!(refused.reason, "Missing mandatory contexts in context query");
    let refused = run(&shard, completion(&prefix, Some(&[]), (5, false))).unwrap_err();
    assert_eq!(refused.reason, "Missing mandatory contexts in context query");
    let refused = run(&songs(), completion(&prefix, Some(&[("red", false, 1)]), (5, false))).unwrap_err();
    assert_eq!(refused.reason, "suggester [suggest] doesn't expect any context");
}
