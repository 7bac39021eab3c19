/** Endpoints of the references that Quarry has not are answered as such, whatever the path may look like. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { wireRoutes } from '../../src/rest/dispatch.js';
import { ENDPOINTS } from '../../src/rest/endpoints.js';
import { Router } from '../../src/rest/router.js';
import { TestNode } from './node-harness.js';

const SHARED = fileURLToPath(new URL('../../../shared/', import.meta.url));

interface ReferenceEndpoint {
  readonly method: string;
  readonly path: string;
}

let node: TestNode;
let twin: TestNode;
beforeAll(async () => {
  node = await TestNode.start();
  twin = await TestNode.start({ 'compatibility.distribution': 'opensearch' });
});
afterAll(async () => {
  await node.stop();
  await twin.stop();
});

test.each([
  ['GET', '/_ml/info', 'machine learning of Elasticsearch'],
  ['GET', '/_cat/ml/datafeeds', 'machine learning of Elasticsearch'],
  ['POST', '/_sql', 'SQL of Elasticsearch'],
  ['POST', '/films/_eql/search', 'EQL of Elasticsearch'],
  ['POST', '/_query', 'ES|QL of Elasticsearch'],
  ['PUT', '/_watcher/watch/w', 'Watcher of Elasticsearch'],
  ['GET', '/films/_ccr/stats', 'cross-cluster replication of Elasticsearch'],
  ['PUT', '/_plugins/_ml/models/m', 'machine learning of OpenSearch'],
  ['POST', '/_plugins/_sql', 'SQL and PPL of OpenSearch'],
  ['PUT', '/_search/pipeline/p', 'search pipelines of OpenSearch'],
  ['PUT', '/_license', 'change of licences of Elasticsearch'],
  ['POST', '/_license/start_trial', 'change of licences of Elasticsearch'],
  ['POST', '/_features/_reset', 'reset of features of Elasticsearch'],
])('%s %s is not part of Quarry', async (method, path, family) => {
  for (const each of [node, twin]) {
    const answer = await each.request(method, path, method === 'GET' ? undefined : {});
    expect(answer.status, answer.text).toBe(400);
    const sentence = `no handler found for uri [${path}] and method [${method}]: [${method} ${path}] is not part of Quarry (${family})`;
    expect(answer.json()).toEqual({ error: sentence });
  }
});

test('other strange names are still those of indices, wrong methods still wrong', async () => {
  expect((await node.get('/_bogus')).json().error.type).toBe('invalid_index_name_exception');
  expect((await node.delete('/_cluster/health')).status).toBe(405);
  expect((await node.get('/_alias/_eql')).status).toBe(404);
  expect((await node.put('/films-_ml')).status).toBe(200);
});

describe.skipIf(!existsSync(join(SHARED, 'reference')))('the references of both products', () => {
  test.each(['elasticsearch', 'opensearch'] as const)('each endpoint is routed or refused as %s', (distribution) => {
    const routes = wireRoutes(ENDPOINTS, distribution);
    const router = new Router(routes);
    const have = new Set(routes.map(({ method, path }) => `${method} ${shapeOf(path)}`));
    const lost = referenceEndpoints().filter(({ method, path }) => {
      if (have.has(`${method} ${shapeOf(path)}`)) return false;
      return router.match(method, path.replaceAll(/\{[^}]*\}/g, 'x')).kind !== 'absent';
    });
    expect([...new Set(lost.map(({ method, path }) => `${method} ${path}`))].sort()).toEqual([]);
  });
});

/** Requests as their documentation shows them, with real names in their paths. */
describe.skipIf(!existsSync(join(SHARED, 'reference/elasticsearch-examples')))('the examples of Elasticsearch', () => {
  test('each request is routed or refused by name, none taken for one about an index', () => {
    const router = new Router(wireRoutes(ENDPOINTS, 'elasticsearch'));
    const examples = exampleRequests();
    expect(examples.length).toBeGreaterThan(100);
    const lost = examples.filter(({ method, path }) => {
      const match = router.match(method, path);
      if (match.kind === 'absent') return false;
      return match.kind !== 'found' || (/^\/_(?!all\/)/.test(path) && match.route.path.startsWith('/{'));
    });
    expect([...new Set(lost.map(({ method, path }) => `${method} ${path}`))].sort()).toEqual([]);
  });
});

interface Example {
  readonly kind: string;
  readonly request?: string;
}

function exampleRequests(): readonly ReferenceEndpoint[] {
  const directory = join(SHARED, 'reference/elasticsearch-examples');
  return readdirSync(directory)
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => {
      const operations = parse(readFileSync(join(directory, file), 'utf8')) as Record<string, readonly Example[]>;
      return Object.values(operations).flat();
    })
    .flatMap(({ request }) => {
      const [, method, path] = /^(GET|POST|PUT|DELETE|HEAD) \/?([^?\s]*)/.exec(request ?? '') ?? [];
      return method === undefined || path === undefined ? [] : [{ method, path: `/${path}` }];
    });
}

function shapeOf(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}').replace(/(.)\/$/, '$1');
}

function referenceEndpoints(): readonly ReferenceEndpoint[] {
  return [...describedInJson('elasticsearch-clients-tests'), ...describedInJson('opensearch-3.1.0'), ...described()];
}

interface Description {
  readonly url: { readonly paths: readonly { readonly path: string; readonly methods: readonly string[] }[] };
}

function describedInJson(folder: string): readonly ReferenceEndpoint[] {
  const directory = join(SHARED, 'conformance/api', folder);
  const files = readdirSync(directory).filter((name) => name.endsWith('.json') && !name.startsWith('_'));
  return files.flatMap((file) => {
    const text = readFileSync(join(directory, file), 'utf8');
    const descriptions = Object.values(JSON.parse(text) as Record<string, Description>);
    return descriptions.flatMap(({ url }) =>
      url.paths.flatMap(({ path, methods }) => methods.map((method) => ({ method, path }))),
    );
  });
}

function described(): readonly ReferenceEndpoint[] {
  const directory = join(SHARED, 'reference/opensearch-openapi/namespaces');
  return readdirSync(directory).flatMap((file) => {
    const { paths = {} } = parse(readFileSync(join(directory, file), 'utf8')) as {
      paths?: Record<string, Record<string, unknown>>;
    };
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
    );
  });
}
