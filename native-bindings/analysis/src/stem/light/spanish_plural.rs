//! The plural of Spanish nouns, by the rules of how it is formed (wikilengua.org, "Plural (formación)"), as Lucene's
//! SpanishPluralStemFilter applies them.

use super::super::rules::fold;
use super::romance::PLAIN;

/// Words that end like plurals and have no other form, without their accents: compounds of a verb and its object, numbers, words of
/// Greek and Latin, and what is always many.
const INVARIANT: &str = "abrebotellas abrecartas abrelatas afueras albatros albricias aledaños alexis alicates analisis \
    andurriales antitesis añicos apendicitis apocalipsis arcoiris aries bilis boletus boris brindis cactus canutas caries \
    cascanueces cascarrabias ciempies cifosis cortaplumas corpus cosmos cosquillas creces crisis cuatrocientas \
    cuatrocientos cuelgacapas cuentacuentos cuentapasos cumpleaños doscientas doscientos dosis enseres entonces \
    esponsales estatus exequias fauces forceps fotosintesis gafas gafotas gargaras gris honorarios ictus jueves lapsus \
    lavacoches lavaplatos limpiabotas lunes maitines martes mondadientes novecientas novecientos nupcias ochocientas \
    ochocientos pais parabrisas paracaidas parachoques paraguas pararrayos paris pisapapeles piscis portaaviones \
    portamaletas portamantas quinientas quinientos quitamanchas recogepelotas rictus rompeolas sacacorchos sacapuntas \
    saltamontes salvavidas seis seiscientas seiscientos setecientas setecientos sintesis tenis tifus trabalenguas \
    vacaciones venus versus viacrucis virus viveres volandas";
/// Words that lose two letters without a rule.
const IRREGULAR: &str =
    "yoes noes sies clubes faralaes albalaes itemes albumes sandwiches relojes bojes contrarreloj carcajes";

/// Makes the singular of a word of at least four letters, and takes its accents away.
pub fn stem(word: &mut Vec<char>) {
    if word.len() < 4 {
        return;
    }
    fold(word, &PLAIN);
    let lowered: String = word.iter().flat_map(|letter| letter.to_lowercase()).collect();
    let is_in = |list: &str| list.split_ascii_whitespace().any(|listed| listed == lowered);
    if is_in(INVARIANT) {
        return;
    }
    let length = word.len();
    if is_in(IRREGULAR) {
        word.truncate(length - 2);
        return;
    }
    let &[.., third, second, first, 's'] = word.as_slice() else { return };
    match ending(third, second, first) {
        Ending::S => word.truncate(length - 1),
        Ending::Es => word.truncate(length - 2),
        Ending::Is => {
            word.truncate(length - 2);
            word.push('y');
        }
        Ending::Ces => {
            word.truncate(length - 3);
            word.push('z');
        }
    }
}

/// What marks a plural, and so what becomes of it.
enum Ending {
    /// `casas`, `parques`
    S,
    /// `amores`, `leyes`, `jabalies`, `reses`
    Es,
    /// `jerseis`, of `jersey`
    Is,
    /// `voces`, of `voz`
    Ces,
}

/// By the three letters before the `s`.
fn ending(third: char, second: char, first: char) -> Ending {
    let is_gui_or_gue = third == 'g' && second == 'u' && matches!(first, 'i' | 'e');
    if third == 'q' || is_gui_or_gue {
        return Ending::S;
    }
    match (second, first) {
        ('r' | 'd' | 'l' | 'n' | 'x', 'e') if is_vowel(third) => Ending::Es,
        ('y' | 'u' | 's', 'e') => Ending::Es,
        ('i', 'e') if matches!(third, 'u' | 'l' | 'r' | 't' | 'n') => Ending::Es,
        ('c', 'e') => Ending::Ces,
        (before, 'i') if is_vowel(before) || before == 'd' => Ending::Is,
        _ => Ending::S,
    }
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u')
}
