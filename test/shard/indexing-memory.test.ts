import { describe, expect, it } from 'vitest';
import { parseNodeSettings } from '../../src/base/node-settings.js';
import {
  indexingBudget,
  IndexingMemory,
  reliefCount,
  sharedMemoryWords,
  type BufferHolder,
} from '../../src/shard/indexing-memory.js';

const MEGABYTE = 1024 * 1024;

function budget(settings: Record<string, string>, memoryBytes = 1_000 * MEGABYTE): number {
  return indexingBudget(parseNodeSettings(new Map(Object.entries(settings))), memoryBytes) / MEGABYTE;
}

describe('budget', () => {
  it('is a tenth of the memory, at least 48 MB', () => {
    expect(budget({})).toBe(100);
    expect(budget({}, 100 * MEGABYTE)).toBe(48);
  });

  it('is what the settings say; bounds hold for percentages only', () => {
    expect(budget({ 'indices.memory.index_buffer_size': '25%' })).toBe(250);
    expect(budget({ 'indices.memory.index_buffer_size': '3mb' })).toBe(3);
    expect(budget({ 'indices.memory.max_index_buffer_size': '64mb' })).toBe(64);
    expect(budget({ 'indices.memory.min_index_buffer_size': '200mb' })).toBe(200);
    expect(budget({ 'indices.memory.index_buffer_size': '1mb', 'indices.memory.min_index_buffer_size': '9mb' })).toBe(
      1,
    );
  });

  it.each(['110%', 'much', '10'])('refuses %s', (value) => {
    expect(() => budget({ 'indices.memory.index_buffer_size': value })).toThrow('indices.memory.index_buffer_size');
  });
});

/** Two workers with a budget of 100 KB; what was relieved, in order, and who was asked. */
function twoWorkers() {
  const words = sharedMemoryWords(2);
  const relieved: string[] = [];
  const asked: number[] = [];
  const worker = (slot: number): IndexingMemory =>
    new IndexingMemory({ words, slot, budgetBytes: 100 * 1024, askForRoom: (other) => asked.push(other) });
  const holder = (name: string, left = 0): BufferHolder => ({
    relieve: () => {
      relieved.push(name);
      return left;
    },
  });
  return { words, relieved, asked, worker, holder };
}

describe('indexing memory', () => {
  it('empties the largest buffers first, until the budget holds', () => {
    const { words, relieved, worker, holder } = twoWorkers();
    const memory = worker(0);
    const [small, large, middle] = [holder('small'), holder('large'), holder('middle')];
    memory.changed(small, 20 * 1024);
    memory.changed(large, 50 * 1024);
    memory.changed(middle, 30 * 1024);
    expect(relieved).toEqual([]);
    memory.changed(small, 25 * 1024);
    expect(relieved).toEqual(['large']);
    memory.changed(middle, 90 * 1024);
    expect(relieved).toEqual(['large', 'middle']);
    expect(reliefCount(words)).toBe(2);
  });

  it('asks the worker that holds the largest', () => {
    const { relieved, asked, worker, holder } = twoWorkers();
    const [first, second] = [worker(0), worker(1)];
    second.changed(holder('elsewhere'), 80 * 1024);
    first.changed(holder('here'), 30 * 1024);
    expect([asked, relieved]).toEqual([[1], []]);
    second.makeRoom();
    second.makeRoom();
    expect(relieved).toEqual(['elsewhere']);
  });

  it('counts nothing twice, forgets what is closed, and starts anew after a crash', () => {
    const { relieved, worker, holder } = twoWorkers();
    const memory = worker(0);
    const closing = holder('closing');
    memory.changed(closing, 90 * 1024);
    memory.changed(closing, 90 * 1024);
    memory.changed(closing, 0);
    memory.changed(holder('other'), 90 * 1024);
    expect(relieved).toEqual([]);
    const successor = worker(0);
    successor.changed(holder('reopened'), 90 * 1024);
    expect(relieved).toEqual([]);
  });

  it('gives up on a buffer that cannot be emptied, and goes on with the next', () => {
    const { relieved, asked, worker, holder } = twoWorkers();
    const [memory, other] = [worker(0), worker(1)];
    const stuck = holder('stuck', 200 * 1024);
    memory.changed(stuck, 200 * 1024);
    expect(relieved).toEqual(['stuck']);
    memory.changed(holder('small'), 10 * 1024);
    memory.changed(holder('smaller'), 5 * 1024);
    expect(relieved).toEqual(['stuck', 'small', 'smaller']);
    other.changed(holder('elsewhere'), 20 * 1024);
    expect([relieved.at(-1), asked]).toEqual(['elsewhere', []]);
    memory.changed(stuck, 201 * 1024);
    expect(relieved.at(-1)).toBe('stuck');
  });
});
