/** `POST _search/scroll` and `DELETE _search/scroll`. */
import { keepAliveMs } from '../../actions/searches/contexts/keep-alive.js';
import { nextPage, releaseAllScrolls, releaseHeld } from '../../actions/searches/contexts/scroll.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { JsonObject, JsonValue } from '../../base/json-value.js';
import { validationFailure } from '../../search/request/combinations.js';
import { answerJson, answerValue } from '../answer.js';
import { defineEndpoint, type RestRequest } from '../endpoint.js';
import { booleanParameter, splitList, stringParameter } from '../parameters.js';
import { CLOSING_BRACE, openAnswer } from './search-call.js';

const PATHS = ['/_search/scroll', '/_search/scroll/{scroll_id}'] as const;

export const scroll = defineEndpoint({
  name: 'scroll',
  action: 'indices:data/read/scroll',
  methods: ['GET', 'POST'],
  paths: PATHS,
  parameters: {
    rest_total_hits_as_int: booleanParameter(false),
    scroll: stringParameter(),
    scroll_id: stringParameter(),
  },
  body: 'json',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters: given, body }, context) {
    const startedMs = context.clock.monotonicMs();
    const said = readScrollBody(body.object() ?? {});
    const scrollId = said.scrollId ?? parts.scroll_id ?? given.scroll_id;
    const keepAlive = said.scroll ?? given.scroll;
    if (scrollId === undefined) throw validationFailure(['scrollId is missing']);
    const keptMs = keepAlive === undefined ? undefined : keepAliveMs('scroll', keepAlive, context.clusterState());
    const totalAsInt = given.rest_total_hits_as_int;
    const answer = await nextPage({ scrollId, keepAliveMs: keptMs, totalAsInt }, context);
    const tookMs = Math.round(context.clock.monotonicMs() - startedMs);
    return answerJson([...openAnswer(answer, tookMs, totalAsInt, { _scroll_id: scrollId }), CLOSING_BRACE]);
  },
});

function readScrollBody(body: JsonObject): { readonly scrollId?: string; readonly scroll?: string } {
  let said: { scrollId?: string; scroll?: string } = {};
  for (const [name, value] of Object.entries(body)) {
    if (name === 'scroll_id' && typeof value === 'string') said = { ...said, scrollId: value };
    else if (name === 'scroll' && typeof value === 'string') said = { ...said, scroll: value };
    else throw unknownParameter(name);
  }
  return said;
}

function unknownParameter(name: string): QuarryError {
  return illegalArgument(
    `Unknown parameter [${name}] in request body or parameter is of the wrong type[${name === 'scroll_id' ? 'VALUE' : ''}] `,
  );
}

/** Every one of them. */
const ALL = '_all';

export const clearScroll = defineEndpoint({
  name: 'clear_scroll',
  action: {
    name: 'indices:data/read/scroll/clear',
    of: (request) => (clearsAll(request) ? 'cluster:admin/indices/scroll/clear_all' : 'indices:data/read/scroll/clear'),
    isOwn: (request) => !clearsAll(request),
  },
  methods: ['DELETE'],
  paths: PATHS,
  parameters: { scroll_id: stringParameter() },
  body: 'json',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters: given, body }, context) {
    const ids = idsOf(body.object()) ?? splitList(parts.scroll_id ?? given.scroll_id ?? '');
    if (ids.length === 0) throw validationFailure(['no scroll ids specified']);
    const freed = ids.includes(ALL) ? await releaseAllScrolls(context) : await releaseHeld(ids, 'scroll', context);
    return answerValue({ succeeded: true, num_freed: freed }, freed === 0 ? 404 : 200);
  },
});

/** Those of everybody. A list that cannot be read names none. */
function clearsAll({ parts, parameters, body }: RestRequest<{ readonly scroll_id?: string }>): boolean {
  const said = body.object()?.['scroll_id'] ?? parts.scroll_id ?? parameters['scroll_id'];
  const ids = Array.isArray(said) ? (said as readonly unknown[]) : splitList(typeof said === 'string' ? said : '');
  return ids.includes(ALL);
}

function idsOf(body: JsonObject | undefined): readonly string[] | undefined {
  if (body === undefined) return undefined;
  let ids: readonly string[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (name !== 'scroll_id' || value === undefined) throw unknownParameter(name);
    ids = textsOf(value);
  }
  return ids;
}

function textsOf(value: JsonValue): readonly string[] {
  const items = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  return items.map((item) => {
    if (typeof item === 'string') return item;
    throw illegalArgument('scroll_id array element should only contain scroll_id');
  });
}
