//! Places as answers show them.

use super::point::GeoPoint;
use quarry_base::error::{Error, Result};
use quarry_base::json::write::write_string;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointFormat {
    /// `"lat, lon"`
    LatLon,
    GeoJson,
    WellKnownText,
}

impl PointFormat {
    /// By the name that requests give it.
    pub fn named(name: &str, field: &str) -> Result<Self> {
        match name {
            "latlon" => Ok(PointFormat::LatLon),
            "geojson" => Ok(PointFormat::GeoJson),
            "wkt" => Ok(PointFormat::WellKnownText),
            _ => Err(Error::illegal_argument(format!(
                "Unrecognized geometry format [{name}] of field [{field}]: one of [geojson, wkt, latlon] is expected."
            ))),
        }
    }

    /// Appends JSON.
    pub fn write(self, GeoPoint { lat, lon }: GeoPoint, out: &mut Vec<u8>) {
        match self {
            PointFormat::LatLon => write_string(out, &format!("{lat:?}, {lon:?}")),
            PointFormat::WellKnownText => write_string(out, &format!("POINT ({lon:?} {lat:?})")),
            PointFormat::GeoJson => {
                out.extend_from_slice(format!("{{\"coordinates\":[{lon:?},{lat:?}],\"type\":\"Point\"}}").as_bytes());
            }
        }
    }
}
