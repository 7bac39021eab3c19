use super::*;
use crate::packing;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn padded(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.extend([0; LOAD_SLACK]);
    bytes
}

proptest! {
    #[test]
    fn bits_expand_in_order(words in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..40, Just(0), Just(u64::MAX)], 0..64), base in 0u16..4096) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let expected: Vec<u16> = (0..words.len() * 64).filter(|i| words[i / 64] >> (i % 64) & 1 == 1).map(|i| base + i as u16).collect();
        for expand in [expand_bits, portable::expand_bits] {
            let mut docs = vec![0; bytes.len() * 8 + STORE_SLACK];
            let count = expand(&bytes, base, &mut docs);
            prop_assert_eq!(&docs[..count], &expected[..]);
        }
    }

    #[test]
    fn bits_are_listed(words in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..40, Just(0), Just(u64::MAX)], 0..65), before: Vec<u16>) {
        let expected: Vec<u16> = (0..words.len() * 64).filter(|i| words[i / 64] >> (i % 64) & 1 == 1).map(|i| i as u16).collect();
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
        let ways = [list_bits, portable::list_bits, avx2::list_bits_by_bytes];
        #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2")))]
        let ways = [list_bits, portable::list_bits];
        for list in ways {
            let mut docs = before.clone();
            list(&words, &mut docs);
            prop_assert_eq!(&docs, &expected);
        }
    }

    #[test]
    fn gaps_become_documents(gaps: [[u32; 4]; 32], narrow: bool, base: u32) {
        let gaps = if narrow { gaps.map(|row| row.map(|gap| gap % 1_000)) } else { gaps };
        let mut next = base;
        let expected: Vec<u32> = gaps.as_flattened().iter().map(|gap| {
            let doc = next.wrapping_add(*gap);
            next = doc.wrapping_add(1);
            doc
        }).collect();
        for way in [docs_of_gaps, portable::docs_of_gaps] {
            let mut rows = gaps;
            way(&mut rows, base);
            prop_assert_eq!(rows.as_flattened(), &expected[..]);
        }
    }

    #[test]
    fn lists_intersect(mut a in prop::collection::vec(any::<u16>(), 0..300), b in prop::collection::vec(any::<u16>(), 0..300), shared: u16) {
        // Some values in common, however few there are.
        a.extend(b.iter().filter(|value| *value % 16 <= shared % 17));
        let lists = [a, b].map(|list| BTreeSet::from_iter(list).into_iter().collect::<Vec<u16>>());
        let stored = lists.each_ref().map(|list| list.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
        let expected: Vec<[u16; 2]> = lists[0].iter().enumerate()
            .filter_map(|(place, value)| Some([place as u16, lists[1].binary_search(value).ok()? as u16])).collect();
        for way in [intersect, portable::intersect] {
            let room = lists[0].len().min(lists[1].len()) + 8;
            let (mut places_a, mut places_b) = (vec![0; room], vec![0; room]);
            let count = way(&stored[0], &stored[1], [&mut places_a, &mut places_b]);
            let found: Vec<[u16; 2]> = places_a.iter().zip(&places_b).take(count).map(|(a, b)| [*a, *b]).collect();
            prop_assert_eq!(&found, &expected);
        }
    }

    #[test]
    fn lists_that_do_not_ascend_intersect_within_the_room(a in prop::collection::vec(0u16..4, 0..100), b in prop::collection::vec(0u16..4, 0..100), room in 0usize..20) {
        let stored = [a, b].map(|list| list.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
        for way in [intersect, portable::intersect] {
            let (mut places_a, mut places_b) = (vec![0; room], vec![0; room]);
            prop_assert!(way(&stored[0], &stored[1], [&mut places_a, &mut places_b]) <= room);
        }
    }

    #[test]
    fn freqs_unpack(width in 0u32..=8, raw in prop::collection::vec(0u32..255, 0..300)) {
        let values: Vec<u32> = raw.iter().map(|value| value & ((1 << width) - 1)).map(|value| value.min(254)).collect();
        let mut packed = Vec::new();
        packing::pack(&values, width, &mut packed);
        let packed = padded(packed);
        for unpack in [unpack_freqs, portable::unpack_freqs] {
            let mut freqs = vec![0; values.len() + STORE_SLACK];
            // Eight values at a time are read, of which the last ones may be in the slack.
            let mut bytes = packed.clone();
            bytes.extend([0; 8]);
            prop_assert!(unpack(&bytes, width, values.len(), &mut freqs));
            for (freq, value) in freqs.iter().zip(&values) { prop_assert_eq!(u32::from(*freq), value + 1); }
            prop_assert!(!unpack(&bytes, 9, values.len(), &mut freqs));
            prop_assert!(!unpack(&bytes[..LOAD_SLACK - 1], width, values.len(), &mut freqs));
        }
    }

    #[test]
    fn values_unpack_from_any_place(width in 0u32..=32, raw: Vec<u32>, from in 0usize..40) {
        let values: Vec<u32> = raw.iter().map(|value| (u64::from(*value) & ((1u64 << width) - 1)) as u32).collect();
        let mut packed = Vec::new();
        packing::pack(&values, width, &mut packed);
        let packed = padded(packed);
        let from = from.min(values.len());
        for unpack in [unpack_values, portable::unpack_values] {
            let mut out = vec![0; values.len() - from];
            prop_assert!(unpack(&packed, width, from, &mut out));
            prop_assert_eq!(&out[..], &values[from..]);
            let mut beyond = vec![0; values.len() + 200];
            prop_assert!(width == 0 || !unpack(&packed, width, from, &mut beyond));
        }
    }

    #[test]
    fn values_are_found(width in 0u32..=32, raw in prop::collection::vec(any::<u32>(), 1..200), from in 0usize..150, count in 0usize..50, place: usize, other: u32) {
        let fit = |value: u32| (u64::from(value) & ((1u64 << width) - 1)) as u32;
        let mut values: Vec<u32> = raw.into_iter().map(fit).collect();
        let from = from.min(values.len());
        let count = count.min(values.len() - from);
        // Those of one document ascend; the ones before and behind are of others.
        values[from..from + count].sort_unstable();
        let mut packed = Vec::new();
        packing::pack(&values, width, &mut packed);
        packed.resize(values.len().div_ceil(8) * width as usize + LOAD_SLACK, 0xff);
        for wanted in [values[place % values.len()], fit(other), other] {
            let expected = values[from..from + count].contains(&wanted);
            for contains in [contains_value, portable::contains_value] {
                prop_assert_eq!(contains(&packed, width, from, count, wanted), Some(expected));
                prop_assert_eq!(contains(&packed, 33, from, count, wanted), None);
                prop_assert!(width == 0 || contains(&packed, width, from, count + 200, wanted).is_none());
            }
        }
    }

    #[test]
    fn lows_search_and_sums(mut values: Vec<u16>, from in 0usize..20, target: u16) {
        values.sort_unstable();
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let from = from.min(values.len());
        let expected = from + values[from..].partition_point(|value| *value < target);
        prop_assert_eq!(lower_bound(&bytes, from, target), expected);
        prop_assert_eq!(portable::lower_bound(&bytes, from, target), expected);
        let total: u32 = bytes[..from].iter().map(|&byte| u32::from(byte)).sum();
        prop_assert_eq!(sum_first(&bytes, from), total);
        prop_assert_eq!(portable::sum_first(&bytes, from), total);
        for mask in [mask_lows, portable::mask_lows] {
            let mut docs = vec![0; values.len() + STORE_SLACK];
            mask(&bytes, &mut docs);
            for (doc, value) in docs.iter().zip(&values) { prop_assert_eq!(*doc, value & 0xfff); }
        }
    }

    #[test]
    fn groups_unpack_from_any_place(width in 0u32..=25, raw in prop::collection::vec(any::<u32>(), 0..150), from in 0usize..140, count in 0usize..=16, wanted in prop::collection::vec((0usize..150, any::<u32>()), 0..=16)) {
        let values: Vec<u32> = raw.iter().map(|value| (u64::from(*value) & ((1u64 << width) - 1)) as u32).collect();
        let from = from.min(values.len());
        let count = count.min(values.len() - from);
        let mut packed = Vec::new();
        packing::pack(&values, width, &mut packed);
        let enough = from * width as usize / 8 + 64;
        packed.resize(packed.len().max(enough), 0xff);
        let mut expected = [NO_VALUE; GROUP_VALUES];
        expected[..count].copy_from_slice(&values[from..from + count]);
        for unpack in [unpack_group, portable::unpack_group] {
            prop_assert_eq!(unpack(&packed, width, from, count), Some(expected));
            prop_assert_eq!(unpack(&packed, 26, from, count), None);
            prop_assert_eq!(unpack(&packed[..enough - 1], width, from, count), None);
        }
        // Some that are there, and some of any value.
        let of = |(place, other): &(usize, u32)| if other % 2 == 0 { values.get(*place).copied().unwrap_or(*other) } else { *other };
        let mut wanted: Vec<u32> = wanted.iter().map(of).collect();
        wanted.sort_unstable();
        let there = &values[from..from + count];
        let places = wanted.iter().enumerate().fold(0, |bits, (place, wanted)| bits | u32::from(there.contains(wanted)) << place);
        let last = wanted.last().copied().unwrap_or(0);
        let found = Found { places, passed: there.iter().any(|value| *value >= last) };
        for find in [find_in_group, portable::find_in_group] {
            prop_assert_eq!(find(&packed, width, from, count, &wanted), Some(found));
            prop_assert_eq!(find(&packed, 26, from, count, &wanted), None);
            prop_assert_eq!(find(&packed[..enough - 1], width, from, count, &wanted), None);
        }
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
        {
            use avx2_groups::group_by_gathers;
            let (start, shift) = (from * width as usize / 8, from * width as usize % 8);
            // SAFETY: the processor has AVX2, and 64 bytes follow the place.
            let (group, own) = unsafe {
                let start = packed.as_ptr().add(start);
                (
                    group_by_gathers::unpack(start, width, shift, count),
                    group_by_gathers::find(start, width, shift, count, &wanted),
                )
            };
            prop_assert_eq!((group, own), (expected, found));
        }
    }

    #[test]
    fn bytes_below_a_place_are_summed(bytes: [u8; 32], count in 0usize..=32) {
        let expected: u32 = bytes[..count].iter().map(|&byte| u32::from(byte)).sum();
        prop_assert_eq!(sum_below(&bytes, count), expected);
        prop_assert_eq!(portable::sum_below(&bytes, count), expected);
    }
}
