//! Times one HTTP request again and again over one connection, as a client that costs next to nothing.
//!
//! A client in JavaScript takes longer for a small answer than a server does, and its garbage collector is measured with both.
//!
//! `quarry-timing HOST:PORT WARM_UPS ROUNDS < REQUEST`: the request is bytes as they go over the wire. Prints one line of JSON (`status` and the
//! `nanoseconds` of each round, from the first byte written to the last one read), then the body of the last answer. An answer that
//! does not say how long it is ends it with a message.

use quarry_timing::{Answer, Connection};
use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::time::Instant;

fn run(arguments: &[String]) -> io::Result<()> {
    let [address, warm_ups, rounds] = arguments else {
        return Err(io::Error::other("quarry-timing HOST:PORT WARM_UPS ROUNDS < REQUEST"));
    };
    let number = |text: &String| text.parse::<usize>().map_err(|error| io::Error::other(format!("{text}: {error}")));
    let (warm_ups, rounds) = (number(warm_ups)?, number(rounds)?);
    let mut request = Vec::new();
    io::stdin().read_to_end(&mut request)?;
    let mut connection = Connection::open(address)?;
    let mut answer = Answer::default();
    for _ in 0..warm_ups {
        connection.ask(&request, &mut answer)?;
    }
    let mut nanoseconds = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let started = Instant::now();
        connection.ask(&request, &mut answer)?;
        nanoseconds.push(u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX));
    }
    let mut output = io::stdout().lock();
    writeln!(output, r#"{{"status":{},"nanoseconds":{nanoseconds:?}}}"#, answer.status()?)?;
    output.write_all(answer.body())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("quarry-timing: {error}");
            ExitCode::FAILURE
        }
    }
}
