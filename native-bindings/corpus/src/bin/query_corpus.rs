//! Times term, intersection, union and phrase queries over one text field of an NDJSON corpus, in process, one thread.
//!
//! ```text
//! query_corpus CORPUS.ndjson QUERIES.jsonl [FIELD]
//! ```
//! A line of the queries is `{"q": [terms], "kind": "term" | "intersection" | "union" | "phrase", "hits": n}`. Tokens are
//! lowercase runs of alphanumeric characters. Every answer is checked against the file's number of hits (other tokenizers
//! may count differently: differences are listed) and, for every tenth query, against brute force. Printed times are the
//! least of five after a warm-up (`ITERS=n`: of so many), in microseconds. `OUT=file` writes one JSON line per query and
//! command.

use quarry_base::error::Result;
use quarry_corpus::field::Corpus;
use quarry_corpus::report::{Measured, print_table};
use quarry_scores::bm25::{Bm25, idf};
use quarry_scores::topk::{
    PhraseClause, PhraseSlot, ScoredDoc, SegmentRun, TermClause, TopK, count_intersection, count_phrase, count_union,
    top_and_count_intersection, top_and_count_phrase, top_intersection, top_phrase, top_union,
};
use std::io::Write;
use std::time::Instant;

const TOP: usize = 10;
const ITERATIONS: usize = 5;
const COMMANDS: [&str; 3] = ["TOP_10", "COUNT", "TOP_10_COUNT"];

#[derive(serde::Deserialize)]
struct Query {
    q: Vec<String>,
    kind: String,
    hits: Option<u64>,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [corpus, queries, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: query_corpus CORPUS.ndjson QUERIES.jsonl [FIELD]");
        std::process::exit(2);
    };
    let field = rest.first().map_or("body", String::as_str);
    let corpus = Corpus::build(corpus, field)?;
    let text = std::fs::read_to_string(queries).expect("the queries can be read");
    let queries: Vec<Query> = text.lines().map(|line| serde_json::from_str(line).expect("a query")).collect();
    for query in &queries {
        run(&corpus, query, "TOP_10_COUNT")?;
    }
    check(&corpus, &queries)?;
    let measured = measure(&corpus, &queries)?;
    print_table(&measured, &COMMANDS);
    if let Ok(path) = std::env::var("OUT") {
        let mut out = std::fs::File::create(path).expect("the output can be written");
        for line in &measured {
            writeln!(out, "{}", line.json()).expect("the output can be written");
        }
    }
    Ok(())
}

/// Looks the terms up and executes; terms that the corpus lacks end a conjunction.
fn run(corpus: &Corpus, query: &Query, command: &str) -> Result<(Vec<ScoredDoc>, Option<u64>)> {
    let similarity = &corpus.similarity;
    let mut segment = SegmentRun { doc_base: 0, max_doc: corpus.max_doc, accept: None };
    let mut top = TopK::new(TOP);
    let (scored, counted) = (command != "COUNT", command != "TOP_10");
    let mut count = 0;
    if query.kind == "phrase" {
        if let Some(phrase) = phrase(corpus, query, similarity)? {
            match (scored, counted) {
                (true, true) => count = top_and_count_phrase(&phrase, &mut segment, &mut top, u64::MAX)?,
                (true, false) => top_phrase(&phrase, &mut segment, &mut top)?,
                _ => count = count_phrase(&phrase, &mut segment)?,
            }
        }
    } else if let Some(clauses) = clauses(corpus, query, similarity)? {
        let all = query.kind == "intersection";
        match (all, scored, counted) {
            (true, true, true) => count = top_and_count_intersection(&clauses, &mut segment, &mut top, u64::MAX)?,
            (true, true, false) => top_intersection(&clauses, &mut segment, &mut top)?,
            (true, ..) => count = count_intersection(&clauses, &mut segment)?,
            (false, ..) => {
                if scored {
                    top_union(&clauses, &mut segment, &mut top)?;
                }
                if counted {
                    count = count_union(&clauses, &mut segment)?;
                }
            }
        }
    }
    Ok((top.into_sorted(), counted.then_some(count)))
}

fn clauses<'a>(corpus: &'a Corpus, query: &Query, similarity: &'a Bm25) -> Result<Option<Vec<TermClause<'a>>>> {
    let mut clauses = Vec::with_capacity(query.q.len());
    for term in &query.q {
        let Some(entry) = corpus.reader.lookup(term.as_bytes())? else {
            if query.kind == "intersection" {
                return Ok(None);
            }
            continue;
        };
        let weight = idf(u64::from(entry.doc_freq), corpus.doc_count);
        clauses.push(TermClause { postings: &corpus.reader, entry, norms: Some(&corpus.norms), similarity, weight });
    }
    Ok(Some(clauses))
}

fn phrase<'a>(corpus: &'a Corpus, query: &Query, similarity: &'a Bm25) -> Result<Option<PhraseClause<'a>>> {
    let (mut slots, mut weight) = (Vec::with_capacity(query.q.len()), 0.0);
    for (position, term) in (0..).zip(&query.q) {
        let Some(entry) = corpus.reader.lookup(term.as_bytes())? else { return Ok(None) };
        weight += idf(u64::from(entry.doc_freq), corpus.doc_count);
        slots.push(PhraseSlot { position, terms: vec![entry] });
    }
    Ok(Some(PhraseClause { slots, postings: &corpus.reader, norms: Some(&corpus.norms), similarity, weight, slop: 0 }))
}

/// Compares counts with the file's, and for every tenth query counts and best scores with brute force.
fn check(corpus: &Corpus, queries: &[Query]) -> Result<()> {
    let mut others = 0;
    for (index, query) in queries.iter().enumerate() {
        let (top, count) = run(corpus, query, "TOP_10_COUNT")?;
        if query.hits.is_some() && query.hits != count {
            others += 1;
            eprintln!("hits differ from the file's: {:?} {} {:?} {count:?}", query.q, query.kind, query.hits);
        }
        if index % 10 == 0 {
            let (best, matching) = corpus.brute_force(&query.q, &query.kind, TOP);
            assert_eq!(count, Some(matching), "{:?} {}", query.q, query.kind);
            assert_eq!(top.len(), best.len());
            for (found, expected) in top.iter().zip(best) {
                assert!((found.score - expected.score).abs() <= 1e-5 * expected.score, "{:?} {}", query.q, query.kind);
            }
        }
    }
    eprintln!("{} queries checked, {others} with other numbers of hits than the file", queries.len());
    Ok(())
}

fn measure(corpus: &Corpus, queries: &[Query]) -> Result<Vec<Measured>> {
    let iterations = std::env::var("ITERS").ok().and_then(|text| text.parse().ok()).unwrap_or(ITERATIONS);
    let mut measured = Vec::new();
    for query in queries {
        for command in COMMANDS {
            let mut least = f64::INFINITY;
            let mut answer = Default::default();
            for _ in 0..iterations {
                let start = Instant::now();
                answer = run(corpus, query, command)?;
                least = least.min(start.elapsed().as_secs_f64() * 1e6);
            }
            let (top, count) = answer;
            measured.push(Measured {
                terms: query.q.clone(),
                kind: query.kind.clone(),
                command,
                microseconds: least,
                top,
                count,
            });
        }
    }
    Ok(measured)
}
