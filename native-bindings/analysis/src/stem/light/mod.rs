//! Light stemmers: they cut the endings of number, gender and case, and little else. Each names the paper it follows.
mod arabic;
mod bengali;
mod brazilian;
mod bulgarian;
mod czech;
mod french;
mod german;
mod hindi;
mod latvian;
mod romance;
mod sorani;

#[cfg(test)]
mod tests;

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
        "hindi" => hindi::stem,
        "latvian" => latvian::stem,
        "light_french" => french::stem,
        "light_german" => german::stem,
        "light_italian" => romance::italian,
        "light_portuguese" => romance::portuguese,
        "light_spanish" => romance::spanish,
        "sorani" => sorani::stem,
        _ => return None,
    })
}
