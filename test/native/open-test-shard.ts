/** A native shard in a directory of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { ID_SEED_BYTES, splitBulk } from '../../src/native/bulk.js';
import { itemCount } from '../../src/native/descriptor.js';
import type { BulkOutcome } from '../../src/native/bulk-call.js';
import { NativeShard } from '../../src/native/shard.js';
import type { ShardOptions } from '../../src/native/shard-options.js';

const FIELD = {
  index: true,
  doc_values: true,
  store: false,
  norms: false,
  index_options: 'docs',
  analyzer: null,
  search_analyzer: null,
  search_quote_analyzer: null,
  position_increment_gap: 100,
  normalizer: null,
  ignore_above: null,
  null_value: null,
  format: null,
  scaling_factor: null,
  coerce: true,
  ignore_malformed: false,
  copy_to: [],
  parent: null,
};

/** A mapping of the number `n`, the keyword `k` and the text `t`. */
export const TEST_MAPPING = JSON.stringify({
  version: 1,
  dynamic: 'true',
  date_detection: true,
  numeric_detection: false,
  dynamic_date_formats: [],
  source_enabled: true,
  source_includes: [],
  source_excludes: [],
  routing_required: false,
  fields: [
    { ...FIELD, name: 'n', type: 'long' },
    { ...FIELD, name: 'k', type: 'keyword' },
    { ...FIELD, name: 't', type: 'text', doc_values: false, norms: true, index_options: 'positions' },
  ],
  objects: [],
  depth_limit: 20,
});

export function testDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'quarry-native-'));
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

export function testOptions(directory: string, settings: Partial<ShardOptions['settings']> = {}): ShardOptions {
  return {
    directory,
    index: 'test',
    indexUuid: 'uuid',
    shard: 0,
    node: 'node',
    primaryTerm: 1,
    settings: {
      durability: 'request',
      flushThresholdBytes: 1 << 20,
      generationThresholdBytes: 1 << 20,
      gcDeletesMs: 60_000,
      codec: 'default',
      replicas: 0,
      ...settings,
    },
  };
}

export function createTestShard(directory: string): Promise<NativeShard> {
  return NativeShard.create(testOptions(directory), TEST_MAPPING, '{}');
}

export function openTestShard(directory: string): Promise<NativeShard> {
  return NativeShard.open(testOptions(directory), TEST_MAPPING, '{}');
}

/** A body in shared memory, as it comes from the front. */
export function sharedBody(lines: readonly unknown[]): Uint8Array {
  const bytes = Buffer.from(lines.map((line) => JSON.stringify(line) + '\n').join(''));
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

export function bulk(shard: NativeShard, lines: readonly unknown[]): BulkOutcome {
  const body = sharedBody(lines);
  const items = splitBulk(body, { index: 'test' }, new Uint8Array(ID_SEED_BYTES));
  const selection = Uint32Array.from({ length: itemCount(items) }, (_, place) => place);
  return shard.bulk(body, items, selection, { nowMs: 1_000_000 });
}

/** The items that an outcome answers, parsed. */
export function itemsOf(outcome: Pick<BulkOutcome, 'items' | 'ends'>): unknown[] {
  let start = 0;
  return [...outcome.ends].map((end) => {
    const json = Buffer.from(outcome.items.subarray(start, end)).toString('utf8');
    start = end;
    return JSON.parse(json) as unknown;
  });
}
