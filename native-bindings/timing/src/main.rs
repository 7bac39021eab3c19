//! Times one HTTP request again and again over one connection, as a client that costs next to nothing.
//!
//! A client in JavaScript takes longer for a small answer than a server does, and its garbage collector is measured with both.
//!
//! `quarry-timing HOST:PORT WARM_UPS ROUNDS < REQUEST`: the request is bytes as they go over the wire. Prints one line of JSON (`status` and the
//! `nanoseconds` of each round, from the first byte written to the last one read), then the body of the last answer. An answer that
//! does not say how long it is ends it with a message.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::time::Instant;

const HEAD_END: &[u8] = b"\r\n\r\n";
const PIECE_BYTES: usize = 1 << 16;

/// A whole answer in `bytes`: the head is before `body_start`.
struct Answer {
    bytes: Vec<u8>,
    body_start: usize,
}

impl Answer {
    fn status(&self) -> io::Result<u16> {
        let digits = self.bytes.get(9..12).and_then(|digits| str::from_utf8(digits).ok());
        digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| io::Error::other("an answer without a status"))
    }

    fn body(&self) -> &[u8] {
        &self.bytes[self.body_start..]
    }
}

/// Where the body starts and how long it is, once the head is there.
fn extent(bytes: &[u8]) -> io::Result<Option<(usize, usize)>> {
    let Some(head_end) = bytes.windows(HEAD_END.len()).position(|window| window == HEAD_END) else { return Ok(None) };
    let head = str::from_utf8(&bytes[..head_end]).map_err(io::Error::other)?;
    let length = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse().ok())
        .ok_or_else(|| io::Error::other("an answer without [Content-Length]"))?;
    Ok(Some((head_end + HEAD_END.len(), length)))
}

fn ask(connection: &mut TcpStream, request: &[u8], answer: &mut Answer, piece: &mut [u8]) -> io::Result<()> {
    connection.write_all(request)?;
    answer.bytes.clear();
    let mut whole = None;
    loop {
        let read = connection.read(piece)?;
        if read == 0 {
            return Err(io::Error::other("the connection was closed within an answer"));
        }
        answer.bytes.extend_from_slice(&piece[..read]);
        if whole.is_none() {
            whole = extent(&answer.bytes)?;
        }
        if let Some((body_start, length)) = whole
            && answer.bytes.len() >= body_start + length
        {
            answer.body_start = body_start;
            return Ok(());
        }
    }
}

fn run(arguments: &[String]) -> io::Result<()> {
    let [address, warm_ups, rounds] = arguments else {
        return Err(io::Error::other("quarry-timing HOST:PORT WARM_UPS ROUNDS < REQUEST"));
    };
    let number = |text: &String| text.parse::<usize>().map_err(|error| io::Error::other(format!("{text}: {error}")));
    let (warm_ups, rounds) = (number(warm_ups)?, number(rounds)?);
    let mut request = Vec::new();
    io::stdin().read_to_end(&mut request)?;
    let mut connection = TcpStream::connect(address)?;
    connection.set_nodelay(true)?;
    let mut piece = vec![0; PIECE_BYTES];
    let mut answer = Answer { bytes: Vec::new(), body_start: 0 };
    for _ in 0..warm_ups {
        ask(&mut connection, &request, &mut answer, &mut piece)?;
    }
    let mut nanoseconds = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let started = Instant::now();
        ask(&mut connection, &request, &mut answer, &mut piece)?;
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
