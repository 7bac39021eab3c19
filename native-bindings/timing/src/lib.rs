//! A client of HTTP/1.1 that costs next to nothing, for programs that measure servers.

use std::io::{self, Read, Write};
use std::net::TcpStream;

const HEAD_END: &[u8] = b"\r\n\r\n";
/// Bytes that are read at a time.
pub const PIECE_BYTES: usize = 1 << 14;

/// An answer, until the next one takes its place.
#[derive(Default)]
pub struct Answer {
    bytes: Vec<u8>,
    /// Where the body starts and how long it is, once the head is there.
    extent: Option<(usize, usize)>,
}

impl Answer {
    /// Makes room for the next answer.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.extent = None;
    }

    /// Takes bytes of it as they come; whether it is whole with them.
    ///
    /// Errors: an answer that does not say how long it is.
    pub fn take(&mut self, piece: &[u8]) -> io::Result<bool> {
        self.bytes.extend_from_slice(piece);
        if self.extent.is_none() {
            self.extent = extent(&self.bytes)?;
        }
        Ok(self.extent.is_some_and(|(body_start, length)| self.bytes.len() >= body_start + length))
    }

    /// Of a whole answer.
    pub fn status(&self) -> io::Result<u16> {
        let digits = self.bytes.get(9..12).and_then(|digits| str::from_utf8(digits).ok());
        digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| io::Error::other("an answer without a status"))
    }

    /// Of a whole answer.
    pub fn body(&self) -> &[u8] {
        &self.bytes[self.extent.map_or(0, |(body_start, _)| body_start)..]
    }
}

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

/// One connection, kept open.
pub struct Connection {
    stream: TcpStream,
    piece: Vec<u8>,
}

impl Connection {
    pub fn open(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, piece: vec![0; PIECE_BYTES] })
    }

    /// Sends a request (bytes as they go over the wire) and reads the whole answer to it.
    ///
    /// Errors: those of the connection; an answer that does not say how long it is.
    pub fn ask(&mut self, request: &[u8], answer: &mut Answer) -> io::Result<()> {
        self.stream.write_all(request)?;
        answer.clear();
        loop {
            let read = self.stream.read(&mut self.piece)?;
            if read == 0 {
                return Err(io::Error::other("the connection was closed within an answer"));
            }
            if answer.take(&self.piece[..read])? {
                return Ok(());
            }
        }
    }
}
