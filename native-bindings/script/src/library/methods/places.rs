//! What places among the values of a field can be asked for.

use crate::fault::{Fault, Res};
use crate::heap::Value;
use crate::heap::object::Object;
use crate::run::Machine;
use quarry_geo::distance::{arc, plane};
use quarry_geo::geohash;
use quarry_geo::point::GeoPoint;

/// Names of distances; with `WithDefault` the last argument is the distance of a document without a place.
const DISTANCES: [&str; 3] = ["arcDistance", "planeDistance", "geohashDistance"];

/// A member of the field that only places have; `None`: it has none of this name.
pub fn property(machine: &mut Machine<'_>, field: u32, name: &str) -> Res<Option<Value>> {
    match name {
        "lat" | "lon" => {
            let value = machine.field_value(field, 0)?;
            let place = place(machine, value)?;
            Ok(Some(Value::Double(if name == "lat" { place.lat } else { place.lon })))
        }
        "lats" | "lons" => {
            let values = machine.field_values(field)?;
            let mut degrees = Vec::with_capacity(values.len());
            for value in values {
                let place = place(machine, value)?;
                degrees.push(Value::Double(if name == "lats" { place.lat } else { place.lon }));
            }
            machine.state.heap.list(degrees).map(Some)
        }
        "centroid" => centroid(machine, field).map(Some),
        _ => Ok(None),
    }
}

/// A method of the field that only places have.
pub fn call(machine: &mut Machine<'_>, field: u32, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let member = match name {
        "getLat" => "lat",
        "getLon" => "lon",
        "getLats" => "lats",
        "getLons" => "lons",
        "getCentroid" => "centroid",
        _ => return distance(machine, field, name, arguments),
    };
    if arguments.is_empty() { property(machine, field, member) } else { Ok(None) }
}

fn distance(machine: &mut Machine<'_>, field: u32, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let (kind, has_default) = match name.strip_suffix("WithDefault") {
        Some(kind) => (kind, true),
        None => (name, false),
    };
    if !DISTANCES.contains(&kind) {
        return Ok(None);
    }
    let (target, default) = match (arguments, has_default) {
        ([target @ .., default], true) => (target, Some(*default)),
        (target, false) => (target, None),
        ([], true) => return Ok(None),
    };
    if let Some(default) = default
        && machine.field_length(field)? == 0
    {
        return machine.double_of(default).map(|metres| Some(Value::Double(metres)));
    }
    let target = match (kind, target) {
        ("geohashDistance", [hash]) => {
            let hash = machine.chars_of(*hash)?;
            geohash::corner(&hash).map_err(Box::<Fault>::from)?
        }
        ("arcDistance" | "planeDistance", [lat, lon]) => {
            GeoPoint { lat: machine.double_of(*lat)?, lon: machine.double_of(*lon)? }
        }
        _ => return Ok(None),
    };
    let value = machine.field_value(field, 0)?;
    let own = place(machine, value)?;
    Ok(Some(Value::Double(if kind == "planeDistance" { plane(own, target) } else { arc(own, target) })))
}

fn centroid(machine: &mut Machine<'_>, field: u32) -> Res<Value> {
    let values = machine.field_values(field)?;
    let count = values.len() as f64;
    let (mut lat, mut lon) = (0.0, 0.0);
    for value in values {
        let place = place(machine, value)?;
        (lat, lon) = (lat + place.lat / count, lon + place.lon / count);
    }
    if count == 0.0 { Ok(Value::Null) } else { machine.state.heap.alloc(Object::GeoPoint { lat, lon }) }
}

fn place(machine: &Machine<'_>, value: Value) -> Res<GeoPoint> {
    if let Value::Ref(place) = value
        && let Object::GeoPoint { lat, lon } = machine.state.heap.get(place)
    {
        return Ok(GeoPoint { lat: *lat, lon: *lon });
    }
    Err(Fault::illegal("the values of the field are no places"))
}
