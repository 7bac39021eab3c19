use super::*;
use proptest::prelude::*;

fn room<T: Copy + Default>(values: &[T]) -> [T; WINDOW_ROOM] {
    let mut out = [T::default(); WINDOW_ROOM];
    out[..values.len()].copy_from_slice(values);
    out
}

proptest! {
    #[test]
    fn twins_score_alike(docs in prop::collection::vec(0u16..4096, 0..200), seed: u8, weight in 0f32..20.0) {
        let freqs: Vec<u8> = docs.iter().map(|doc| (*doc as u8).wrapping_mul(seed)).collect();
        let mut norms = [0; WINDOW];
        for (doc, norm) in norms.iter_mut().enumerate() { *norm = (doc as u8) ^ seed; }
        let similarity = quarry_postings::bm25::Bm25::new(17.0);
        let (docs_in, freqs_in) = (room(&docs), room(&freqs));
        let (mut scores, mut other) = ([0.0; WINDOW_ROOM], [0.0; WINDOW_ROOM]);
        score(&docs_in, &freqs_in, docs.len(), &norms, similarity.inverse(), weight, &mut scores);
        portable::score(&docs_in, &freqs_in, docs.len(), &norms, similarity.inverse(), weight, &mut other);
        prop_assert_eq!(&scores[..docs.len()], &other[..docs.len()]);
        for (index, doc) in docs.iter().enumerate() {
            prop_assert_eq!(scores[index], similarity.score(weight, f32::from(freqs[index]), norms[usize::from(*doc)]));
        }
    }

    #[test]
    fn twins_keep_alike(pairs in prop::collection::vec((0u16..4096, -1f32..1.0), 0..300), threshold in -1f32..1.0) {
        let (docs, values): (Vec<u16>, Vec<f32>) = pairs.iter().copied().unzip();
        let expected: Vec<(u16, f32)> = pairs.iter().copied().filter(|pair| pair.1 > threshold).collect();
        for keep in [keep_above, portable::keep_above] {
            let (mut docs, mut scores) = (room(&docs), room(&values));
            let kept = keep(&mut docs, &mut scores, pairs.len(), threshold);
            let got: Vec<(u16, f32)> = docs[..kept].iter().copied().zip(scores[..kept].iter().copied()).collect();
            prop_assert_eq!(got, expected.clone());
        }
    }

    #[test]
    fn twins_drain_alike(pairs in prop::collection::vec((0u16..4096, -1f32..1.0), 0..300), threshold in 0f32..1.0) {
        let mut accumulator = [0.0; WINDOW];
        for (doc, score) in pairs { accumulator[usize::from(doc)] = score; }
        let expected: Vec<(u16, f32)> = (0u16..4096).zip(accumulator).filter(|pair| pair.1 > threshold).collect();
        for drain in [drain_above, portable::drain_above] {
            let mut own = accumulator;
            let (mut docs, mut scores) = ([0; WINDOW_ROOM], [0.0; WINDOW_ROOM]);
            let kept = drain(&mut own, threshold, &mut docs, &mut scores);
            let got: Vec<(u16, f32)> = docs[..kept].iter().copied().zip(scores[..kept].iter().copied()).collect();
            prop_assert_eq!(got, expected.clone());
            prop_assert!(own.iter().all(|score| *score == 0.0));
        }
    }
}
