/** What a node holds, from outside and as it says itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { at, isObject, type Json } from '../json.js';
import { heapsBehind } from '../memory-doors.js';
import type { Client } from './client.js';

/** Each is to stay as it is, whatever the node does. */
export const SERIES = [
  'private MB',
  'mapped MB',
  'JavaScript MB',
  'native MB',
  'code MB',
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
/** The line that begins a mapping in `smaps`, up to its permissions. */
const MAPPING = /^[0-9a-f]+-[0-9a-f]+ /gm;

/**
 * `pid`: of the node; `doors`: of its threads. Garbage and the room for it come and go for hours, so heaps are asked what they hold without them;
 * private memory is that with them.
 */
export async function sample(client: Client, pid: number, doors: string, seconds: number): Promise<Sample> {
  const { used, room } = await heapsBehind(doors);
  const stats = await client.expect(200, 'GET', '/_nodes/stats/breaker');
  const nodes = at(stats, 'nodes');
  const node = isObject(nodes) ? Object.values(nodes)[0] : undefined;
  const mappings = readFileSync(`/proc/${pid}/smaps`, 'utf8');
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const ofRollup = (name: string): number =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1] ?? NaN) * KILOBYTE) / MEGABYTE;
  const [privateMegabytes, resident] = [ofRollup('Anonymous'), ofRollup('Rss')];
  return {
    seconds,
    values: {
      'private MB': privateMegabytes,
      'mapped MB': resident - privateMegabytes,
      'JavaScript MB': used / MEGABYTE,
      'native MB': privateMegabytes - (used + room) / MEGABYTE,
      'code MB': codeMegabytes(mappings),
      'open files': readdirSync(`/proc/${pid}/fd`).length,
      threads: readdirSync(`/proc/${pid}/task`).length,
      mappings: mappings.match(MAPPING)?.length ?? NaN,
      'breakers MB': breakerMegabytes(node),
    },
  };
}

/** Memory that may be executed and is in no file: what V8 compiled, in all threads. */
function codeMegabytes(mappings: string): number {
  let kilobytes = 0;
  for (const mapping of mappings.split(MAPPING).slice(1)) {
    if (/^..x/.test(mapping)) kilobytes += Number(/^Anonymous:\s+(\d+) kB$/m.exec(mapping)?.[1] ?? NaN);
  }
  return (kilobytes * KILOBYTE) / MEGABYTE;
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
