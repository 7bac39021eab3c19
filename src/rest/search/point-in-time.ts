/** Points in time in both of their shapes: `_pit`, and `_search/point_in_time`. */
import type { ActionContext } from '../../actions/context.js';
import { parsePreference } from '../../actions/copy-preference.js';
import { decodeContextId } from '../../actions/searches/contexts/context-id.js';
import { ownerOf } from '../../actions/searches/contexts/seal.js';
import { keepOf } from '../../actions/searches/contexts/keep-alive.js';
import { closeAllPits, listPits, openPit, type OpenedPit } from '../../actions/searches/contexts/point-in-time.js';
import { filteredTargets } from '../../actions/searches/index-filter.js';
import { releaseHeld } from '../../actions/searches/contexts/scroll.js';
import { searchTargets, type SearchTarget } from '../../actions/searches/shards/search-targets.js';
import { renderShards } from '../../actions/searches/shards/shard-failures.js';
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject, JsonValue } from '../../base/json-value.js';
import { Place } from '../../search/body/place.js';
import { validationFailure } from '../../search/request/combinations.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, stringParameter } from '../parameters.js';
import { scopeParameters, searchScope, type ScopeParameters } from './search-parameters.js';

interface OpenParameters extends ScopeParameters {
  readonly keep_alive: string | undefined;
}

async function open(
  index: string,
  given: OpenParameters,
  shape: { readonly allowPartial: boolean; readonly hasTiebreaker: boolean; readonly filter?: Place },
  context: ActionContext,
): Promise<OpenedPit> {
  if (given.keep_alive === undefined) throw validationFailure(['[keep_alive] is not specified']);
  const state = context.clusterState();
  const keep = keepOf('pit', given.keep_alive, context);
  const targets = searchTargets(state, searchScope(index, given), context.clock.nowMs());
  const { copies } = parsePreference(given.preference);
  const { filter, ...others } = shape;
  const chosen = filter === undefined ? targets : await filteredTargets(targets, filter, copies, context);
  const skipped = shardCount(targets) - shardCount(chosen);
  return openPit({ targets: chosen, skipped, copies, keep, ...others }, context);
}

function shardCount(targets: readonly SearchTarget[]): number {
  return targets.reduce((sum, { shards }) => sum + shards.length, 0);
}

export const openPointInTime = defineEndpoint({
  name: 'open_point_in_time',
  action: 'indices:data/read/open_point_in_time',
  methods: ['POST'],
  paths: ['/{index}/_pit'],
  parameters: {
    ...scopeParameters,
    allow_partial_search_results: booleanParameter(false),
    keep_alive: stringParameter(),
  },
  body: 'json',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters: given, body }, context) {
    let filter: { readonly filter?: Place } = {};
    for (const [name, value] of Place.ofBody(body.isEmpty ? undefined : body).members()) {
      if (name === 'index_filter') filter = { filter: value };
      else throw value.errorWithPlace(`[open_point_in_time] unknown field [${name}]`);
    }
    const shape = { allowPartial: given.allow_partial_search_results, hasTiebreaker: true, ...filter };
    const { pitId, shards } = await open(parts.index, given, shape, context);
    return answerValue({ id: pitId, _shards: renderShards(shards) });
  },
});

export const closePointInTime = defineEndpoint({
  name: 'close_point_in_time',
  action: { name: 'indices:data/read/close_point_in_time', isOwn: () => true },
  methods: ['DELETE'],
  paths: ['/_pit'],
  parameters: {},
  body: 'json',
  pool: 'search',
  placement: 'any',
  async handle({ body }, context) {
    const { id, ...others } = body.requireObject();
    for (const name of Object.keys(others)) throw illegalArgument(`[close_point_in_time] unknown field [${name}]`);
    if (typeof id !== 'string' || id === '') throw validationFailure(['id is empty']);
    const freed = await releaseHeld([id], 'pit', context);
    return answerValue({ succeeded: true, num_freed: freed }, freed === 0 ? 404 : 200);
  },
});

export const createPit = defineEndpoint({
  name: 'create_pit',
  action: 'indices:data/read/point_in_time/create',
  methods: ['POST'],
  paths: ['/{index}/_search/point_in_time'],
  parameters: {
    ...scopeParameters,
    allow_partial_pit_creation: booleanParameter(true),
    keep_alive: stringParameter(),
  },
  body: 'none',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters: given }, context) {
    const shape = { allowPartial: given.allow_partial_pit_creation, hasTiebreaker: false };
    const { pitId, shards, createdMs } = await open(parts.index, given, shape, context);
    return answerValue({ pit_id: pitId, _shards: renderShards(shards), creation_time: createdMs });
  },
});

export const getAllPits = defineEndpoint({
  name: 'get_all_pits',
  action: 'indices:data/read/point_in_time/readall',
  methods: ['GET'],
  paths: ['/_search/point_in_time/_all'],
  parameters: {},
  body: 'none',
  pool: 'search',
  placement: 'any',
  async handle(_request, context) {
    const pits = await listPits(context);
    return answerValue({
      pits: pits.map(({ pitId, createdMs, keepAliveMs }) => ({
        pit_id: pitId,
        creation_time: createdMs,
        keep_alive: keepAliveMs,
      })),
    });
  },
});

export const deleteAllPits = defineEndpoint({
  name: 'delete_all_pits',
  action: 'indices:data/read/point_in_time/delete',
  methods: ['DELETE'],
  paths: ['/_search/point_in_time/_all'],
  parameters: {},
  body: 'none',
  pool: 'search',
  placement: 'any',
  async handle(_request, context) {
    return answerValue({ pits: deleted(await closeAllPits(context)) });
  },
});

export const deletePit = defineEndpoint({
  name: 'delete_pit',
  action: { name: 'indices:data/read/point_in_time/delete', isOwn: () => true },
  methods: ['DELETE'],
  paths: ['/_search/point_in_time'],
  parameters: {},
  body: 'json',
  pool: 'search',
  placement: 'any',
  async handle({ body }, context) {
    const ids = pitIds(body.requireObject());
    if (ids.length === 0) throw validationFailure(['no pit ids specified']);
    for (const id of ids) decodeContextId(id, 'pit', ownerOf(context));
    // One that is gone already is as closed as it can be.
    await releaseHeld(ids, 'pit', context);
    return answerValue({ pits: deleted(ids) });
  },
});

function deleted(ids: readonly string[]): readonly JsonObject[] {
  return ids.map((id) => ({ successful: true, pit_id: id }));
}

function pitIds(body: JsonObject): readonly string[] {
  const { pit_id: value, ...others } = body;
  for (const name of Object.keys(others)) throw illegalArgument(`Unknown parameter [${name}] in request body`);
  const items = Array.isArray(value) ? (value as readonly JsonValue[]) : value === undefined ? [] : [value];
  return items.map((item) => {
    if (typeof item === 'string') return item;
    throw illegalArgument('pit_id array element should only contain PIT identifier');
  });
}
