/** What a node holds, from outside and as it says itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { at, isObject, type Json } from '../json.js';
import type { Client } from './client.js';

/** Each is to stay as it is, whatever the node does. */
export const SERIES = [
  'private MB',
  'mapped MB',
  'JavaScript MB',
  'native MB',
  'open files',
  'threads',
  'mappings',
  'breakers MB',
] as const;
export type Series = (typeof SERIES)[number];

export interface Sample {
  /** Since the load began. */
  readonly seconds: number;
  readonly values: Readonly<Record<Series, number>>;
}

const MEGABYTE = 1e6;
const KILOBYTE = 1024;

/** `pid`: of the node. */
export async function sample(client: Client, pid: number, seconds: number): Promise<Sample> {
  const stats = await client.expect(200, 'GET', '/_nodes/stats/jvm,breaker');
  const nodes = at(stats, 'nodes');
  const node = isObject(nodes) ? Object.values(nodes)[0] : undefined;
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const ofRollup = (name: string): number =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1] ?? NaN) * KILOBYTE) / MEGABYTE;
  const [privateMegabytes, resident] = [ofRollup('Anonymous'), ofRollup('Rss')];
  const heap = heapMegabytes(node);
  return {
    seconds,
    values: {
      'private MB': privateMegabytes,
      'mapped MB': resident - privateMegabytes,
      'JavaScript MB': heap,
      'native MB': privateMegabytes - heap,
      'open files': readdirSync(`/proc/${pid}/fd`).length,
      threads: readdirSync(`/proc/${pid}/task`).length,
      mappings: readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n').length - 1,
      'breakers MB': breakerMegabytes(node),
    },
  };
}

/** Of all threads, as their last collections left it. */
function heapMegabytes(node: Json | undefined): number {
  return Number(at(node, 'jvm', 'mem', 'javascript_used_in_bytes') ?? NaN) / MEGABYTE;
}

/** Of all but the parent, which counts them again. */
function breakerMegabytes(node: Json | undefined): number {
  const breakers = at(node, 'breakers');
  if (!isObject(breakers)) return NaN;
  const held = Object.entries(breakers).map(([name, each]) =>
    name === 'parent' ? 0 : Number(at(each, 'estimated_size_in_bytes')),
  );
  return held.reduce((sum, bytes) => sum + bytes, 0) / MEGABYTE;
}
