//! Documents with a place in an area, by windows.

use super::bits;
use super::sets::DocSet;
use quarry_base::error::Result;
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW_WORDS, WindowBits, window_count};
use quarry_geo::area::Area;
use quarry_geo::point::Steps;
use quarry_geo::shape::Relation;
use quarry_segment::column::numeric::{NumericColumn, NumericWindow};

pub struct PlaceSet<'a> {
    column: &'a NumericColumn,
    area: &'a Area,
    relation: Relation,
    /// Of the area, in steps.
    latitudes: (i32, i32),
    windows: u32,
    decoded: NumericWindow,
}

impl<'a> PlaceSet<'a> {
    pub fn new(column: &'a NumericColumn, area: &'a Area, relation: Relation, max_doc: u32) -> Self {
        let (latitudes, windows) = (area.latitudes(), window_count(max_doc));
        PlaceSet { column, area, relation, latitudes, windows, decoded: NumericWindow::default() }
    }

    /// The latitudes of a window reach into the area's.
    fn reaches(&self, window: u32) -> bool {
        self.column.window_range(window).is_some_and(|(low, high)| {
            let (south, north) = self.latitudes;
            self.relation == Relation::Disjoint
                || Steps::of_column(low).lat <= north && Steps::of_column(high).lat >= south
        })
    }
}

impl PlaceSet<'_> {
    /// The rarer relations, document by document.
    fn add_related(&self, bits: &mut WindowBits) {
        let mut docs = Vec::new();
        bits::list(&self.decoded.present, &mut docs);
        for doc in docs {
            let values = self.decoded.values_of(doc);
            let mut inside = values.iter().map(|&value| self.area.contains(Steps::of_column(value)));
            let holds = match self.relation {
                Relation::Intersects => inside.any(|inside| inside),
                Relation::Disjoint => !inside.any(|inside| inside),
                Relation::Within => inside.all(|inside| inside),
                // Places have no extent: of areas they contain but places.
                Relation::Contains => match self.area {
                    Area::Places(points) => points.iter().all(|point| values.contains(&point.to_column())),
                    _ => false,
                },
            };
            if holds {
                bits::set(bits, doc);
            }
        }
    }
}

impl DocSet for PlaceSet<'_> {
    fn cost(&self) -> u64 {
        self.column.doc_count().into()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        Ok((window..self.windows).find(|&window| self.reaches(window)).unwrap_or(NO_MORE_WINDOWS))
    }

    fn add(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        if !self.reaches(window) {
            return Ok(());
        }
        self.column.decode_window(window, &mut self.decoded);
        if self.relation != Relation::Intersects {
            self.add_related(bits);
            return Ok(());
        }
        // The kind of area is looked at once, not for each document.
        match self.area {
            Area::Box(area) => add_where(&self.decoded, bits, |place| area.contains(place)),
            Area::Circle(area) => add_where(&self.decoded, bits, |place| area.contains(place)),
            area => add_where(&self.decoded, bits, |place| area.contains(place)),
        }
        Ok(())
    }
}

// Three arrays are walked by the same index.
#[allow(clippy::needless_range_loop)]
#[inline]
fn add_where(decoded: &NumericWindow, bits: &mut WindowBits, holds: impl Fn(Steps) -> bool) {
    if decoded.is_single_valued() {
        for word in 0..WINDOW_WORDS {
            let mut rest = decoded.present[word];
            while rest != 0 {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                bits[word] |= u64::from(holds(Steps::of_column(decoded.values[word * 64 + bit]))) << bit;
            }
        }
        return;
    }
    let mut docs = Vec::new();
    bits::list(&decoded.present, &mut docs);
    for doc in docs {
        if decoded.values_of(doc).iter().any(|&value| holds(Steps::of_column(value))) {
            bits::set(bits, doc);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use quarry_codec::window::WINDOW;
    use quarry_geo::area::{Circle, StepBox};
    use quarry_geo::point::GeoPoint;
    use quarry_segment::column::numeric::NumericColumnWriter;

    fn place() -> impl Strategy<Value = GeoPoint> {
        (-90.0f64..=90.0, -180.0f64..=180.0).prop_map(|(lat, lon)| GeoPoint { lat, lon })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn sets_are_what_each_document_says(
            docs in proptest::collection::vec(proptest::collection::vec(place(), 0..3), 1..300),
            gap in 1usize..40,
            (a, b) in (place(), place()),
            metres in 0.0f64..2e7,
        ) {
            // Gaps make several windows of few documents.
            let max_doc = (docs.len() * gap) as u32;
            let mut writer = NumericColumnWriter::new();
            for (place, points) in docs.iter().enumerate().filter(|(_, points)| !points.is_empty()) {
                let values: Vec<i64> = points.iter().map(|point| point.to_column()).collect();
                writer.add((place * gap) as u32, &values);
            }
            let column = NumericColumn::open(writer.finish(max_doc).bytes.into(), max_doc).unwrap();
            let areas = [
                StepBox::new(a.lat.max(b.lat), a.lat.min(b.lat), a.lon, b.lon).map(Area::Box),
                Some(Area::Circle(Circle::new(a, metres))),
            ];
            for area in areas.into_iter().flatten() {
                let mut set = PlaceSet::new(&column, &area, Relation::Intersects, max_doc);
                let mut found = Vec::new();
                let mut window = set.next_window(0).unwrap();
                while window != NO_MORE_WINDOWS {
                    let mut bits = bits::EMPTY;
                    set.add(window, &mut bits).unwrap();
                    let mut local = Vec::new();
                    bits::list(&bits, &mut local);
                    found.extend(local.iter().map(|&doc| window as usize * WINDOW + usize::from(doc)));
                    window = set.next_window(window + 1).unwrap();
                }
                let holds = |points: &Vec<GeoPoint>| {
                    points.iter().any(|point| area.contains(Steps::of_column(point.to_column())))
                };
                let expected: Vec<usize> =
                    docs.iter().enumerate().filter(|(_, points)| holds(points)).map(|(place, _)| place * gap).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
