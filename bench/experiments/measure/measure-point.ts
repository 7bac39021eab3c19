/** One point: fresh nodes, the index filled, answers checked, then what there is to measure. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchCluster } from '../../cluster/nodes.js';
import type { JsonObject } from '../../json.js';
import { anonymousMegabytes, processorMs } from '../../servers.js';
import type { Query } from '../data/queries.js';
import { variantOf, type Variant } from '../data/variants.js';
import type { FigureName } from '../figures.js';
import type { Curves, Measurement, PointSpec } from '../point.js';
import { answersOf, checkCount } from './answers.js';
import { Beside } from './beside.js';
import { loadDocuments, type Loaded } from './load-documents.js';
import { indexStatistics, segmentSizes, settleMerges } from './index-statistics.js';
import { timeKinds, timeSearches, type SearchEffort } from './searches.js';
import { WrittenFiles } from './written-files.js';

export interface PointData {
  readonly lines: readonly Buffer[];
  readonly mappings: JsonObject;
  readonly settings: JsonObject;
  readonly queries: readonly Query[];
}

export interface PointEffort {
  /** Where `quarry-load` is. */
  readonly program: string;
  /** Of one round of searches. */
  readonly seconds: number;
  readonly rounds: number;
  /** Without requests, before memory is looked at. */
  readonly idleMs: number;
}

const INDEX = 'experiment';
/** Requests of a load at once: more gain nothing, since a bulk request uses the processor of the shards that it is for. */
const WRITERS_MAX = 4;
/** Connections for each processor of the nodes, where the highest rate is looked for. */
const CONNECTIONS_PER_PROCESSOR = 2;

type Figures = Partial<Record<FigureName, number>>;

export async function measurePoint(spec: PointSpec, data: PointData, effort: PointEffort): Promise<Measurement> {
  const settings = { 'node.processors': String(spec.processors), 'cluster.max_shards_per_node': '100000' };
  const cluster = await BenchCluster.start(spec.nodes, { ...settings, ...spec.nodeSettings });
  try {
    return await new PointRun(cluster, spec, data, effort).measure();
  } finally {
    await cluster.stop();
  }
}

class PointRun {
  private readonly cluster: BenchCluster;
  private readonly spec: PointSpec;
  private readonly data: PointData;
  private readonly variant: Variant;
  private readonly queries: readonly Query[];
  private readonly effort: PointEffort;

  constructor(cluster: BenchCluster, spec: PointSpec, data: PointData, effort: PointEffort) {
    this.cluster = cluster;
    this.spec = spec;
    this.data = data;
    this.effort = effort;
    this.variant = variantOf(spec.variant, data.mappings);
    const { touched } = this.variant;
    // The user's own queries may look at anything: they are held against the data as they are alone.
    const isAsked = ({ fields }: Query): boolean => {
      return touched.size === 0 || (fields.length > 0 && !fields.some((field) => touched.has(field)));
    };
    this.queries = data.queries.filter(isAsked);
  }

  async measure(): Promise<Measurement> {
    const written = await this.makeIndex();
    const { loaded, curves, beside } = await this.load(written);
    await checkCount(this.cluster, INDEX, this.spec.documents);
    const hasQueries = this.queries.length > 0;
    const answers = hasQueries ? await answersOf(this.cluster, INDEX, this.queries) : {};
    const searches = hasQueries ? await this.search() : {};
    const kinds =
      hasQueries && this.spec.measures.includes('kinds') ? await timeKinds(this.searching(), this.queries) : {};
    await sleep(this.effort.idleMs);
    const memoryBytes = this.memoryBytes();
    const restarted = this.spec.measures.includes('restart') ? await this.restart() : {};
    const figures: Figures = { ...loaded, ...beside, ...searches, memoryBytes, ...restarted };
    return { figures, kinds, curves, answers };
  }

  private searching(): SearchEffort {
    const { program, seconds, rounds } = this.effort;
    return { program, url: this.cluster.some().url, index: INDEX, seconds, rounds };
  }

  private async makeIndex(): Promise<WrittenFiles> {
    const { spec, variant, cluster } = this;
    const settings = {
      ...this.data.settings,
      'index.number_of_shards': spec.shards,
      'index.number_of_replicas': 0,
      ...variant.indexSettings,
      ...spec.indexSettings,
    };
    await cluster.ask('PUT', `/${INDEX}`, { settings, mappings: variant.mappings });
    await cluster.settle();
    const [row] = await cluster.rows(`/_cat/indices/${INDEX}?format=json&h=uuid`);
    const folders = cluster.nodes.map(({ name }) => cluster.dataFolder(name));
    return new WrittenFiles(folders, row?.['uuid'] ?? '');
  }

  private async load(written: WrittenFiles): Promise<{ loaded: Figures; beside: Figures; curves: Curves }> {
    const { spec, cluster, variant } = this;
    const before = this.processorMs();
    const isWatched = spec.measures.includes('beside');
    const beside = isWatched ? new Beside(cluster, this.searching(), this.queries) : undefined;
    const loaded = await loadDocuments({
      url: cluster.some().url,
      index: INDEX,
      lines: this.data.lines,
      documents: spec.documents,
      change: variant.changesDocuments ? variant.document : undefined,
      writers: spec.steady === undefined ? Math.min(WRITERS_MAX, spec.processors * spec.nodes) : 1,
      steady: spec.steady,
    });
    await cluster.ask('POST', `/${INDEX}/_flush`);
    await settleMerges(cluster, INDEX);
    const seen = await beside?.end();
    await cluster.ask('POST', `/${INDEX}/_refresh`);
    const figures = await this.loadFigures(loaded, written, this.processorMs() - before);
    const curves = { ...seen?.curves, segmentSizes: await segmentSizes(cluster, INDEX) };
    return { loaded: figures, beside: seen?.figures ?? {}, curves };
  }

  private async loadFigures(loaded: Loaded, written: WrittenFiles, busyMs: number): Promise<Figures> {
    const { storeBytes, segments, merges, mergedBytes, mergeMs } = await indexStatistics(this.cluster, INDEX);
    const writtenBytes = written.bytes;
    written.stop();
    const flushedBytes = writtenBytes - mergedBytes;
    return {
      documentsPerSecond: loaded.operations / loaded.seconds,
      bytesPerSecond: loaded.jsonBytes / loaded.seconds,
      processorMsPerDocument: busyMs / loaded.operations,
      jsonBytes: loaded.jsonBytes,
      storeBytes,
      storeBytesPerDocument: storeBytes / this.spec.documents,
      segments,
      merges,
      flushedBytes,
      mergedBytes,
      ...(mergeMs > 0 ? { mergeBytesPerSecond: (1_000 * mergedBytes) / mergeMs } : {}),
      writeAmplification: writtenBytes / flushedBytes,
    };
  }

  private async search(): Promise<Figures> {
    const before = this.processorMs();
    const times = await timeSearches(this.searching(), this.queries);
    const busyMs = this.processorMs() - before;
    // The round that warms takes half as long as one of the others.
    const searches = times.answers * (1 + 0.5 / this.effort.rounds);
    const figures: Figures = {
      searchMedianMs: times.medianMs,
      searchP99Ms: times.p99Ms,
      processorMsPerSearch: busyMs / searches,
    };
    if (!this.spec.measures.includes('rate')) return figures;
    const connections = CONNECTIONS_PER_PROCESSOR * this.spec.processors * this.spec.nodes;
    const { perSecond } = await timeSearches(this.searching(), this.queries, connections);
    const atHalf = await timeSearches(this.searching(), this.queries, connections, perSecond / 2);
    return { ...figures, searchesPerSecond: perSecond, loadedP99Ms: atHalf.p99Ms };
  }

  /** Of one node; several would wait for each other. */
  private async restart(): Promise<Figures> {
    const { cluster } = this;
    const [node] = cluster.nodes;
    if (node === undefined || cluster.nodes.length > 1) return {};
    await node.end('SIGTERM');
    const startMs = performance.now();
    await node.start();
    const readyMs = performance.now() - startMs;
    await cluster.settle();
    const greenMs = performance.now() - startMs;
    const [query] = this.queries;
    await cluster.ask('POST', `/${INDEX}/_search`, query?.body ?? {});
    const firstSearchMs = performance.now() - startMs;
    await checkCount(cluster, INDEX, this.spec.documents);
    if (query !== undefined) await timeSearches({ ...this.searching(), rounds: 1 }, this.queries);
    await sleep(this.effort.idleMs);
    return { readyMs, greenMs, firstSearchMs, servingBytes: this.memoryBytes() };
  }

  private processorMs(): number {
    return this.cluster.nodes.reduce((sum, { pid }) => sum + processorMs(pid), 0);
  }

  private memoryBytes(): number {
    return this.cluster.nodes.reduce((sum, { pid }) => sum + anonymousMegabytes(pid) * 1e6, 0);
  }
}
