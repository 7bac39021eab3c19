use super::named;
use proptest::prelude::*;

fn stemmed(language: &str, word: &str) -> String {
    let mut characters = word.chars().collect();
    named(language).unwrap()(&mut characters);
    characters.into_iter().collect()
}

#[test]
fn words() {
    for (language, word, stem) in [
        ("arabic", "كبيرة", "كبير"),
        ("light_finnish", "edeltäneeseen", "edeltane"),
        ("light_hungarian", "házakat", "haz"),
        ("light_norwegian", "hemmeligheten", "hemmelig"),
        ("light_nynorsk", "hemmelegheita", "hemmeleg"),
        ("light_russian", "энергетический", "энергетическ"),
        ("light_swedish", "jaktkarlarne", "jaktkarl"),
        ("minimal_french", "chevaux", "cheval"),
        ("minimal_german", "bilder", "bild"),
        ("minimal_norwegian", "billigere", "billiger"),
        ("minimal_nynorsk", "gutane", "gut"),
        ("persian", "كتابها", "كتاب"),
        ("arabic", "والحسن", "حسن"),
        ("arabic", "ساهدها", "ساهد"),
        ("bengali", "করেছিলাম", "কর"),
        ("brazilian", "boataria", "boat"),
        ("brazilian", "boas", "boas"),
        ("brazilian", "quilométricas", "quilometr"),
        ("bulgarian", "градове", "град"),
        ("bulgarian", "братът", "брат"),
        ("czech", "pánové", "pán"),
        ("czech", "soudcích", "soudk"),
        ("czech", "mluvime", "mluvim"),
        ("hindi", "लडकियों", "लडक"),
        ("latvian", "tirgiem", "tirg"),
        ("latvian", "kakļu", "kakl"),
        ("light_french", "sécuritaires", "securitair"),
        ("light_french", "chevaux", "cheval"),
        ("light_french", "collaborateurs", "colabor"),
        ("light_french", "heureuse", "heureu"),
        ("light_german", "häuser", "haus"),
        ("light_german", "tischler", "tischl"),
        ("light_italian", "abbandonata", "abbandonat"),
        ("light_portuguese", "quilométricas", "quilometric"),
        ("light_portuguese", "doutores", "doutor"),
        ("light_portuguese", "leões", "leao"),
        ("light_spanish", "chicanas", "chican"),
        ("light_spanish", "torees", "tore"),
        ("sorani", "پیاوەکان", "پیاو"),
    ] {
        assert_eq!(stemmed(language, word), stem, "{language}: {word}");
    }
}

proptest! {
    #[test]
    fn any_text_is_stemmed(text in "\\PC{0,12}", word in "[a-zéãçèščьъияаеоиیەکانا]{0,12}") {
        for language in ["arabic", "bengali", "brazilian", "bulgarian", "czech", "hindi", "latvian", "light_french", "light_german", "light_italian", "light_portuguese", "light_spanish", "sorani"] {
            for text in [&text, &word] {
                prop_assert!(stemmed(language, text).chars().count() <= text.chars().count() + 1, "{}: {}", language, text);
            }
        }
    }
}
