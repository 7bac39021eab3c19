/** The `inner_hits` of collapsed hits: a search of its own for each shown value and list. */
import { runLimited } from '../../../base/run-limited.js';
import type { JsonScalar } from '../../../base/json-value.js';
import { innerHitsPlan, type CollapseRequest } from '../../../search/request/collapse.js';
import type { InnerHits } from '../../../search/request/inner-hits.js';
import type { ActionContext } from '../../context.js';
import { search, type HitExpansion, type SearchRequest } from '../search.js';

/** Searches at once where the request does not say how many. */
const CONCURRENT_SEARCHES = 10;

/** `undefined` when nothing more is shown of the values. */
export function collapsedExpansion(collapse: CollapseRequest, request: SearchRequest): HitExpansion | undefined {
  const { field, innerHits } = collapse;
  if (innerHits.length === 0) return undefined;
  return async (reduced, context) => {
    const values = reduced.groups();
    const searches = values.flatMap((value) => innerHits.map((inner) => ({ value, inner })));
    const limit = collapse.concurrentSearches ?? CONCURRENT_SEARCHES;
    const lists = await runLimited(searches, limit, context.loop, ({ value, inner }) =>
      innerList(field, value, inner, request, context),
    );
    return values.map((_, at) => {
      const own = lists.slice(at * innerHits.length, (at + 1) * innerHits.length);
      return Buffer.concat([OPENING, ...own.flatMap((list, place) => (place === 0 ? [list] : [COMMA, list])), CLOSING]);
    });
  };
}

const OPENING = Buffer.from(',"inner_hits":{');
const COMMA = Buffer.from(',');
const CLOSING = Buffer.from('}');
const NO_HITS = Buffer.from('{"total":{"value":0,"relation":"eq"},"max_score":null,"hits":[]}');

/** `"name":{"hits":{..}}` */
async function innerList(
  field: string,
  value: JsonScalar,
  inner: InnerHits,
  request: SearchRequest,
  context: ActionContext,
): Promise<Buffer> {
  const { settings, targets, copies, allowPartial, pit } = request;
  const plan = innerHitsPlan(request.plan, field, value, inner, settings);
  const answer = await search(
    { plan, settings, targets, copies, allowPartial, ...(pit === undefined ? {} : { pit }) },
    context,
  );
  const name = JSON.stringify(inner.name === '' ? field : inner.name);
  return Buffer.concat([Buffer.from(`${name}:{"hits":`), answer.result?.hits ?? NO_HITS, CLOSING]);
}
