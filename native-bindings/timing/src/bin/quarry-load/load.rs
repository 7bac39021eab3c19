//! All connections of a load on one thread: threads of their own would take more of the processors than the server that is measured, and those that wait
//! longest for a processor would be told as slow answers.

use crate::client::Client;
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use quarry_timing::PIECE_BYTES;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

/// Told by one look at the connections.
const EVENTS: usize = 1_024;
/// After the last request was sent, an answer may take this long.
const LAST_ANSWER: Duration = Duration::from_secs(60);

pub struct Load {
    pub address: String,
    pub connections: usize,
    pub time: Duration,
    /// Between two requests of one connection; `None` in a closed loop.
    pub interval: Option<Duration>,
    pub requests: Vec<Vec<u8>>,
}

#[derive(Default)]
pub struct Outcome {
    /// Of each answer, in no order.
    pub micros: Vec<u32>,
    /// Answers with any status but 2xx.
    pub failed: usize,
    pub elapsed: Duration,
}

impl Load {
    /// Runs until the time is over and all requests are answered.
    ///
    /// Errors: those of a connection; an answer that does not come in a minute.
    pub fn run(&self) -> io::Result<Outcome> {
        let poll = Poll::new()?;
        let open = |number| Client::open(&self.address, poll.registry(), Token(number));
        let clients = (0..self.connections).map(open).collect::<io::Result<_>>()?;
        let timer = Timer::new(&poll, Token(self.connections))?;
        let running = Running {
            load: self,
            clients,
            timer,
            due: BinaryHeap::new(),
            started: Instant::now(),
            outcome: Outcome::default(),
        };
        running.run(poll)
    }

    /// The requests of a connection, from a place of its own on.
    fn request(&self, number: usize, round: usize) -> &[u8] {
        let first = number * self.requests.len() / self.connections;
        &self.requests[(first + round) % self.requests.len()]
    }
}

/// Wakes a look at the connections at a moment, to the microsecond: the look itself counts milliseconds.
struct Timer(OwnedFd);

impl Timer {
    fn new(poll: &Poll, token: Token) -> io::Result<Self> {
        let fd = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        poll.registry().register(&mut SourceFd(&fd.as_raw_fd()), token, Interest::READABLE)?;
        Ok(Timer(fd))
    }

    /// Once, after that time; one that was set before is not due any more.
    fn set(&self, after: Duration) -> io::Result<()> {
        // A timer of 0 would never be due.
        let after = after.max(Duration::from_nanos(1));
        let it_value = Timespec { tv_sec: after.as_secs() as i64, tv_nsec: i64::from(after.subsec_nanos()) };
        let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value };
        timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &once)?;
        Ok(())
    }
}

struct Running<'l> {
    load: &'l Load,
    clients: Vec<Client>,
    timer: Timer,
    /// Connections without a request on its way, by when the next one is due.
    due: BinaryHeap<Reverse<(Instant, usize)>>,
    started: Instant,
    outcome: Outcome,
}

impl Running<'_> {
    fn run(mut self, mut poll: Poll) -> io::Result<Outcome> {
        let mut events = Events::with_capacity(EVENTS);
        let mut piece = vec![0; PIECE_BYTES];
        (0..self.clients.len()).for_each(|number| self.plan(number));
        loop {
            self.begin_due()?;
            if self.due.is_empty() && !self.clients.iter().any(Client::is_waiting) {
                self.outcome.elapsed = self.started.elapsed();
                return Ok(self.outcome);
            }
            let patience = (self.load.time + LAST_ANSWER).saturating_sub(self.started.elapsed());
            if patience.is_zero() {
                return Err(io::Error::other("a request was not answered within a minute"));
            }
            match poll.poll(&mut events, Some(patience)) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
            for event in &events {
                let Token(number) = event.token();
                if number < self.clients.len() {
                    self.serve(number, event.is_writable(), &mut piece)?;
                }
            }
        }
    }

    /// Does what a connection is ready for.
    fn serve(&mut self, number: usize, writable: bool, piece: &mut [u8]) -> io::Result<()> {
        let client = &mut self.clients[number];
        if writable && client.is_waiting() {
            client.send(self.load.request(number, client.round - 1))?;
        }
        let Some(status) = client.receive(piece)? else { return Ok(()) };
        self.outcome.micros.push(u32::try_from(client.due.elapsed().as_micros()).unwrap_or(u32::MAX));
        self.outcome.failed += usize::from(!(200..300).contains(&status));
        self.plan(number);
        Ok(())
    }

    /// Says when the next request of a connection is due, if that is before the end.
    fn plan(&mut self, number: usize) {
        let due = self.load.interval.map_or_else(Instant::now, |interval| {
            // Connections take turns within the first interval.
            let share = interval.mul_f64(number as f64 / self.load.connections as f64);
            self.started + share + interval * u32::try_from(self.clients[number].round).unwrap_or(u32::MAX)
        });
        if due < self.started + self.load.time && self.started.elapsed() < self.load.time {
            self.due.push(Reverse((due, number)));
        }
    }

    /// Begins the requests that are due, and has the timer wake the thread for the next one.
    fn begin_due(&mut self) -> io::Result<()> {
        while let Some(&Reverse((due, number))) = self.due.peek() {
            let wait = due.saturating_duration_since(Instant::now());
            if !wait.is_zero() {
                return self.timer.set(wait);
            }
            self.due.pop();
            let client = &mut self.clients[number];
            client.begin(self.load.request(number, client.round), due)?;
        }
        Ok(())
    }
}
