//! Types and classes that scripts can name.

use super::fault::Exception;
use super::heap::object::{Element, ListKind, MapKind, Object};
use super::heap::{Heap, Value};
use super::library::score;
use super::library::temporal::Temporal;

/// A class by its place in [`CLASSES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClassName(u16);

/// The static type of an expression or a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    Void,
    /// Known only when the script runs.
    Def,
    Bool,
    Byte,
    Short,
    Char,
    Int,
    Long,
    Float,
    Double,
    Text,
    Class(ClassName),
    /// Arrays of a type, with the number of dimensions.
    Array(ArrayOf, u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayOf {
    Element(Element),
    Class(ClassName),
}

/// Simple name, and where Java has it.
const CLASSES: &[(&str, &str)] = &[
    ("Object", "java.lang"),
    ("String", "java.lang"),
    ("Boolean", "java.lang"),
    ("Byte", "java.lang"),
    ("Short", "java.lang"),
    ("Character", "java.lang"),
    ("Integer", "java.lang"),
    ("Long", "java.lang"),
    ("Float", "java.lang"),
    ("Double", "java.lang"),
    ("Number", "java.lang"),
    ("Math", "java.lang"),
    ("StrictMath", "java.lang"),
    ("StringBuilder", "java.lang"),
    ("StringBuffer", "java.lang"),
    ("CharSequence", "java.lang"),
    ("Iterable", "java.lang"),
    ("Comparable", "java.lang"),
    ("Collection", "java.util"),
    ("List", "java.util"),
    ("ArrayList", "java.util"),
    ("LinkedList", "java.util"),
    ("Map", "java.util"),
    ("HashMap", "java.util"),
    ("LinkedHashMap", "java.util"),
    ("TreeMap", "java.util"),
    ("SortedMap", "java.util"),
    ("NavigableMap", "java.util"),
    ("Map.Entry", "java.util"),
    ("Set", "java.util"),
    ("HashSet", "java.util"),
    ("LinkedHashSet", "java.util"),
    ("TreeSet", "java.util"),
    ("SortedSet", "java.util"),
    ("NavigableSet", "java.util"),
    ("Queue", "java.util"),
    ("Deque", "java.util"),
    ("ArrayDeque", "java.util"),
    ("Stack", "java.util"),
    ("Vector", "java.util"),
    ("Iterator", "java.util"),
    ("ListIterator", "java.util"),
    ("Collections", "java.util"),
    ("Arrays", "java.util"),
    ("Objects", "java.util"),
    ("Optional", "java.util"),
    ("OptionalInt", "java.util"),
    ("OptionalLong", "java.util"),
    ("OptionalDouble", "java.util"),
    ("Comparator", "java.util"),
    ("Random", "java.util"),
    ("StringJoiner", "java.util"),
    ("Locale", "java.util"),
    ("UUID", "java.util"),
    ("IntSummaryStatistics", "java.util"),
    ("LongSummaryStatistics", "java.util"),
    ("DoubleSummaryStatistics", "java.util"),
    ("StringTokenizer", "java.util"),
    ("Base64", "java.util"),
    ("Base64.Decoder", "java.util"),
    ("Base64.Encoder", "java.util"),
    ("BitSet", "java.util"),
    ("PriorityQueue", "java.util"),
    ("Function", "java.util.function"),
    ("BiFunction", "java.util.function"),
    ("Predicate", "java.util.function"),
    ("BiPredicate", "java.util.function"),
    ("Consumer", "java.util.function"),
    ("BiConsumer", "java.util.function"),
    ("Supplier", "java.util.function"),
    ("UnaryOperator", "java.util.function"),
    ("BinaryOperator", "java.util.function"),
    ("ToIntFunction", "java.util.function"),
    ("ToLongFunction", "java.util.function"),
    ("ToDoubleFunction", "java.util.function"),
    ("IntFunction", "java.util.function"),
    ("IntPredicate", "java.util.function"),
    ("IntUnaryOperator", "java.util.function"),
    ("IntBinaryOperator", "java.util.function"),
    ("DoubleFunction", "java.util.function"),
    ("DoubleUnaryOperator", "java.util.function"),
    ("DoubleBinaryOperator", "java.util.function"),
    ("LongFunction", "java.util.function"),
    ("LongUnaryOperator", "java.util.function"),
    ("IntSupplier", "java.util.function"),
    ("DoubleSupplier", "java.util.function"),
    ("LongSupplier", "java.util.function"),
    ("BooleanSupplier", "java.util.function"),
    ("Stream", "java.util.stream"),
    ("IntStream", "java.util.stream"),
    ("LongStream", "java.util.stream"),
    ("DoubleStream", "java.util.stream"),
    ("Collectors", "java.util.stream"),
    ("Pattern", "java.util.regex"),
    ("Matcher", "java.util.regex"),
    ("ZonedDateTime", "java.time"),
    ("Instant", "java.time"),
    ("LocalDate", "java.time"),
    ("LocalTime", "java.time"),
    ("LocalDateTime", "java.time"),
    ("OffsetDateTime", "java.time"),
    ("Duration", "java.time"),
    ("Period", "java.time"),
    ("ZoneId", "java.time"),
    ("ZoneOffset", "java.time"),
    ("DayOfWeek", "java.time"),
    ("Month", "java.time"),
    ("Year", "java.time"),
    ("YearMonth", "java.time"),
    ("Clock", "java.time"),
    ("ChronoUnit", "java.time.temporal"),
    ("ChronoField", "java.time.temporal"),
    ("TemporalAdjuster", "java.time.temporal"),
    ("TemporalAdjusters", "java.time.temporal"),
    ("Temporal", "java.time.temporal"),
    ("TemporalAccessor", "java.time.temporal"),
    ("ChronoZonedDateTime", "java.time.chrono"),
    ("IsoFields", "java.time.temporal"),
    ("WeekFields", "java.time.temporal"),
    ("DateTimeFormatter", "java.time.format"),
    ("TextStyle", "java.time.format"),
    ("Debug", "org.elasticsearch.painless.api"),
    ("MovingFunctions", "org.elasticsearch.search.aggregations.pipeline"),
    (score::CLASS, "org.elasticsearch.script"),
    ("Field", "org.elasticsearch.script.field"),
    ("GeoPoint", "org.elasticsearch.common.geo"),
    ("JodaCompatibleZonedDateTime", "org.elasticsearch.script"),
    ("BigInteger", "java.math"),
    ("BigDecimal", "java.math"),
    ("ArithmeticException", "java.lang"),
    ("ArrayIndexOutOfBoundsException", "java.lang"),
    ("ClassCastException", "java.lang"),
    ("ConcurrentModificationException", "java.util"),
    ("DateTimeException", "java.time"),
    ("DateTimeParseException", "java.time.format"),
    ("Exception", "java.lang"),
    ("IllegalArgumentException", "java.lang"),
    ("IllegalStateException", "java.lang"),
    ("IndexOutOfBoundsException", "java.lang"),
    ("NegativeArraySizeException", "java.lang"),
    ("NoSuchElementException", "java.util"),
    ("NullPointerException", "java.lang"),
    ("NumberFormatException", "java.lang"),
    ("PatternSyntaxException", "java.util.regex"),
    ("RuntimeException", "java.lang"),
    ("StringIndexOutOfBoundsException", "java.lang"),
    ("UnsupportedOperationException", "java.lang"),
];

impl ClassName {
    /// By simple or full name.
    pub fn find(name: &str) -> Option<ClassName> {
        let place = CLASSES.iter().position(|(simple, package)| {
            *simple == name || name.strip_prefix(package).and_then(|rest| rest.strip_prefix('.')) == Some(*simple)
        });
        place.map(|place| ClassName(place as u16))
    }

    pub fn simple(self) -> &'static str {
        CLASSES[self.0 as usize].0
    }

    pub fn full(self) -> String {
        let (simple, package) = CLASSES[self.0 as usize];
        format!("{package}.{simple}")
    }

    pub fn exception(self) -> Option<Exception> {
        Exception::by_name(self.simple())
    }
}

impl Type {
    /// A type by its name; `None` when there is none.
    pub fn find(name: &str) -> Option<Type> {
        Some(match name {
            "def" | "Object" | "java.lang.Object" => Type::Def,
            "void" => Type::Void,
            "boolean" => Type::Bool,
            "byte" => Type::Byte,
            "short" => Type::Short,
            "char" => Type::Char,
            "int" => Type::Int,
            "long" => Type::Long,
            "float" => Type::Float,
            "double" => Type::Double,
            "String" | "java.lang.String" => Type::Text,
            other => Type::Class(ClassName::find(other)?),
        })
    }

    /// As messages have it.
    pub fn name(self) -> String {
        match self {
            Type::Void => "void".into(),
            Type::Def => "def".into(),
            Type::Bool => "boolean".into(),
            Type::Byte => "byte".into(),
            Type::Short => "short".into(),
            Type::Char => "char".into(),
            Type::Int => "int".into(),
            Type::Long => "long".into(),
            Type::Float => "float".into(),
            Type::Double => "double".into(),
            Type::Text => "java.lang.String".into(),
            Type::Class(class) => class.full(),
            Type::Array(of, dimensions) => {
                let of = match of {
                    ArrayOf::Element(element) => element.as_type().name(),
                    ArrayOf::Class(class) => class.full(),
                };
                format!("{of}{}", "[]".repeat(dimensions.into()))
            }
        }
    }

    pub fn is_numeric(self) -> bool {
        matches!(self, Type::Byte | Type::Short | Type::Char | Type::Int | Type::Long | Type::Float | Type::Double)
    }

    pub fn is_primitive(self) -> bool {
        self.is_numeric() || self == Type::Bool
    }

    /// The array type over this one.
    pub fn array(self, more: u8) -> Type {
        match self {
            Type::Array(of, dimensions) => Type::Array(of, dimensions.saturating_add(more)),
            Type::Class(class) => Type::Array(ArrayOf::Class(class), more),
            other => Type::Array(ArrayOf::Element(Element::of(other)), more),
        }
    }

    /// What indexing an array of this type gives.
    pub fn item(self) -> Type {
        match self {
            Type::Array(of, 1) => match of {
                ArrayOf::Element(element) => element.as_type(),
                ArrayOf::Class(class) => Type::Class(class),
            },
            Type::Array(of, dimensions) => Type::Array(of, dimensions - 1),
            _ => Type::Def,
        }
    }

    /// The primitive type that a class boxes.
    pub fn unboxed(self) -> Option<Type> {
        let Type::Class(class) = self else { return self.is_primitive().then_some(self) };
        Some(match class.simple() {
            "Boolean" => Type::Bool,
            "Byte" => Type::Byte,
            "Short" => Type::Short,
            "Character" => Type::Char,
            "Integer" => Type::Int,
            "Long" => Type::Long,
            "Float" => Type::Float,
            "Double" => Type::Double,
            _ => return None,
        })
    }
}

impl Element {
    pub fn of(item: Type) -> Element {
        match item {
            Type::Bool => Element::Bool,
            Type::Byte => Element::Byte,
            Type::Short => Element::Short,
            Type::Char => Element::Char,
            Type::Int => Element::Int,
            Type::Long => Element::Long,
            Type::Float => Element::Float,
            Type::Double => Element::Double,
            Type::Text => Element::Text,
            _ => Element::Any,
        }
    }

    pub fn as_type(self) -> Type {
        match self {
            Element::Any => Type::Def,
            Element::Bool => Type::Bool,
            Element::Byte => Type::Byte,
            Element::Short => Type::Short,
            Element::Char => Type::Char,
            Element::Int => Type::Int,
            Element::Long => Type::Long,
            Element::Float => Type::Float,
            Element::Double => Type::Double,
            Element::Text => Type::Text,
        }
    }

    /// What a new array is filled with.
    pub fn zero(self) -> Value {
        match self {
            Element::Any | Element::Text => Value::Null,
            Element::Bool => Value::Bool(false),
            Element::Byte => Value::Byte(0),
            Element::Short => Value::Short(0),
            Element::Char => Value::Char(0),
            Element::Int => Value::Int(0),
            Element::Long => Value::Long(0),
            Element::Float => Value::Float(0.0),
            Element::Double => Value::Double(0.0),
        }
    }
}

/// Java's name of the class of a value, for messages.
pub fn class_of(heap: &Heap, value: Value) -> String {
    let place = match value {
        Value::Null => return "null".into(),
        Value::Bool(_) => return "java.lang.Boolean".into(),
        Value::Byte(_) => return "java.lang.Byte".into(),
        Value::Short(_) => return "java.lang.Short".into(),
        Value::Char(_) => return "java.lang.Character".into(),
        Value::Int(_) => return "java.lang.Integer".into(),
        Value::Long(_) => return "java.lang.Long".into(),
        Value::Float(_) => return "java.lang.Float".into(),
        Value::Double(_) => return "java.lang.Double".into(),
        Value::Ref(place) => place,
    };
    match heap.get(place) {
        Object::List(list) => match list.kind {
            ListKind::List | ListKind::Unmodifiable => "java.util.ArrayList".into(),
            ListKind::Array(element) => element.as_type().array(1).name(),
            ListKind::Stream(_) => "java.util.stream.Stream".into(),
        },
        Object::Map(map) => match map.kind {
            MapKind::Tree => "java.util.TreeMap".into(),
            MapKind::Linked => "java.util.LinkedHashMap".into(),
            _ => "java.util.HashMap".into(),
        },
        Object::Exception { kind, .. } => ClassName::find(kind.name()).map_or_else(String::new, ClassName::full),
        Object::Temporal(temporal) => format!("java.time.{}", temporal.class()),
        Object::Library(library) => library.class().into(),
        other => simple_class(other).into(),
    }
}

fn simple_class(object: &Object) -> &'static str {
    match object {
        Object::Text(_) => "java.lang.String",
        Object::Set(_) => "java.util.HashSet",
        Object::Builder(_) => "java.lang.StringBuilder",
        Object::Function(_) => "java.util.function.Function",
        Object::Iterator { .. } => "java.util.Iterator",
        Object::Optional(_) => "java.util.Optional",
        Object::Entry { .. } => "java.util.Map.Entry",
        Object::Pattern(_) => "java.util.regex.Pattern",
        Object::Matcher(_) => "java.util.regex.Matcher",
        Object::Doc => "java.util.Map",
        Object::ScriptField(..) => "org.elasticsearch.script.field.Field",
        Object::DocField(_) => "org.elasticsearch.index.fielddata.ScriptDocValues",
        Object::GeoPoint { .. } => "org.elasticsearch.common.geo.GeoPoint",
        Object::Summary(_) => "java.util.DoubleSummaryStatistics",
        Object::StringJoiner(_) => "java.util.StringJoiner",
        _ => "java.lang.Object",
    }
}

/// `value instanceof class`; null is of no class.
pub fn is_instance(heap: &Heap, value: Value, wanted: Type) -> bool {
    if matches!(value, Value::Null) {
        return false;
    }
    match wanted {
        Type::Def => true,
        Type::Text => heap.as_text(value).is_some(),
        Type::Array(..) => heap.as_list(value).is_some_and(|list| matches!(list.kind, ListKind::Array(_))),
        Type::Class(class) => is_of_class(heap, value, class.simple()),
        other => matches!(
            (other, value),
            (Type::Bool, Value::Bool(_))
                | (Type::Byte, Value::Byte(_))
                | (Type::Short, Value::Short(_))
                | (Type::Char, Value::Char(_))
                | (Type::Int, Value::Int(_))
                | (Type::Long, Value::Long(_))
                | (Type::Float, Value::Float(_))
                | (Type::Double, Value::Double(_))
        ),
    }
}

fn is_of_class(heap: &Heap, value: Value, class: &str) -> bool {
    let place = match value {
        Value::Ref(place) => place,
        Value::Null => return false,
        Value::Bool(_) => return matches!(class, "Boolean" | "Comparable"),
        Value::Char(_) => return matches!(class, "Character" | "Comparable"),
        Value::Byte(_) => return matches!(class, "Byte" | "Number" | "Comparable"),
        Value::Short(_) => return matches!(class, "Short" | "Number" | "Comparable"),
        Value::Int(_) => return matches!(class, "Integer" | "Number" | "Comparable"),
        Value::Long(_) => return matches!(class, "Long" | "Number" | "Comparable"),
        Value::Float(_) => return matches!(class, "Float" | "Number" | "Comparable"),
        Value::Double(_) => return matches!(class, "Double" | "Number" | "Comparable"),
    };
    match heap.get(place) {
        Object::Text(_) => matches!(class, "CharSequence" | "Comparable"),
        Object::List(list) => match list.kind {
            ListKind::List => matches!(
                class,
                "List"
                    | "ArrayList"
                    | "LinkedList"
                    | "Collection"
                    | "Iterable"
                    | "Queue"
                    | "Deque"
                    | "Stack"
                    | "ArrayDeque"
                    | "Vector"
            ),
            ListKind::Unmodifiable => matches!(class, "List" | "Collection" | "Iterable"),
            ListKind::Stream(_) => class.ends_with("Stream"),
            ListKind::Array(_) => false,
        },
        Object::Map(map) => match map.kind {
            MapKind::Tree => matches!(class, "Map" | "TreeMap" | "SortedMap" | "NavigableMap"),
            MapKind::Linked => matches!(class, "Map" | "HashMap" | "LinkedHashMap"),
            MapKind::Hash => matches!(class, "Map" | "HashMap"),
            MapKind::Unmodifiable => class == "Map",
            MapKind::Bean => false,
        },
        Object::Set(_) => {
            matches!(
                class,
                "Set"
                    | "HashSet"
                    | "LinkedHashSet"
                    | "TreeSet"
                    | "SortedSet"
                    | "NavigableSet"
                    | "Collection"
                    | "Iterable"
            )
        }
        Object::Doc => class == "Map",
        Object::DocField(_) => matches!(class, "List" | "Collection" | "Iterable"),
        Object::Exception { kind, .. } => Exception::by_name(class).is_some_and(|wanted| kind.is_a(wanted)),
        Object::Function(_) => {
            class.ends_with("Function") || class.ends_with("Predicate") || class.ends_with("Consumer")
        }
        Object::Temporal(temporal) => is_temporal(temporal, class),
        Object::Builder(_) => matches!(class, "StringBuilder" | "StringBuffer" | "CharSequence"),
        Object::Library(library) => library.is_a(class),
        Object::ScriptField(..) => matches!(class, "Field" | "Iterable"),
        other => simple_class(other).ends_with(class),
    }
}

fn is_temporal(temporal: &Temporal, class: &str) -> bool {
    temporal.class() == class
        || matches!(class, "Temporal" | "TemporalAccessor" | "Comparable")
        || class == "TemporalAdjuster"
        || (temporal.class() == "ZonedDateTime"
            && matches!(class, "JodaCompatibleZonedDateTime" | "ChronoZonedDateTime"))
}
