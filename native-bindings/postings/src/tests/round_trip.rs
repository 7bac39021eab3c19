use super::super::cursor::{CommonDocs, Located, SATURATED, WINDOW_ROOM};
use super::*;
use crate::POSITION_GROUP;
use croaring::{Bitmap, Portable};
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW, WINDOW_WORDS, window_count};

fn reader_of(max_doc: u32, term: &Term, options: PostingsOptions) -> (FieldPostingsReader, TermEntry) {
    let norms = vec![12; max_doc as usize];
    let terms = BTreeMap::from([(b"term".to_vec(), term.clone())]);
    let reader = open(write(max_doc, options, &norms, &terms), max_doc, options).unwrap();
    let entry = reader.lookup(b"term").unwrap().unwrap();
    (reader, entry)
}

/// The term's documents by window: (in-window document, frequency, start of positions).
fn by_window(term: &Term) -> BTreeMap<u32, Vec<(u16, u32, u32)>> {
    let mut windows = BTreeMap::<u32, Vec<_>>::new();
    let mut start = 0;
    for (&doc, &freq) in term.docs.iter().zip(&term.freqs) {
        let place = ((doc % WINDOW as u32) as u16, freq, start);
        windows.entry(doc / WINDOW as u32).or_default().push(place);
        start += freq;
    }
    windows
}

fn capped(freq: u32) -> u8 {
    u8::try_from(freq).unwrap_or(SATURATED)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn whole_terms_come_back((max_doc, term) in any_term(), freqs: bool, positions: bool) {
        let options = PostingsOptions { freqs: freqs || positions, positions };
        let (reader, entry) = reader_of(max_doc, &term, options);
        prop_assert_eq!(entry.doc_freq as usize, term.docs.len());
        let mut decoded = DecodedTerm::default();
        reader.read_term(&entry, &mut decoded).unwrap();
        let expected = term.postings(options);
        prop_assert_eq!(&decoded.docs[..], expected.docs);
        prop_assert_eq!(&decoded.freqs[..], expected.freqs);
        prop_assert_eq!(&decoded.positions[..], expected.positions);
    }

    #[test]
    fn windows_decode((max_doc, term) in any_term(), backwards: bool) {
        let (reader, entry) = reader_of(max_doc, &term, ALL);
        let mut cursor = reader.cursor(&entry).unwrap();
        let mut windows: Vec<_> = by_window(&term).into_iter().collect();
        if backwards { windows.reverse(); }
        let (mut docs, mut freqs) = ([0; WINDOW_ROOM], [0; WINDOW_ROOM]);
        for (window, expected) in windows {
            prop_assert!(cursor.window_bound(window) > 0.0);
            let decoded = cursor.decode(window, -1.0, &mut docs, &mut freqs).unwrap();
            let expected_docs: Vec<u16> = expected.iter().map(|place| place.0).collect();
            prop_assert_eq!(&docs[..decoded.count], &expected_docs[..]);
            prop_assert_eq!(cursor.decode_docs(window, &mut docs).unwrap(), expected.len());
            prop_assert_eq!(&docs[..decoded.count], &expected_docs[..]);
            let mut bits = [0; WINDOW_WORDS];
            cursor.or_bits(window, &mut bits).unwrap();
            prop_assert_eq!(bits.iter().map(|word| word.count_ones()).sum::<u32>() as usize, expected.len());
            for (index, (doc, freq, _)) in expected.iter().enumerate() {
                prop_assert_eq!(freqs[index], capped(*freq));
                prop_assert!(bits[usize::from(doc / 64)] >> (doc % 64) & 1 == 1);
                if freqs[index] == SATURATED {
                    prop_assert!(decoded.has_large);
                    prop_assert_eq!(cursor.exact_freq(window, *doc).unwrap(), *freq);
                }
            }
        }
    }

    #[test]
    fn next_window_misses_none((max_doc, term) in any_term()) {
        let (reader, entry) = reader_of(max_doc, &term, ALL);
        let mut cursor = reader.cursor(&entry).unwrap();
        for window in by_window(&term).into_keys() {
            prop_assert_eq!(cursor.next_window(window), window);
        }
        let after = term.docs.last().unwrap() / WINDOW as u32 + 1;
        let next = cursor.next_window(after);
        prop_assert!(next == NO_MORE_WINDOWS || next >= window_count(max_doc));
    }

    #[test]
    fn probes_and_positions((max_doc, term) in any_term(), stride in prop_oneof![1usize..50, 50usize..1_000], seed: u64) {
        let (reader, entry) = reader_of(max_doc, &term, ALL);
        let mut cursor = reader.cursor(&entry).unwrap();
        let positions = reader.positions(&entry).unwrap();
        let mut out = Vec::new();
        for (window, expected) in by_window(&term) {
            let wanted: Vec<u16> = (0..WINDOW as u16).filter(|doc| (u64::from(*doc) ^ seed).is_multiple_of(stride as u64)).collect();
            let mut freqs = vec![0; wanted.len()];
            let has_large = cursor.probe(window, &wanted, &mut freqs).unwrap();
            let known: BTreeMap<u16, (u32, u32)> = expected.iter().map(|place| (place.0, (place.1, place.2))).collect();
            for (doc, freq) in wanted.iter().zip(&freqs) {
                prop_assert_eq!(*freq, known.get(doc).map_or(0, |(freq, _)| capped(*freq)));
                prop_assert!(has_large || *freq < SATURATED);
            }
            let present: Vec<u16> = wanted.into_iter().filter(|doc| known.contains_key(doc)).collect();
            let mut located = vec![Located::default(); present.len()];
            let (front, back) = present.split_at(present.len() / 3);
            let (of_front, of_back) = located.split_at_mut(front.len());
            cursor.locate_all(window, front, &positions, of_front).unwrap();
            cursor.locate_all(window, back, &positions, of_back).unwrap();
            for (doc, place) in present.iter().zip(&located) {
                let (freq, start) = known[doc];
                prop_assert_eq!(*place, Located { freq, start });
                positions.prefetch(start);
                let there = &term.positions[start as usize..(start + freq) as usize];
                let group = there.len().min(POSITION_GROUP);
                prop_assert_eq!(&positions.group(start, freq).unwrap()[..group], &there[..group]);
                let mut wanted: Vec<u32> = there.iter().step_by(3).flat_map(|position| [*position, position + 1]).collect();
                wanted.sort_unstable();
                wanted.truncate(POSITION_GROUP);
                let bits = wanted.iter().enumerate().fold(0, |bits, (at, wanted)| bits | u32::from(there.contains(wanted)) << at);
                prop_assert_eq!(positions.find(start, freq, &wanted).unwrap(), bits);
            }
            // Each document again after the last one: out of order is slower, not wrong.
            for doc in present.iter().chain(present.first()) {
                let (freq, start) = known[doc];
                let place = cursor.locate(window, *doc, &positions).unwrap();
                prop_assert_eq!(place, Located { freq, start });
                positions.read(start, freq, &mut out).unwrap();
                let expected = &term.positions[start as usize..(start + freq) as usize];
                prop_assert_eq!(&out[..], expected);
                for wanted in [expected[0], expected[expected.len() / 2], expected[0] + 1] {
                    prop_assert_eq!(positions.contains(start, freq, wanted).unwrap(), expected.contains(&wanted));
                }
            }
        }
    }

    #[test]
    fn common_documents_of_two_terms(seeds: [u64; 2], max_doc in prop_oneof![Just(5_000u32), Just(70_000), Just(150_000)], shares in [1u32..120, 1u32..120]) {
        let lists = [0, 1].map(|side| term_from_seed(seeds[side], max_doc, max_doc.div_ceil(shares[side]), side == 0));
        prop_assume!(lists.iter().all(|list| !list.docs.is_empty()));
        let terms = BTreeMap::from_iter([b"a".to_vec(), b"b".to_vec()].into_iter().zip(lists.clone()));
        let reader = open(write(max_doc, ALL, &vec![12; max_doc as usize], &terms), max_doc, ALL).unwrap();
        let [a, b] = ["a", "b"].map(|term| reader.cursor(&reader.lookup(term.as_bytes()).unwrap().unwrap()).unwrap());
        let [of_a, of_b] = lists.each_ref().map(by_window);
        let (mut common, none) = (Box::new(CommonDocs::default()), Vec::new());
        for window in 0..window_count(max_doc) {
            let of_b = of_b.get(&window).unwrap_or(&none);
            let expected: Vec<(u16, u8, u8)> = of_a.get(&window).unwrap_or(&none).iter()
                .filter_map(|(doc, freq, _)| Some((*doc, capped(*freq), capped(of_b.iter().find(|other| other.0 == *doc)?.1)))).collect();
            if let Some([in_a, in_b]) = a.decode_common(&b, window, &mut common).unwrap() {
                let found: Vec<(u16, u8, u8)> = (0..in_a.count).map(|at| (common.docs[at], common.freqs[0][at], common.freqs[1][at])).collect();
                prop_assert_eq!(&found, &expected);
                prop_assert!(in_a.has_large || expected.iter().all(|each| each.1 < SATURATED));
                prop_assert!(in_b.count == in_a.count && !in_b.has_large);
            }
            if let Some(count) = a.decode_common_docs(&b, window, &mut common).unwrap() {
                prop_assert_eq!(&common.docs[..count], &expected.iter().map(|each| each.0).collect::<Vec<_>>()[..]);
            }
        }
    }

    #[test]
    fn bounds_hold((max_doc, term) in any_term(), norm_seed: u8) {
        let norms: Vec<u8> = (0..max_doc).map(|doc| ((doc as u8).wrapping_mul(37) ^ norm_seed).max(1)).collect();
        let terms = BTreeMap::from([(b"t".to_vec(), term.clone())]);
        let reader = open(write(max_doc, ALL, &norms, &terms), max_doc, ALL).unwrap();
        let entry = reader.lookup(b"t").unwrap().unwrap();
        let mut cursor = reader.cursor(&entry).unwrap();
        let parameters = [(bm25::K1, bm25::B), (0.0, 0.75), (0.01, 1.0), (1.2, 0.0), (1.2, 1.0), (7.5, 0.3), (4e6, 0.6)];
        for (average, (k1, b)) in [10.0, 3.0, 55.0].into_iter().flat_map(|average| parameters.map(|each| (average, each))) {
            let similarity = bm25::Bm25::with(k1, b, average);
            let scale = BoundScale::new(&similarity, reader.average_length());
            let factor = |doc: u32, freq: u32| similarity.score(1.0, freq as f32, norms[doc as usize]);
            let mut factors: Vec<f32> = term.docs.iter().zip(&term.freqs).map(|(&doc, &freq)| factor(doc, freq)).collect();
            for (&doc, factor) in term.docs.iter().zip(&factors) {
                prop_assert!(*factor <= scale.upper(cursor.window_bound(doc / WINDOW as u32)));
            }
            factors.sort_by(|a, b| b.total_cmp(a));
            let primed = scale.lower(cursor.tenth_best());
            prop_assert!(primed == 0.0 || primed < factors[9]);
        }
    }

    #[test]
    fn long_lists_are_portable_roaring_bitmaps(seed: u64, share in 1u32..100) {
        let max_doc = 150_000;
        let term = term_from_seed(seed, max_doc, max_doc / share, false);
        prop_assume!(term.docs.len() >= (max_doc / 128) as usize);
        let norms = vec![12; max_doc as usize];
        let terms = BTreeMap::from([(b"a".to_vec(), Term { docs: vec![7], freqs: vec![1], positions: vec![3] }), (b"term".to_vec(), term.clone())]);
        let sections = write(max_doc, ALL, &norms, &terms);
        let postings = sections.postings.clone();
        let reader = open(sections, max_doc, ALL).unwrap();
        let entry = reader.lookup(b"term").unwrap().unwrap();
        let start = layout::align(entry.postings_offset) as usize;
        prop_assert_eq!(start % 8, 0);
        let length = packing::u32_at(&postings, start + 4).unwrap() as usize;
        let bitmap = Bitmap::try_deserialize::<Portable>(&postings[start + 8..][..length]).unwrap();
        prop_assert_eq!(bitmap.to_vec(), term.docs.clone());
        prop_assert_eq!(bitmap.get_serialized_size_in_bytes::<Portable>(), length);
    }
}

#[test]
fn frequencies_up_to_the_largest() {
    for max_doc in [200, 100_000] {
        let docs: Vec<u32> = (0..max_doc).step_by(if max_doc == 200 { 1 } else { 300 }).collect();
        let freqs: Vec<u32> =
            docs.iter().map(|doc| [1, 254, 255, 256, 70_000, u32::MAX][*doc as usize / 50 % 6]).collect();
        let options = PostingsOptions { freqs: true, positions: false };
        let term = Term { docs, freqs, positions: vec![] };
        let (reader, entry) = reader_of(max_doc, &term, options);
        let mut decoded = DecodedTerm::default();
        reader.read_term(&entry, &mut decoded).unwrap();
        assert_eq!(decoded.freqs, term.freqs);
        assert_eq!(entry.total_term_freq, term.freqs.iter().map(|freq| u64::from(*freq)).sum::<u64>());
    }
}

#[test]
fn the_writer_refuses_what_breaks_its_contract() {
    let term = |docs: &[u32], freqs: &[u32], positions: &[u32]| {
        let mut writer = FieldPostingsWriter::new(10, ALL, None);
        writer.add_term(b"m", TermPostings { docs: &[1], freqs: &[1], positions: &[0] }).unwrap();
        writer.add_term(b"n", TermPostings { docs, freqs, positions })
    };
    assert!(term(&[1, 2], &[1, 1], &[0, 0]).is_ok());
    assert!(term(&[], &[], &[]).is_err());
    assert!(term(&[2, 2], &[1, 1], &[0, 0]).is_err());
    assert!(term(&[10], &[1], &[0]).is_err());
    assert!(term(&[1], &[0], &[]).is_err());
    assert!(term(&[1], &[2], &[0]).is_err());
    assert!(term(&[1], &[], &[]).is_err());
}
