//! What scripts find without making it themselves: static methods, methods of objects, `new`, and the classes behind them.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`statics`], [`construct`], [`methods`] | what a static method, `new` and a method of an object do |
//! | [`math`], [`collections`], [`format`], [`moving`], [`score`] | groups of static methods and functions |
//! | [`stream`], [`temporal`], [`vectors`], [`extract`] | streams, dates and times, vectors, fields from texts |
//! | [`classes`] | smaller classes, one file each |
pub mod base64;
pub(crate) mod classes;
mod collections;
pub(crate) mod construct;
pub(crate) mod extract;
mod format;
pub(crate) mod math;
pub(crate) mod methods;
pub(crate) mod moving;
pub(crate) mod score;
pub(crate) mod statics;
pub(crate) mod stream;
pub mod temporal;
pub(crate) mod vectors;
