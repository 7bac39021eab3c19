use super::super::token::WORD;
use super::*;
use serde_json::json;
use std::sync::Arc;

/// A stream of the words of `text`; `-` is an empty position.
fn stream(text: &str) -> TokenStream {
    let mut stream = TokenStream::default();
    let mut at = 0;
    for word in text.split(' ') {
        if word == "-" {
            stream.positions += 1;
        } else {
            stream.push(word, at, at + word.len(), WORD);
        }
        at += word.len() + 1;
    }
    stream.end_offset = text.len() as u32;
    stream
}

fn filtered(kind: &str, settings: Value, text: &str) -> TokenStream {
    let filter = build(kind, "test", settings.as_object().unwrap(), &Limits::default()).unwrap().unwrap();
    let mut stream = stream(text);
    filter.apply(&mut stream).unwrap();
    stream
}

fn terms(kind: &str, settings: Value, text: &str) -> Vec<String> {
    filtered(kind, settings, text).tokens.iter().map(|token| token.text().to_owned()).collect()
}

fn with_positions(kind: &str, settings: Value, text: &str) -> Vec<(String, u32)> {
    let stream = filtered(kind, settings, text);
    stream.tokens.iter().map(|token| (token.text().to_owned(), token.position)).collect()
}

fn placed(expected: &[(&str, u32)]) -> Vec<(String, u32)> {
    expected.iter().map(|&(term, position)| (term.to_owned(), position)).collect()
}

fn refused(kind: &str, settings: Value) -> String {
    build(kind, "test", settings.as_object().unwrap(), &Limits::default()).unwrap_err().reason
}

#[test]
fn case() {
    assert_eq!(terms("lowercase", json!({}), "THE Çok İ ẞ"), ["the", "çok", "i", "ß"]);
    assert_eq!(terms("lowercase", json!({"language": "turkish"}), "IĞDIR İI"), ["ığdır", "iı"]);
    assert_eq!(terms("uppercase", json!({}), "quick straße ﬁ"), ["QUICK", "STRAßE", "ﬁ"]);
    assert!(refused("lowercase", json!({"language": "x"})).contains("[x]"));
}

#[test]
fn stop_words_leave_gaps() {
    assert_eq!(
        with_positions("stop", json!({}), "the quick fox over the hill"),
        placed(&[("quick", 1), ("fox", 2), ("over", 3), ("hill", 5)])
    );
    assert_eq!(terms("stop", json!({"stopwords": ["Fox"], "ignore_case": "true"}), "FOX a"), ["a"]);
    assert_eq!(terms("stop", json!({"stopwords": "_none_"}), "the"), ["the"]);
    assert_eq!(terms("stop", json!({"stopwords": "a,_english_"}), "the x"), ["x"]);
    assert_eq!(terms("stop", json!({"remove_trailing": false}), "the fox the"), ["fox", "the"]);
    assert_eq!(filtered("stop", json!({}), "fox the the").positions, 3);
    assert!(refused("stop", json!({"stopwords": "_klingon_"})).contains("[_klingon_]"));
    assert!(refused("stop", json!({"stopwords_path": "x"})).contains("[stopwords_path]"));
}

#[test]
fn stemmers() {
    assert_eq!(terms("stemmer", json!({"language": "english"}), "foxes jumping generously"), ["fox", "jump", "gener"]);
    assert_eq!(terms("porter_stem", json!({}), "ponies"), ["poni"]);
    assert_eq!(terms("snowball", json!({}), "generously"), ["generous"]);
    assert_eq!(terms("stemmer", json!({"name": "possessive_english"}), "fox's"), ["fox"]);
    assert_eq!(terms("stemmer", json!({"language": "minimal_english"}), "foxes"), ["foxe"]);
    assert_eq!(terms("snowball", json!({"language": "German"}), "katzen"), ["katz"]);
    assert!(refused("stemmer", json!({"language": "klingon"})).contains("[klingon]"));
    assert_eq!(
        terms("stemmer_override", json!({"rules": ["running, runs => run", "mice => mouse"]}), "runs mice x"),
        ["run", "mouse", "x"]
    );
}

#[test]
fn keywords_are_not_stemmed() {
    let mut words = filtered("keyword_marker", json!({"keywords": ["jumping"]}), "jumping running");
    let stemmer = build("stemmer", "s", &Map::new(), &Limits::default()).unwrap().unwrap();
    stemmer.apply(&mut words).unwrap();
    assert_eq!(words.tokens.iter().map(Token::text).collect::<Vec<_>>(), ["jumping", "run"]);
    assert!(filtered("keyword_marker", json!({"keywords_pattern": "a.*"}), "abc").tokens[0].keyword);
    assert!(refused("keyword_marker", json!({})).starts_with("keyword filter requires"));
    assert_eq!(with_positions("keyword_repeat", json!({}), "a b"), placed(&[("a", 0), ("a", 0), ("b", 1), ("b", 1)]));
}

#[test]
fn folding() {
    assert_eq!(
        terms("asciifolding", json!({}), "açaí Ærø straße “ł” ½ ② Ａ"),
        ["acai", "AEro", "strasse", "\"l\"", "½", "2", "A"]
    );
    assert_eq!(
        with_positions("asciifolding", json!({"preserve_original": true}), "né b"),
        placed(&[("ne", 0), ("né", 0), ("b", 1)])
    );
    assert_eq!(terms("decimal_digit", json!({}), "१२३ ٤"), ["123", "4"]);
    assert_eq!(terms("cjk_width", json!({}), "ｼｰｻｲﾄﾞ Ａ"), ["シーサイド", "A"]);
}

#[test]
fn lengths() {
    assert_eq!(terms("length", json!({"min": 2, "max": 3}), "a bb ccc dddd"), ["bb", "ccc"]);
    assert_eq!(terms("truncate", json!({"length": 3}), "jumping éééé"), ["jum", "ééé"]);
    assert!(refused("truncate", json!({})).contains("length parameter"));
    assert_eq!(terms("reverse", json!({}), "quick é1"), ["kciuq", "1é"]);
    assert_eq!(terms("limit", json!({"max_token_count": 2}), "a b c"), ["a", "b"]);
    assert_eq!(terms("limit", json!({}), "a b c"), ["a"]);
}

#[test]
fn unique_words_close_up() {
    assert_eq!(with_positions("unique", json!({}), "the fox the dog"), placed(&[("the", 0), ("fox", 1), ("dog", 2)]));
    assert_eq!(terms("unique", json!({"only_on_same_position": true}), "a a"), ["a", "a"]);
}

#[test]
fn grams_share_the_position() {
    assert_eq!(with_positions("edge_ngram", json!({}), "ab c"), placed(&[("a", 0), ("ab", 0), ("c", 1)]));
    assert_eq!(terms("ngram", json!({}), "fox"), ["f", "fo", "o", "ox", "x"]);
    assert_eq!(terms("edge_ngram", json!({"side": "back", "max_gram": 3}), "fox"), ["x", "ox", "fox"]);
    assert_eq!(
        terms("edge_ngram", json!({"min_gram": 2, "max_gram": 2, "preserve_original": true}), "fox a"),
        ["fo", "fox", "a"]
    );
    assert!(refused("ngram", json!({"max_gram": 9})).contains("[index.max_ngram_diff]"));
    assert!(refused("edge_ngram", json!({"min_gram": 3})).contains("minGram"));
}

#[test]
fn shingles() {
    assert_eq!(
        with_positions("shingle", json!({}), "please divide this"),
        placed(&[("please", 0), ("please divide", 0), ("divide", 1), ("divide this", 1), ("this", 2)])
    );
    assert_eq!(
        with_positions("shingle", json!({}), "please divide - sentence -"),
        placed(&[
            ("please", 0),
            ("please divide", 0),
            ("divide", 1),
            ("divide _", 1),
            ("_ sentence", 2),
            ("sentence", 3),
            ("sentence _", 3)
        ])
    );
    let settings =
        json!({"min_shingle_size": 2, "max_shingle_size": 3, "output_unigrams": false, "token_separator": "+"});
    assert_eq!(terms("shingle", settings, "a b c"), ["a+b", "a+b+c", "b+c"]);
    let settings = json!({"output_unigrams": false, "output_unigrams_if_no_shingles": true});
    assert_eq!(terms("shingle", settings, "a"), ["a"]);
    assert!(refused("shingle", json!({"max_shingle_size": 6})).contains("[index.max_shingle_diff]"));
}

#[test]
fn apostrophes_and_patterns() {
    assert_eq!(terms("apostrophe", json!({}), "Istanbul'a x"), ["Istanbul", "x"]);
    assert_eq!(terms("elision", json!({}), "l'avion d\u{2019}or aujourd'hui"), ["avion", "or", "aujourd'hui"]);
    assert_eq!(terms("elision", json!({"articles": ["x"]}), "x'a X'a"), ["a", "X'a"]);
    assert_eq!(
        terms("pattern_replace", json!({"pattern": "(dog)", "replacement": "watch$1"}), "foxdogdog"),
        ["foxwatchdogwatchdog"]
    );
    assert_eq!(terms("pattern_replace", json!({"pattern": "o", "all": false}), "foo"), ["fo"]);
}

#[test]
fn selections() {
    assert_eq!(with_positions("keep", json!({"keep_words": ["fox"]}), "the fox"), placed(&[("fox", 1)]));
    assert!(refused("keep", json!({})).starts_with("keep requires"));
    assert_eq!(terms("keep_types", json!({"types": ["<NUM>"], "mode": "exclude"}), "a"), ["a"]);
    assert_eq!(terms("fingerprint", json!({}), "zebra jumps over over"), ["jumps over zebra"]);
    assert!(terms("fingerprint", json!({"max_output_size": 3}), "zebra").is_empty());
}

#[test]
fn synonyms_share_the_position() {
    let settings = json!({"synonyms": ["quick, fast", "foo => bar, baz", "# note"]});
    assert_eq!(
        with_positions("synonym", settings, "quick foo x"),
        placed(&[("quick", 0), ("fast", 0), ("bar", 1), ("baz", 1), ("x", 2)])
    );
}

fn graph(kind: &str, settings: Value, text: &str) -> Vec<(String, u32, u32)> {
    let stream = filtered(kind, settings, text);
    stream.tokens.iter().map(|token| (token.text().to_owned(), token.position, token.position_length)).collect()
}

fn edges(expected: &[(&str, u32, u32)]) -> Vec<(String, u32, u32)> {
    expected.iter().map(|&(term, position, length)| (term.to_owned(), position, length)).collect()
}

#[test]
fn synonyms_of_several_words() {
    let rules = json!({"synonyms": ["ny, new york city", "usa => united states"]});
    assert_eq!(
        graph("synonym_graph", rules.clone(), "in ny now"),
        edges(&[("in", 0, 1), ("new", 1, 1), ("ny", 1, 3), ("york", 2, 1), ("city", 3, 1), ("now", 4, 1)])
    );
    assert_eq!(
        graph("synonym_graph", rules.clone(), "new york city usa"),
        edges(&[("ny", 0, 3), ("new", 0, 1), ("york", 1, 1), ("city", 2, 1), ("united", 3, 1), ("states", 4, 1)])
    );
    assert_eq!(
        graph("synonym", rules, "new york city is"),
        edges(&[("new", 0, 1), ("ny", 0, 3), ("york", 1, 1), ("city", 2, 1), ("is", 3, 1)])
    );
    assert!(refused("synonym_graph", json!({"synonyms": ["a,,b"]})).contains("[a,,b]"));
}

#[test]
fn words_in_parts() {
    let split = |settings, text: &str| graph("word_delimiter_graph", settings, text);
    assert_eq!(
        split(json!({}), "Neil's-Super-Duper-XL500--42-AutoCoder"),
        edges(&[
            ("Neil", 0, 1),
            ("Super", 1, 1),
            ("Duper", 2, 1),
            ("XL", 3, 1),
            ("500", 4, 1),
            ("42", 5, 1),
            ("Auto", 6, 1),
            ("Coder", 7, 1)
        ])
    );
    assert_eq!(
        split(json!({"catenate_words": true}), "wi-fi 500"),
        edges(&[("wifi", 0, 2), ("wi", 0, 1), ("fi", 1, 1), ("500", 2, 1)])
    );
    assert_eq!(
        split(json!({"catenate_all": true, "preserve_original": true}), "super-xl-500"),
        edges(&[("super-xl-500", 0, 3), ("superxl500", 0, 3), ("super", 0, 1), ("xl", 1, 1), ("500", 2, 1)])
    );
    let only_joined = json!({"generate_word_parts": false, "generate_number_parts": false, "catenate_all": true});
    assert_eq!(split(only_joined, "wi-fi-4"), edges(&[("wifi4", 0, 1)]));
    assert_eq!(split(json!({"type_table": ["- => ALPHA"]}), "wi-fi"), edges(&[("wi-fi", 0, 1)]));
    assert_eq!(split(json!({"protected_words": ["wi-fi"]}), "wi-fi"), edges(&[("wi-fi", 0, 1)]));
    assert_eq!(split(json!({"split_on_case_change": false}), "PowerShot"), edges(&[("PowerShot", 0, 1)]));
    assert_eq!(split(json!({}), "a -- b"), edges(&[("a", 0, 1), ("b", 2, 1)]));
    assert!(refused("word_delimiter", json!({"type_table": ["- => X"]})).contains("[- => X]"));
}

#[test]
fn grams_of_common_words() {
    let settings = json!({"common_words": ["the", "is"]});
    assert_eq!(
        graph("common_grams", settings, "the quick fox is"),
        edges(&[("the", 0, 1), ("the_quick", 0, 2), ("quick", 1, 1), ("fox", 2, 1), ("fox_is", 2, 2), ("is", 3, 1)])
    );
    let for_queries = json!({"common_words": ["the", "is"], "query_mode": true});
    assert_eq!(terms("common_grams", for_queries, "the quick fox is"), ["the_quick", "quick", "fox_is"]);
}

#[test]
fn words_in_words() {
    let settings = json!({"word_list": ["Donau", "dampf", "meer", "schiff"]});
    assert_eq!(
        terms("dictionary_decompounder", settings, "Donaudampfschiff meer"),
        ["Donaudampfschiff", "Donau", "dampf", "schiff", "meer"]
    );
    let unbounded = json!({"word_list": ["meer"], "max_subword_size": 100_000});
    assert!(refused("dictionary_decompounder", unbounded).contains("[max_subword_size]"));
}

#[test]
fn sounds() {
    assert_eq!(terms("phonetic", json!({"encoder": "soundex"}), "Robert Rupert"), ["R163", "R163"]);
    assert_eq!(
        terms("phonetic", json!({"encoder": "metaphone", "replace": false}), "joe bloggs"),
        ["J", "joe", "BLKS", "bloggs"]
    );
    assert!(refused("phonetic", json!({"encoder": "beider_morse"})).contains("[beider_morse]"));
    assert!(refused("phonetic", json!({"encoder": "x"})).contains("[x]"));
}

#[test]
fn fillers_stand_for_as_many_words_as_a_shingle_has() {
    let stopped = filtered("stop", json!({"stopwords": ["the"]}), "the the the a the");
    let mut stream = stopped;
    build("shingle", "s", &Map::new(), &Limits::default()).unwrap().unwrap().apply(&mut stream).unwrap();
    let seen: Vec<_> = stream.tokens.iter().map(|token| (token.text(), token.position, token.end_offset)).collect();
    assert_eq!(seen, [("_ a", 0, 13), ("a", 1, 13), ("a _", 1, 17)]);
    let alone = filtered("shingle", json!({"output_unigrams": false, "max_shingle_size": 3}), "a b c");
    let lengths: Vec<_> = alone.tokens.iter().map(|token| (token.text(), token.position_length)).collect();
    assert_eq!(lengths, [("a b", 1), ("a b c", 2), ("b c", 1)]);
}

#[test]
fn groups_of_patterns_by_where_they_begin() {
    let both = json!({"patterns": ["([a-z]+)", "([0-9]+)"]});
    assert_eq!(
        with_positions("pattern_capture", both, "ab12cd x"),
        placed(&[("ab12cd", 0), ("ab", 0), ("12", 0), ("cd", 0), ("x", 1)])
    );
    let alone = json!({"patterns": ["([0-9]+)"], "preserve_original": false});
    assert_eq!(terms("pattern_capture", alone, "ab12cd x"), ["12", "x"]);
    assert!(refused("pattern_capture", json!({})).contains("'patterns' is missing"));
}

#[test]
fn captures_of_a_long_token_are_bounded() {
    // A copy of the whole token for each part would be eighty gigabytes.
    let many = json!({"patterns": ["(a)"], "preserve_original": false});
    assert_eq!(filtered("pattern_capture", many, &"a-".repeat(200_000)).tokens.len(), 200_000);
    let nested = json!({"patterns": [format!("{}a+{}", "(".repeat(40), ")".repeat(40))], "preserve_original": false});
    let filter = build("pattern_capture", "test", nested.as_object().unwrap(), &Limits::default()).unwrap().unwrap();
    assert!(filter.apply(&mut stream(&"a".repeat(1 << 19))).unwrap_err().reason.contains("bytes of one token"));
    assert!(filter.apply(&mut stream(&"a".repeat(1 << 18))).is_ok());
}

#[test]
fn payloads_stand_behind_a_delimiter() {
    let payloads = |settings: Value, text: &str| -> Vec<(String, Option<Vec<u8>>)> {
        let stream = filtered("delimited_payload", settings, text);
        let seen = |token: &Token| (token.text().to_owned(), token.payload.as_deref().map(<[u8]>::to_vec));
        stream.tokens.iter().map(seen).collect()
    };
    let seen = payloads(json!({}), "a|1.5 b");
    assert_eq!(seen, [("a".to_owned(), Some(vec![0x3f, 0xc0, 0, 0])), ("b".to_owned(), None)]);
    assert_eq!(payloads(json!({"encoding": "int", "delimiter": "+"}), "a+7")[0].1, Some(vec![0, 0, 0, 7]));
    assert_eq!(payloads(json!({"encoding": "identity"}), "a|xy")[0].1, Some(b"xy".to_vec()));
    assert!(refused("delimited_payload", json!({"encoding": "x"})).contains("[encoding]"));
    assert!(refused("delimited_payload", json!({"delimiter": "ab"})).contains("[delimiter]"));
}

#[test]
fn graphs_become_chains() {
    let mut stream = filtered("synonym_graph", json!({"synonyms": ["dog house, kennel"]}), "a dog house x");
    build("flatten_graph", "f", &Map::new(), &Limits::default()).unwrap().unwrap().apply(&mut stream).unwrap();
    let seen: Vec<_> =
        stream.tokens.iter().map(|token| (token.text(), token.position, token.position_length)).collect();
    assert_eq!(seen, [("a", 0, 1), ("kennel", 1, 2), ("dog", 1, 1), ("house", 2, 1), ("x", 3, 1)]);
}

#[test]
fn scripts_choose_tokens() {
    let short = json!({"script": {"source": "token.getTerm().length() < params.most", "params": {"most": 3}}});
    assert_eq!(with_positions("predicate_token_filter", short, "abc ab a"), placed(&[("ab", 1), ("a", 2)]));
    let place =
        json!({"script": {"source": "token.position == 1 && token.positionIncrement == 1 && !token.isKeyword()"}});
    assert_eq!(terms("predicate_token_filter", place, "a b c"), ["b"]);
    assert!(refused("predicate_token_filter", json!({})).contains("must specify either [source]"));
    assert!(!refused("predicate_token_filter", json!({"script": {"source": "token..x"}})).is_empty());
    let stored = "Cannot use stored scripts in tokenfilter [test]";
    assert_eq!(refused("predicate_token_filter", json!({"script": {"id": "s"}})), stored);
    assert_eq!(refused("predicate_token_filter", json!({"script": {"id": "s", "source": null}})), stored);
}

#[test]
fn least_hashes() {
    // Both halves of the hash of one word, of one function.
    let one = filtered("min_hash", json!({"bucket_count": 1}), "woof woof");
    assert_eq!((one.tokens.len(), one.positions, one.tokens[0].kind), (1, 1, "MIN_HASH"));
    let same = filtered("min_hash", json!({"bucket_count": 1}), "woof");
    assert_eq!(one.tokens[0].term, same.tokens[0].term);
    assert_eq!(filtered("min_hash", json!({"hash_count": 2, "bucket_count": 4}), "a b").tokens.len(), 8);
    let none = json!({"bucket_count": 4, "with_rotation": false});
    assert!(filtered("min_hash", none, "a").tokens.len() == 1);
    assert!(refused("min_hash", json!({"hash_count": 0})).contains("hashCount must be greater than zero"));
    assert!(refused("min_hash", json!({"hash_count": 100_000})).contains("more than"));
    let settings = json!({"hash_count": 1 << 16, "bucket_count": 1});
    let filter = build("min_hash", "test", settings.as_object().unwrap(), &Limits::default()).unwrap().unwrap();
    assert!(filter.apply(&mut stream(&"a ".repeat(1_025))).unwrap_err().reason.contains("[hash_count] [65536]"));
}

proptest::proptest! {
    /// Filled buckets are those of the obvious loop: each empty one looks ahead, around the end, for the first that is not.
    #[test]
    fn buckets_are_filled_as_one_by_one(words in "[a-z]( [a-z]){0,6}", buckets in 1u64..9) {
        let filled = filtered("min_hash", json!({"bucket_count": buckets, "with_rotation": true}), &words);
        let sparse = filtered("min_hash", json!({"bucket_count": buckets, "with_rotation": false}), &words);
        let terms = |stream: &TokenStream| stream.tokens.iter().map(|token| token.term.clone()).collect::<Vec<_>>();
        proptest::prop_assert_eq!(filled.tokens.len() as u64, buckets);
        let (filled, sparse) = (terms(&filled), terms(&sparse));
        proptest::prop_assert!(sparse.iter().all(|term| filled.contains(term)));
        proptest::prop_assert!(filled.iter().all(|term| sparse.contains(term)));
    }
}

/// `words` at each of `places` places.
fn stacked(words: usize, places: u32) -> TokenStream {
    let at = |position: u32| std::iter::repeat_n(Token { term: b"a".to_vec(), position, ..Token::word() }, words);
    TokenStream { tokens: (0..places).flat_map(at).collect(), positions: places, end_offset: 0 }
}

#[test]
fn ways_are_bounded_while_they_are_walked() {
    let shingled = |size, is_padded, mut stream: TokenStream| {
        let made = TokenFilter::stream(FixedShingle::new(size, is_padded)).apply(&mut stream);
        made.map(|()| stream.tokens.len()).map_err(|error| error.reason)
    };
    assert_eq!(shingled(3, false, stacked(10, 4)), Ok(2_000));
    assert_eq!(shingled(3, false, stacked(31, 3)), Ok(29_791));
    let too_many = Err("Too many graph paths (> 1000)".to_owned());
    assert_eq!(shingled(3, false, stacked(32, 3)), too_many);
    // All ways of these would take hours.
    assert_eq!(shingled(4, false, stacked(10_000, 4)), too_many);
    assert_eq!(shingled(4, true, stacked(10_000, 3)), too_many);
    // None of these ways is long enough.
    assert_eq!(shingled(4, false, stacked(10_000, 3)), too_many);
}

fn conditional(filter: &str, settings: Value, stream: &mut TokenStream) {
    let inner = |_: &str| Ok(build(filter, filter, settings.as_object().unwrap(), &Limits::default())?.map(Arc::new));
    let values = json!({"filter": [filter], "script": {"source": "token.term.length() == 2"}});
    scripted::condition("test", values.as_object().unwrap(), inner).unwrap().apply(stream).unwrap();
}

#[test]
fn places_do_not_fall_where_a_filter_leaves_none() {
    let at = |word: &str, position| Token { term: word.as_bytes().to_vec(), position, ..Token::word() };
    let tokens = vec![at("x", 0), at("yy", 0), at("z", 0), at("w", 1)];
    let mut stream = TokenStream { tokens, positions: 2, end_offset: 0 };
    conditional("fingerprint", json!({"max_output_size": 1}), &mut stream);
    assert_eq!(stream.tokens, [at("x", 0), at("z", 0), at("w", 1)]);
}

proptest::proptest! {
    /// Filters that change nothing leave all tokens where they are, and those that take tokens out all others.
    #[test]
    fn conditions_keep_places(words in proptest::collection::vec(("x|yy", 0u32..3), 0..12), trailing in 0u32..3) {
        let mut position = 0;
        let tokens: Vec<Token> = words.into_iter().map(|(word, increment)| {
            position += increment;
            Token { term: word.into_bytes(), position, ..Token::word() }
        }).collect();
        let positions = tokens.last().map_or(0, |last| last.position + 1) + trailing;
        let mut same = TokenStream { tokens: tokens.clone(), positions, end_offset: 0 };
        conditional("lowercase", json!({}), &mut same);
        proptest::prop_assert_eq!((&same.tokens, same.positions), (&tokens, positions));
        let mut fewer = TokenStream { tokens: tokens.clone(), positions, end_offset: 0 };
        conditional("length", json!({"min": 3}), &mut fewer);
        let left: Vec<Token> = tokens.into_iter().filter(|token| token.term.len() == 1).collect();
        proptest::prop_assert_eq!((fewer.tokens, fewer.positions), (left, positions));
    }
}
