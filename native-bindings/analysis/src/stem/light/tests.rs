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
        ("spanish_plural", "casas", "casa"),
        ("spanish_plural", "niños", "niño"),
        ("spanish_plural", "tijeras", "tijera"),
        ("spanish_plural", "jueves", "jueves"),
        ("spanish_plural", "crisis", "crisis"),
        ("spanish_plural", "parques", "parque"),
        ("spanish_plural", "maniquíes", "maniqui"),
        ("spanish_plural", "jabalíes", "jabali"),
        ("spanish_plural", "bambúes", "bambu"),
        ("spanish_plural", "leyes", "ley"),
        ("spanish_plural", "voces", "voz"),
        ("spanish_plural", "luces", "luz"),
        ("spanish_plural", "amores", "amor"),
        ("spanish_plural", "escáneres", "escaner"),
        ("spanish_plural", "comerciales", "comercial"),
        ("spanish_plural", "relojes", "reloj"),
        ("spanish_plural", "faxes", "fax"),
        ("spanish_plural", "reses", "res"),
        ("spanish_plural", "jerseis", "jersey"),
        ("spanish_plural", "brandis", "brandy"),
        ("spanish_plural", "jerseys", "jersey"),
        ("spanish_plural", "clubes", "club"),
        ("spanish_plural", "Clubes", "Club"),
        ("spanish_plural", "caquis", "caqui"),
        ("spanish_plural", "jabalís", "jabali"),
        ("spanish_plural", "coches", "coche"),
        ("spanish_plural", "árboles", "arbol"),
        ("spanish_plural", "paraguas", "paraguas"),
        ("spanish_plural", "cuatrocientos", "cuatrocientos"),
        ("spanish_plural", "tenedores", "tenedor"),
        ("spanish_plural", "seis", "seis"),
        ("spanish_plural", "mes", "mes"),
        ("spanish_plural", "gas", "gas"),
        ("spanish_plural", "el", "el"),
        ("spanish_plural", "tés", "tés"),
        ("spanish_plural", "águilas", "aguila"),
        ("spanish_plural", "reyes", "rey"),
        ("spanish_plural", "guisantes", "guisante"),
        ("spanish_plural", "pingües", "pingue"),
        ("spanish_plural", "tribus", "tribu"),
        ("spanish_plural", "canales", "canal"),
        ("spanish_plural", "cárceles", "carcel"),
        ("spanish_plural", "Crisis", "Crisis"),
        ("spanish_plural", "fénix", "fenix"),
        ("spanish_plural", "espaguetis", "espagueti"),
    ] {
        assert_eq!(stemmed(language, word), stem, "{language}: {word}");
    }
}

proptest! {
    #[test]
    fn any_text_is_stemmed(text in "\\PC{0,12}", word in "[a-zéãçèščьъияаеоиیەکانا]{0,12}") {
        for language in ["arabic", "bengali", "brazilian", "bulgarian", "czech", "hindi", "latvian", "light_french", "light_german", "light_italian", "light_portuguese", "light_spanish", "sorani", "spanish_plural"] {
            for text in [&text, &word] {
                prop_assert!(stemmed(language, text).chars().count() <= text.chars().count() + 1, "{}: {}", language, text);
            }
        }
    }
}
