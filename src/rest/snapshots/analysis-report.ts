/** What an analysis of a repository found, as `_analyze` shows it. */
import type {
  AnalysedBlobReport,
  AnalysisRead,
  AnalysisReport,
} from '../../actions/snapshots/analysis/analyse-repository.js';
import type { AnalysisOptions } from '../../actions/snapshots/analysis/plan.js';
import type { JsonObject } from '../../base/json-value.js';
import { sum } from '../../base/sum.js';
import { formatBytes, formatTime } from '../../base/units.js';

export function renderAnalysis(options: AnalysisOptions, report: AnalysisReport, isDetailed: boolean): JsonObject {
  return {
    ...renderOptions(options),
    blob_path: report.folder,
    issues_detected: report.issues,
    summary: renderSummary(report),
    ...(isDetailed ? { details: report.blobs.map(renderBlob) } : {}),
    ...duration('listing_elapsed', report.listingMs),
    ...duration('delete_elapsed', report.deletionMs),
  };
}

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
