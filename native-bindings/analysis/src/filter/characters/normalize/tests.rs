use super::*;

fn normalized(kind: &str, word: &str) -> String {
    let mut token = Token { term: word.as_bytes().to_vec(), ..Token::word() };
    let Some(TokenFilter::Term(filter)) = named(kind) else { panic!("no filter [{kind}]") };
    filter.apply(&mut token);
    token.text().to_owned()
}

#[test]
fn spellings() {
    for (kind, word, expected) in [
        ("arabic_normalization", "أحمد", "احمد"),
        ("arabic_normalization", "بنى", "بني"),
        ("arabic_normalization", "فاطمة", "فاطمه"),
        ("arabic_normalization", "روبرـــت", "روبرت"),
        ("persian_normalization", "های", "هاي"),
        ("persian_normalization", "کشاندن", "كشاندن"),
        ("sorani_normalization", "\u{647}\u{200C}", "\u{6D5}"),
        ("sorani_normalization", "\u{631}", "\u{695}"),
        ("german_normalization", "weißbier", "weissbier"),
        ("german_normalization", "tschüß", "tschuss"),
        ("german_normalization", "schaltflächen", "schaltflachen"),
        ("german_normalization", "schaltflaechen", "schaltflachen"),
        ("german_normalization", "neue", "neue"),
        ("german_normalization", "quelle", "quelle"),
        ("scandinavian_normalization", "räksmörgås", "ræksmørgås"),
        ("scandinavian_normalization", "aabenraa", "åbenrå"),
        ("scandinavian_normalization", "oesterreich", "østerreich"),
        ("scandinavian_folding", "blåbærsyltetøj", "blabarsyltetoj"),
        ("scandinavian_folding", "blaabaersyltetoej", "blabarsyltetoj"),
        ("serbian_normalization", "ђура", "djura"),
        ("serbian_normalization", "čćžšđ", "cczsdj"),
        ("indic_normalization", "अाॅअाॅ", "ऑऑ"),
        ("indic_normalization", "आै", "औ"),
        ("hindi_normalization", "अँगरेज़ी", "अंगरेजि"),
        ("hindi_normalization", "हिन्दी", "हिंदि"),
        ("bengali_normalization", "\u{9AC}\u{9BE}\u{9DC}\u{9C0}", "\u{9AC}\u{9BE}\u{9B0}\u{9BF}"),
        ("bengali_normalization", "দুঃখ", "দুখখ"),
    ] {
        assert_eq!(normalized(kind, word), expected, "{kind}: {word}");
    }
}
