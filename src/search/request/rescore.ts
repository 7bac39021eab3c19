/** `rescore`: further queries over the best hits. */
import { illegalArgument } from '../../base/errors.js';
import type { Place } from '../body/place.js';
import { readInt, readNumber, readText } from '../body/read.js';
import type { QueryPlan } from '../plan/query-plan.js';
import type { RescoreMode, RescorePlan } from '../plan/search-plan.js';
import { parseQuery } from '../query/parse-query.js';
import type { SearchSettings } from '../settings.js';

const DEFAULT_WINDOW = 10;
const MODES: readonly RescoreMode[] = ['total', 'multiply', 'avg', 'max', 'min'];

export function readRescore(place: Place, settings: SearchSettings): readonly RescorePlan[] {
  return place.items().map((item) => readOne(item, settings));
}

function readWindow(place: Place): number {
  const window = readInt(place);
  if (window < 0) throw illegalArgument(`[window_size] cannot be negative, found [${window}]`);
  return window;
}

function readOne(place: Place, settings: SearchSettings): RescorePlan {
  let window = DEFAULT_WINDOW;
  let rescorer: Omit<RescorePlan, 'window'> | undefined;
  for (const [name, value] of place.members()) {
    if (name === 'window_size') window = readWindow(value);
    else if (name === 'query') rescorer = readQueryRescorer(value, settings);
    else if (value.isObject) throw value.errorWithPlace(`unknown field [${name}]`, 'named_object_not_found_exception');
    else throw value.error(`rescore doesn't support [${name}]`, 'illegal_argument_exception');
  }
  if (rescorer === undefined) throw place.error('missing rescore type');
  return { window, ...rescorer };
}

function readQueryRescorer(place: Place, settings: SearchSettings): Omit<RescorePlan, 'window'> {
  let query: QueryPlan | undefined;
  let query_weight = 1;
  let rescore_weight = 1;
  let mode: RescoreMode = 'total';
  for (const [name, value] of place.members()) {
    if (name === 'rescore_query') query = parseQuery(value, settings);
    else if (name === 'query_weight') query_weight = readNumber(value);
    else if (name === 'rescore_query_weight') rescore_weight = readNumber(value);
    else if (name === 'score_mode') mode = modeOf(readText(value));
    else throw value.errorWithPlace(`[query] unknown field [${name}]`);
  }
  if (query === undefined) throw illegalArgument('rescore_query cannot be null');
  return { query, query_weight, rescore_weight, mode };
}

function modeOf(text: string): RescoreMode {
  const mode = MODES.find((known) => known === text.toLowerCase());
  if (mode === undefined) throw illegalArgument(`illegal score_mode [${text}]`);
  return mode;
}

export function checkRescore(rescore: readonly RescorePlan[], settings: SearchSettings): void {
  for (const { window } of rescore) {
    if (window <= settings.maxRescoreWindow) continue;
    throw illegalArgument(
      `Rescore window [${window}] is too large. It must be less than [${settings.maxRescoreWindow}]. This prevents ` +
        'allocating massive heaps for storing the results to be rescored. This limit can be set by changing the ' +
        '[index.max_rescore_window] index level setting.',
    );
  }
}
