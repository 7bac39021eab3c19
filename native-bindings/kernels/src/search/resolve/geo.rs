//! Queries on places.

use super::field::{Target, require_searchable};
use super::{Resolver, failed_to_create};
use crate::error::{Error, ErrorCode, Result};
use crate::geo::area::{Area, Circle, Polygon, Ring, StepBox};
use crate::search::node::Node;
use crate::search::plan::geo::{GeoBoundingBoxQuery, GeoDistanceQuery, GeoPolygonQuery};
use std::sync::Arc;

impl Resolver<'_> {
    pub(super) fn geo_distance(&self, query: &GeoDistanceQuery) -> Result<Node> {
        let area = || Some(Area::Circle(Circle::new(query.origin, query.metres)));
        Ok(self.places(&query.field, query.ignore_unmapped, "geo_distance", area)?.boosted(query.boost))
    }

    pub(super) fn geo_bounding_box(&self, query: &GeoBoundingBoxQuery) -> Result<Node> {
        let area = || StepBox::new(query.top, query.bottom, query.left, query.right).map(Area::Box);
        Ok(self.places(&query.field, query.ignore_unmapped, "geo_bounding_box", area)?.boosted(query.boost))
    }

    pub(super) fn geo_polygon(&self, query: &GeoPolygonQuery) -> Result<Node> {
        let area = || Ring::new(&query.points).map(|shell| Area::Polygon(Polygon::new(shell, Vec::new())));
        Ok(self.places(&query.field, query.ignore_unmapped, "geo_polygon", area)?.boosted(query.boost))
    }

    fn places(
        &self,
        name: &str,
        ignore_unmapped: bool,
        query: &str,
        area: impl FnOnce() -> Option<Area>,
    ) -> Result<Node> {
        let field = match self.target(name) {
            Target::Mapped(field) if field.is_place() => field,
            Target::Unmapped if ignore_unmapped => return Ok(Node::None),
            Target::Unmapped => {
                let reason = format!("failed to find geo field [{name}]");
                return Err(failed_to_create(Error::new(ErrorCode::QueryShard, reason)));
            }
            other => {
                return Err(failed_to_create(Error::new(
                    ErrorCode::QueryShard,
                    format!("Field [{name}] is of unsupported type [{}] for [{query}] query", other.type_name()),
                )));
            }
        };
        require_searchable(field)?;
        let field = field.spec.name.clone();
        Ok(area().map_or(Node::None, |area| Node::Places { field, area: Arc::new(area) }))
    }
}
