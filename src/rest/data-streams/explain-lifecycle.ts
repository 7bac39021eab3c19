/** `GET {index}/_lifecycle/explain` and `GET _lifecycle/stats`: where indices of data streams stand in their lives. */
import type { JsonObject } from '../../base/json-value.js';
import { formatTime } from '../../base/units.js';
import { generationTimeMs } from '../../cluster/data-streams/data-stream-duties.js';
import { parentStream, writeIndexOf } from '../../cluster/data-streams/data-streams.js';
import { renderLifecycle } from '../../cluster/data-streams/data-stream-lifecycle.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import { rolledOverAtMs } from '../../cluster/lifecycle/rollover-target.js';
import type { ClusterState, IndexMetadata } from '../../cluster/state.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { namedIndices, stateReadParameters } from '../indices/index-names.js';
import { booleanParameter } from '../parameters.js';

export const explainDataLifecycleEndpoint = defineEndpoint({
  name: 'indices.explain_data_lifecycle',
  action: 'indices:admin/data_stream/lifecycle/explain',
  methods: ['GET'],
  paths: ['/{index}/_lifecycle/explain'],
  parameters: { ...stateReadParameters, include_defaults: booleanParameter(false) },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ parts }, context) {
    const indices = namedIndices(
      context,
      parts.index,
      { ...IndicesDefaults.expandOpenAndClosed, expandHidden: true },
      {},
    );
    const nowMs = context.clock.nowMs();
    const entries = indices.map((index) => [index.name, explain(context.clusterState(), index, nowMs)] as const);
    return answerValue({ indices: Object.fromEntries(entries) });
  },
});

function explain(state: ClusterState, index: IndexMetadata, nowMs: number): JsonObject {
  const stream = parentStream(state, index.name);
  const { lifecycle } = stream ?? {};
  if (stream === undefined || lifecycle?.enabled !== true) return { index: index.name, managed_by_lifecycle: false };
  const { creationDateMs } = index;
  const rolledOverMs = rolledOverAtMs(index, stream.name);
  const isWriteIndex = writeIndexOf(state, stream) === index;
  return {
    index: index.name,
    managed_by_lifecycle: true,
    index_creation_date_millis: creationDateMs,
    time_since_index_creation: formatTime(nowMs - creationDateMs),
    ...(rolledOverMs === undefined
      ? {}
      : { rollover_date_millis: rolledOverMs, time_since_rollover: formatTime(nowMs - rolledOverMs) }),
    ...(isWriteIndex ? {} : { generation_time: formatTime(nowMs - generationTimeMs(index, stream.name)) }),
    lifecycle: renderLifecycle(lifecycle),
  };
}

export const dataLifecycleStatsEndpoint = defineEndpoint({
  name: 'indices.get_data_lifecycle_stats',
  action: 'cluster:monitor/data_stream/lifecycle/stats',
  methods: ['GET'],
  paths: ['/_lifecycle/stats'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(_request, context) {
    const managed = [...context.clusterState().dataStreams.values()].filter(
      ({ lifecycle }) => lifecycle?.enabled === true,
    );
    return answerValue({
      data_stream_count: managed.length,
      data_streams: managed.map(({ name, indices }) => ({
        name,
        backing_indices_in_total: indices.length,
        // An index that its lifecycle cannot change is tried again at the next round; failures are not kept.
        backing_indices_in_error: 0,
      })),
    });
  },
});
