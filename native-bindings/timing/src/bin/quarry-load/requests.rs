//! The requests of a load, as they come from the standard input.

use std::io;

/// Each is its length in bytes (decimal, a line of its own), then its bytes.
///
/// Errors: an input of another form; no request at all.
pub fn read_requests(input: &[u8]) -> io::Result<Vec<Vec<u8>>> {
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
