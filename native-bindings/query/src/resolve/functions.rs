//! `function_score`, `distance_feature`, `pinned` and `terms_set`: scores and matches that depend on numbers of a document.

use super::field::Target;
use super::script::script_node;
use super::value::{DateReading, date_format, parse_number, text_of};
use super::{Resolver, failed_to_create};
use crate::functions::feature::{FeatureNode, FeatureShape};
use crate::functions::function::{Curve, DecayNode, FunctionNode, Origin, RandomField};
use crate::functions::{FunctionScoreNode, Modes, NumberSource, WeightedFunction};
use crate::node::{CoveringMinimum, Node};
use jiff::tz::TimeZone;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_geo::read::{check_bounds, read_point};
use quarry_geo::units::parse_metres;
use quarry_mapping::MappedField;
use quarry_mapping::date_math::Round;
use quarry_mapping::format::ValueType;
use quarry_mapping::spec::{DeclaredType, FieldType};
use quarry_mapping::time_value;
use quarry_plan::function_score::{
    BoostMode, Decay, DistanceFeatureQuery, FieldValueFactor, FunctionKind, FunctionScoreQuery, PinnedQuery,
    RandomScore, RankFeatureQuery, RankFunction, ScoreFunction, ScoreMode, TermsSetQuery,
};
use quarry_plan::query::{Query, TermQuery};
use quarry_segment::FieldKind;
use serde_json::Value;
use std::sync::Arc;

/// No document that was not pinned scores more.
const MOST_ORGANIC_SCORE: f32 = 1.701_411_8e38;

impl Resolver<'_> {
    pub(super) fn function_score(&self, query: &FunctionScoreQuery) -> Result<Node> {
        let functions = query.functions.iter().map(|function| self.score_function(function));
        // A single function for all documents is no mean of functions, which would divide by its weight.
        let is_for_all = |function: &ScoreFunction| matches!(function.filter, None | Some(Query::MatchAll(_)));
        let is_alone = matches!(query.functions.as_slice(), [function] if is_for_all(function));
        // The boost is that of the query alone, which functions may replace. But one of nothing makes all of it a filter.
        let boost_of_query = if query.boost == 0.0 { 1.0 } else { query.boost };
        let node = FunctionScoreNode {
            query: self.resolve(&query.query)?.boosted(boost_of_query),
            functions: functions.collect::<Result<_>>()?,
            modes: Modes {
                score: if is_alone { ScoreMode::First } else { query.score_mode },
                boost: query.boost_mode,
                max_boost: query.max_boost.unwrap_or(f32::MAX),
            },
            min_score: query.min_score,
            scope: self.scope.into(),
        };
        let node = Node::FunctionScore(Box::new(node));
        Ok(if query.boost == 0.0 { node.boosted(0.0) } else { node })
    }

    fn score_function(&self, function: &ScoreFunction) -> Result<WeightedFunction> {
        let node = match &function.kind {
            None => FunctionNode::One,
            Some(FunctionKind::FieldValueFactor(factor)) => self.field_value(factor)?,
            Some(FunctionKind::Decay(decay)) => self.decay(decay)?,
            Some(FunctionKind::RandomScore(random)) => self.random(random)?,
            Some(FunctionKind::ScriptScore(script)) => FunctionNode::Script(script_node(script, "score", self.scope)?),
        };
        Ok(WeightedFunction {
            filter: function.filter.as_ref().map(|filter| self.resolve(filter)).transpose()?,
            weight: function.weight.map(f64::from),
            function: node,
        })
    }

    fn field_value(&self, factor: &FieldValueFactor) -> Result<FunctionNode> {
        let source = match self.target(&factor.field) {
            Target::Mapped(field) if field.is_number() => Some(number_source(field)),
            Target::Unmapped if factor.missing.is_some() => None,
            Target::Unmapped => {
                return Err(failed_to_create(Error::illegal_argument(format!(
                    "Unable to find a field mapper for field [{}]. No 'missing' value defined.",
                    factor.field
                ))));
            }
            other => return Err(not_a_number_field(&factor.field, other.type_name())),
        };
        Ok(FunctionNode::FieldValue {
            source,
            name: factor.field.clone(),
            factor: factor.factor.into(),
            modifier: factor.modifier,
            missing: factor.missing,
        })
    }

    fn decay(&self, decay: &Decay) -> Result<FunctionNode> {
        let name = &decay.field;
        let field = match self.target(name) {
            Target::Mapped(field) if field.is_place() => return place_decay(field, decay).map_err(failed_to_create),
            Target::Mapped(field) if field.kind == FieldKind::Number => field,
            Target::Unmapped => {
                return Err(failed_to_create(Error::new(ErrorCode::Parsing, format!("unknown field [{name}]"))));
            }
            other => {
                let kind = other.type_name();
                return Err(failed_to_create(Error::new(
                    ErrorCode::Parsing,
                    format!("field [{name}] is of type [{kind}], but only numeric types are supported."),
                )));
            }
        };
        let is_date = is_date(field);
        let read =
            |value: &Value| if is_date { duration_ms(value, "scale") } else { Ok(parse_number(value)?.as_f64()) };
        let origin = match &decay.origin {
            Some(origin) if is_date => self.moment_ms(field, origin)?,
            Some(origin) => parse_number(origin)?.as_f64(),
            None if is_date => self.env.now_ms as f64,
            None => {
                return Err(failed_to_create(Error::new(
                    ErrorCode::Parsing,
                    "both [scale] and [origin] must be set for numeric fields.",
                )));
            }
        };
        let scale = read(&decay.scale).map_err(failed_to_create)?;
        let offset = decay.offset.as_ref().map(read).transpose().map_err(failed_to_create)?.unwrap_or(0.0);
        check_decay(scale, offset)?;
        Ok(FunctionNode::Decay(DecayNode {
            source: number_source(field),
            origin: Origin::Number(origin),
            offset,
            curve: Curve::new(decay.shape, scale, decay.decay),
            mode: decay.mode,
        }))
    }

    fn random(&self, random: &RandomScore) -> Result<FunctionNode> {
        let field = match random.field.as_deref() {
            None => None,
            Some("_seq_no") => Some(RandomField::SeqNo),
            Some(name) => match self.target(name) {
                Target::Mapped(field) if field.kind == FieldKind::Number => {
                    Some(RandomField::Number(field.spec.name.clone()))
                }
                Target::Mapped(field) if field.kind == FieldKind::Term => {
                    Some(RandomField::Term(field.spec.name.clone()))
                }
                Target::Mapped(field) => return Err(not_a_number_field(name, field.spec.field_type.name())),
                Target::Id => None,
                _ => {
                    return Err(failed_to_create(Error::illegal_argument(format!(
                        "Field [{name}] is not mapped on [index_uuid [{}]] and cannot be used as a source of random numbers.",
                        self.view.index
                    ))));
                }
            },
        };
        // Every shard and index has numbers of its own.
        let salt = self.view.index.bytes().fold(self.view.shard, |salt, byte| salt.wrapping_mul(31) ^ u32::from(byte));
        let now_ms = self.env.now_ms;
        let seed = random.seed.unwrap_or((now_ms ^ (now_ms >> 32)) as i32);
        Ok(FunctionNode::Random { seed: seed as u32 ^ salt, field })
    }

    pub(super) fn distance_feature(&self, query: &DistanceFeatureQuery) -> Result<Node> {
        let name = &query.field;
        let field = match self.target(name) {
            Target::Mapped(field) if is_date(field) => field,
            Target::Mapped(field) if field.is_place() => {
                let node = place_feature(field, query).map_err(failed_to_create)?;
                return Ok(node.boosted(query.boost));
            }
            Target::Unmapped => return Ok(Node::None),
            other => {
                return Err(failed_to_create(Error::illegal_argument(format!(
                    "Illegal data type of [{}]![distance_feature] query can only be run on a date, date_nanos or geo_point field type!",
                    other.type_name()
                ))));
            }
        };
        // A day is meant up to its end, as an upper bound is.
        let origin = self.date_reading(field)?.parse(field, &query.origin, Round::Up).map_err(failed_to_create)?;
        let nanos = time_value::parse_nanos(&query.pivot, "distance_feature.pivot").map_err(failed_to_create)?;
        let pivot = if field.spec.field_type == FieldType::DateNanos { nanos } else { nanos / NANOS_PER_MILLI };
        if pivot <= 0 {
            return Err(failed_to_create(Error::illegal_argument(format!("pivotDistance must be > 0, got {pivot}"))));
        }
        let shape = FeatureShape::Distance { origin, pivot };
        Ok(Node::Feature(FeatureNode { source: number_source(field), shape }).boosted(query.boost))
    }

    pub(super) fn rank_feature(&self, query: &RankFeatureQuery) -> Result<Node> {
        let feature = self.view.mapping.field_or_feature(&query.field);
        let is_feature = |field: &&MappedField| field.spec.declared_type == Some(DeclaredType::RankFeature);
        let field = match (feature.filter(is_feature), self.target(&query.field)) {
            (Some(field), _) => field,
            (None, Target::Unmapped) => return Ok(Node::None),
            (None, other) => {
                let (name, kind) = (&query.field, other.type_name());
                return Err(failed_to_create(Error::illegal_argument(format!(
                    "[rank_feature] query only works on [rank_feature] fields and features of [rank_features] fields, not [{kind}]: [{name}]"
                ))));
            }
        };
        let is_negative = !field.spec.positive_score_impact;
        // Fields of which the least is the best hold inverses: so does what their values are compared with.
        let pivot = |pivot: f32| if is_negative { 1.0 / pivot } else { pivot };
        let shape = match query.function {
            RankFunction::Saturation { pivot: given } => FeatureShape::Saturation { pivot: given.map(pivot) },
            RankFunction::Log { .. } if is_negative => {
                return Err(failed_to_create(Error::illegal_argument(format!(
                    "Cannot use the [log] function with a field that has a negative score impact as it would trigger negative scores: [{}]",
                    query.field
                ))));
            }
            RankFunction::Log { scaling_factor } => FeatureShape::Log { scaling_factor },
            RankFunction::Sigmoid { pivot: given, exponent } => FeatureShape::Sigmoid { pivot: pivot(given), exponent },
            RankFunction::Linear {} => FeatureShape::Linear,
        };
        Ok(Node::Feature(FeatureNode { source: number_source(field), shape }).boosted(query.boost))
    }

    /// Documents pinned come first, in their order: each scores more than any other document can.
    pub(super) fn pinned(&self, query: &PinnedQuery) -> Result<Node> {
        let capped = FunctionScoreNode {
            query: self.resolve(&query.organic)?,
            functions: vec![WeightedFunction {
                filter: None,
                weight: Some(MOST_ORGANIC_SCORE.into()),
                function: FunctionNode::One,
            }],
            modes: Modes { score: ScoreMode::Multiply, boost: BoostMode::Min, max_boost: f32::MAX },
            min_score: None,
            scope: self.scope.into(),
        };
        let mut nodes = vec![Node::FunctionScore(Box::new(capped))];
        let count = query.documents.len() as u32;
        for (place, document) in query.documents.iter().enumerate() {
            if document.index.as_ref().is_some_and(|index| **index != *self.view.index) {
                continue;
            }
            let score = f32::from_bits(MOST_ORGANIC_SCORE.to_bits() + count - place as u32);
            let ids = Node::Ids { ids: vec![document.id.clone().into_bytes()] };
            nodes.push(ids.constant().boosted(score));
        }
        Ok(super::compound::dis_max(nodes, 0.0).boosted(query.boost))
    }

    pub(super) fn terms_set(&self, query: &TermsSetQuery) -> Result<Node> {
        let minimum = self.covering_minimum(query)?;
        let term = |value: &Value| {
            self.term(&TermQuery {
                field: query.field.clone(),
                value: value.clone(),
                case_insensitive: false,
                boost: 1.0,
            })
        };
        let nodes = query.terms.iter().map(term).collect::<Result<Vec<_>>>()?;
        let nodes: Vec<Node> = nodes.into_iter().filter(|node| !node.is_none()).collect();
        if nodes.is_empty() {
            return Ok(Node::None);
        }
        Ok(Node::Covering { nodes, minimum }.boosted(query.boost))
    }

    fn covering_minimum(&self, query: &TermsSetQuery) -> Result<CoveringMinimum> {
        if let Some(script) = &query.minimum_should_match_script {
            let mut script = script_node(script, "terms_set", self.scope)?;
            let mut params = script.params.as_object().cloned().unwrap_or_default();
            params.insert("num_terms".into(), query.terms.len().into());
            script.params = Arc::new(Value::Object(params));
            return Ok(CoveringMinimum::Script(script));
        }
        let name = query.minimum_should_match_field.as_deref().unwrap_or_default();
        match self.target(name) {
            Target::Mapped(field) if field.is_number() => Ok(CoveringMinimum::Field(field.spec.name.clone())),
            Target::Unmapped => {
                let reason = format!("failed to find minimum_should_match field [{name}]");
                Err(failed_to_create(Error::new(ErrorCode::QueryShard, reason)))
            }
            other => Err(not_a_number_field(name, other.type_name())),
        }
    }

    fn date_reading<'f>(&self, field: &'f MappedField) -> Result<DateReading<'f>> {
        const UTC: &TimeZone = &TimeZone::UTC;
        Ok(DateReading { format: date_format(field)?, zone: UTC, now_ms: self.env.now_ms })
    }

    fn moment_ms(&self, field: &MappedField, value: &Value) -> Result<f64> {
        let reading = self.date_reading(field)?;
        let moment = reading.parse(field, value, Round::Down).map_err(failed_to_create)?;
        Ok(number_source(field).value_type.number(moment))
    }
}

const NANOS_PER_MILLI: i64 = 1_000_000;

fn is_date(field: &MappedField) -> bool {
    matches!(field.spec.field_type, FieldType::Date | FieldType::DateNanos)
}

fn number_source(field: &MappedField) -> NumberSource {
    NumberSource {
        field: field.spec.name.clone(),
        value_type: ValueType::of(field.spec.field_type, field.spec.scaling_factor),
    }
}

fn duration_ms(value: &Value, what: &str) -> Result<f64> {
    Ok(time_value::parse_nanos(&text_of(value), what)? as f64 / NANOS_PER_MILLI as f64)
}

fn place_feature(field: &MappedField, query: &DistanceFeatureQuery) -> Result<Node> {
    let origin = read_point(&query.origin, true)?;
    check_bounds(origin, &field.spec.name)?;
    let pivot = parse_metres(&query.pivot)?;
    if pivot <= 0.0 {
        return Err(Error::illegal_argument(format!("pivotDistance must be > 0, got {pivot:?}")));
    }
    let shape = FeatureShape::Place { origin, pivot };
    Ok(Node::Feature(FeatureNode { source: number_source(field), shape }))
}

fn place_decay(field: &MappedField, decay: &Decay) -> Result<FunctionNode> {
    let Some(origin) = &decay.origin else {
        return Err(Error::new(ErrorCode::Parsing, "both [origin] and [scale] must be set for geo fields."));
    };
    let metres = |value: &Value| parse_metres(&text_of(value));
    let scale = metres(&decay.scale)?;
    let offset = decay.offset.as_ref().map(metres).transpose()?.unwrap_or(0.0);
    check_decay(scale, offset)?;
    Ok(FunctionNode::Decay(DecayNode {
        source: number_source(field),
        origin: Origin::Place(read_point(origin, true)?.normalized()),
        offset,
        curve: Curve::new(decay.shape, scale, decay.decay),
        mode: decay.mode,
    }))
}

fn check_decay(scale: f64, offset: f64) -> Result<()> {
    let refuse = |reason: &str| Err(failed_to_create(Error::illegal_argument(reason)));
    if scale.is_nan() || scale <= 0.0 {
        return refuse("DecayFunctionParser : scale must be > 0.0.");
    }
    if offset.is_nan() || offset < 0.0 {
        return refuse("DecayFunctionParser : offset must be > 0.0");
    }
    Ok(())
}

fn not_a_number_field(name: &str, kind: &str) -> Error {
    failed_to_create(Error::illegal_argument(format!("Expected numeric type on field [{name}], but got [{kind}]")))
}
