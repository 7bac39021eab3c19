/** `terms`: one bucket for each distinct value; `rare_terms`: for those of few documents. */
import { illegalArgument } from '../../../base/errors.js';
import { readInt, readNumber } from '../../body/read.js';
import { readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';
import { SelectionOptions } from './selection.js';
import { checkChoice, TermsCutOptions } from './terms-cut.js';

const EXECUTION_HINTS: ReadonlySet<string> = new Set(['map', 'global_ordinals']);
/** Documents that a rare term may have at most. */
const RARE_MAX = 100;
const PRECISION_MIN = 0.00001;

const terms: AggregationParser = {
  name: 'terms',
  takesChildren: true,
  parse(place, { name, settings }) {
    const options = new SourceOptions('terms');
    const cut = new TermsCutOptions(name);
    const selection = new SelectionOptions(settings);
    let byMap = false;
    readMembers(place, 'terms', {
      ...options.readers,
      ...cut.readers,
      ...selection.readers,
      // The answer is the same, and the kernels have one way: it says what a profile calls that.
      execution_hint: (value) => {
        byMap = checkChoice(value, EXECUTION_HINTS) === 'map';
      },
    });
    const hints = { by_map: byMap, breadth_first: cut.isBreadthFirst };
    return { terms: { source: options.source(place), ...cut.plan(), ...selection.plan(), ...hints } };
  },
};

const rareTerms: AggregationParser = {
  name: 'rare_terms',
  takesChildren: true,
  parse(place, { name, settings }) {
    const options = new SourceOptions('rare_terms');
    const selection = new SelectionOptions(settings);
    let most = 1;
    readMembers(place, 'rare_terms', {
      ...options.readers,
      ...selection.readers,
      max_doc_count: (value) => {
        most = readInt(value);
        if (most <= 0) {
          throw illegalArgument(`[max_doc_count] must be greater than 0. Found [${most}] in [${name}]`);
        }
        if (most > RARE_MAX) {
          throw illegalArgument(`[max_doc_count] must be smaller than ${RARE_MAX}. Found [${most}] in [${name}]`);
        }
      },
      // What is frequent is known exactly here.
      precision: (value) => {
        if (readNumber(value) < PRECISION_MIN) {
          throw illegalArgument('[precision] must be greater than 0.00001');
        }
      },
    });
    return { rare_terms: { source: options.source(place), max_doc_count: most, ...selection.plan() } };
  },
};

export const termsAggregations: readonly AggregationParser[] = [terms, rareTerms];
