/**
 * What a node holds when all is gone that nothing holds.
 *
 * A good part of its private memory is room in the heaps of its threads: V8 lets the young generation of each grow to 33 MB as long as there
 * is much to do, gives it back when there is little, and puts off collections of the whole heap. So this room grows and shrinks for long. It
 * does not count; all else does: what the heaps hold, code, what lies outside of them, and the memory of the kernels.
 */
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { doorsIn, heapsBehind } from '../../bench/memory-doors.js';
import { anonymousMegabytes } from '../../bench/servers.js';
import { TestNode } from '../api/node-harness.js';

const BYTES_PER_MEGABYTE = 1e6;

/** A node of which {@link heldByNode} may be asked. */
export async function startMeasured(settings: Readonly<Record<string, string>> = {}): Promise<TestNode> {
  const home = await mkdtemp(join(tmpdir(), 'quarry-fuzz-'));
  const doors = doorsOf(home);
  await mkdir(doors);
  return TestNode.start(settings, home, [], doorsIn(doors));
}

/** In bytes, after a collection of garbage in each of its threads. */
export async function heldByNode(node: TestNode): Promise<number> {
  const { room } = await heapsBehind(doorsOf(node.directory));
  return privateBytes(node) - room;
}

/** With the room in its heaps. */
export function privateBytes(node: TestNode): number {
  return anonymousMegabytes(node.process.pid ?? 0) * BYTES_PER_MEGABYTE;
}

function doorsOf(home: string): string {
  return join(home, 'doors');
}
