//! One of many connections that a thread serves: it never waits.

use mio::net::TcpStream;
use mio::{Interest, Registry, Token};
use quarry_timing::Answer;
use std::io::{self, ErrorKind, Read, Write};
use std::time::Instant;

pub struct Client {
    stream: TcpStream,
    answer: Answer,
    /// Of the request that is on its way, what was sent; `None` where none is.
    sent: Option<usize>,
    /// When the request that is on its way was due.
    pub due: Instant,
    /// Requests that were begun.
    pub round: usize,
}

impl Client {
    /// Connects, and only then begins to be one that never waits.
    pub fn open(address: &str, registry: &Registry, token: Token) -> io::Result<Self> {
        let stream = std::net::TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(stream);
        registry.register(&mut stream, token, Interest::READABLE | Interest::WRITABLE)?;
        Ok(Client { stream, answer: Answer::default(), sent: None, due: Instant::now(), round: 0 })
    }

    pub fn is_waiting(&self) -> bool {
        self.sent.is_some()
    }

    /// Begins a request, which was due then.
    pub fn begin(&mut self, request: &[u8], due: Instant) -> io::Result<()> {
        self.answer.clear();
        (self.sent, self.due) = (Some(0), due);
        self.round += 1;
        self.send(request)
    }

    /// Sends what the connection takes now of the request that is on its way.
    pub fn send(&mut self, request: &[u8]) -> io::Result<()> {
        let Some(sent) = &mut self.sent else { return Ok(()) };
        while *sent < request.len() {
            match self.stream.write(&request[*sent..]) {
                Ok(written) => *sent += written,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads what has come; the status of the answer where it is whole with that.
    ///
    /// Behind a whole answer nothing can follow before the next request, so nothing is read in vain: what comes then is told anew.
    pub fn receive(&mut self, piece: &mut [u8]) -> io::Result<Option<u16>> {
        while self.sent.is_some() {
            match self.stream.read(piece) {
                Ok(0) => return Err(io::Error::other("the connection was closed within an answer")),
                Ok(read) => {
                    if self.answer.take(&piece[..read])? {
                        self.sent = None;
                        return self.answer.status().map(Some);
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}
