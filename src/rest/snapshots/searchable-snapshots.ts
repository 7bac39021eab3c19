/** `_searchable_snapshots`: what nodes have of mounted indices. What it takes is loaded with the first request. */
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { enumParameter, indicesOptionsParameters, timeParameter } from '../parameters.js';

const common = { body: 'none', pool: 'management', placement: 'any', distribution: 'elasticsearch' } as const;

export const mountStatsEndpoint = defineEndpoint({
  name: 'searchable_snapshots.stats',
  action: 'cluster:monitor/xpack/searchable_snapshots/stats',
  methods: ['GET'],
  paths: ['/_searchable_snapshots/stats', '/{index}/_searchable_snapshots/stats'],
  parameters: { ...indicesOptionsParameters, level: enumParameter(['cluster', 'indices', 'shards']) },
  ...common,
  async handle({ parts, parameters, presentation }, context) {
    const { mountStats } = await import('./mount-stats.js');
    return answerValue(await mountStats(context, parts.index, parameters, presentation.human));
  },
});

export const clearMountCacheEndpoint = defineEndpoint({
  name: 'searchable_snapshots.clear_cache',
  action: 'cluster:admin/xpack/searchable_snapshots/cache/clear',
  methods: ['POST'],
  paths: ['/_searchable_snapshots/cache/clear', '/{index}/_searchable_snapshots/cache/clear'],
  parameters: indicesOptionsParameters,
  ...common,
  async handle({ parts, parameters }, context) {
    const { clearMountCache } = await import('./mount-stats.js');
    return answerValue(await clearMountCache(context, parts.index, parameters));
  },
});

export const mountCacheStatsEndpoint = defineEndpoint({
  name: 'searchable_snapshots.cache_stats',
  action: 'cluster:monitor/xpack/searchable_snapshots/cache/stats',
  methods: ['GET'],
  paths: ['/_searchable_snapshots/cache/stats', '/_searchable_snapshots/{node_id}/cache/stats'],
  parameters: { timeout: timeParameter(30_000) },
  ...common,
  async handle({ parts, parameters, presentation }, context) {
    const { mountCacheStats } = await import('./mount-stats.js');
    return answerValue(await mountCacheStats(context, parts.node_id, parameters.timeout, presentation.human));
  },
});
