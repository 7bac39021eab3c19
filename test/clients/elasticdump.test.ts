/** Elasticdump (npm, tried with 6.125.1) copies an index out of a node and into it again. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from '../api/node-harness.js';
import { isInstalled, runTool } from './run-tool.js';

/** The command; `npm install --global elasticdump` puts it there. */
const COMMAND = process.env['QUARRY_ELASTICDUMP'] ?? 'elasticdump';
const isThere = isInstalled(COMMAND, ['--version']);

describe.skipIf(!isThere)(
  `elasticdump${isThere ? '' : ' (not installed: set QUARRY_ELASTICDUMP to its command)'}`,
  () => {
    let node: TestNode;
    const files = mkdtempSync(path.join(tmpdir(), 'quarry-elasticdump-'));
    const fileOf = (type: string): string => path.join(files, `${type}.json`);

    beforeAll(async () => {
      node = await TestNode.start({ 'index.number_of_replicas': '0' });
      await node.put('/source', {
        settings: { analysis: { analyzer: { own: { type: 'standard', stopwords: ['the'] } } } },
        mappings: { properties: { n: { type: 'integer' }, t: { type: 'text', analyzer: 'own' } } },
      });
      for (let n = 0; n < 250; n++) await node.put(`/source/_doc/${n}`, { n, t: `the text ${n}` });
      await node.post('/source/_refresh');
    });

    afterAll(async () => {
      await node.stop();
      rmSync(files, { recursive: true });
    });

    it('copies analyzers, mapping and documents through files', async () => {
      for (const type of ['analyzer', 'mapping', 'data']) {
        await runTool(COMMAND, [`--input=${node.url}/source`, `--output=${fileOf(type)}`, `--type=${type}`]);
      }
      expect(readFileSync(fileOf('data'), 'utf8').trim().split('\n')).toHaveLength(250);
      for (const type of ['analyzer', 'mapping', 'data']) {
        await runTool(COMMAND, [`--input=${fileOf(type)}`, `--output=${node.url}/target`, `--type=${type}`]);
      }
      await node.post('/target/_refresh');
      const [source, target] = [(await node.get('/source')).json(), (await node.get('/target')).json()];
      expect(target.target.mappings).toEqual(source.source.mappings);
      expect(target.target.settings.index.analysis).toEqual(source.source.settings.index.analysis);
      expect((await node.get('/target/_count')).json().count).toBe(250);
      expect((await node.get('/target/_search?q=t:the')).json().hits.total.value).toBe(0);
      expect((await node.get('/target/_doc/17')).json()._source).toEqual({ n: 17, t: 'the text 17' });
    }, 300_000);
  },
);
