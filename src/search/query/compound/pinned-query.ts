/** `pinned`: some documents first, then what a query finds. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readStrings, readText } from '../../body/read.js';
import type { QueryPlan } from '../../plan/query-plan.js';
import type { PinnedPlan } from '../../plan/score-plans.js';
import { CommonOptions, readOptions, type QueryParser } from '../query-parser.js';

const NAME = 'pinned';
const DOCUMENTS_MAX = 100;

type Documents = PinnedPlan['documents'];

function readDocument(place: Place): Documents[number] {
  let id: string | undefined;
  let index: string | undefined;
  for (const [name, value] of place.members()) {
    if (name === '_id') id = readText(value);
    else if (name === '_index') index = readText(value);
    else throw value.errorWithPlace(`[pinned] unknown field [${name}]`);
  }
  if (id === undefined) throw place.error('Required [_id]', 'illegal_argument_exception');
  return { id, ...(index === undefined ? {} : { index }) };
}

export const pinnedQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const common = new CommonOptions(NAME);
    let organic: QueryPlan | undefined;
    let ids: Documents | undefined;
    let documents: Documents | undefined;
    readOptions(place, NAME, {
      ...common.readers,
      organic: (value) => void (organic = context.parseQuery(value)),
      ids: (value) => void (ids = readStrings(value).map((id) => ({ id }))),
      docs: (value) => void (documents = value.items().map(readDocument)),
    });
    if (organic === undefined) throw place.error(`[${NAME}] query requires an 'organic' query`);
    if (ids !== undefined && documents !== undefined) throw illegalArgument('[ids] and [docs] cannot be used together');
    const pinned = ids ?? documents;
    if (pinned === undefined) throw illegalArgument(`[${NAME}] query requires [ids] or [docs]`);
    if (pinned.length > DOCUMENTS_MAX)
      throw illegalArgument(`[${NAME}] Maximum number of pinned documents is ${DOCUMENTS_MAX}`);
    return common.named({ pinned: { organic, documents: pinned, ...common.boosted } });
  },
};
