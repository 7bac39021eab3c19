/** Answers of a node with `compatibility.distribution: opensearch`, held against the description that OpenSearch publishes. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../src/base/assert.js';
import { TestNode, type Answer } from '../api/node-harness.js';
import { CALLS, type Call } from './calls.js';
import { knownDifferences } from './known-differences.js';
import { PublishedShapes } from './openapi.js';

/** The description is no part of this project. */
const DIRECTORY = path.resolve(process.env['QUARRY_OPENAPI'] ?? '../shared/reference/opensearch-openapi');
const GATHER_MS_MAX = 180_000;
const isThere = existsSync(path.join(DIRECTORY, 'namespaces'));

describe.skipIf(!isThere)(
  `answers as OpenSearch describes them${isThere ? '' : ' (no description: set QUARRY_OPENAPI to its folder)'}`,
  () => {
    let shapes: PublishedShapes;
    const answers: Answer[] = [];

    // All answers before the first is looked at: that takes seconds, in which a node gives up connections that are idle.
    beforeAll(async () => {
      shapes = new PublishedShapes(DIRECTORY);
      const node = await TestNode.start({ 'compatibility.distribution': 'opensearch' });
      try {
        for (const call of CALLS) answers.push(await send(node, call));
      } finally {
        await node.stop();
      }
    }, GATHER_MS_MAX);

    it.each(CALLS.map((call, at) => ({ ...call, at })))('$operation: $method $path', ({ operation, at }) => {
      const answer = must(answers[at], 'answer');
      expect(answer.status, answer.text).toBeLessThan(300);
      expect(shapes.differences(operation, answer.json())).toEqual(knownDifferences(operation));
    });
  },
);

function send(node: TestNode, { method, path: address, body }: Call): Promise<Answer> {
  const contentType = typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
  return node.request(method, address, body, { 'content-type': contentType });
}
