/** `t_test`: how likely two samples are to have one mean. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readInt, readText } from '../../body/read.js';
import type { QueryPlan } from '../../plan/query-plan.js';
import { readMembers, SourceOptions, type AggregationContext, type AggregationParser } from '../aggregation-parser.js';
import type { SourcePlan } from '../aggregation-plan.js';

const KINDS: ReadonlySet<string> = new Set(['paired', 'homoscedastic', 'heteroscedastic']);

interface Population {
  readonly source: SourcePlan;
  readonly filter?: QueryPlan;
}

export const tTestAggregation: AggregationParser = {
  name: 't_test',
  takesChildren: false,
  parse(place, context) {
    const { name } = context;
    let a: Population | undefined;
    let b: Population | undefined;
    let kind = 'heteroscedastic';
    let tails = 2;
    readMembers(place, 't_test', {
      a: (value) => void (a = readPopulation(value, context)),
      b: (value) => void (b = readPopulation(value, context)),
      type: (value) => {
        kind = readText(value).toLowerCase();
        if (!KINDS.has(kind)) throw illegalArgument(`[type] of [${name}] must be one of [${[...KINDS].join(', ')}]`);
      },
      tails: (value) => {
        tails = readInt(value);
        if (tails !== 1 && tails !== 2) throw illegalArgument(`[tails] must be 1 or 2. Found [${tails}] in [${name}]`);
      },
    });
    if (a === undefined) throw illegalArgument(`[a] is required in [${name}]`);
    if (b === undefined) throw illegalArgument(`[b] is required in [${name}]`);
    if (kind === 'paired' && (a.filter !== undefined || b.filter !== undefined)) {
      throw illegalArgument("Paired t-test doesn't support filters");
    }
    return { t_test: { a, b, kind, tails } };
  },
};

function readPopulation(place: Place, context: AggregationContext): Population {
  const options = new SourceOptions('t_test');
  let filter: QueryPlan | undefined;
  readMembers(place, String(place.step), {
    ...options.readersOf('field', 'missing', 'script'),
    filter: (value) => void (filter = context.parseQuery(value)),
  });
  return { source: options.source(place), ...(filter === undefined ? {} : { filter }) };
}
