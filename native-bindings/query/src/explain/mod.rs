//! Why a document matches a query and how its score comes about, and queries as text.
pub mod describe;
mod explainer;
mod places;
mod rescore;
mod term;

pub use explainer::explain;
pub use rescore::{combine, explain_rescore};
