//! Scripts that choose among intervals, against the same rules written as options and as filters.

use crate::tests::fixture::{field, search, shard};
use quarry_testing::Dice;
use serde_json::{Value, json};

const WORDS: [&str; 5] = ["ash", "birch", "cedar", "fir", "oak"];

fn text(dice: &mut Dice) -> String {
    let length = dice.below(14);
    (0..length).map(|_| WORDS[dice.below(WORDS.len() as u64) as usize]).collect::<Vec<_>>().join(" ")
}

#[test]
fn scripts_choose_as_gaps_and_places_do() {
    for seed in 0..12 {
        let mut dice = Dice::new(seed);
        let documents: Vec<Value> = (0..150).map(|_| json!({"title": text(&mut dice)})).collect();
        let shard =
            shard(vec![field("title", "text", json!({}))], &[(documents.clone(), vec![3]), (documents, vec![])]);
        let hits = |rule: Value| {
            search(
                &shard,
                &json!({"query": {"intervals": {"field": "title", "rule": rule, "boost": 2.0}}, "size": 400}),
            )
        };
        let matching = |max_gaps: i64| {
            let query = format!("{} {}", WORDS[0], WORDS[1 + seed as usize % 3]);
            let mode = ["ordered", "unordered"][seed as usize % 2];
            json!({"match": {"query": query, "max_gaps": max_gaps, "mode": mode}})
        };
        for most in 0..4 {
            let source = "interval.gaps <= params.most && interval.getEnd() - interval.start >= 1";
            let script = json!({"source": source, "params": {"most": most}});
            let chosen = hits(json!({"kind": matching(-1), "script": script}));
            assert_eq!(chosen, hits(json!({"kind": matching(most)})), "seed {seed}, {most} gaps");
        }
        // Within a combination: what begins behind a word.
        let oak = json!({"kind": {"match": {"query": "oak", "max_gaps": -1, "mode": "ordered"}}});
        let before = json!({"kind": matching(-1), "filter": {"relation": "after", "rule": oak}});
        let all = hits(json!({"kind": matching(-1), "script": {"source": "true"}}));
        assert_eq!(all, hits(json!({"kind": matching(-1)})), "seed {seed}");
        assert_eq!(hits(json!({"kind": matching(-1), "script": {"source": "false"}}))["total"]["value"], json!(0));
        let both =
            json!({"kind": {"any_of": {"intervals": [before.clone()]}}, "script": {"source": "interval.start > 0"}});
        assert_eq!(hits(both), hits(before), "seed {seed}");
    }
}
