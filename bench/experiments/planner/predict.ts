/** From how a sample grows to shards, nodes, disk, memory and writes of all documents. */
import type { MergePolicy } from '../../../src/cluster/merge-policy.js';
import { largestWithin, type Estimate, type Fit } from './fit.js';
import { estimateMerges } from './merge-simulation.js';

export interface Wanted {
  readonly documents: number;
  readonly p99Ms: number;
  readonly retentionMs: number;
  readonly searchesPerSecond: number;
  readonly replicas: number;
  /** Share of documents that replace earlier ones. */
  readonly updates: number;
  readonly refreshMs: number;
  readonly shardBytesMax: number;
  readonly nodeProcessors: number;
  readonly nodeMemoryBytes: number;
  readonly nodeDiskBytes: number;
}

/** How the sample grows with the documents of one shard. */
export interface Growth {
  readonly storeBytes: Fit;
  readonly p99Ms: Fit;
  readonly processorMsPerSearch: Fit;
  readonly memoryBytes: Fit;
  /** Of one segment, by its documents. */
  readonly segmentBytes: Fit;
  readonly memoryBytesPerShard: number;
  readonly processorMsPerDocument: number;
  readonly mergeBytesPerSecond: number;
  /** Of the largest point that the fits have seen. */
  readonly measuredDocuments: number;
}

/** Shards and nodes by one end of what is foretold. */
export interface Layout {
  readonly shards: number;
  readonly documentsPerShard: number;
  readonly nodes: number;
  /** What makes shards no larger, and nodes no fewer. */
  readonly shardLimit: string;
  readonly nodeLimit: string;
}

export interface Plan extends Layout {
  /** By the careful end; undefined where it says that no number is enough. */
  readonly careful: Layout | undefined;
  readonly p99Ms: Estimate;
  readonly diskBytes: Estimate;
  readonly memoryBytesPerNode: Estimate;
  readonly documentsPerSecond: number;
  readonly writeAmplification: Estimate;
  /** Of segments, on all nodes, when all documents have come in once within the retention. */
  readonly writtenBytesPerDay: Estimate;
  readonly segmentsPerShard: number;
  /** How far beyond what was measured a shard is. */
  readonly beyond: number;
}

/** Ordinals of documents within a shard have 31 bits. */
const DOCUMENTS_PER_SHARD_MAX = 2 ** 31 - 1;
/** Where all the time of processors is planned for, searches wait for each other. */
const PROCESSOR_SHARE = 0.5;
/** Above it no more shards come to a node; merges need room meanwhile, too. */
const DISK_SHARE = 0.75;
/** The rest of the memory keeps files that are searched. */
const MEMORY_SHARE = 0.5;
const BUDGET_BYTES_MAX = 32 * 1024 ** 3;
const DAY_MS = 86_400_000;
const SHARDS_MAX = 100_000;

/** Throws where no number of shards is enough. */
export function predict(growth: Growth, wanted: Wanted, policy: MergePolicy): Plan {
  const layout = layoutOf(growth, wanted, 'value');
  const { shards, documentsPerShard: documents, nodes } = layout;
  const copies = wanted.replicas + 1;
  const operations = wanted.documents / (1 - wanted.updates);
  const documentsPerSecond = (1_000 * operations) / wanted.retentionMs;
  const perShard = documentsPerSecond / shards;
  const secondsPerSegment = Math.max(wanted.refreshMs / 1_000, 1 / perShard);
  const merges = estimateMerges(
    {
      operations: operations / shards,
      operationsPerSegment: Math.max(1, perShard * secondsPerSegment),
      secondsPerSegment,
      updates: wanted.updates,
      bytesOf: (count) => growth.segmentBytes.value(Math.max(1, count)),
      mergeBytesPerSecond: growth.mergeBytesPerSecond,
    },
    policy,
  );
  const writeAmplification = { value: merges.writeAmplification, low: merges.low, high: merges.high };
  const daily = (merges.flushedBytes * shards * copies * DAY_MS) / wanted.retentionMs;
  return {
    ...layout,
    careful: carefulLayout(growth, wanted),
    p99Ms: scaled(growth.p99Ms.at(documents), waiting(shards / Math.min(shards, nodes), wanted)),
    diskBytes: scaled(growth.storeBytes.at(documents), shards * copies),
    memoryBytesPerNode: memoryPerNode(growth, wanted, documents, (shards * copies) / nodes),
    documentsPerSecond,
    writeAmplification,
    writtenBytesPerDay: scaled(writeAmplification, daily),
    segmentsPerShard: merges.segments,
    beyond: documents / growth.measuredDocuments,
  };
}

function carefulLayout(growth: Growth, wanted: Wanted): Layout | undefined {
  try {
    return layoutOf(growth, wanted, 'high');
  } catch {
    return undefined;
  }
}

type End = 'value' | 'high';

function layoutOf(growth: Growth, wanted: Wanted, end: End): Layout {
  const { documentsPerShard, limit: shardLimit } = shardSize(growth, wanted, end);
  const shards = Math.max(1, Math.ceil(wanted.documents / documentsPerShard));
  if (shards > SHARDS_MAX) {
    throw new Error(`the plan would need ${shards} shards: ask for a longer --p99, or fewer documents`);
  }
  const documents = Math.ceil(wanted.documents / shards);
  const { nodes, limit: nodeLimit } = nodesOf(growth, wanted, { shards, documents, end });
  return { shards, documentsPerShard: documents, nodes, shardLimit, nodeLimit };
}

function shardSize(
  growth: Growth,
  { p99Ms, shardBytesMax }: Wanted,
  end: End,
): { documentsPerShard: number; limit: string } {
  const byBytes = largestWithin(growth.storeBytes, shardBytesMax, DOCUMENTS_PER_SHARD_MAX, end);
  const byTime = largestWithin(growth.p99Ms, p99Ms, DOCUMENTS_PER_SHARD_MAX, end);
  if (byTime < 1) throw new Error(`no shard is so small that its p99 is within ${p99Ms} ms`);
  const documentsPerShard = Math.max(1, Math.min(byBytes, byTime));
  if (byTime < byBytes) return { documentsPerShard, limit: 'p99 of searches' };
  return {
    documentsPerShard,
    limit: byBytes === DOCUMENTS_PER_SHARD_MAX ? 'documents a shard can have' : 'size of a shard',
  };
}

interface Spread {
  readonly shards: number;
  readonly documents: number;
  readonly end: End;
}

function nodesOf(growth: Growth, wanted: Wanted, spread: Spread): { nodes: number; limit: string } {
  const { shards, documents, end } = spread;
  const copies = wanted.replicas + 1;
  const documentsPerSecond = (1_000 * wanted.documents) / (1 - wanted.updates) / wanted.retentionMs;
  const search = growth.processorMsPerSearch.at(documents)[end] * shards * wanted.searchesPerSecond;
  const index = growth.processorMsPerDocument * documentsPerSecond * copies;
  const base = growth.memoryBytes.value(1) + indexBuffer(wanted);
  const shardMemory = growth.memoryBytes.at(documents)[end] - growth.memoryBytes.value(1) + growth.memoryBytesPerShard;
  const nodeMemory = Math.max(1, MEMORY_SHARE * wanted.nodeMemoryBytes - base);
  const diskBytes = growth.storeBytes.at(documents)[end] * shards * copies;
  const needs: readonly (readonly [string, number])[] = [
    ['copies of a shard are on different nodes', copies],
    ['processor time', (search + index) / 1_000 / (PROCESSOR_SHARE * wanted.nodeProcessors)],
    ['disk', diskBytes / (DISK_SHARE * wanted.nodeDiskBytes)],
    ['memory', (shards * copies * Math.max(0, shardMemory)) / nodeMemory],
    ['p99 of searches, which visit all shards of a node', nodesInTime(growth, wanted, spread)],
  ];
  const [limit, most] = needs.reduce((left, right) => (right[1] > left[1] ? right : left));
  return { nodes: Math.max(1, Math.ceil(most)), limit };
}

/** What is not written yet, on a node that takes documents: a tenth of the memory budget, which is half of the memory. */
function indexBuffer({ nodeMemoryBytes }: Wanted): number {
  return Math.min(BUDGET_BYTES_MAX, nodeMemoryBytes / 2) / 10;
}

/** Nodes so that shards which a search visits on one node, and that wait for its processors, are done in time. */
function nodesInTime(growth: Growth, wanted: Wanted, { shards, documents, end }: Spread): number {
  const rounds = Math.max(1, wanted.p99Ms / growth.p99Ms.at(documents)[end]);
  return shards / (wanted.nodeProcessors * rounds);
}

/** Shards that a search visits on one node take turns on its processors. */
function waiting(shardsPerNode: number, { nodeProcessors }: Wanted): number {
  return Math.max(1, shardsPerNode / nodeProcessors);
}

function memoryPerNode(growth: Growth, wanted: Wanted, documents: number, copiesPerNode: number): Estimate {
  const base = growth.memoryBytes.value(1);
  const { value, low, high } = growth.memoryBytes.at(documents);
  const of = (bytes: number): number =>
    base + indexBuffer(wanted) + copiesPerNode * (Math.max(0, bytes - base) + Math.max(0, growth.memoryBytesPerShard));
  return { value: of(value), low: of(low), high: of(high) };
}

function scaled({ value, low, high }: Estimate, factor: number): Estimate {
  return { value: value * factor, low: low * factor, high: high * factor };
}
