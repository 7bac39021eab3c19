//! IP addresses as 16 bytes (IPv4 mapped into IPv6, as `::ffff:a.b.c.d`), whose order is the order of addresses.

use quarry_base::error::{Error, Result};
use std::fmt::Write;
use std::net::{IpAddr, Ipv6Addr};

const IPV4_PREFIX_BITS: u32 = 96;

/// `IllegalArgument` `'..' is not an IP string literal.`
pub fn parse(text: &str) -> Result<[u8; 16]> {
    parse_address(text).map(|(address, _)| address)
}

/// The bytes, and whether the text was IPv4.
fn parse_address(text: &str) -> Result<([u8; 16], bool)> {
    match text.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => Ok((address.to_ipv6_mapped().octets(), true)),
        Ok(IpAddr::V6(address)) => Ok((address.octets(), false)),
        Err(_) => Err(Error::illegal_argument(format!("'{text}' is not an IP string literal."))),
    }
}

/// Appends the canonical text: dotted for IPv4, RFC 5952 for IPv6.
pub fn format(address: &[u8; 16], out: &mut String) {
    let address = Ipv6Addr::from(*address);
    // Writing to a string cannot fail.
    let _ = match address.to_ipv4_mapped() {
        Some(address) => write!(out, "{address}"),
        None => write!(out, "{address}"),
    };
}

/// First and last address of `address/prefix-length`.
pub fn parse_cidr(text: &str) -> Result<([u8; 16], [u8; 16])> {
    let Some((address_text, prefix_text)) = text.split_once('/') else {
        return Err(Error::illegal_argument(format!("Expected [ip/prefix] but was [{text}]")));
    };
    let (address, is_ipv4) = parse_address(address_text)?;
    let prefix_offset = if is_ipv4 { IPV4_PREFIX_BITS } else { 0 };
    let prefix = prefix_text.parse::<u32>().ok().filter(|prefix| prefix + prefix_offset <= 128).ok_or_else(|| {
        let reason = format!(
            "Illegal prefix length [{prefix_text}] in [{text}]. Must be 0-32 for IPv4 ranges, 0-128 for IPv6 ranges"
        );
        Error::illegal_argument(reason)
    })?;
    let host_bits = 128 - (prefix + prefix_offset);
    let host_mask = u128::MAX.checked_shr(128 - host_bits).unwrap_or(0);
    let address = u128::from_be_bytes(address);
    Ok(((address & !host_mask).to_be_bytes(), (address | host_mask).to_be_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round_trip(text: &str) -> String {
        let mut out = String::new();
        format(&parse(text).unwrap(), &mut out);
        out
    }

    proptest! {
        #[test]
        fn text_and_bytes_agree(bits: u128, four: u32) {
            for address in [bits.to_be_bytes(), (u128::from(four) | 0xffff_0000_0000).to_be_bytes()] {
                let mut out = String::new();
                format(&address, &mut out);
                prop_assert_eq!(parse(&out).unwrap(), address);
            }
        }

        #[test]
        fn a_network_holds_its_address(bits: u128, prefix in 0u32..=128) {
            let mut text = String::new();
            let address = Ipv6Addr::from(bits);
            write!(text, "{address}/{prefix}").unwrap();
            // A mapped address prints with dots and is still IPv6 text, so the prefix keeps its meaning.
            let (first, last) = parse_cidr(&text).unwrap();
            prop_assert!(first <= bits.to_be_bytes() && bits.to_be_bytes() <= last);
            let size = u128::from_be_bytes(last) - u128::from_be_bytes(first);
            prop_assert_eq!(size.count_ones(), 128 - prefix);
        }
    }

    #[test]
    fn canonical_texts() {
        assert_eq!(round_trip("192.168.0.1"), "192.168.0.1");
        assert_eq!(round_trip("::ffff:192.168.0.1"), "192.168.0.1");
        assert_eq!(round_trip("2001:DB8:0:0:0:0:0:1"), "2001:db8::1");
        assert_eq!(parse("abc").unwrap_err().reason, "'abc' is not an IP string literal.");
        assert_eq!(parse("1.2.3.256").unwrap_err().reason, "'1.2.3.256' is not an IP string literal.");
    }

    #[test]
    fn networks() {
        let (first, last) = parse_cidr("10.1.2.3/8").unwrap();
        assert_eq!((first, last), (parse("10.0.0.0").unwrap(), parse("10.255.255.255").unwrap()));
        assert_eq!(parse_cidr("::/0").unwrap(), ([0; 16], [255; 16]));
        assert!(parse_cidr("10.0.0.0/33").unwrap_err().reason.starts_with("Illegal prefix length [33]"));
        assert!(parse_cidr("10.0.0.0").is_err());
    }
}
