//! Items that several shards answered, put into the order of the request.

use quarry_base::error::{Error, Result};

/// Answered items of one shard: JSON objects one after the other, where each ends, and its place in the request.
#[derive(Debug, Clone, Copy)]
pub struct ItemAnswers<'a> {
    pub items: &'a [u8],
    pub ends: &'a [u32],
    pub places: &'a [u32],
}

fn broken(what: &str) -> Error {
    Error::illegal_argument(format!("the shards' item answers do not fit together: {what}"))
}

/// The response's `items` array as JSON. Each place below `total` must be answered exactly once.
pub fn join_items(parts: &[ItemAnswers<'_>], total: usize) -> Result<Vec<u8>> {
    let mut slots: Vec<Option<&[u8]>> = vec![None; total];
    let mut bytes = 2;
    for part in parts {
        if part.ends.len() != part.places.len() {
            return Err(broken("not one place for each item"));
        }
        let mut start = 0usize;
        for (&end, &place) in part.ends.iter().zip(part.places) {
            let item = part.items.get(start..end as usize).ok_or_else(|| broken("an item is outside its bytes"))?;
            let slot = slots.get_mut(place as usize).ok_or_else(|| broken("a place is beyond the request"))?;
            if slot.replace(item).is_some() {
                return Err(broken(&format!("item [{place}] was answered twice")));
            }
            bytes += item.len() + 1;
            start = end as usize;
        }
    }
    let mut out = Vec::with_capacity(bytes);
    out.push(b'[');
    for (place, slot) in slots.into_iter().enumerate() {
        let item = slot.ok_or_else(|| broken(&format!("item [{place}] was not answered")))?;
        if place > 0 {
            out.push(b',');
        }
        out.extend_from_slice(item);
    }
    out.push(b']');
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_in_the_order_of_the_request() {
        let first = ItemAnswers { items: b"{\"a\":1}{\"b\":2}", ends: &[7, 14], places: &[2, 0] };
        let second = ItemAnswers { items: b"{}", ends: &[2], places: &[1] };
        assert_eq!(join_items(&[first, second], 3).unwrap(), b"[{\"b\":2},{},{\"a\":1}]");
        assert_eq!(join_items(&[], 0).unwrap(), b"[]");
    }

    #[test]
    fn gaps_doubles_and_bad_bounds_are_refused() {
        let item = ItemAnswers { items: b"{}", ends: &[2], places: &[0] };
        assert!(join_items(&[item], 2).is_err());
        assert!(join_items(&[item, item], 1).is_err());
        assert!(join_items(&[ItemAnswers { places: &[5], ..item }], 1).is_err());
        assert!(join_items(&[ItemAnswers { ends: &[3], ..item }], 1).is_err());
        assert!(join_items(&[ItemAnswers { ends: &[], ..item }], 1).is_err());
    }
}
