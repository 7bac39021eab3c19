//! Kinds of buckets that need more than a key and a count.

use super::{Renderer, json, member, string, write};
use crate::dates::units::Units;
use crate::kinds::composite;
use crate::kinds::composite::PartialComposite;
use crate::kinds::ip_range::{IpEnds, address_text};
use crate::partial::{PartialAutoHistogram, PartialBuckets, PartialVariableWidth};
use crate::plan::{Aggregation, Composite, IpRange};
use quarry_base::error::Result;
use quarry_mapping::format::plain_double;
use serde_json::Value;

impl Renderer {
    pub(super) fn ip_ranges(
        &self,
        plan: &Aggregation,
        of: &IpRange,
        buckets: &PartialBuckets,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let ends = of.ranges.iter().map(IpEnds::new).collect::<Result<Vec<_>>>()?;
        let mut order: Vec<usize> = (0..buckets.buckets.len().min(ends.len())).collect();
        order.sort_by_key(|&place| ends[place].order());
        out.extend_from_slice(if of.keyed { b"\"buckets\":{" } else { b"\"buckets\":[" });
        for (nth, place) in order.into_iter().enumerate() {
            if nth > 0 {
                out.push(b',');
            }
            let range = &ends[place];
            if of.keyed {
                string(&range.key(), out);
                out.extend_from_slice(b":{");
            } else {
                out.push(b'{');
                member("key", &range.key(), out);
            }
            for (name, end) in [("from", range.from), ("to", range.to)] {
                if let Some(end) = end {
                    member(name, &address_text(&end), out);
                }
            }
            self.bucket(plan, &buckets.buckets[place], out)?;
            out.push(b'}');
        }
        out.push(if of.keyed { b'}' } else { b']' });
        Ok(())
    }

    pub(super) fn auto_histogram(
        &self,
        plan: &Aggregation,
        histogram: &PartialAutoHistogram,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let printer = histogram.format.printer()?;
        out.extend_from_slice(b"\"buckets\":[");
        for (place, (key, bucket)) in histogram.buckets.iter().enumerate() {
            out.extend_from_slice(if place == 0 { b"{" } else { b",{" });
            member("key_as_string", &printer.number_or_plain(*key as f64), out);
            write(out, format_args!("\"key\":{key},"));
            self.bucket(plan, bucket, out)?;
            out.push(b'}');
        }
        let interval = Value::String(Units::interval(histogram.unit, histogram.step));
        out.extend_from_slice(b"],\"interval\":");
        json(&interval, out);
        Ok(())
    }

    pub(super) fn composite(
        &self,
        plan: &Aggregation,
        of: &Composite,
        found: &PartialComposite,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let printers = composite::printers(of, found)?;
        if let Some(after) = &found.after {
            write(out, format_args!("\"after_key\":{},", composite::key_json(&printers, after)));
        }
        out.extend_from_slice(b"\"buckets\":[");
        for (place, (key, bucket)) in found.buckets.iter().enumerate() {
            out.extend_from_slice(if place == 0 { b"{" } else { b",{" });
            write(out, format_args!("\"key\":{},", composite::key_json(&printers, key)));
            self.bucket(plan, bucket, out)?;
            out.push(b'}');
        }
        out.push(b']');
        Ok(())
    }

    pub(super) fn clusters(
        &self,
        plan: &Aggregation,
        histogram: &PartialVariableWidth,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let printer = histogram.format.printer()?;
        out.extend_from_slice(b"\"buckets\":[");
        for (place, cluster) in histogram.buckets.iter().enumerate() {
            out.extend_from_slice(if place == 0 { b"{" } else { b",{" });
            for (name, value) in [("min", cluster.min), ("key", cluster.centre), ("max", cluster.max)] {
                if let Some(printed) = printer.number_as_string(value) {
                    member(&format!("{name}_as_string"), &printed, out);
                }
                write(out, format_args!("\"{name}\":{},", plain_double(value)));
            }
            self.bucket(plan, &cluster.bucket, out)?;
            out.push(b'}');
        }
        out.push(b']');
        Ok(())
    }
}
