//! Plan to scorers to top documents; sort; fetch.
pub mod scorer;
