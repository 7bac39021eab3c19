//! Loads a server with requests over many connections, and tells how long they took.
//!
//! `quarry-load HOST:PORT CONNECTIONS SECONDS RATE < REQUESTS`: each request is its length in bytes (decimal, a line of its own), then its bytes as they go
//! over the wire. Every connection sends all of them again and again, each from another place in their order on. With a rate of 0 each request follows the
//! answer to the one before (a closed loop). Otherwise so many a second are due, shared among the connections, and times are told from the moment in which a
//! request was due: a server that stalls is charged for those that could not be sent meanwhile.
//!
//! Prints one line of JSON: how many `answers` came in how many `seconds`, how many of them `failed` (any status but 2xx), and microseconds: `p50`, `p90`,
//! `p99`, `p999`, `max`.

mod client;
mod load;
mod requests;

use crate::load::{Load, Outcome};
use crate::requests::read_requests;
use std::io::{self, Read};
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "quarry-load HOST:PORT CONNECTIONS SECONDS RATE < REQUESTS";

fn read_load(arguments: &[String]) -> io::Result<Load> {
    let [address, connections, seconds, rate] = arguments else { return Err(io::Error::other(USAGE)) };
    let number = |text: &String| text.parse::<f64>().map_err(|error| io::Error::other(format!("{text}: {error}")));
    let (connections, seconds, rate) = (number(connections)?.max(1.0), number(seconds)?, number(rate)?);
    let mut input = Vec::new();
    io::stdin().read_to_end(&mut input)?;
    Ok(Load {
        address: address.clone(),
        connections: connections as usize,
        time: Duration::try_from_secs_f64(seconds).map_err(io::Error::other)?,
        interval: (rate > 0.0).then(|| Duration::from_secs_f64(connections / rate)),
        requests: read_requests(&input)?,
    })
}

fn print(Outcome { mut micros, failed, elapsed }: Outcome) {
    micros.sort_unstable();
    let at = |share: f64| {
        let place = (share * micros.len() as f64) as usize;
        micros.get(place.min(micros.len().saturating_sub(1))).copied().unwrap_or(0)
    };
    println!(
        r#"{{"answers":{},"failed":{failed},"seconds":{:.3},"p50":{},"p90":{},"p99":{},"p999":{},"max":{}}}"#,
        micros.len(),
        elapsed.as_secs_f64(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(0.999),
        at(1.0)
    );
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match read_load(&arguments).and_then(|load| load.run()) {
        Ok(outcome) => {
            print(outcome);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("quarry-load: {error}");
            ExitCode::FAILURE
        }
    }
}
