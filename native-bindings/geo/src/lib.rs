//! Places on the globe: how columns hold them, how far they are from each other, and in what they lie.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`point`] | a place as the 64 bits of a column, and back |
//! | [`read`] | a place as documents and requests write it |
//! | [`trigonometry`], [`distance`] | how far two places are from each other |
//! | [`format`] | places as answers show them |
//! | [`units`] | lengths as text |
//! | [`geohash`], [`tile`], [`hex`] | cells of grids |
//! | [`grid`] | any of these grids, and one cell of it as an area |
//! | [`shape`] | lines, polygons and collections of them |
//! | [`area`] | which places lie in a box, a circle, a polygon |
pub mod area;
pub mod distance;
pub mod format;
pub mod geohash;
pub mod grid;
pub mod hex;
pub mod point;
pub mod read;
pub mod shape;
pub mod tile;
pub mod trigonometry;
pub mod units;
