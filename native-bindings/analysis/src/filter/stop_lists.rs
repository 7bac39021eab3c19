//! Lists of words that say little, by language.

/// Lucene's list.
const ENGLISH: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of",
    "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with",
];
/// What Lucene adds to it for texts that mix scripts.
const BESIDE_CJK: [&str; 3] = ["s", "t", "www"];

/// Codes of ISO 639 by the names that the API uses.
const CODES: [(&str, &str); 33] = [
    ("arabic", "ar"),
    ("armenian", "hy"),
    ("basque", "eu"),
    ("bengali", "bn"),
    ("brazilian", "pt"),
    ("bulgarian", "bg"),
    ("catalan", "ca"),
    ("czech", "cs"),
    ("danish", "da"),
    ("dutch", "nl"),
    ("estonian", "et"),
    ("finnish", "fi"),
    ("french", "fr"),
    ("galician", "gl"),
    ("german", "de"),
    ("greek", "el"),
    ("hindi", "hi"),
    ("hungarian", "hu"),
    ("indonesian", "id"),
    ("irish", "ga"),
    ("italian", "it"),
    ("latvian", "lv"),
    ("lithuanian", "lt"),
    ("norwegian", "no"),
    ("persian", "fa"),
    ("portuguese", "pt"),
    ("romanian", "ro"),
    ("russian", "ru"),
    ("sorani", "ku"),
    ("spanish", "es"),
    ("swedish", "sv"),
    ("thai", "th"),
    ("turkish", "tr"),
];

/// The words of a language; `None` when there is no list for it.
pub fn of(language: &str) -> Option<Box<dyn Iterator<Item = &'static str>>> {
    match language {
        "english" => Some(Box::new(ENGLISH.into_iter())),
        "cjk" => Some(Box::new(ENGLISH.into_iter().chain(BESIDE_CJK))),
        _ => {
            let (_, code) = CODES.iter().find(|(name, _)| *name == language)?;
            Some(Box::new(stop_words::lookup(code)?.iter().copied()))
        }
    }
}
