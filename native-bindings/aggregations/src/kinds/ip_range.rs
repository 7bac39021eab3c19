//! The ends of `ip_range` buckets.

use crate::plan::IpRangeBucket;
use quarry_base::error::Result;
use quarry_mapping::ip;

type Address = [u8; 16];

/// One range of addresses: `from` inclusive, `to` exclusive.
#[derive(Debug, Clone)]
pub struct IpEnds {
    pub from: Option<Address>,
    pub to: Option<Address>,
    key: Option<String>,
}

impl IpEnds {
    /// `IllegalArgument` when an end is no address or the mask no network.
    pub fn new(range: &IpRangeBucket) -> Result<Self> {
        if let Some(mask) = &range.mask {
            let (first, last) = ip::parse_cidr(mask)?;
            // The whole space has no ends.
            let from = Some(first).filter(|first| *first != [0; 16]);
            let to = u128::from_be_bytes(last).checked_add(1).map(u128::to_be_bytes);
            return Ok(IpEnds { from, to, key: Some(range.key.clone().unwrap_or_else(|| mask.clone())) });
        }
        let end = |text: &Option<String>| text.as_deref().map(ip::parse).transpose();
        Ok(IpEnds { from: end(&range.from)?, to: end(&range.to)?, key: range.key.clone() })
    }

    pub fn holds(&self, address: &[u8]) -> bool {
        self.from.is_none_or(|from| address >= &from[..]) && self.to.is_none_or(|to| address < &to[..])
    }

    /// What the response calls the bucket.
    pub fn key(&self) -> String {
        let text = |end: Option<Address>| end.map_or_else(|| "*".to_owned(), |end| address_text(&end));
        self.key.clone().unwrap_or_else(|| format!("{}-{}", text(self.from), text(self.to)))
    }

    /// The order of buckets in the response.
    pub fn order(&self) -> (Option<Address>, bool, Option<Address>) {
        (self.from, self.to.is_none(), self.to)
    }
}

pub fn address_text(address: &Address) -> String {
    let mut out = String::new();
    ip::format(address, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(from: Option<&str>, to: Option<&str>, mask: Option<&str>) -> IpEnds {
        let text = |end: Option<&str>| end.map(str::to_owned);
        IpEnds::new(&IpRangeBucket { key: None, from: text(from), to: text(to), mask: text(mask) }).unwrap()
    }

    #[test]
    fn networks_are_ranges() {
        let network = ends(None, None, Some("192.168.0.0/16"));
        assert_eq!(network.key(), "192.168.0.0/16");
        assert_eq!(address_text(&network.to.unwrap()), "192.169.0.0");
        assert!(network.holds(&ip::parse("192.168.255.255").unwrap()));
        assert!(!network.holds(&ip::parse("192.169.0.0").unwrap()));
        let start = ends(None, None, Some("::/24"));
        assert_eq!((start.from, address_text(&start.to.unwrap())), (None, "0:100::".to_owned()));
        assert!(ends(None, None, Some("::/0")).to.is_none());
    }

    #[test]
    fn open_ends_are_stars() {
        assert_eq!(ends(None, Some("10.0.0.1"), None).key(), "*-10.0.0.1");
        assert_eq!(ends(Some("::1"), None, None).key(), "::1-*");
    }
}
