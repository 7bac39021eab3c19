/** Curator 9 (pip, tried with 9.0.0), which works with nodes of version 9 alone: what it does to daily indices. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from '../api/node-harness.js';
import { isInstalled, runTool } from './run-tool.js';

/** The command; `pip install elasticsearch-curator` puts it there. */
const COMMAND = process.env['QUARRY_CURATOR'] ?? 'curator_cli';
const isThere = isInstalled(COMMAND, ['--version']);

const OLD = {
  filtertype: 'age',
  source: 'name',
  direction: 'older',
  timestring: '%Y.%m.%d',
  unit: 'days',
  unit_count: 1,
};
const ofDay = (day: string): unknown => ({ filtertype: 'pattern', kind: 'prefix', value: `daily-2024.01.${day}` });

describe.skipIf(!isThere)(
  `Curator 9${isThere ? '' : ' (not installed: set QUARRY_CURATOR to its command curator_cli)'}`,
  () => {
    let node: TestNode;

    const curate = (action: string, filters: readonly unknown[], options: readonly string[] = []): Promise<string> =>
      runTool(COMMAND, ['--hosts', node.url, action, ...options, '--filter_list', JSON.stringify(filters)]);

    beforeAll(async () => {
      node = await TestNode.start({ 'compatibility.version': '9.1.0', 'index.number_of_replicas': '0' });
      for (const day of ['01', '02', '03', '04']) await node.put(`/daily-2024.01.${day}/_doc/1?refresh=true`, { day });
      // Curator leaves alone what has no more segments than asked for.
      await node.put('/daily-2024.01.03/_doc/2?refresh=true', { day: '03' });
    });

    afterAll(async () => {
      await node.stop();
    });

    it('closes, deletes, merges and replicates what its filters find', async () => {
      await curate('close', [OLD, ofDay('01')]);
      await curate('delete-indices', [OLD, ofDay('02')]);
      await curate('forcemerge', [OLD, ofDay('03')], ['--max_num_segments', '1']);
      const merged = (await node.get('/_cat/segments/daily-2024.01.03?h=segment')).text;
      expect(merged.trim().split('\n')).toHaveLength(1);
      await curate('replicas', [OLD, ofDay('04')], ['--count', '1']);
      const { text } = await node.get('/_cat/indices?h=index,status,rep&s=index&expand_wildcards=all');
      expect(
        text
          .trim()
          .split('\n')
          .map((line) => line.trim().split(/\s+/)),
      ).toEqual([
        ['daily-2024.01.01', 'close', '0'],
        ['daily-2024.01.03', 'open', '0'],
        ['daily-2024.01.04', 'open', '1'],
      ]);
    }, 240_000);
  },
);
