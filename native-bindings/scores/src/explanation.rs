//! Why a document has its score: numbers, and the numbers that they were computed from.

use quarry_base::json::write::plain_float;
use quarry_json::write::write_string;

/// A number and the numbers that it was computed from.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    pub is_match: bool,
    /// It counts something, and is written without a fraction.
    pub is_count: bool,
    pub value: f64,
    pub description: String,
    pub details: Vec<Explanation>,
}

impl Explanation {
    pub fn of(value: impl Into<f64>, description: impl Into<String>, details: Vec<Explanation>) -> Self {
        Explanation { is_match: true, is_count: false, value: value.into(), description: description.into(), details }
    }

    /// A number that nothing more is to be said of.
    pub fn leaf(value: impl Into<f64>, description: impl Into<String>) -> Self {
        Explanation::of(value, description, Vec::new())
    }

    /// A number of things that nothing more is to be said of.
    pub fn count(value: u64, description: impl Into<String>) -> Self {
        Explanation { is_count: true, ..Explanation::leaf(value as f64, description) }
    }

    pub fn no_match(description: impl Into<String>, details: Vec<Explanation>) -> Self {
        Explanation { is_match: false, is_count: false, value: 0.0, description: description.into(), details }
    }

    /// A line for each number, those that it was computed from below it and further in.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        self.add_lines(0, &mut text);
        text
    }

    fn number(&self) -> String {
        if self.is_count { format!("{}", self.value as u64) } else { plain_float(self.value as f32) }
    }

    fn add_lines(&self, depth: usize, text: &mut String) {
        let value = self.number();
        text.push_str(&format!("{}{value} = {}\n", "  ".repeat(depth), self.description));
        self.details.iter().for_each(|detail| detail.add_lines(depth + 1, text));
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"value\":");
        let whole = self.value.fract() == 0.0 && self.value.abs() < 1e15 && self.value.abs() >= 1e7;
        if whole {
            out.extend_from_slice(format!("{}", self.value as i64).as_bytes());
        } else {
            out.extend_from_slice(self.number().as_bytes());
        }
        out.extend_from_slice(b",\"description\":");
        write_string(out, &self.description);
        out.extend_from_slice(b",\"details\":[");
        for (place, detail) in self.details.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            detail.write(out);
        }
        out.extend_from_slice(b"]}");
    }
}

/// As Java prints it: `2.0`, `0.5`.
pub fn float(value: f32) -> String {
    format!("{value:?}")
}
