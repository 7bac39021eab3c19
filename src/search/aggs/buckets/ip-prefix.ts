/** `ip_prefix`: one bucket for each network of a given size. */
import { illegalArgument } from '../../../base/errors.js';
import { readBoolean, readInt, readLong } from '../../body/read.js';
import { atLeast, readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';

const IPV4_BITS = 32;
const IPV6_BITS = 128;

export const ipPrefixAggregation: AggregationParser = {
  name: 'ip_prefix',
  takesChildren: true,
  parse(place, { name }) {
    const options = new SourceOptions('ip_prefix');
    const flags = { is_ipv6: false, append_prefix_length: false, keyed: false };
    let prefixLength: number | undefined;
    let minDocCount = 1;
    readMembers(place, 'ip_prefix', {
      ...options.readers,
      prefix_length: (value) => void (prefixLength = readInt(value)),
      is_ipv6: (value) => void (flags.is_ipv6 = readBoolean(value)),
      append_prefix_length: (value) => void (flags.append_prefix_length = readBoolean(value)),
      keyed: (value) => void (flags.keyed = readBoolean(value)),
      min_doc_count: (value) => void (minDocCount = atLeast(readLong(value), 1, 'min_doc_count', name)),
    });
    if (prefixLength === undefined) throw place.error('Required [prefix_length]', 'illegal_argument_exception');
    const most = flags.is_ipv6 ? IPV6_BITS : IPV4_BITS;
    if (prefixLength < 0 || prefixLength > most) {
      throw illegalArgument(
        `[prefix_length] must be in range [0, ${most}] while value is [${prefixLength}] in [${name}]`,
      );
    }
    const source = options.source(place);
    return { ip_prefix: { source, prefix_length: prefixLength, ...flags, min_doc_count: minDocCount } };
  },
};
