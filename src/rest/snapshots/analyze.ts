/** `POST _snapshot/{repository}/_analyze`: whether the store of a repository does what snapshots count on. */
import {
  analyseRepository,
  type AnalysedBlobReport,
  type AnalysisRead,
  type AnalysisReport,
} from '../../actions/snapshots/analysis/analyse-repository.js';
import type { AnalysisOptions } from '../../actions/snapshots/analysis/plan.js';
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { formatBytes, formatTime } from '../../base/units.js';
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
    const report = await analyseRepository(context, record, options, parameters.timeout);
    const { id, name } = context.node;
    return answerValue({
      coordinating_node: { id, name },
      repository: record.name,
      ...renderOptions(options),
      blob_path: report.folder,
      issues_detected: report.issues,
      summary: renderSummary(report),
      ...(parameters.detailed ? { details: report.blobs.map(renderBlob) } : {}),
      ...duration('listing_elapsed', report.listingMs),
      ...duration('delete_elapsed', report.deletionMs),
    });
  },
});

function renderOptions(options: AnalysisOptions): JsonObject {
  return {
    blob_count: options.blobCount,
    concurrency: options.concurrency,
    read_node_count: options.readNodeCount,
    early_read_node_count: options.earlyReadNodeCount,
    ...size('max_blob_size', options.maxBlobBytes),
    ...size('max_total_data_size', options.maxTotalBytes),
    seed: options.seed,
    rare_action_probability: options.rareActionProbability,
  };
}

function renderSummary({ blobs }: AnalysisReport): JsonObject {
  const written = blobs.filter(({ plan }) => !plan.isAbandoned);
  const reads = written.flatMap((blob) =>
    blob.reads
      .filter(({ isFound }) => isFound)
      .map((read) => ({ ...read, bytes: read.isEarly ? blob.plan.length : blob.plan.count })),
  );
  return {
    write: {
      count: written.length,
      ...size('total_size', sum(written.map(({ plan }) => plan.length))),
      ...duration('total_throttled', 0),
      ...duration('total_elapsed', sum(written.map(({ writeMs }) => writeMs))),
    },
    read: {
      count: reads.length,
      ...size('total_size', sum(reads.map(({ bytes }) => bytes))),
      ...duration('total_wait', sum(reads.map(({ firstMs }) => firstMs))),
      ...duration('max_wait', Math.max(0, ...reads.map(({ firstMs }) => firstMs))),
      ...duration('total_throttled', 0),
      ...duration('total_elapsed', sum(reads.map(({ elapsedMs }) => elapsedMs))),
    },
  };
}

function renderBlob({ plan, writer, writeMs, reads }: AnalysedBlobReport): JsonObject {
  return {
    blob: {
      name: plan.name,
      overwritten: false,
      read_early: plan.earlyReaders.length > 0,
      read_start: plan.from,
      read_end: plan.from + plan.count,
      ...size('size', plan.length),
    },
    writer_node: { id: writer.id, name: writer.name },
    ...duration('write_elapsed', writeMs),
    ...duration('write_throttled', 0),
    reads: reads.map(renderRead),
  };
}

function renderRead({ node, isEarly, isFound, firstMs, elapsedMs }: AnalysisRead): JsonObject {
  return {
    node: { id: node.id, name: node.name },
    before_write_complete: isEarly,
    found: isFound,
    ...(isFound
      ? {
          ...duration('first_byte_time', firstMs),
          ...duration('elapsed', elapsedMs),
          ...duration('throttled', 0),
        }
      : {}),
  };
}

function duration(name: string, millis: number): JsonObject {
  return { [name]: formatTime(millis), [`${name}_nanos`]: Math.round(millis * 1e6) };
}

function size(name: string, bytes: number): JsonObject {
  return { [name]: formatBytes(bytes), [`${name}_bytes`]: bytes };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
