/** `POST _snapshot/{repository}/_verify_integrity`: what of a repository is damaged or missing. */
import type { Anomaly, IntegrityReport } from '../../actions/snapshots/verify-integrity.js';
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { findRepository } from '../../cluster/changes/snapshots/repositories.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, countParameter } from '../parameters.js';

const AT_ONCE = 8;
const AT_ONCE_MAX = 100;
const ANOMALIES = 10_000;
const ANOMALIES_MAX = 100_000;

export const verifyIntegrityEndpoint = defineEndpoint({
  name: 'snapshot.repository_verify_integrity',
  action: 'cluster:admin/repository/verify_integrity',
  methods: ['POST'],
  paths: ['/_snapshot/{repository}/_verify_integrity'],
  parameters: {
    snapshot_verification_concurrency: countParameter(1, AT_ONCE_MAX, AT_ONCE),
    index_verification_concurrency: countParameter(1, AT_ONCE_MAX, AT_ONCE),
    max_failed_shard_snapshots: countParameter(1, ANOMALIES_MAX, ANOMALIES),
    verify_blob_contents: booleanParameter(false),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  distribution: 'elasticsearch',
  async handle({ parts, parameters }, context) {
    if (parameters.verify_blob_contents) {
      throw illegalArgument('[verify_blob_contents] may be [false] only: contents of files are verified by a restore');
    }
    const record = findRepository(context.clusterState(), parts.repository);
    const repository = context.repositories.ofRecord(record);
    if (!repository.store.isListable) {
      throw illegalArgument(`repository [${record.name}] cannot be listed, which is needed to look for its files`);
    }
    // Seldom asked for: no thread loads it before.
    const { verifyIntegrity } = await import('../../actions/snapshots/verify-integrity.js');
    const report = await verifyIntegrity(context, repository, {
      snapshotsAtOnce: parameters.snapshot_verification_concurrency,
      indicesAtOnce: parameters.index_verification_concurrency,
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
