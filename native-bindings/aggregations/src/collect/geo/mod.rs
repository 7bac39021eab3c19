//! Places and shapes: `geo_bounds`, `geo_centroid` and the cells of grids.

pub mod grid;
pub mod metrics;
mod shapes;
