//! Terms of completion fields.
//!
//! | file | what it answers |
//! | --- | --- |
//! | [`key`] | input, context and weight to a term, and back |
//! | [`weights`] | the best of a range of terms |
pub mod key;
pub mod weights;
