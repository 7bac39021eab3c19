use super::*;
use serde_json::{Map, Value, json};

fn terms(registry: &Registry, analyzer: &str, text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    registry.analyzer(analyzer).unwrap().analyze(text, &mut tokens).unwrap();
    tokens.iter().map(|token| token.text().to_owned()).collect()
}

fn built_in(analyzer: &str, text: &str) -> Vec<String> {
    terms(&Registry::from_spec(&json!({})).unwrap(), analyzer, text)
}

fn refused(spec: Value) -> String {
    let error = Registry::from_spec(&spec).unwrap_err();
    assert_eq!(error.code, quarry_base::error::ErrorCode::IllegalArgument);
    error.reason
}

fn analyze(spec: Value, body: Value) -> Value {
    let scope = AnalyzeScope { max_token_count: 10_000, has_index: true, shingle: None, field_gap: None };
    let answer = Registry::from_spec(&spec).unwrap().analyze_request(&body, scope).unwrap();
    serde_json::from_slice(&answer).unwrap()
}

const FOXES: &str = "The 2 QUICK Brown-Foxes jumped over the lazy dog's bone.";

#[test]
fn built_in_analyzers() {
    assert_eq!(
        built_in("standard", FOXES),
        ["the", "2", "quick", "brown", "foxes", "jumped", "over", "the", "lazy", "dog's", "bone"]
    );
    assert_eq!(
        built_in("simple", FOXES),
        ["the", "quick", "brown", "foxes", "jumped", "over", "the", "lazy", "dog", "s", "bone"]
    );
    assert_eq!(built_in("whitespace", "The 2 x."), ["The", "2", "x."]);
    assert_eq!(built_in("stop", FOXES), ["quick", "brown", "foxes", "jumped", "over", "lazy", "dog", "s", "bone"]);
    assert_eq!(built_in("keyword", FOXES), [FOXES]);
    assert_eq!(built_in("english", FOXES), ["2", "quick", "brown", "fox", "jump", "over", "lazi", "dog", "bone"]);
    assert_eq!(built_in("pattern", "The foo_bar's 5."), ["the", "foo_bar", "s", "5"]);
    assert_eq!(built_in("fingerprint", "Yes yes, Gödel said this"), ["godel said this yes"]);
    assert_eq!(built_in("snowball", "the generously"), ["generous"]);
    assert_eq!(built_in("default", "A b"), ["a", "b"]);
    assert!(Registry::from_spec(&json!({})).unwrap().analyzer("klingon").is_none());
}

#[test]
fn configured_analyzers() {
    let registry = Registry::from_spec(&json!({"analyzer": {
        "short": {"type": "standard", "max_token_length": 5, "stopwords": "_english_"},
        "eng": {"type": "english", "stem_exclusion": ["jumped"]},
        "email": {"type": "pattern", "pattern": "\\W|_", "lowercase": false},
        "default": {"type": "whitespace"},
    }}))
    .unwrap();
    assert_eq!(
        terms(&registry, "short", FOXES),
        ["2", "quick", "brown", "foxes", "jumpe", "d", "over", "lazy", "dog's", "bone"]
    );
    assert_eq!(terms(&registry, "eng", "jumped jumping"), ["jumped", "jump"]);
    assert_eq!(terms(&registry, "email", "John_S@x"), ["John", "S", "x"]);
    assert_eq!(terms(&registry, "default", "A b"), ["A", "b"]);
}

#[test]
fn custom_chains() {
    let registry = Registry::from_spec(&json!({
        "char_filter": {"faces": {"type": "mapping", "mappings": [":) => _happy_", ":( => _sad_"]}},
        "tokenizer": {"punctuation": {"type": "pattern", "pattern": "[ .,!?]"}},
        "filter": {"short_stop": {"type": "stop", "stopwords": ["person", "a"]}},
        "analyzer": {"mine": {
            "char_filter": ["faces"], "tokenizer": "punctuation", "filter": ["lowercase", "short_stop"]
        }},
    }))
    .unwrap();
    let mut tokens = Vec::new();
    let positions = registry.analyzer("mine").unwrap().analyze("I'm a :) person, and you?", &mut tokens).unwrap();
    let found: Vec<_> = tokens.iter().map(|t| (t.text(), t.position, t.start_offset, t.end_offset)).collect();
    assert_eq!(found, [("i'm", 0, 0, 3), ("_happy_", 2, 6, 8), ("and", 4, 17, 20), ("you", 5, 21, 24)]);
    assert_eq!(positions, 6);
}

#[test]
fn offsets_are_utf16() {
    let mut tokens = Vec::new();
    let registry = Registry::from_spec(&json!({})).unwrap();
    registry.analyzer("standard").unwrap().analyze("𝒳 é😀 x", &mut tokens).unwrap();
    let found: Vec<_> = tokens.iter().map(|t| (t.start_offset, t.end_offset)).collect();
    assert_eq!(found, [(0, 2), (3, 4), (4, 6), (7, 8)]);
}

#[test]
fn trailing_stop_words_take_positions() {
    let registry = Registry::from_spec(&json!({})).unwrap();
    let mut tokens = Vec::new();
    assert_eq!(registry.analyzer("english").unwrap().analyze("fox in the", &mut tokens).unwrap(), 3);
    assert_eq!(tokens.len(), 1);
}

#[test]
fn normalizers() {
    let registry = Registry::from_spec(&json!({
        "char_filter": {"quote": {"type": "mapping", "mappings": ["« => \"", "» => \""]}},
        "normalizer": {"fold": {"type": "custom", "char_filter": ["quote"], "filter": ["lowercase", "asciifolding"]}},
    }))
    .unwrap();
    assert_eq!(registry.normalizer("fold").unwrap().normalize("«Çà» B").unwrap(), b"\"ca\" b");
    assert_eq!(registry.normalizer("lowercase").unwrap().normalize("A B").unwrap(), b"a b");
    assert!(registry.normalizer("nope").is_none());
    assert_eq!(registry.analyzer("english").unwrap().normalize("Foxes").unwrap(), b"foxes");
    assert_eq!(registry.analyzer("whitespace").unwrap().normalize("Foxes").unwrap(), b"Foxes");
}

#[test]
fn errors_name_component_and_parameter() {
    for (spec, reason) in [
        (json!({"tokenizer": {"t": {"type": "nope"}}}), "Unknown tokenizer type [nope] for [t]"),
        (json!({"filter": {"f": {"type": "nope"}}}), "Unknown filter type [nope] for [f]"),
        (json!({"char_filter": {"c": {"type": "nope"}}}), "Unknown char_filter type [nope] for [c]"),
        (json!({"analyzer": {"a": {"type": "nope"}}}), "Unknown analyzer type [nope] for [a]"),
        (json!({"normalizer": {"n": {"type": "nope"}}}), "Unknown normalizer type [nope] for [n]"),
        (json!({"analyzer": {"a": {}}}), "analyzer [a] must specify either an analyzer type, or a tokenizer"),
        (json!({"analyzer": {"a": {"type": "custom"}}}), "analyzer [a] must be configured with a tokenizer"),
        (
            json!({"analyzer": {"a": {"tokenizer": "nope"}}}),
            "Custom Analyzer [a] failed to find tokenizer under name [nope]",
        ),
        (
            json!({"analyzer": {"a": {"tokenizer": "standard", "filter": ["nope"]}}}),
            "Custom Analyzer [a] failed to find filter under name [nope]",
        ),
        (
            json!({"analyzer": {"a": {"tokenizer": "standard", "char_filter": "nope"}}}),
            "Custom Analyzer [a] failed to find char_filter under name [nope]",
        ),
        (json!({"normalizer": {"n": {"filter": ["stop"]}}}), "Custom normalizer [n] may not use filter [stop]"),
        (
            json!({"normalizer": {"n": {"char_filter": ["html_strip"]}}}),
            "Custom normalizer [n] may not use char filter [html_strip]",
        ),
        (json!({"normalizer": {"n": {"tokenizer": "standard"}}}), "Custom normalizer [n] cannot configure a tokenizer"),
        (json!({"analyzer": {"_a": {"type": "standard"}}}), "analyzer name must not start with '_'. got \"_a\""),
    ] {
        assert_eq!(refused(spec), reason);
    }
    assert!(refused(json!({"analyzer": {"a": {"type": "simple", "x": 1}}})).contains("[index.analysis.analyzer.a.x]"));
    assert!(refused(json!({"analysers": {}})).contains("[index.analysis.analysers]"));
}

#[test]
fn analyze_gives_tokens() {
    let answer = analyze(json!({}), json!({"text": ["Foo Bar", "Baz"], "tokenizer": "standard"}));
    assert_eq!(
        answer,
        json!({"tokens": [
            {"token": "Foo", "start_offset": 0, "end_offset": 3, "type": "<ALPHANUM>", "position": 0},
            {"token": "Bar", "start_offset": 4, "end_offset": 7, "type": "<ALPHANUM>", "position": 1},
            {"token": "Baz", "start_offset": 8, "end_offset": 11, "type": "<ALPHANUM>", "position": 102},
        ]})
    );
    let answer = analyze(json!({}), json!({"text": "Foo Bar"}));
    assert_eq!(answer["tokens"][1]["token"], "bar");
    let answer = analyze(json!({}), json!({"text": "BaR", "filter": ["lowercase"], "char_filter": ["html_strip"]}));
    assert_eq!(answer["tokens"][0]["token"], "bar");
    let spec = json!({"normalizer": {"n": {"filter": ["uppercase"]}}});
    assert_eq!(analyze(spec, json!({"text": "a b", "normalizer": "n"}))["tokens"][0]["token"], "A B");
}

#[test]
fn analyze_explains() {
    let answer = analyze(json!({}), json!({"text": "This is troubled", "analyzer": "standard", "explain": true}));
    assert_eq!(answer["detail"]["custom_analyzer"], false);
    assert_eq!(answer["detail"]["analyzer"]["name"], "standard");
    assert_eq!(
        answer["detail"]["analyzer"]["tokens"][0],
        json!({
            "token": "this", "start_offset": 0, "end_offset": 4, "type": "<ALPHANUM>", "position": 0,
            "bytes": "[74 68 69 73]", "positionLength": 1, "termFrequency": 1
        })
    );
    let body = json!({
        "text": "<b>foo</b> bar buzz", "tokenizer": "standard", "explain": true, "attributes": ["keyword"],
        "char_filter": ["html_strip"],
        "filter": [{"type": "stop", "stopwords": ["foo", "buzz"]}, "porter_stem"]
    });
    let detail = &analyze(json!({}), body)["detail"];
    assert_eq!(detail["charfilters"][0], json!({"name": "html_strip", "filtered_text": ["foo bar buzz"]}));
    assert_eq!(detail["tokenizer"]["name"], "standard");
    assert_eq!(detail["tokenizer"]["tokens"].as_array().unwrap().len(), 3);
    assert_eq!(detail["tokenfilters"][0]["name"], "__anonymous__stop");
    assert_eq!(detail["tokenfilters"][0]["tokens"].as_array().unwrap().len(), 1);
    assert_eq!(
        detail["tokenfilters"][1]["tokens"][0],
        json!({"token": "bar", "start_offset": 11, "end_offset": 14, "type": "<ALPHANUM>", "position": 1, "keyword": false})
    );
}

#[test]
fn analyze_refuses() {
    let registry = Registry::from_spec(&json!({})).unwrap();
    let reason = |body: Value, has_index: bool| {
        registry
            .analyze_request(&body, AnalyzeScope { max_token_count: 2, has_index, shingle: None, field_gap: None })
            .unwrap_err()
            .reason
    };
    assert_eq!(reason(json!({"text": "x", "analyzer": "a"}), false), "failed to find global analyzer [a]");
    assert_eq!(reason(json!({"text": "x", "analyzer": "a"}), true), "failed to find analyzer [a]");
    assert_eq!(reason(json!({"text": "x", "tokenizer": "a"}), true), "failed to find tokenizer under [a]");
    assert_eq!(reason(json!({"text": "x", "filter": ["a"]}), false), "failed to find global filter under [a]");
    assert_eq!(reason(json!({"text": "x", "filter": ["stop"]}), true), "Custom normalizer may not use filter [stop]");
    assert_eq!(reason(json!({"text": "x", "nope": 1}), true), "[analyze_request] unknown field [nope]");
    assert!(reason(json!({"text": "x y z"}), true).contains("allowed maximum of [2]"));
    assert!(reason(json!({}), true).contains("text is missing"));
}

#[test]
fn limits_beside_the_groups_bound_components() {
    let spec = |extra: serde_json::Value| {
        let mut spec = json!({"tokenizer": {"grams": {"type": "ngram", "min_gram": 2, "max_gram": 5}}});
        spec.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        Registry::from_spec(&spec)
    };
    assert!(spec(json!({})).unwrap_err().reason.contains("[3]"));
    assert!(spec(json!({"index.max_ngram_diff": 3})).is_ok());
    assert!(spec(json!({"index.max_ngram_diff": "x"})).unwrap_err().reason.contains("must be a whole number"));
}

/// The analyzers of languages, each on a word that it stems.
#[test]
fn languages() {
    for (language, text, expected) in [
        ("arabic", "كبيرة", "كبير"),
        ("armenian", "արծիվ", "արծ"),
        ("basque", "zaldiak", "zaldi"),
        ("bengali", "বাড়ী", "বার"),
        ("brazilian", "boataria", "boat"),
        ("bulgarian", "градове", "град"),
        ("catalan", "llengües", "llengu"),
        ("cjk", "多くの学生", "多く くの の学 学生"),
        ("czech", "Pokud mluvime o volnem", "mluvim voln"),
        ("danish", "undersøgelse", "undersøg"),
        ("dutch", "lichamelijk", "licham"),
        ("english", "the book's", "book"),
        ("estonian", "teadaolevalt", "teadaole"),
        ("finnish", "edeltäjiinsä", "edeltäj"),
        ("french", "l'avion sécuritaires", "avion securitair"),
        ("german", "Tischler", "tischl"),
        ("greek", "Αθήνα", "αθην"),
        ("hindi", "हिन्दी", "हिंद"),
        ("hungarian", "babakocsi", "babakocs"),
        ("indonesian", "peledakan", "ledak"),
        ("irish", "siopadóireacht", "siopadóir"),
        ("italian", "dell'abbandonata", "abbandonat"),
        ("latvian", "tirgiem", "tirg"),
        ("lithuanian", "valandoje", "valand"),
        ("norwegian", "havnedistriktene", "havnedistrikt"),
        ("persian", "کتاب\u{200C}خورد", "كتاب خورد"),
        ("portuguese", "quilométricas", "quilometric"),
        ("romanian", "absenţa", "absenţ"),
        ("russian", "километраж", "километраж"),
        ("sorani", "پیاوە", "پیاو"),
        ("spanish", "chicana", "chican"),
        ("swedish", "jaktkarlens", "jaktkarl"),
        ("turkish", "ağacı", "ağaç"),
    ] {
        assert_eq!(built_in(language, text).join(" "), expected, "{language}");
    }
}

#[test]
fn settings_of_languages() {
    let registry = Registry::from_spec(&json!({"analyzer": {
        "mine": {"type": "german", "stopwords": ["oder"], "stem_exclusion": ["tischler"]},
        "none": {"type": "french", "stopwords": "_none_"},
    }}))
    .unwrap();
    assert_eq!(terms(&registry, "mine", "die Tischler oder Häuser"), ["die", "tischler", "haus"]);
    assert_eq!(terms(&registry, "none", "les avions"), ["les", "avion"]);
    assert!(refused(json!({"analyzer": {"x": {"type": "klingon"}}})).contains("[klingon]"));
    assert!(refused(json!({"filter": {"x": {"type": "hunspell", "locale": "de"}}})).contains("[hunspell]"));
    for stemmer in ["armenian", "basque", "greek", "dutch_kp", "german2", "lovins", "light_german"] {
        Registry::from_spec(&json!({"filter": {"x": {"type": "stemmer", "language": stemmer}}})).unwrap();
    }
}

#[test]
fn synonyms_are_analysed_as_the_text_before_them() {
    let spec = json!({
        "filter": {
            "same": {"type": "synonym_graph", "synonyms": ["Foxes, Quick Dogs"]},
            "stops": {"type": "synonym", "synonyms": ["the => a"]},
        },
        "analyzer": {"x": {"tokenizer": "standard", "filter": ["lowercase", "porter_stem", "same"]}},
    });
    let registry = Registry::from_spec(&spec).unwrap();
    assert_eq!(terms(&registry, "x", "A FOX"), ["a", "quick", "fox", "dog"]);
    let mut stopped = spec;
    stopped["analyzer"]["y"] = json!({"tokenizer": "standard", "filter": ["stop", "stops"]});
    assert_eq!(refused(stopped), "term: the was completely eliminated by analyzer");
}

#[test]
fn several_chains_at_one_position() {
    let spec = json!({"filter": {
        "many": {"type": "multiplexer", "filters": ["lowercase", "lowercase, porter_stem"]},
        "broken": {"type": "multiplexer", "filters": ["nothing"]},
    }});
    assert_eq!(refused(spec), "Multiplexer filter [broken] refers to undefined tokenfilter [nothing]");
    let spec = json!({
        "filter": {"many": {"type": "multiplexer", "filters": ["lowercase", "lowercase, porter_stem"]}},
        "analyzer": {"x": {"tokenizer": "standard", "filter": ["many"]}},
    });
    let registry = Registry::from_spec(&spec).unwrap();
    assert_eq!(terms(&registry, "x", "Going home"), ["Going", "going", "go", "home"]);
}

#[test]
fn filters_name_each_other_in_any_order() {
    let many = |filters: Value| json!({"type": "multiplexer", "filters": filters});
    let spec =
        |filters: Value| json!({"filter": filters, "analyzer": {"x": {"tokenizer": "standard", "filter": ["a"]}}});
    let always = json!({"type": "condition", "filter": ["b"], "script": {"source": "true"}});
    let named = json!({"a": always, "b": many(json!(["lowercase, c"])), "c": many(json!(["reverse"]))});
    let registry = Registry::from_spec(&spec(named)).unwrap();
    assert_eq!(terms(&registry, "x", "Ab"), ["Ab", "ab", "ba"]);
    let circle = json!({"a": many(json!(["lowercase", "b"])), "b": many(json!(["uppercase, a"]))});
    assert!(refused(spec(circle)).starts_with("filter [a] names itself by way of others"));
    let deep = (0..40).map(|n| (format!("f{n:02}"), many(json!([format!("f{:02}", n + 1)])))).collect();
    let last = ("f40".to_owned(), json!({"type": "lowercase"}));
    let deep: Map<String, Value> = [last].into_iter().chain::<Map<String, Value>>(deep).collect();
    assert!(refused(json!({"filter": deep})).contains("more than [16] deep"));
}

#[test]
fn filters_under_a_condition() {
    let spec = |condition: Value| {
        json!({
            "filter": {"long": condition, "parts": {"type": "word_delimiter_graph"}},
            "analyzer": {"a": {"tokenizer": "whitespace", "filter": ["long"]}}
        })
    };
    let analyzed = |filters: Value, source: &str, text: &str| {
        let condition = json!({"type": "condition", "filter": filters, "script": {"source": source}});
        let answer = analyze(spec(condition), json!({"analyzer": "a", "text": text}));
        let tokens = answer["tokens"].as_array().unwrap().clone();
        tokens
            .iter()
            .map(|token| (token["token"].as_str().unwrap().to_owned(), token["position"].as_u64().unwrap()))
            .collect::<Vec<_>>()
    };
    let placed =
        |expected: &[(&str, u64)]| expected.iter().map(|&(term, at)| (term.to_owned(), at)).collect::<Vec<_>>();
    assert_eq!(
        analyzed(json!(["uppercase"]), "token.term.length() > 2", "ab cde f"),
        placed(&[("ab", 0), ("CDE", 1), ("f", 2)])
    );
    // What the filters add moves what follows; tokens in a row are one text for them.
    assert_eq!(
        analyzed(json!(["parts"]), "token.startOffset > 1", "ab-cd cd-ef fgh"),
        placed(&[("ab-cd", 0), ("cd", 1), ("ef", 2), ("fgh", 3)])
    );
    assert_eq!(
        analyzed(json!(["shingle"]), "token.position > 0", "a b c"),
        placed(&[("a", 0), ("b", 1), ("b c", 1), ("c", 2)])
    );
    let stored = json!({"type": "condition", "filter": ["lowercase"], "script": {"id": "s"}});
    assert_eq!(refused(spec(stored)), "Cannot use stored scripts in tokenfilter [long]");
    let broken = |condition: Value| refused(spec(condition));
    assert!(broken(json!({"type": "condition", "script": {"source": "true"}})).contains("Empty list of filters"));
    let missing = json!({"type": "condition", "filter": ["nothing"], "script": {"source": "true"}});
    assert_eq!(broken(missing), "ScriptedConditionTokenFilter [long] refers to undefined token filter [nothing]");
}

/// What stands beside another token stays there, whatever of both the condition is about.
#[test]
fn conditions_about_tokens_beside_each_other() {
    let analyzed = |synonyms: &str, filter: &str, text: &str| {
        let spec = json!({
            "filter": {
                "beside": {"type": "synonym", "synonyms": [synonyms]},
                "two": {"type": "condition", "filter": [filter], "script": {"source": "token.term.length() == 2"}},
            },
            "analyzer": {"a": {"tokenizer": "whitespace", "filter": ["beside", "two"]}}
        });
        let mut tokens = Vec::new();
        let registry = Registry::from_spec(&spec).unwrap();
        registry.analyzer("a").unwrap().analyze(text, &mut tokens).unwrap();
        tokens.iter().map(|token| format!("{}@{}", token.text(), token.position)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(analyzed("x, yy, z", "uppercase", "x w"), "x@0 YY@0 z@0 w@1");
    assert_eq!(analyzed("x, yy", "uppercase", "x w"), "x@0 YY@0 w@1");
    assert_eq!(analyzed("xx, y, zz", "uppercase", "v xx w"), "v@0 XX@1 y@1 ZZ@1 w@2");
    assert_eq!(analyzed("x, yy, zz, v", "unique", "x w"), "x@0 yy@0 zz@0 v@0 w@1");
}

#[test]
fn payloads_are_explained() {
    let body = json!({"tokenizer": "whitespace", "filter": ["delimited_payload"], "text": "x|1.5 y", "explain": true});
    let answer = analyze(json!({}), body);
    let tokens = &answer["detail"]["tokenfilters"][0]["tokens"];
    assert_eq!((&tokens[0]["payload"], &tokens[1]["payload"]), (&json!("[3f c0 0 0]"), &Value::Null));
    assert!(answer["detail"]["tokenizer"]["tokens"][0].get("payload").is_none());
}

/// The positions of all tokens of `a b` and `c`.
fn positions(body: Value, has_index: bool, field_gap: Option<u32>) -> Vec<u64> {
    let registry = Registry::from_spec(&json!({
        "analyzer": {"near": {"type": "custom", "tokenizer": "standard", "position_increment_gap": 7}},
        "normalizer": {"low": {"type": "custom", "filter": ["lowercase"]}},
    }));
    let mut body = body;
    body["text"] = json!(["a b", "c"]);
    let scope = AnalyzeScope { max_token_count: 10, has_index, shingle: None, field_gap };
    let answer: Value = serde_json::from_slice(&registry.unwrap().analyze_request(&body, scope).unwrap()).unwrap();
    answer["tokens"].as_array().unwrap().iter().map(|token| token["position"].as_u64().unwrap()).collect()
}

#[test]
fn gaps_between_texts_are_those_of_the_index() {
    let standard = || json!({"analyzer": "standard"});
    assert_eq!(positions(json!({}), false, None), [0, 1, 2]);
    assert_eq!(positions(standard(), false, None), [0, 1, 2]);
    assert_eq!(positions(json!({}), true, None), [0, 1, 102]);
    assert_eq!(positions(standard(), true, None), [0, 1, 102]);
    assert_eq!(positions(json!({"analyzer": "near"}), true, None), [0, 1, 9]);
    assert_eq!(positions(json!({"analyzer": "near"}), true, Some(3)), [0, 1, 5]);
    for has_index in [false, true] {
        assert_eq!(positions(json!({"tokenizer": "standard"}), has_index, None), [0, 1, 102]);
        assert_eq!(positions(json!({"filter": ["lowercase"]}), has_index, None), [0, 101]);
    }
    assert_eq!(positions(json!({"normalizer": "low"}), true, None), [0, 1]);
    assert_eq!(positions(json!({"analyzer": "keyword"}), true, Some(0)), [0, 1]);
}
