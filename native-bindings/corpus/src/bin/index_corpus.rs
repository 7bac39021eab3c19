//! Indexes a file of JSON lines on one thread, as a shard's bulk does: parse, invert, store, flush to segment files.
//!
//! `index_corpus CORPUS.ndjson OUT_DIR [--text title,body] [--keyword category] [--number chars] [--buffer-mb 128]`
//!
//! Text fields get the standard tokenizer, lower case and Snowball English, with positions and norms; the whole line is
//! stored; `_id` is the line's number. Other fields of the lines are only stored. Prints megabytes (10^6) of JSON lines
//! per second of CPU and of wall time, the size of the segments before and after merging them into one, and the peak of memory.

use quarry_analysis::Registry;
use quarry_base::error::{Error, Result};
use quarry_buffer::{BUFFER_BYTES_DEFAULT, DocumentMeta, IndexBuffer};
use quarry_mapping::Mapping;
use quarry_mapping::document::{ParseScratch, parse_document};
use quarry_segment::id::SegmentId;
use quarry_segment::merge::{MergeControl, MergeInput, merge};
use quarry_segment::reader::{SegmentReader, Verify};
use quarry_segment::stored::StoredCodec;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

struct Arguments {
    corpus: PathBuf,
    out: PathBuf,
    text: Vec<String>,
    keyword: Vec<String>,
    number: Vec<String>,
    buffer_bytes: usize,
}

fn main() -> Result<()> {
    let arguments = arguments()?;
    let corpus = std::fs::read(&arguments.corpus).map_err(|error| Error::io("reading", &arguments.corpus, error))?;
    std::fs::create_dir_all(&arguments.out).map_err(|error| Error::io("creating", &arguments.out, error))?;
    let (wall, cpu) = (Instant::now(), cpu_time());
    let outcome = index(&corpus, &arguments)?;
    let (wall, cpu) = (wall.elapsed(), cpu_time() - cpu);
    let megabytes = corpus.len() as f64 / 1e6;
    println!(
        "{} documents, {megabytes:.1} MB: {:.1} MB/s of CPU, {:.1} MB/s of wall time ({:.1} inverting, {:.1} flushing)",
        outcome.documents,
        megabytes / cpu.as_secs_f64(),
        megabytes / wall.as_secs_f64(),
        megabytes / (wall - outcome.flushing).as_secs_f64(),
        megabytes / outcome.flushing.as_secs_f64(),
    );
    println!(
        "{} segments of {:.1} MB, buffer at most {:.1} MB, peak memory {:.1} MB with the corpus in it",
        outcome.segments,
        outcome.segment_bytes as f64 / 1e6,
        outcome.buffer_bytes as f64 / 1e6,
        peak_memory_bytes() as f64 / 1e6,
    );
    let started = Instant::now();
    let merged = merge_all(&arguments.out, outcome.segments)?;
    println!("merged into one segment of {:.1} MB in {:.1} s", merged as f64 / 1e6, started.elapsed().as_secs_f64());
    Ok(())
}

/// Bytes of the one segment that all of them become.
fn merge_all(directory: &Path, segments: u64) -> Result<u64> {
    let inputs: Vec<MergeInput> = (0..segments)
        .map(|number| {
            let path = directory.join(segment_id(number).file_name());
            Ok(MergeInput { segment: SegmentReader::open(&path, Verify::All)?, live: None })
        })
        .collect::<Result<_>>()?;
    let id = segment_id(segments);
    let path = directory.join(id.file_name());
    Ok(merge(&inputs, &path, id, StoredCodec::Lz4, &MergeControl::default())?.bytes)
}

fn segment_id(number: u64) -> SegmentId {
    SegmentId { number, uuid: [1; 16] }
}

fn arguments() -> Result<Arguments> {
    let mut given = std::env::args().skip(1);
    let usage = || Error::illegal_argument("usage: index_corpus CORPUS.ndjson OUT_DIR [--text a,b] [--keyword c] ...");
    let mut arguments = Arguments {
        corpus: given.next().ok_or_else(usage)?.into(),
        out: given.next().ok_or_else(usage)?.into(),
        text: vec!["title".to_owned(), "body".to_owned()],
        keyword: vec!["category".to_owned()],
        number: vec!["chars".to_owned()],
        buffer_bytes: BUFFER_BYTES_DEFAULT,
    };
    while let Some(option) = given.next() {
        let value = given.next().ok_or_else(usage)?;
        let list = || value.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        match option.as_str() {
            "--text" => arguments.text = list(),
            "--keyword" => arguments.keyword = list(),
            "--number" => arguments.number = list(),
            "--buffer-mb" => arguments.buffer_bytes = value.parse::<usize>().map_err(|_| usage())? << 20,
            _ => return Err(usage()),
        }
    }
    Ok(arguments)
}

#[derive(Default)]
struct Outcome {
    documents: u64,
    segments: u64,
    segment_bytes: u64,
    buffer_bytes: usize,
    flushing: Duration,
}

fn index(corpus: &[u8], arguments: &Arguments) -> Result<Outcome> {
    let mapping = mapping(arguments)?;
    let mut buffer = IndexBuffer::new(&mapping, StoredCodec::Lz4, arguments.buffer_bytes)?;
    let mut scratch = ParseScratch::default();
    let mut outcome = Outcome::default();
    for line in corpus.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let id = outcome.documents.to_string();
        buffer.begin_document();
        parse_document(&mapping, id.as_str(), line, &mut buffer, &mut scratch)?;
        buffer.commit_document(DocumentMeta {
            id: id.as_bytes(),
            routing: None,
            seq_no: outcome.documents,
            version: 1,
            primary_term: 1,
            source: Some(line),
        })?;
        outcome.documents += 1;
        if buffer.is_full() {
            flush(&mut buffer, &arguments.out, &mut outcome)?;
        }
    }
    flush(&mut buffer, &arguments.out, &mut outcome)?;
    Ok(outcome)
}

fn flush(buffer: &mut IndexBuffer, directory: &Path, outcome: &mut Outcome) -> Result<()> {
    let start = Instant::now();
    outcome.buffer_bytes = outcome.buffer_bytes.max(buffer.memory_bytes());
    let id = segment_id(outcome.segments);
    if let Some(summary) = buffer.flush(&directory.join(id.file_name()), id)? {
        outcome.segments += 1;
        outcome.segment_bytes += summary.file_bytes;
    }
    outcome.flushing += start.elapsed();
    Ok(())
}

fn mapping(arguments: &Arguments) -> Result<Mapping> {
    let of_type = |names: &[String], kind: &str| -> Vec<Value> { names.iter().map(|name| field(name, kind)).collect() };
    let mut fields = of_type(&arguments.text, "text");
    fields.extend(of_type(&arguments.keyword, "keyword"));
    fields.extend(of_type(&arguments.number, "long"));
    let spec = json!({
        "version": 1, "dynamic": "false", "date_detection": false, "numeric_detection": false, "dynamic_date_formats": [],
        "source_enabled": true, "source_includes": [], "source_excludes": [], "routing_required": false, "fields": fields,
        "objects": [], "depth_limit": 20,
    });
    let analysis = json!({
        "filter": {"porter2": {"type": "stemmer", "language": "porter2"}},
        "analyzer": {"prose": {"tokenizer": "standard", "filter": ["lowercase", "porter2"]}},
    });
    let spec = serde_json::from_value(spec).map_err(|error| Error::illegal_argument(error.to_string()))?;
    Mapping::new(spec, &Registry::from_spec(&analysis)?)
}

fn field(name: &str, kind: &str) -> Value {
    let is_text = kind == "text";
    json!({
        "name": name, "type": kind, "index": true, "doc_values": !is_text, "store": false, "norms": is_text,
        "index_options": if is_text { "positions" } else { "docs" },
        "analyzer": if is_text { Value::from("prose") } else { Value::Null },
        "search_analyzer": null, "search_quote_analyzer": null, "position_increment_gap": 100, "normalizer": null,
        "ignore_above": null, "null_value": null, "format": null, "scaling_factor": null, "coerce": true,
        "ignore_malformed": false, "copy_to": [], "parent": null,
    })
}

/// CPU time of the process so far.
fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec of our own.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn peak_memory_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
