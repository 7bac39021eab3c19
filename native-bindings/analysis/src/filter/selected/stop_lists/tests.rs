use super::*;

/// A language, the number of words in its list, a text, and what the reference leaves of it.
const KEPT: [(&str, usize, &str, &str); 26] = [
    ("armenian", 45, "ես և դու գնում ենք տուն", "գնում տուն"),
    ("basque", 98, "hau da nire etxea eta hori ez da", "nire etxea"),
    ("bulgarian", 190, "аз съм добър човек и всички са тук", "добър човек"),
    ("catalan", 218, "aquest llibre és per a tots els nens", "llibre nens"),
    ("danish", 94, "jeg har ikke set den bog før", "set bog før"),
    ("dutch", 101, "ik heb dit boek niet van hem", "boek"),
    ("finnish", 229, "minä en ole koskaan nähnyt tällä tavalla tuota kirjaa", "koskaan nähnyt tavalla kirjaa"),
    ("french", 154, "ceci est le livre que son ami a lu avec cette femme", "est livre son ami a lu femme"),
    ("galician", 160, "eu teño un libro para ti e para ela", "libro"),
    ("german", 231, "das ist unser buch und nicht dein haus dass", "buch haus dass"),
    ("greek", 75, "και του αλλα το παιδι θα ειναι τις εδω", "παιδι τις εδω"),
    ("hindi", 225, "यह किताब मेरी है और वह भी", "किताब मेरी"),
    ("hungarian", 198, "ő először látta azt a könyvet és nem szólt", "látta könyvet szólt"),
    ("indonesian", 355, "saya akan pergi ke rumah dengan anda", "pergi rumah"),
    ("irish", 109, "tá an leabhar ag an bhfear agus mé", "tá leabhar bhfear"),
    ("italian", 279, "questo libro è il mio e non il tuo", "libro"),
    ("latvian", 161, "es esmu mājās un arī tu", "es mājās tu"),
    ("norwegian", 172, "jeg har ikke lest denne boken", "lest boken"),
    ("portuguese", 203, "este livro é seu e não está com ele", "livro é"),
    ("romanian", 254, "a e această carte și aceşti oameni acești unui puțin", "a e carte oameni unui puțin"),
    ("russian", 159, "он сказал что жизнь кажется очень большой", "очень большой"),
    ("sorani", 62, "لە گەڵ ئەم کتێب و من", "گەڵ کتێب"),
    ("spanish", 308, "ella ha sido siendo la que siente que vosotros sois buenos", "siente buenos"),
    ("swedish", 114, "han har sitt hus och det är inte hennes", "hus"),
    ("thai", 115, "ได้ ที่ ให้ หนังสือ", "หนังสือ"),
    ("turkish", 209, "ben ve bir bana bu kitap", "kitap"),
];

#[test]
fn lists_are_those_of_the_reference() {
    for (language, size, text, expected) in KEPT {
        let words = of(language).expect("there is a list");
        let kept: Vec<&str> = text.split(' ').filter(|word| !words.contains(*word)).collect();
        assert_eq!(kept.join(" "), expected, "{language}");
        assert_eq!(words.len(), size, "{language}");
    }
}

#[test]
fn each_named_language_has_a_list() {
    assert!(SOURCES.iter().all(|(language, _)| of(language).is_some_and(|words| words.len() > 30)));
    assert_eq!(of("english").map(|words| words.len()), Some(33));
    assert_eq!(of("cjk").map(|words| words.len()), Some(36));
    assert!(of("klingon").is_none());
}

#[test]
fn differences_are_differences() {
    for difference in DIFFERENCES {
        let (_, source) = SOURCES.iter().find(|(language, _)| *language == difference.language).expect("a language");
        let words = source.words().expect("a list");
        assert!(difference.excess.split_whitespace().all(|word| words.contains(word)), "{}", difference.language);
        assert!(!difference.missing.split_whitespace().any(|word| words.contains(word)), "{}", difference.language);
    }
}
