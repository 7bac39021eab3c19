//! Graphs against looking at everything.

use super::Parameters;
use super::build::{Base, build};
use super::layout::{Graph, Layout};
use super::samples::{clustered, normalised, uniform};
use super::walk::{Sought, Walked, nearest};
use crate::measure::{Element, Measure};
use crate::quantised::{Interval, Quantisation, Resolution};
use crate::similarity::Similarity;
use crate::space::{ByteSpace, CodeSpace, FloatSpace};
use crate::{Interrupt, Rows, Vectors, exact};
use quarry_base::error::{Error, ErrorCode};
use quarry_testing::Dice;

const DIMS: usize = 24;
const USUAL: Parameters = Parameters { m: 16, ef_construction: 100 };
const NEVER: Interrupt<'static> = &|| Ok(());

fn graph_of(rows: Rows<'_, f32>, similarity: Similarity, parameters: Parameters) -> Vec<u32> {
    let words = build(&FloatSpace { vectors: &rows, similarity }, parameters, None, NEVER).unwrap();
    let layout = Layout::read(&words, rows.count()).unwrap();
    Graph { layout: &layout, words: &words }.verify().unwrap();
    words
}

/// The share of the ten nearest that walks find, over some queries.
fn recall(
    rows: Rows<'_, f32>,
    words: &[u32],
    similarity: Similarity,
    queries: &[f32],
    breadth: usize,
    accepts: Option<&dyn Fn(u32) -> bool>,
) -> f64 {
    let layout = Layout::read(words, rows.count()).unwrap();
    let graph = Graph { layout: &layout, words };
    let (mut found, mut wanted) = (0, 0);
    for query in queries.chunks(DIMS) {
        let closeness = |ordinal| similarity.closeness(query, rows.get(ordinal));
        let sought = Sought { closeness: &closeness, breadth, accepts, group: None, looks_max: usize::MAX };
        let Walked::Found(walked) = nearest(graph, &sought, NEVER).unwrap() else { panic!("there is no limit") };
        assert!(walked.is_sorted_by(|left, right| left > right), "each once, the nearest first");
        let mut counted = (0..rows.count()).filter(|&ordinal| accepts.is_none_or(|accepts| accepts(ordinal)));
        let truth = exact::nearest(&closeness, &mut counted, 10, None, NEVER).unwrap();
        wanted += truth.len();
        found += truth.iter().filter(|near| walked.iter().take(10).any(|other| other == *near)).count();
    }
    found as f64 / wanted as f64
}

fn samples() -> [(&'static str, Similarity, Vec<f32>, Vec<f32>); 4] {
    let (spread, queries) = (uniform(4_000, DIMS, 1), uniform(50, DIMS, 2));
    let (dense, near) = (clustered(4_000, DIMS, 40, 3), clustered(50, DIMS, 40, 3));
    [
        ("cosine", Similarity::Cosine, normalised(spread.clone(), DIMS), normalised(queries.clone(), DIMS)),
        ("uniform", Similarity::L2Norm, spread, queries.clone()),
        ("clustered", Similarity::L2Norm, dense.clone(), near.clone()),
        ("products", Similarity::MaxInnerProduct, dense, near),
    ]
}

#[test]
fn walks_find_what_is_near() {
    for (name, similarity, values, queries) in samples() {
        let rows = Rows { values: &values, width: DIMS };
        let words = graph_of(rows, similarity, USUAL);
        let all = recall(rows, &words, similarity, &queries, 100, None);
        assert!(all >= 0.95, "{name}: {all}");
        let third = |ordinal: u32| ordinal.is_multiple_of(3);
        let filtered = recall(rows, &words, similarity, &queries, 100, Some(&third));
        assert!(filtered >= 0.95, "{name}, filtered: {filtered}");
        assert_eq!(
            words,
            build(&FloatSpace { vectors: &rows, similarity }, USUAL, None, NEVER).unwrap(),
            "{name}: the same again"
        );
    }
}

#[test]
fn vectors_are_put_into_a_graph_that_is_there() {
    for (name, similarity, values, queries) in samples() {
        let rows = Rows { values: &values, width: DIMS };
        // The graph of two thirds, whose vectors have their places among the others.
        let (taken, ordinals): (Vec<f32>, Vec<u32>) = {
            let kept = (0..rows.count()).filter(|ordinal| ordinal % 3 != 1);
            let ordinals: Vec<u32> = kept.collect();
            (ordinals.iter().flat_map(|&ordinal| rows.get(ordinal).to_vec()).collect(), ordinals)
        };
        let part = graph_of(Rows { values: &taken, width: DIMS }, similarity, USUAL);
        let layout = Layout::read(&part, ordinals.len() as u32).unwrap();
        let base = Base { graph: Graph { layout: &layout, words: &part }, ordinals: &ordinals };
        let words = build(&FloatSpace { vectors: &rows, similarity }, USUAL, Some(base), NEVER).unwrap();
        let layout = Layout::read(&words, rows.count()).unwrap();
        Graph { layout: &layout, words: &words }.verify().unwrap();
        let all = recall(rows, &words, similarity, &queries, 100, None);
        assert!(all >= 0.95, "{name}: {all}");
    }
}

#[test]
fn equal_vectors_do_not_hide_others() {
    let mut values = vec![0.5; 2_000 * DIMS];
    values.extend(uniform(500, DIMS, 9));
    let rows = Rows { values: &values, width: DIMS };
    let words = graph_of(rows, Similarity::L2Norm, USUAL);
    let queries = uniform(30, DIMS, 10);
    let found = recall(rows, &words, Similarity::L2Norm, &queries, 100, None);
    assert!(found >= 0.95, "{found}");
}

#[test]
fn small_graphs_of_any_parameters_find_everything() {
    let values = uniform(60, DIMS, 4);
    for count in [1, 2, 3, 17, 60] {
        let rows = Rows { values: &values[..count * DIMS], width: DIMS };
        for m in [2, 5, 16] {
            let words = graph_of(rows, Similarity::L2Norm, Parameters { m, ef_construction: 50 });
            let found = recall(rows, &words, Similarity::L2Norm, &values[..10 * DIMS], 60, None);
            assert!(found >= 0.9, "{count} vectors, m {m}: {found}");
        }
    }
}

#[test]
fn a_walk_that_would_look_at_too_much_gives_up() {
    let values = uniform(3_000, DIMS, 5);
    let rows = Rows { values: &values, width: DIMS };
    let words = graph_of(rows, Similarity::L2Norm, USUAL);
    let layout = Layout::read(&words, rows.count()).unwrap();
    let closeness = |ordinal| Similarity::L2Norm.closeness(&values[..DIMS], rows.get(ordinal));
    let few = |ordinal: u32| ordinal < 20;
    let sought = Sought { closeness: &closeness, breadth: 10, accepts: Some(&few), group: None, looks_max: 20 };
    let walked = nearest(Graph { layout: &layout, words: &words }, &sought, NEVER).unwrap();
    assert!(matches!(walked, Walked::GaveUp));
}

#[test]
fn building_and_walking_can_be_interrupted() {
    let values = uniform(3_000, DIMS, 6);
    let rows = Rows { values: &values, width: DIMS };
    let stop: Interrupt<'_> = &|| Err(Error::new(ErrorCode::TaskCancelled, "enough"));
    let error = build(&FloatSpace { vectors: &rows, similarity: Similarity::L2Norm }, USUAL, None, stop).unwrap_err();
    assert_eq!(error.code, ErrorCode::TaskCancelled);
    let words = graph_of(rows, Similarity::L2Norm, USUAL);
    let layout = Layout::read(&words, rows.count()).unwrap();
    let closeness = |ordinal| Similarity::L2Norm.closeness(&values[..DIMS], rows.get(ordinal));
    let sought = Sought { closeness: &closeness, breadth: 1_000, accepts: None, group: None, looks_max: usize::MAX };
    assert!(nearest(Graph { layout: &layout, words: &words }, &sought, stop).is_err());
    let all = exact::nearest(&closeness, &mut (0..rows.count()), 3, None, stop);
    assert!(all.is_err());
}

/// Whatever stands in the words of a graph: it is refused, found by `verify`, or walked without harm.
#[test]
fn damage_never_panics() {
    let values = uniform(400, DIMS, 7);
    let rows = Rows { values: &values, width: DIMS };
    let words = graph_of(rows, Similarity::L2Norm, Parameters { m: 3, ef_construction: 20 });
    let mut dice = Dice::new(8);
    let closeness = |ordinal| Similarity::L2Norm.closeness(&values[..DIMS], rows.get(ordinal));
    let sought = Sought { closeness: &closeness, breadth: 10, accepts: None, group: None, looks_max: usize::MAX };
    for round in 0..2_000 {
        let mut damaged = words.clone();
        let place = if round % 4 == 0 { dice.below(12) } else { dice.below(words.len() as u64) };
        damaged[place as usize] = [0, 1, 399, 400, 1 << 20, u32::MAX][dice.below(6) as usize];
        if round % 7 == 0 {
            damaged.truncate(dice.below(words.len() as u64) as usize);
        }
        let Ok(layout) = Layout::read(&damaged, rows.count()) else { continue };
        let graph = Graph { layout: &layout, words: &damaged };
        let _ = graph.verify();
        nearest(graph, &sought, NEVER).unwrap();
    }
}

/// Vectors that belong together five by five: walks find what looking at everything finds.
#[test]
fn of_each_group_the_nearest_counts() {
    let (values, queries) = (clustered(4_000, DIMS, 40, 21), clustered(30, DIMS, 40, 21));
    let rows = Rows { values: &values, width: DIMS };
    let words = graph_of(rows, Similarity::L2Norm, USUAL);
    let layout = Layout::read(&words, rows.count()).unwrap();
    let group = |ordinal: u32| ordinal / 5;
    let (mut found, mut wanted) = (0, 0);
    for query in queries.chunks(DIMS) {
        let closeness = |ordinal| Similarity::L2Norm.closeness(query, rows.get(ordinal));
        let sought =
            Sought { closeness: &closeness, breadth: 100, accepts: None, group: Some(&group), looks_max: usize::MAX };
        let walked = nearest(Graph { layout: &layout, words: &words }, &sought, NEVER).unwrap();
        let Walked::Found(walked) = walked else { panic!("there is no limit") };
        let mut groups: Vec<u32> = walked.iter().map(|near| group(near.ordinal)).collect();
        groups.sort_unstable();
        assert!(groups.is_sorted_by(|left, right| left < right), "each once");
        let truth = exact::nearest(&closeness, &mut (0..rows.count()), 10, Some(&group), NEVER).unwrap();
        wanted += truth.len();
        found += truth.iter().filter(|near| walked.iter().take(10).any(|other| other == *near)).count();
    }
    assert!(found as f64 / wanted as f64 >= 0.95, "{found} of {wanted}");
}

/// Graphs over codes and over bytes lead to what is near by the vectors themselves.
#[test]
fn graphs_of_codes_and_of_bytes_find_what_is_near() {
    let (values, queries) = (clustered(4_000, DIMS, 40, 23), clustered(30, DIMS, 40, 23));
    let rows = Rows { values: &values, width: DIMS };
    for (resolution, least) in [(Resolution::Int8, 0.95), (Resolution::Int4, 0.9)] {
        let quantisation = Quantisation { resolution, interval: Interval::Fitted };
        let mut codes = Vec::new();
        (0..rows.count()).for_each(|ordinal| quantisation.encode(rows.get(ordinal), &mut codes));
        let codes = Rows { values: &codes, width: quantisation.width(DIMS) };
        let space = CodeSpace { codes: &codes, quantisation, similarity: Similarity::L2Norm };
        let words = build(&space, USUAL, None, NEVER).unwrap();
        let found = recall(rows, &words, Similarity::L2Norm, &queries, 100, None);
        assert!(found >= least, "{resolution:?}: {found}");
    }
    let bytes: Vec<u8> = values.iter().map(|value| (value * 90.0) as i8 as u8).collect();
    let bytes = Rows { values: &bytes, width: DIMS };
    let measure = Measure { similarity: Similarity::L2Norm, element: Element::Byte, dims: DIMS as u32 };
    let words = build(&ByteSpace { vectors: &bytes, measure, lengths: &[] }, USUAL, None, NEVER).unwrap();
    let found = recall(rows, &words, Similarity::L2Norm, &queries, 100, None);
    assert!(found >= 0.95, "bytes: {found}");
}
