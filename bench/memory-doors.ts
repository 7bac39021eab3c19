/** What a node's heaps hold when all is gone that nothing holds: its threads are asked through doors that are no part of the program. */
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';

/** Of all threads of a node, in bytes, after a collection of garbage in each. */
export interface Heaps {
  readonly used: number;
  /** What V8 keeps for later. */
  readonly room: number;
}

/** What a node is started with so that {@link heapsBehind} may be asked. `folder`: an empty one, for this node alone. */
export function doorsIn(folder: string): Readonly<Record<'NODE_OPTIONS' | 'QUARRY_MEMORY_DOORS', string>> {
  return { NODE_OPTIONS: `--import=${path.resolve('bench/memory-door.mjs')}`, QUARRY_MEMORY_DOORS: folder };
}

/** Throws where a thread of the node ends meanwhile. */
export async function heapsBehind(folder: string): Promise<Heaps> {
  const heaps: Heaps[] = [];
  // One after the other: a node whose threads all collect garbage at once answers nobody.
  for (const door of await readdir(folder)) heaps.push(await heapBehind(path.join(folder, door)));
  return {
    used: heaps.reduce((sum, { used }) => sum + used, 0),
    room: heaps.reduce((sum, { room }) => sum + room, 0),
  };
}

async function heapBehind(door: string): Promise<Heaps> {
  const told = await text(connect(door));
  const [, used, room] = /^(\d+) (\d+)$/.exec(told) ?? [];
  if (used === undefined || room === undefined)
    throw new Error(`a thread of the node does not tell of its heap: [${told}]`);
  return { used: Number(used), room: Number(room) };
}
