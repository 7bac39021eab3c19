/** What the nodes did over the last minutes, from the differences of their counters. Kept in this page only. */
import { Poll } from '../../api/polling.js';
import type { Resource } from '../../api/resource.js';
import { Store } from '../../store.js';

interface PoolStats {
  readonly queue: number;
  readonly rejected: number;
}

export interface NodeStats {
  readonly name: string;
  readonly timestamp: number;
  readonly indices?: {
    readonly indexing?: { readonly index_total: number; readonly index_time_in_millis: number };
    readonly search?: { readonly query_total: number; readonly query_time_in_millis: number };
  };
  readonly os?: { readonly cpu?: { readonly percent?: number }; readonly mem?: { readonly used_percent?: number } };
  readonly process?: { readonly cpu?: { readonly percent?: number } };
  readonly jvm?: {
    readonly mem?: {
      /** All private memory. */
      readonly heap_used_in_bytes?: number;
      /** The part of it that is JavaScript's. */
      readonly javascript_used_in_bytes?: number;
    };
  };
  readonly thread_pool?: Readonly<Record<string, PoolStats>>;
}

interface NodesStats {
  readonly nodes: Readonly<Record<string, NodeStats>>;
}

/** All nodes at one time. */
export interface Sample {
  readonly seconds: number;
  readonly nodes: Readonly<Record<string, NodeStats>>;
}

const EVERY_MS = 3_000;
/** 15 minutes. */
const SAMPLES_MAX = 300;

const STATS: Resource<NodesStats> = {
  path: `_nodes/stats/indices,os,process,jvm,thread_pool?filter_path=${[
    'nodes.*.name',
    'nodes.*.timestamp',
    'nodes.*.indices.indexing.index_total',
    'nodes.*.indices.indexing.index_time_in_millis',
    'nodes.*.indices.search.query_total',
    'nodes.*.indices.search.query_time_in_millis',
    'nodes.*.os.cpu.percent',
    'nodes.*.os.mem.used_percent',
    'nodes.*.process.cpu.percent',
    'nodes.*.jvm.mem.heap_used_in_bytes',
    'nodes.*.jvm.mem.javascript_used_in_bytes',
    'nodes.*.thread_pool.*.queue',
    'nodes.*.thread_pool.*.rejected',
  ].join(',')}`,
};

/** Oldest first. */
export const samples = new Store<readonly Sample[]>([]);

/** Whether the last try failed. */
export const isSampling = new Store(true);

let poll: Poll<NodesStats> | undefined;

/** From the first call on samples are taken, so that the charts have a past when somebody comes back to them. */
export function beginSampling(): void {
  poll ??= new Poll(STATS, EVERY_MS, (answer, failure) => {
    isSampling.set(failure === undefined);
    if (answer === undefined) return;
    const seconds = Math.max(...Object.values(answer.nodes).map(({ timestamp }) => timestamp)) / 1_000;
    samples.set([...samples.current, { seconds, nodes: answer.nodes }].slice(-SAMPLES_MAX));
  });
}
