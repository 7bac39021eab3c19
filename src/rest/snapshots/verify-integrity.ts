/** `POST _snapshot/{repository}/_verify_integrity`: what of a repository is damaged or missing. */
import type { Anomaly, IntegrityReport } from '../../actions/snapshots/verify-integrity.js';
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { findRepository } from '../../cluster/changes/snapshots/repositories.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, bytesParameter, countParameter } from '../parameters.js';

const AT_ONCE = 8;
const AT_ONCE_MAX = 100;
/** Each has two pieces of 4 MiB in memory. */
const FILES_AT_ONCE = 2;
const FILES_AT_ONCE_MAX = 16;
const ANOMALIES = 10_000;
const ANOMALIES_MAX = 100_000;

export const verifyIntegrityEndpoint = defineEndpoint({
  name: 'snapshot.repository_verify_integrity',
  action: 'cluster:admin/repository/verify_integrity',
  methods: ['POST'],
  paths: ['/_snapshot/{repository}/_verify_integrity'],
  parameters: {
    meta_thread_pool_concurrency: countParameter(1, AT_ONCE_MAX, AT_ONCE_MAX),
    blob_thread_pool_concurrency: countParameter(1, FILES_AT_ONCE_MAX, FILES_AT_ONCE),
    snapshot_verification_concurrency: countParameter(1, AT_ONCE_MAX, AT_ONCE),
    index_verification_concurrency: countParameter(1, AT_ONCE_MAX, AT_ONCE),
    index_snapshot_verification_concurrency: countParameter(1, AT_ONCE_MAX, 1),
    max_failed_shard_snapshots: countParameter(1, ANOMALIES_MAX, ANOMALIES),
    verify_blob_contents: booleanParameter(false),
    max_bytes_per_sec: bytesParameter(1, Number.MAX_SAFE_INTEGER, 40 * 1024 ** 2),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  distribution: 'elasticsearch',
  async handle({ parts, parameters, sentParameters }, context) {
    const isReading = parameters.verify_blob_contents;
    const idle = ['blob_thread_pool_concurrency', 'max_bytes_per_sec'].find((name) => sentParameters.has(name));
    if (!isReading && idle !== undefined)
      throw illegalArgument(`[${idle}] has a meaning with [verify_blob_contents] only`);
    const record = findRepository(context.clusterState(), parts.repository);
    const repository = context.repositories.ofRecord(record);
    if (!repository.store.isListable) {
      throw illegalArgument(`repository [${record.name}] cannot be listed, which is needed to look for its files`);
    }
    // Seldom asked for: no thread loads it before.
    const { verifyIntegrity } = await import('../../actions/snapshots/verify-integrity.js');
    const report = await verifyIntegrity(context, record, {
      snapshotsAtOnce: parameters.snapshot_verification_concurrency,
      indicesAtOnce: parameters.index_verification_concurrency,
      shardsAtOnce: parameters.index_snapshot_verification_concurrency,
      metadataAtOnce: parameters.meta_thread_pool_concurrency,
      contents: isReading
        ? { filesAtOnce: parameters.blob_thread_pool_concurrency, bytesPerSecond: parameters.max_bytes_per_sec }
        : undefined,
      anomaliesMax: parameters.max_failed_shard_snapshots,
    });
    const nowMs = context.clock.nowMs();
    return answerValue({
      log: report.anomalies.map((anomaly) => renderAnomaly(anomaly, nowMs)),
      results: renderResults(record.name, report),
    });
  },
});

function renderAnomaly({ what, error, snapshot, index, shard }: Anomaly, nowMs: number): JsonObject {
  return {
    timestamp_in_millis: nowMs,
    timestamp: new Date(nowMs).toISOString(),
    ...(snapshot === undefined ? {} : { snapshot: { snapshot: snapshot.name, uuid: snapshot.uuid } }),
    ...(index === undefined ? {} : { index: { name: index.name, id: index.id } }),
    ...(shard === undefined ? {} : { shard_id: shard }),
    anomaly: what,
    ...(error === undefined ? {} : { exception: { type: error.type, reason: error.reason } }),
  };
}

function renderResults(name: string, report: IntegrityReport): JsonObject {
  const { anomalies, snapshots, indices, indexSnapshots, root, finalGeneration } = report;
  const all = (total: number): JsonObject => ({ verified: total, total });
  const passed = anomalies.length === 0 ? 'pass' : 'fail';
  return {
    status: {
      repository: { name, uuid: root.uuid, generation: root.generation },
      snapshots: all(snapshots),
      indices: all(indices),
      index_snapshots: all(indexSnapshots),
    },
    final_repository_generation: finalGeneration,
    total_anomalies: anomalies.length,
    // What was found while somebody wrote may be of what was just removed.
    result: finalGeneration === root.generation ? passed : 'inconclusive',
  };
}
