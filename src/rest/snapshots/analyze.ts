/** `POST _snapshot/{repository}/_analyze`: whether the store of a repository does what snapshots count on. */
import type { AnalysisOptions } from '../../actions/snapshots/analysis/plan.js';
import { illegalArgument } from '../../base/errors.js';
import { findRepository } from '../../cluster/changes/snapshots/repositories.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import {
  booleanParameter,
  bytesParameter,
  countParameter,
  floatParameter,
  longParameter,
  timeParameter,
} from '../parameters.js';

const BLOBS_MAX = 100_000;
const CONCURRENCY_MAX = 1_000;
const NODES_MAX = 1_000;
const REGISTERS_MAX = 10_000;
const BLOB_BYTES_MAX = 5 * 1024 ** 4;
const SEED_BOUND = 2 ** 32;

export const analyzeRepositoryEndpoint = defineEndpoint({
  name: 'snapshot.repository_analyze',
  action: 'cluster:admin/repository/analyze',
  methods: ['POST'],
  paths: ['/_snapshot/{repository}/_analyze'],
  parameters: {
    blob_count: countParameter(1, BLOBS_MAX, 100),
    concurrency: countParameter(1, CONCURRENCY_MAX, 10),
    read_node_count: countParameter(1, NODES_MAX, 10),
    early_read_node_count: countParameter(0, NODES_MAX, 2),
    seed: longParameter(),
    rare_action_probability: floatParameter(0.02),
    max_blob_size: bytesParameter(1, BLOB_BYTES_MAX, 10 * 1024 ** 2),
    max_total_data_size: bytesParameter(1, Number.MAX_SAFE_INTEGER, 1024 ** 3),
    timeout: timeParameter(30_000),
    detailed: booleanParameter(false),
    rarely_abort_writes: booleanParameter(true),
    register_operation_count: countParameter(1, REGISTERS_MAX, 10),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  distribution: 'elasticsearch',
  async handle({ parts, parameters }, context) {
    const record = findRepository(context.clusterState(), parts.repository);
    if (context.repositories.ofRecord(record).options.isReadOnly) {
      throw illegalArgument(`repository [${record.name}] is read-only and cannot be analysed`);
    }
    const { rare_action_probability: rare = 0.02 } = parameters;
    if (rare < 0 || rare > 1) throw illegalArgument(`[rare_action_probability] is [${rare}] and must be of [0] to [1]`);
    if (parameters.max_total_data_size < parameters.blob_count) {
      throw illegalArgument('[max_total_data_size] must have room for a byte of each of [blob_count] blobs');
    }
    const options: AnalysisOptions = {
      blobCount: parameters.blob_count,
      concurrency: parameters.concurrency,
      readNodeCount: parameters.read_node_count,
      earlyReadNodeCount: parameters.early_read_node_count,
      seed: parameters.seed ?? context.random.below(SEED_BOUND),
      rareActionProbability: rare,
      maxBlobBytes: parameters.max_blob_size,
      maxTotalBytes: parameters.max_total_data_size,
      rarelyAbortsWrites: parameters.rarely_abort_writes,
      registerOperationCount: parameters.register_operation_count,
    };
    // Seldom asked for: no thread loads it before.
    const { analyseRepository } = await import('../../actions/snapshots/analysis/analyse-repository.js');
    const { renderAnalysis } = await import('./analysis-report.js');
    const report = await analyseRepository(context, record, options, parameters.timeout);
    const { id, name } = context.node;
    return answerValue({
      coordinating_node: { id, name },
      repository: record.name,
      ...renderAnalysis(options, report, parameters.detailed),
    });
  },
});
