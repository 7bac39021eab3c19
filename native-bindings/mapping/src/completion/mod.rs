//! Terms of completion fields.
//!
//! A completion field is a field of terms like a keyword. Each term is one way in which one input of a document can be met:
//! its context, what the analyzer makes of it, the input itself and its weight ([`quarry_segment::completion::key`]). So the terms that begin with a text,
//! in a context, are neighbours in the dictionary, and [`quarry_segment::completion::weights`] finds the best of them.
//!
//! | file | what it answers |
//! | --- | --- |
//! | [`forms`] | what an analyzer makes of an input or of a text that is looked for |
//! | [`input`] | what a document says of a completion field |
pub mod forms;
pub mod input;
