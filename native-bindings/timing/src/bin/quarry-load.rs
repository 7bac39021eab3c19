//! Loads a server with requests over many connections, and tells how long they took.
//!
//! `quarry-load HOST:PORT CONNECTIONS SECONDS RATE < REQUESTS`: each request is its length in bytes (decimal, a line of its own), then its bytes as they go
//! over the wire. Every connection sends all of them again and again, each from another place in their order on. With a rate of 0 each request follows the
//! answer to the one before (a closed loop). Otherwise so many a second are due, shared among the connections, and times are told from the moment in which a
//! request was due: a server that stalls is charged for those that could not be sent meanwhile.
//!
//! Prints one line of JSON: how many `answers` came in how many `seconds`, how many of them `failed` (any status but 2xx), and microseconds: `p50`, `p90`,
//! `p99`, `p999`, `max`.

use quarry_timing::{Answer, Connection};
use std::io::{self, Read};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Of a thread that only sends and receives.
const STACK_BYTES: usize = 256 << 10;

struct Load {
    address: String,
    connections: usize,
    time: Duration,
    /// Between two requests of one connection; `None` in a closed loop.
    interval: Option<Duration>,
    requests: Vec<Vec<u8>>,
}

#[derive(Default)]
struct Outcome {
    micros: Vec<u32>,
    failed: usize,
}

fn read_requests(input: &[u8]) -> io::Result<Vec<Vec<u8>>> {
    let mut requests = Vec::new();
    let mut rest = input;
    while !rest.is_empty() {
        let end =
            rest.iter().position(|&byte| byte == b'\n').ok_or_else(|| io::Error::other("a length without an end"))?;
        let digits = str::from_utf8(&rest[..end]).map_err(io::Error::other)?;
        let length: usize = digits.parse().map_err(|error| io::Error::other(format!("[{digits}]: {error}")))?;
        let request = rest.get(end + 1..).and_then(|rest| rest.get(..length));
        requests.push(request.ok_or_else(|| io::Error::other("a request is cut off"))?.to_vec());
        rest = &rest[end + 1 + length..];
    }
    if requests.is_empty() {
        return Err(io::Error::other("there are no requests"));
    }
    Ok(requests)
}

impl Load {
    fn read(arguments: &[String]) -> io::Result<Self> {
        let [address, connections, seconds, rate] = arguments else {
            return Err(io::Error::other("quarry-load HOST:PORT CONNECTIONS SECONDS RATE < REQUESTS"));
        };
        let number = |text: &String| text.parse::<f64>().map_err(|error| io::Error::other(format!("{text}: {error}")));
        let (connections, seconds, rate) = (number(connections)?.max(1.0), number(seconds)?, number(rate)?);
        let mut input = Vec::new();
        io::stdin().read_to_end(&mut input)?;
        let interval = (rate > 0.0).then(|| Duration::from_secs_f64(connections / rate));
        let time = Duration::try_from_secs_f64(seconds).map_err(io::Error::other)?;
        Ok(Load {
            address: address.clone(),
            connections: connections as usize,
            time,
            interval,
            requests: read_requests(&input)?,
        })
    }

    /// What one connection does. `number` is its place among all.
    fn run(&self, number: usize, mut connection: Connection, started: Instant) -> io::Result<Outcome> {
        let mut outcome = Outcome::default();
        let mut answer = Answer::default();
        let first = number * self.requests.len() / self.connections;
        // Connections take turns within the first interval.
        let share = self.interval.unwrap_or_default().mul_f64(number as f64 / self.connections as f64);
        for round in 0u32.. {
            let due = self.interval.map(|interval| started + share + interval * round);
            let sent = due.unwrap_or_else(Instant::now);
            if sent.saturating_duration_since(started) >= self.time || started.elapsed() >= self.time {
                break;
            }
            std::thread::sleep(sent.saturating_duration_since(Instant::now()));
            connection.ask(&self.requests[(first + round as usize) % self.requests.len()], &mut answer)?;
            outcome.micros.push(u32::try_from(sent.elapsed().as_micros()).unwrap_or(u32::MAX));
            outcome.failed += usize::from(!(200..300).contains(&answer.status()?));
        }
        Ok(outcome)
    }
}

fn run(arguments: &[String]) -> io::Result<()> {
    let load = Arc::new(Load::read(arguments)?);
    let connections: Vec<_> =
        (0..load.connections).map(|_| Connection::open(&load.address)).collect::<io::Result<_>>()?;
    let started = Instant::now();
    let threads = connections.into_iter().enumerate().map(|(number, connection)| {
        let load = Arc::clone(&load);
        let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
        builder.spawn(move || load.run(number, connection, started))
    });
    let threads: Vec<_> = threads.collect::<io::Result<_>>()?;
    let mut all = Outcome::default();
    for thread in threads {
        let outcome = thread.join().map_err(|_| io::Error::other("a connection's thread panicked"))??;
        all.micros.extend(outcome.micros);
        all.failed += outcome.failed;
    }
    let seconds = started.elapsed().as_secs_f64();
    all.micros.sort_unstable();
    let at = |share: f64| {
        let place = (share * all.micros.len() as f64) as usize;
        all.micros.get(place.min(all.micros.len().saturating_sub(1))).copied().unwrap_or(0)
    };
    println!(
        r#"{{"answers":{},"failed":{},"seconds":{seconds:.3},"p50":{},"p90":{},"p99":{},"p999":{},"max":{}}}"#,
        all.micros.len(),
        all.failed,
        at(0.5),
        at(0.9),
        at(0.99),
        at(0.999),
        at(1.0)
    );
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("quarry-load: {error}");
            ExitCode::FAILURE
        }
    }
}
