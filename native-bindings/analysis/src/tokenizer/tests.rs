use super::*;
use serde_json::json;

fn stream(kind: &str, settings: Value, text: &str) -> TokenStream {
    let tokenizer = build(kind, "test", settings.as_object().unwrap(), &Limits::default()).unwrap().unwrap();
    let mut out = TokenStream::default();
    tokenizer.tokenize(text, &mut out).unwrap();
    out
}

fn terms(kind: &str, settings: Value, text: &str) -> Vec<String> {
    stream(kind, settings, text).tokens.iter().map(|token| token.text().to_owned()).collect()
}

fn refused(kind: &str, settings: Value) -> String {
    build(kind, "test", settings.as_object().unwrap(), &Limits::default()).unwrap_err().reason
}

#[test]
fn character_tokenizers() {
    assert_eq!(terms("letter", json!({}), "You're 2 QUICK-dogs"), ["You", "re", "QUICK", "dogs"]);
    assert_eq!(terms("lowercase", json!({}), "You're QUICK"), ["you", "re", "quick"]);
    assert_eq!(terms("whitespace", json!({}), " The 2\tQUICK-Foxes. "), ["The", "2", "QUICK-Foxes."]);
    assert_eq!(terms("whitespace", json!({"max_token_length": "3"}), "abcdefgh"), ["abc", "def", "gh"]);
    assert_eq!(terms("keyword", json!({}), "New York"), ["New York"]);
    assert!(terms("keyword", json!({}), "").is_empty());
    assert_eq!(
        terms("char_group", json!({"tokenize_on_chars": ["whitespace", "-", "\\n"]}), "The QUICK-brown"),
        ["The", "QUICK", "brown"]
    );
}

#[test]
fn words_of_thai_are_told_by_a_model() {
    let words = ["การ", "ที่", "ได้", "ต้อง", "แสดง", "ว่า", "งาน", "ดี"];
    assert_eq!(terms("thai", json!({}), "การที่ได้ต้องแสดงว่างานดี"), words);
    assert_eq!(terms("thai", json!({}), "ประโยคว่า The (quick) Fox ๑๒"), ["ประโยค", "ว่า", "The", "quick", "Fox", "๑๒"]);
    let found = stream("thai", json!({}), "x การที่");
    let last = &found.tokens[2];
    assert_eq!((last.text(), last.start_offset, last.end_offset, last.position), ("ที่", 11, 20, 2));
    let lengths: Vec<usize> = terms("thai", json!({}), &"a".repeat(2_500)).iter().map(String::len).collect();
    assert_eq!(lengths, [1_024, 1_024, 452]);
    assert!(
        refused("thai", json!({"max_token_length": 3})).contains("[index.analysis.tokenizer.test.max_token_length]")
    );
}

#[test]
fn standard_cuts_at_the_length_asked_for() {
    assert_eq!(terms("standard", json!({"max_token_length": 5}), "jumped over"), ["jumpe", "d", "over"]);
    assert!(refused("standard", json!({"max_token_length": 0})).contains("[max_token_length]"));
    assert!(refused("standard", json!({"max_tokens": 3})).contains("[index.analysis.tokenizer.test.max_tokens]"));
}

#[test]
fn grams() {
    assert_eq!(terms("ngram", json!({}), "Quick"), ["Q", "Qu", "u", "ui", "i", "ic", "c", "ck", "k"]);
    let settings = json!({"min_gram": 3, "max_gram": 3, "token_chars": ["letter", "digit"]});
    assert_eq!(terms("ngram", settings, "2 Quick Fo."), ["Qui", "uic", "ick"]);
    assert_eq!(terms("edge_ngram", json!({}), "Quick Fox"), ["Q", "Qu"]);
    let settings = json!({"min_gram": 2, "max_gram": 10, "token_chars": ["letter"]});
    assert_eq!(terms("edge_ngram", settings, "a Fox é日"), ["Fo", "Fox", "é日"]);
    assert!(refused("ngram", json!({"min_gram": 1, "max_gram": 5})).contains("[index.max_ngram_diff]"));
    assert!(refused("ngram", json!({"token_chars": ["nope"]})).starts_with("Unknown token type: 'nope'"));
}

#[test]
fn paths() {
    let paths = |settings: Value, text: &str| terms("path_hierarchy", settings, text);
    assert_eq!(paths(json!({}), "/one/two/three"), ["/one", "/one/two", "/one/two/three"]);
    assert_eq!(paths(json!({}), "/a/"), ["/a", "/a/"]);
    assert_eq!(paths(json!({"skip": 1}), "a/b/c"), ["/b", "/b/c"]);
    assert_eq!(
        paths(json!({"delimiter": "-", "replacement": "/", "skip": 2}), "one-two-three-four"),
        ["/three", "/three/four"]
    );
    assert_eq!(paths(json!({"reverse": true}), "/a/b"), ["/a/b", "a/b", "b"]);
    assert_eq!(paths(json!({"reverse": true, "skip": 1}), "/a/b/c/"), ["/a/b/", "a/b/", "b/"]);
    let out = stream("path_hierarchy", json!({}), "a/b");
    assert_eq!(out.tokens.iter().map(|token| token.position).collect::<Vec<_>>(), [0, 0]);
    assert_eq!(out.positions, 1);
}

#[test]
fn patterns() {
    assert_eq!(
        terms("pattern", json!({}), "The foo_bar_size's default is 5."),
        ["The", "foo_bar_size", "s", "default", "is", "5"]
    );
    assert_eq!(terms("pattern", json!({"pattern": ","}), "a,b c,,d"), ["a", "b c", "d"]);
    assert_eq!(terms("pattern", json!({"pattern": "\"(.*?)\"", "group": 1}), "\"x\", \"y z\""), ["x", "y z"]);
    assert!(refused("pattern", json!({"pattern": "(?=a)b"})).contains("cannot be used"));
}

#[test]
fn urls_and_addresses_stay_whole() {
    let out = stream(
        "uax_url_email",
        json!({}),
        "Email me at john.smith@global-international.com, or see http://x.org/a?b=1#c now.",
    );
    let found: Vec<_> = out.tokens.iter().map(|token| (token.text(), token.kind)).collect();
    assert_eq!(
        found,
        [
            ("Email", "<ALPHANUM>"),
            ("me", "<ALPHANUM>"),
            ("at", "<ALPHANUM>"),
            ("john.smith@global-international.com", "<EMAIL>"),
            ("or", "<ALPHANUM>"),
            ("see", "<ALPHANUM>"),
            ("http://x.org/a?b=1#c", "<URL>"),
            ("now", "<ALPHANUM>"),
        ]
    );
    assert_eq!(
        terms("uax_url_email", json!({}), "10:30 example.com e.g. a.b"),
        ["10", "30", "example.com", "e.g", "a.b"]
    );
}

fn kinds(kind: &str, settings: Value, text: &str) -> Vec<(String, &'static str, u32)> {
    let stream = stream(kind, settings, text);
    stream.tokens.iter().map(|token| (token.text().to_owned(), token.kind, token.position)).collect()
}

#[test]
fn classic_words() {
    let text = "U.S.A. O'Reilly foo@bar.com 192.168.1.1 AT&T www.a.org ab. b. 多く ab-12";
    let seen = kinds("classic", json!({}), text);
    let seen: Vec<(&str, &str)> = seen.iter().map(|(term, kind, _)| (term.as_str(), *kind)).collect();
    assert_eq!(
        seen,
        [
            ("U.S.A.", "<ACRONYM>"),
            ("O'Reilly", "<APOSTROPHE>"),
            ("foo@bar.com", "<EMAIL>"),
            ("192.168.1.1", "<HOST>"),
            ("AT&T", "<COMPANY>"),
            ("www.a.org", "<HOST>"),
            ("ab", "<ALPHANUM>"),
            ("b", "<ALPHANUM>"),
            ("多", "<CJ>"),
            ("く", "<CJ>"),
            ("ab-12", "<NUM>"),
        ]
    );
    // Words that are joined as before `@` are read once, also where an address does not come of them.
    for joined in ["a-".repeat(200_000), "a.a_".repeat(100_000) + "a--", "a-".repeat(200_000) + "a@a"] {
        assert!(stream("classic", json!({}), &joined).tokens.len() > 1, "{joined:.8}");
    }
    // A dot too many is no part of the word, but of its place.
    let dotted = stream("classic", json!({}), "ab.cd.");
    assert_eq!((dotted.tokens[0].text(), dotted.tokens[0].kind, dotted.tokens[0].end_offset), ("ab.cd", "<HOST>", 6));
    // What is too long leaves its position empty.
    assert_eq!(kinds("classic", json!({"max_token_length": 2}), "abc de"), [("de".to_owned(), "<ALPHANUM>", 1)]);
}

#[test]
fn simple_patterns() {
    assert_eq!(terms("simple_pattern", json!({"pattern": "[0-9]{3}"}), "fd-786-335-514-x"), ["786", "335", "514"]);
    assert_eq!(terms("simple_pattern_split", json!({"pattern": "_"}), "an__under_"), ["an", "under"]);
    assert!(terms("simple_pattern", json!({}), "a b").is_empty());
    assert_eq!(terms("simple_pattern_split", json!({}), "a b"), ["a b"]);
    assert!(refused("simple_pattern", json!({"pattern": "[0-9"})).contains("expected ']'"));
    assert!(refused("simple_pattern", json!({"pattern": "a~b"})).contains("[pattern]"));
    assert!(refused("simple_pattern", json!({"pattern": "([^a]{100}b.{20}){100}"})).contains("[pattern]"));
    for pattern in ["((.{1000}){1000}){1000}", "((a{0}){1000}b{1000}){1000}{1000}", "(((a?){1000}){1000}){1000}"] {
        assert!(refused("simple_pattern_split", json!({"pattern": pattern})).contains("too large"), "{pattern}");
    }
    let long = json!({"pattern": "~".repeat(1_001)});
    assert!(refused("simple_pattern", long).contains("its length [1001] is more than [1000] characters"));
    assert_eq!(terms("simple_pattern", json!({"pattern": format!("a{}", "?".repeat(999))}), "ab"), ["a"]);
    assert_eq!(terms("simple_pattern", json!({"pattern": ".{1000}"}), &"é".repeat(1_999)), ["é".repeat(1_000)]);
}

proptest::proptest! {
    /// From each place the longest text that the whole pattern matches, found by trying every end.
    #[test]
    fn the_longest_match_counts(pattern in "[ab.]{1,2}([?*+|][ab]{1,2}){0,2}", text in "[abcé]{0,8}") {
        let whole = regex::Regex::new(&format!("^(?:{pattern})$")).unwrap();
        let mut expected = Vec::new();
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            let ends = (1..=rest.len()).rev().filter(|&end| rest.is_char_boundary(end));
            match ends.into_iter().find(|&end| whole.is_match(&rest[..end])) {
                Some(end) => {
                    expected.push(rest[..end].to_owned());
                    rest = &rest[end..];
                }
                None => rest = &rest[first.len_utf8()..],
            }
        }
        proptest::prop_assert_eq!(terms("simple_pattern", json!({"pattern": pattern}), &text), expected);
    }
}
