//! Buckets of terms, besides those of `terms`.

use super::{Renderer, bound, member, string, term_key, write};
use crate::buckets::keys;
use crate::kinds::significance::PartialSignificant;
use crate::partial::{PartialTerms, TermKey};
use crate::plan::{Aggregation, IpPrefix, MultiTerms};
use quarry_base::error::Result;
use quarry_codec::sortable;
use quarry_mapping::format::{Format, Printer, ValueType, plain_double, term_text};
use serde_json::Value;

/// Bits of an IPv4 address, all of them set.
const IPV4_BITS: u32 = 32;

impl Renderer {
    /// Keys and counts alone.
    pub(super) fn listed(&self, plan: &Aggregation, terms: &PartialTerms, out: &mut Vec<u8>) -> Result<()> {
        let format = terms.format.clone().unwrap_or_else(|| Format::plain(ValueType::Text));
        let printer = format.printer()?;
        out.extend_from_slice(b"\"buckets\":[");
        for (place, term) in terms.buckets.iter().enumerate() {
            out.extend_from_slice(if place == 0 { b"{" } else { b",{" });
            term_key(&term.key, format.value_type, &printer, out);
            self.bucket(plan, &term.bucket, out)?;
            out.push(b'}');
        }
        out.push(b']');
        Ok(())
    }

    pub(super) fn significant(&self, plan: &Aggregation, terms: &PartialSignificant, out: &mut Vec<u8>) -> Result<()> {
        let format = terms.format.clone().unwrap_or_else(|| Format::plain(ValueType::Text));
        let printer = format.printer()?;
        write(out, format_args!("\"doc_count\":{},\"bg_count\":{},\"buckets\":[", terms.subset, terms.superset));
        for (place, term) in terms.buckets.iter().enumerate() {
            out.extend_from_slice(if place == 0 { b"{" } else { b",{" });
            term_key(&term.key, format.value_type, &printer, out);
            write(out, format_args!("\"doc_count\":{}", term.bucket.doc_count));
            write(out, format_args!(",\"score\":{},\"bg_count\":{}", plain_double(term.score), term.superset));
            self.level(&plan.aggs, &term.bucket.aggs, true, out)?;
            out.push(b'}');
        }
        out.push(b']');
        Ok(())
    }

    pub(super) fn multi_terms(
        &self,
        plan: &Aggregation,
        of: &MultiTerms,
        terms: &PartialTerms,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let error = bound(terms.error);
        write(
            out,
            format_args!(
                "\"doc_count_error_upper_bound\":{error},\"sum_other_doc_count\":{},\"buckets\":[",
                terms.other
            ),
        );
        let printers = terms.tuple_formats.iter().map(Format::printer).collect::<Result<Vec<_>>>()?;
        let types = terms.tuple_formats.iter().map(|format| format.value_type);
        let fields: Vec<(ValueType, &Printer)> = types.zip(&printers).collect();
        for (place, term) in terms.buckets.iter().enumerate() {
            out.extend_from_slice(if place == 0 { b"{" } else { b",{" });
            let parts = match &term.key {
                TermKey::Tuple(parts) => parts.as_slice(),
                _ => &[],
            };
            let values: Vec<String> = parts
                .iter()
                .zip(&fields)
                .map(|(part, (value_type, printer))| part_json(part, *value_type, printer))
                .collect();
            let texts: Vec<String> = parts
                .iter()
                .zip(&fields)
                .map(|(part, (value_type, printer))| keys::of_term(part, *value_type, printer))
                .collect();
            write(out, format_args!("\"key\":[{}],", values.join(",")));
            member("key_as_string", &texts.join("|"), out);
            if of.show_term_doc_count_error {
                let error = bound(terms.error.map(|_| term.error));
                write(out, format_args!("\"doc_count_error_upper_bound\":{error},"));
            }
            self.bucket(plan, &term.bucket, out)?;
            out.push(b'}');
        }
        out.push(b']');
        Ok(())
    }

    pub(super) fn ip_prefixes(
        &self,
        plan: &Aggregation,
        of: &IpPrefix,
        terms: &PartialTerms,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        out.extend_from_slice(if of.keyed { b"\"buckets\":{" } else { b"\"buckets\":[" });
        for (place, term) in terms.buckets.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            let TermKey::Bytes(network) = &term.key else { continue };
            let mut key = term_text(ValueType::Ip, network);
            if of.append_prefix_length {
                key.push_str(&format!("/{}", of.prefix_length));
            }
            if of.keyed {
                string(&key, out);
                out.extend_from_slice(b":{");
            } else {
                out.push(b'{');
                member("key", &key, out);
            }
            write(out, format_args!("\"is_ipv6\":{},", of.is_ipv6));
            write(out, format_args!("\"prefix_length\":{},", of.prefix_length));
            if !of.is_ipv6 {
                let mask = u32::MAX.checked_shl(IPV4_BITS.saturating_sub(of.prefix_length)).unwrap_or(0);
                member("netmask", &std::net::Ipv4Addr::from(mask).to_string(), out);
            }
            self.bucket(plan, &term.bucket, out)?;
            out.push(b'}');
        }
        out.push(if of.keyed { b'}' } else { b']' });
        Ok(())
    }
}

/// One part of a key as JSON: formatted where there is a format, dates and booleans too.
fn part_json(part: &TermKey, value_type: ValueType, printer: &Printer) -> String {
    match part {
        TermKey::Number(value) => match printer.number_as_string(value_type.number(*value)) {
            Some(printed) if value_type == ValueType::Boolean => printed,
            Some(printed) => Value::String(printed).to_string(),
            None if value_type == ValueType::UnsignedLong => sortable::to_u64(*value).to_string(),
            None if value_type.is_fractional() => plain_double(value_type.number(*value)),
            None => value.to_string(),
        },
        part => Value::String(keys::of_term(part, value_type, printer)).to_string(),
    }
}
