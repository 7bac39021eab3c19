//! `ip_prefix`: one bucket for each network of a given size that addresses lie in.

use crate::collect::tables::keyed_buckets::KeyedBuckets;
use crate::collect::values::OrdinalValues;
use crate::collect::values::term_ids::TermIds;
use crate::collect::{Batch, Collector, Context, build};
use crate::partial::{Partial, PartialTerms, TermKey};
use crate::plan::{Aggregation, IpPrefix};
use crate::source::{Accepts, FieldSource, MissingValue};
use quarry_base::error::Result;
use quarry_query::view::SegmentView;
use quarry_segment::reader::FieldReader;

/// Bits before an IPv4 address in its 16 bytes.
const IPV4_BITS_BEFORE: u32 = 96;

pub struct IpPrefixCollector<'a> {
    source: FieldSource,
    mask: u128,
    ordinals: OrdinalValues<'a>,
    reader: Option<&'a FieldReader>,
    networks: TermIds,
    buckets: KeyedBuckets<'a>,
}

impl<'a> IpPrefixCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &IpPrefix, name: &str, aggs: &'a [Aggregation]) -> Result<Self> {
        let bits = plan.prefix_length + if plan.is_ipv6 { 0 } else { IPV4_BITS_BEFORE };
        Ok(IpPrefixCollector {
            source: FieldSource::resolve(context.view, &plan.source, name, Accepts::Addresses, context.env.now_ms)?,
            mask: u128::MAX.checked_shl(128u32.saturating_sub(bits)).unwrap_or(0),
            ordinals: OrdinalValues::new(),
            reader: None,
            networks: TermIds::default(),
            buckets: KeyedBuckets::new(context, build(context, aggs)?),
        })
    }
}

fn network(address: &[u8], mask: u128) -> [u8; 16] {
    let address: [u8; 16] = address.try_into().unwrap_or_default();
    (u128::from_be_bytes(address) & mask).to_be_bytes()
}

impl<'a> Collector<'a> for IpPrefixCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.reader = self.source.reader(segment);
        self.ordinals.start_segment(self.reader.and_then(FieldReader::ordinals));
        self.buckets.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let missing = match &self.source.missing {
            Some(MissingValue::Term(address)) => Some(network(address, self.mask)),
            _ => None,
        };
        let postings = self.reader.and_then(FieldReader::postings);
        let (networks, buckets, mask) = (&mut self.networks, &mut self.buckets, self.mask);
        let mut term = Vec::new();
        buckets.begin();
        self.ordinals.for_each(&batch, |place, ordinals| {
            let mut take = |network: [u8; 16]| {
                let id = networks.id(&network, buckets.budget())?;
                buckets.add(&batch, place, i64::from(id))
            };
            let mut before = None;
            for &ordinal in ordinals {
                let Some(postings) = postings else { break };
                postings.term(ordinal, &mut term)?;
                // Addresses ascend, so those of one network are neighbours: a document counts once.
                let network = network(&term, mask);
                if before.replace(network) != Some(network) {
                    take(network)?;
                }
            }
            match missing {
                Some(network) if ordinals.is_empty() => take(network),
                _ => Ok(()),
            }
        })?;
        self.buckets.send(&batch)
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        let networks = &self.networks;
        let lists = self.buckets.finish_terms(owner_count, |id| TermKey::Bytes(networks.term(id as u32).to_vec()))?;
        let partial = |buckets| {
            let format = Some(self.source.format.clone());
            Partial::Terms(PartialTerms { format, tuple_formats: Vec::new(), buckets, other: 0, error: Some(0) })
        };
        Ok(lists.into_iter().map(partial).collect())
    }
}
