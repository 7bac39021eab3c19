/** Answers of a node with `compatibility.distribution: opensearch`, held against the description that OpenSearch publishes. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from '../api/node-harness.js';
import { CALLS } from './calls.js';
import { knownDifferences } from './known-differences.js';
import { PublishedShapes } from './openapi.js';

/** The description is no part of this project. */
const DIRECTORY = path.resolve(process.env['QUARRY_OPENAPI'] ?? '../shared/reference/opensearch-openapi');
const isThere = existsSync(path.join(DIRECTORY, 'namespaces'));

describe.skipIf(!isThere)(
  `answers as OpenSearch describes them${isThere ? '' : ' (no description: set QUARRY_OPENAPI to its folder)'}`,
  () => {
    let node: TestNode;
    let shapes: PublishedShapes;

    beforeAll(async () => {
      shapes = new PublishedShapes(DIRECTORY);
      node = await TestNode.start({ 'compatibility.distribution': 'opensearch' });
    });

    afterAll(async () => {
      await node.stop();
    });

    it.each(CALLS)('$operation: $method $path', async ({ operation, method, path: address, body }) => {
      const headers = { 'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json' };
      const answer = await node.request(method, address, body, headers);
      expect(answer.status, answer.text).toBeLessThan(300);
      expect(shapes.differences(operation, answer.json())).toEqual(knownDifferences(operation));
    });
  },
);
