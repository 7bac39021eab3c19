//! Light stemmers: they cut the endings of number, gender and case, and little else. Each names the paper it follows.
mod arabic;
mod bengali;
mod brazilian;
mod bulgarian;
mod czech;
mod french;
mod german;
mod hindi;
mod hungarian;
mod latvian;
mod minimal;
mod nordic;
mod persian;
mod romance;
mod russian;
mod sorani;
mod spanish_plural;

#[cfg(test)]
mod tests;

use super::rslp;

/// Changes a word, given as its characters in lower case.
pub type LightStemmer = fn(&mut Vec<char>);

/// By the names that the `stemmer` filter knows.
pub fn named(name: &str) -> Option<LightStemmer> {
    Some(match name {
        "arabic" => arabic::stem,
        "bengali" => bengali::stem,
        "brazilian" => brazilian::stem,
        "bulgarian" => bulgarian::stem,
        "czech" => czech::stem,
        "galician" => rslp::galician,
        "hindi" => hindi::stem,
        "latvian" => latvian::stem,
        "light_finnish" => nordic::finnish,
        "light_french" => french::stem,
        "light_german" => german::stem,
        "light_hungarian" => hungarian::stem,
        "light_italian" => romance::italian,
        "light_norwegian" => nordic::norwegian,
        "light_nynorsk" => nordic::nynorsk,
        "light_portuguese" => romance::portuguese,
        "light_russian" => russian::stem,
        "light_spanish" => romance::spanish,
        "light_swedish" => nordic::swedish,
        "minimal_french" => minimal::french,
        "minimal_galician" => rslp::minimal_galician,
        "minimal_german" => minimal::german,
        "minimal_norwegian" => nordic::minimal_norwegian,
        "minimal_nynorsk" => nordic::minimal_nynorsk,
        "minimal_portuguese" => rslp::minimal_portuguese,
        "persian" => persian::stem,
        "portuguese_rslp" => rslp::portuguese,
        "sorani" => sorani::stem,
        "spanish_plural" => spanish_plural::stem,
        _ => return None,
    })
}
