//! Queries on places.

use super::field::{Target, require_searchable};
use super::{Resolver, failed_to_create};
use crate::node::Node;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_geo::area::{Area, Circle, Polygon, Ring, StepBox};
use quarry_geo::grid::GridCell;
use quarry_geo::read::check_bounds;
use quarry_geo::shape::read::{Drawn, Orientation, Reading, envelope, read_shape};
use quarry_geo::shape::{Figure, Relation, Shape};
use quarry_mapping::MappedField;
use quarry_plan::geo::{GeoBoundingBoxQuery, GeoDistanceQuery, GeoGridQuery, GeoPolygonQuery, GeoShapeQuery};
use serde_json::Value;
use std::sync::Arc;

impl Resolver<'_> {
    pub(super) fn geo_distance(&self, query: &GeoDistanceQuery) -> Result<Node> {
        let found = self.geo_field(&query.field, query.ignore_unmapped, "geo_distance", MappedField::is_geometry)?;
        let Some(field) = found else { return Ok(Node::None) };
        let circle = Circle::new(query.origin, query.metres);
        Ok(circle_node(field, circle, Relation::Intersects).boosted(query.boost))
    }

    pub(super) fn geo_bounding_box(&self, query: &GeoBoundingBoxQuery) -> Result<Node> {
        let fits = MappedField::is_geometry;
        let found = self.geo_field(&query.field, query.ignore_unmapped, "geo_bounding_box", fits)?;
        let Some(field) = found else { return Ok(Node::None) };
        let node = if field.is_place() {
            let area = StepBox::new(query.top, query.bottom, query.left, query.right).map(Area::Box);
            area.map_or(Node::None, |area| places_node(field, area, Relation::Intersects))
        } else {
            let drawn = envelope(query.left, query.right, query.top, query.bottom);
            let shape = drawn.and_then(|drawn| Shape::new(Drawn::Geometry(drawn), READING.orientation));
            shapes_node(field, shape.map_err(failed_to_create)?, Relation::Intersects)
        };
        Ok(node.boosted(query.boost))
    }

    pub(super) fn geo_polygon(&self, query: &GeoPolygonQuery) -> Result<Node> {
        let found = self.geo_field(&query.field, query.ignore_unmapped, "geo_polygon", MappedField::is_place)?;
        let Some(field) = found else { return Ok(Node::None) };
        let area = Ring::new(&query.points).map(|shell| Area::Polygon(Polygon::new(shell, Vec::new())));
        let node = area.map_or(Node::None, |area| places_node(field, area, Relation::Intersects));
        Ok(node.boosted(query.boost))
    }

    pub(super) fn geo_shape(&self, query: &GeoShapeQuery) -> Result<Node> {
        let fits = MappedField::is_geometry;
        let found = self.geo_field(&query.field, query.ignore_unmapped, "geo_shape", fits)?;
        let Some(field) = found else { return Ok(Node::None) };
        let node = shape_node(field, query).map_err(failed_to_create)?;
        Ok(node.boosted(query.boost))
    }

    pub(super) fn geo_grid(&self, query: &GeoGridQuery) -> Result<Node> {
        let fits = MappedField::is_geometry;
        let found = self.geo_field(&query.field, query.ignore_unmapped, "geo_grid", fits)?;
        let Some(field) = found else { return Ok(Node::None) };
        let cell = GridCell::named(query.grid, &query.cell).map_err(failed_to_create)?;
        let node = if field.is_place() {
            places_node(field, Area::Cell(cell), Relation::Intersects)
        } else {
            shapes_node(field, cell.shape().map_err(failed_to_create)?, Relation::Intersects)
        };
        Ok(node.boosted(query.boost))
    }

    /// `None`: unmapped, by leave of the query.
    fn geo_field(
        &self,
        name: &str,
        ignore_unmapped: bool,
        query: &str,
        fits: fn(&MappedField) -> bool,
    ) -> Result<Option<&MappedField>> {
        let field = match self.target(name) {
            Target::Mapped(field) if fits(field) => field,
            Target::Unmapped if ignore_unmapped => return Ok(None),
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
        Ok(Some(field))
    }
}

fn places_node(field: &MappedField, area: Area, relation: Relation) -> Node {
    Node::Places { field: field.spec.name.clone(), area: Arc::new(area), relation }
}

fn shapes_node(field: &MappedField, shape: Shape, relation: Relation) -> Node {
    Node::Shapes { field: field.spec.name.clone(), figure: Arc::new(Figure::Shape(shape)), relation }
}

fn circle_node(field: &MappedField, circle: Circle, relation: Relation) -> Node {
    if field.is_place() {
        return places_node(field, Area::Circle(circle), relation);
    }
    Node::Shapes { field: field.spec.name.clone(), figure: Arc::new(Figure::Circle(circle)), relation }
}

/// What queries draw is read as the reference reads it by default, whatever the field says of documents.
const READING: Reading = Reading { ignore_z: true, coerce: true, orientation: Orientation::Right };

fn shape_node(field: &MappedField, query: &GeoShapeQuery) -> Result<Node> {
    let value: Value = quarry_base::deep_json::from_str(&query.shape)
        .map_err(|error| Error::parse(format!("the shape of a query cannot be read: {error}")))?;
    let (drawn, orientation) = read_shape(&value, READING)?;
    if let Drawn::Circle { centre, metres } = &drawn {
        check_bounds(*centre, &field.spec.name)?;
        return Ok(circle_node(field, Circle::new(*centre, *metres), query.relation));
    }
    let shape = Shape::new(drawn, orientation)?;
    if field.is_place() {
        return Ok(places_node(field, shape.area(), query.relation));
    }
    Ok(shapes_node(field, shape, query.relation))
}
