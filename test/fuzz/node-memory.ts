/**
 * What a node holds when all is gone that nothing holds.
 *
 * A good part of its private memory is room in the heaps of its threads: V8 lets the young generation of each grow to 33 MB as long as there
 * is much to do, gives it back when there is little, and puts off collections of the whole heap. So this room grows and shrinks for long. It
 * does not count; all else does: what the heaps hold, code, what lies outside of them, and the memory of the kernels.
 */
import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { anonymousMegabytes } from '../../bench/servers.js';
import { TestNode } from '../api/node-harness.js';

const DOOR = fileURLToPath(new URL('memory-door.mjs', import.meta.url));
const BYTES_PER_MEGABYTE = 1e6;

/** A node of which {@link heldByNode} may be asked. */
export async function startMeasured(settings: Readonly<Record<string, string>> = {}): Promise<TestNode> {
  const home = await mkdtemp(join(tmpdir(), 'quarry-fuzz-'));
  const doors = doorsOf(home);
  await mkdir(doors);
  return TestNode.start(settings, home, [], { NODE_OPTIONS: `--import=${DOOR}`, QUARRY_MEMORY_DOORS: doors });
}

/** In bytes, after a collection of garbage in each of its threads. */
export async function heldByNode(node: TestNode): Promise<number> {
  const doors = doorsOf(node.directory);
  let free = 0;
  for (const door of await readdir(doors)) free += await roomBehind(join(doors, door));
  return privateBytes(node) - free;
}

/** Of one thread. Throws where it ends meanwhile. */
async function roomBehind(door: string): Promise<number> {
  const told = await text(connect(door));
  if (!/^\d+$/.test(told)) throw new Error(`a thread of the node does not say how much room its heap has: [${told}]`);
  return Number(told);
}

/** With the room in its heaps. */
export function privateBytes(node: TestNode): number {
  return anonymousMegabytes(node.process.pid ?? 0) * BYTES_PER_MEGABYTE;
}

function doorsOf(home: string): string {
  return join(home, 'doors');
}
