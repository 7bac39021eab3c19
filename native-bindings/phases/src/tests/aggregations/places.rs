//! Aggregations of places and shapes against the geometries of the documents.

use super::{aggregate, aggregation, group, source, values};
use quarry_geo::grid::{Grid, GridCell};
use quarry_geo::point::{GeoPoint, Steps, lat_of, lon_of};
use quarry_geo::shape::read::{Orientation, Reading, read_shape};
use quarry_geo::shape::{Question, Relation, Shape};
use quarry_shards::{TestShard, mapping};
use quarry_testing::Dice;
use quarry_testing::mapping::field;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const READING: Reading = Reading { ignore_z: true, coerce: false, orientation: Orientation::Right };

fn degrees(dice: &mut Dice, most: u64) -> f64 {
    // Tens are borders of nothing, and come again.
    let whole = dice.below(2 * most + 1) as f64 - most as f64;
    if dice.below(3) == 0 { whole } else { (whole + dice.below(1_000) as f64 / 1_000.0).min(most as f64) }
}

fn random_shape(dice: &mut Dice) -> Value {
    let (lat, lon) = (degrees(dice, 90), degrees(dice, 180));
    let (wide, high) = (dice.below(70) as f64 + 0.5, dice.below(40) as f64 + 0.5);
    let (east, north) = ((lon + wide).min(180.0), (lat + high).min(90.0));
    match dice.below(5) {
        0 => json!({"type": "Point", "coordinates": [lon, lat]}),
        1 => json!({"type": "LineString", "coordinates": [[lon, lat], [east, north]]}),
        // Over the date line.
        2 => json!({"type": "envelope", "coordinates": [[179.0 - wide, north], [-179.0, lat]]}),
        3 => json!({"type": "MultiPoint", "coordinates": [[lon, lat], [east, north], [-lon, -lat]]}),
        _ => json!({"type": "envelope", "coordinates": [[lon, north], [east, lat]]}),
    }
}

fn random_document(dice: &mut Dice) -> Value {
    let places: Vec<Value> = (0..dice.below(3)).map(|_| json!([degrees(dice, 180), degrees(dice, 90)])).collect();
    let shapes: Vec<Value> = (0..dice.below(3)).map(|_| random_shape(dice)).collect();
    let mut document = json!({"n": dice.below(100)});
    for (name, all) in [("p", places), ("s", shapes)] {
        if !all.is_empty() {
            document[name] = json!(all);
        }
    }
    document
}

fn random_case(seed: u64, count: u64) -> (Vec<TestShard>, Vec<Value>) {
    let mut dice = Dice::new(seed);
    let (mut shards, mut live) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let segments: Vec<Vec<Value>> =
            (0..2).map(|_| (0..1 + dice.below(count)).map(|_| random_document(&mut dice)).collect()).collect();
        let all: Vec<Value> = segments.concat();
        let deleted: Vec<u32> = (0..all.len() as u32).filter(|_| dice.below(5) == 0).collect();
        live.extend((0u32..).zip(all).filter(|(place, _)| !deleted.contains(place)).map(|(_, document)| document));
        let fields =
            [("p", "geo_point"), ("s", "geo_shape"), ("n", "long")].map(|(name, kind)| field(name, kind, json!({})));
        shards.push(TestShard::new(mapping(fields.into()), &segments, &deleted));
    }
    (shards, live)
}

fn places(document: &Value) -> Vec<Steps> {
    let of = |place: &Value| GeoPoint { lat: place[1].as_f64().unwrap(), lon: place[0].as_f64().unwrap() };
    // An array of numbers is one place: here all are arrays of arrays.
    values(document, "p").into_iter().map(|place| Steps::of_column(of(place).to_column())).collect()
}

fn shapes(document: &Value) -> Vec<Shape> {
    let read = |value: &Value| {
        let (drawn, orientation) = read_shape(value, READING).unwrap();
        Shape::new(drawn, orientation).unwrap()
    };
    values(document, "s").into_iter().map(read).collect()
}

fn grid(field: &str, cells: &str, precision: u32) -> Value {
    json!({"geo_grid": {"source": source(field), "cells": cells, "precision": precision, "size": 100_000,
        "shard_size": 100_000, "bounds": null,
        "order": [{"by": "count", "ascending": false}, {"by": "key", "ascending": false}]}})
}

fn counted(shards: &[TestShard], kind: Value) -> BTreeMap<String, (u64, i64)> {
    let below = json!([aggregation("n", json!({"sum": {"source": source("n")}}), json!([]))]);
    let answer = aggregate(shards, &json!([aggregation("g", kind, below)])).unwrap();
    let one = |bucket: &Value| {
        let (count, sum) = (bucket["doc_count"].as_u64().unwrap(), bucket["n"]["value"].as_f64().unwrap());
        (bucket["key"].as_str().unwrap().to_owned(), (count, sum as i64))
    };
    answer["g"]["buckets"].as_array().unwrap().iter().map(one).collect()
}

fn expected(live: &[Value], cells: impl Fn(&Value) -> Vec<String>) -> BTreeMap<String, (u64, i64)> {
    let sum = |documents: &[Value]| documents.iter().map(|document| document["n"].as_i64().unwrap()).sum();
    group(live, cells).into_iter().map(|(key, of)| (key, (of.len() as u64, sum(&of)))).collect()
}

#[test]
fn cells_of_places() {
    for seed in 900..906 {
        let (shards, live) = random_case(seed, 400);
        for (grid_of, name, precision) in [
            (Grid::Geohex, "geohex", 0),
            (Grid::Geohex, "geohex", 4),
            (Grid::Geohex, "geohex", 15),
            (Grid::Geohash, "geohash", 2),
            (Grid::Geotile, "geotile", 6),
        ] {
            let cells = |document: &Value| {
                places(document).into_iter().map(|place| grid_of.text(grid_of.cell(place, precision))).collect()
            };
            assert_eq!(counted(&shards, grid("p", name, precision)), expected(&live, cells), "seed {seed} {name}");
        }
    }
}

#[test]
fn cells_that_shapes_touch() {
    for seed in 910..914 {
        let (shards, live) = random_case(seed, 30);
        for (grid_of, name, precision, places) in [(Grid::Geohash, "geohash", 1, 32), (Grid::Geotile, "geotile", 3, 64)]
        {
            // All names of cells that places of the globe have.
            let mut names: Vec<String> = (-90..=90)
                .flat_map(|lat| (-180..180).map(move |lon| (lat, lon)))
                .map(|(lat, lon)| GeoPoint { lat: f64::from(lat), lon: f64::from(lon) })
                .map(|place| grid_of.text(grid_of.cell(Steps::of_column(place.to_column()), precision)))
                .collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), places);
            let areas: Vec<(String, Shape)> = names
                .into_iter()
                .map(|name| (name.clone(), GridCell::named(grid_of, &name).unwrap().shape().unwrap()))
                .collect();
            let cells = |document: &Value| {
                let own = shapes(document);
                let touches = |area: &Shape| Question::new(area, Relation::Intersects).of_shapes(&own).unwrap();
                areas
                    .iter()
                    .filter(|(_, area)| !own.is_empty() && touches(area))
                    .map(|(name, _)| name.clone())
                    .collect()
            };
            assert_eq!(counted(&shards, grid("s", name, precision)), expected(&live, cells), "seed {seed} {name}");
        }
    }
}

#[test]
fn boxes_and_counts_of_shapes() {
    for seed in 920..930 {
        let (shards, live) = random_case(seed, 20);
        let plan = json!([
            aggregation("b", json!({"geo_bounds": {"source": source("s"), "wrap_longitude": false}}), json!([])),
            aggregation("c", json!({"value_count": {"source": source("s")}}), json!([])),
            aggregation("m", json!({"missing": {"field": "s", "has_substitute": false}}), json!([])),
        ]);
        let answer = aggregate(&shards, &plan).unwrap();
        let with: Vec<Shape> = live.iter().flat_map(shapes).collect();
        let count = live.iter().filter(|document| !document["s"].is_null()).count();
        assert_eq!(answer["c"]["value"], json!(count), "seed {seed}");
        assert_eq!(answer["m"]["doc_count"], json!(live.len() - count), "seed {seed}");
        let frames: Vec<_> = with.iter().map(|shape| *shape.frame()).collect();
        let bounds = json!({
            "top_left": {
                "lat": lat_of(frames.iter().map(|frame| frame.north).max().unwrap()),
                "lon": lon_of(frames.iter().map(|frame| frame.west).min().unwrap()),
            },
            "bottom_right": {
                "lat": lat_of(frames.iter().map(|frame| frame.south).min().unwrap()),
                "lon": lon_of(frames.iter().map(|frame| frame.east).max().unwrap()),
            },
        });
        assert_eq!(answer["b"]["bounds"], bounds, "seed {seed}");
    }
}

#[test]
fn what_shapes_have_no_cells_of() {
    let (shards, _) = random_case(930, 5);
    let reason = aggregate(&shards, &json!([aggregation("g", grid("s", "geohex", 3), json!([]))])).unwrap_err().reason;
    assert_eq!(reason, "Field [s] of type [geo_shape] is not supported for aggregation [geohex_grid]");
    let centroid = json!({"geo_centroid": {"source": source("s")}});
    assert!(aggregate(&shards, &json!([aggregation("g", centroid, json!([]))])).is_err());
}
