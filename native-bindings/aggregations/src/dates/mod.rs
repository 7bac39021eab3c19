//! Intervals of dates: where they begin, in which units, and by the clocks of which zone.

pub mod rounding;
pub mod units;
mod zone_offsets;
