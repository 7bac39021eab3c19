//! IP addresses as 16 bytes (IPv4 mapped into IPv6, as `::ffff:a.b.c.d`), whose order is the order of addresses.

use crate::error::Result;

/// `IllegalArgument` `'..' is not an IP string literal.`
pub fn parse(_text: &str) -> Result<[u8; 16]> {
    todo!()
}

/// Appends the canonical text: dotted for IPv4, RFC 5952 for IPv6.
pub fn format(_address: &[u8; 16], _out: &mut String) {
    todo!()
}

/// First and last address of `address/prefix-length`.
pub fn parse_cidr(_text: &str) -> Result<([u8; 16], [u8; 16])> {
    todo!()
}
