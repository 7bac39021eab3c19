import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

let node: TestNode;

const failure = (answer: Answer): unknown => [answer.status, answer.json().error.type, answer.json().error.reason];

beforeAll(async () => {
  node = await TestNode.start({ 'index.number_of_replicas': '0' });
});

afterAll(async () => {
  await node.stop();
});

describe('templates', () => {
  it('come back as they were put, and are used by the first document of an index', async () => {
    await node.put('/_component_template/part', {
      template: { mappings: { properties: { tag: { type: 'keyword' } } } },
      _meta: { by: 'test' },
      version: 3,
    });
    const put = await node.put('/_index_template/metrics', {
      index_patterns: 'metrics-*',
      composed_of: ['part'],
      priority: 5,
      template: { settings: { refresh_interval: '7s' }, aliases: { every: { routing: 'r' } } },
    });
    expect(put.json()).toEqual({ acknowledged: true });
    const template = (await node.get('/_index_template/metr*?flat_settings=true')).json().index_templates[0];
    expect(template).toEqual({
      name: 'metrics',
      index_template: {
        index_patterns: ['metrics-*'],
        composed_of: ['part'],
        priority: 5,
        template: {
          settings: { 'index.refresh_interval': '7s' },
          aliases: { every: { index_routing: 'r', search_routing: 'r' } },
        },
      },
    });
    await node.put('/metrics-1/_doc/1?routing=r', { tag: 'a b' });
    const made = (await node.get('/metrics-1')).json()['metrics-1'];
    expect(made.mappings.properties.tag).toEqual({ type: 'keyword' });
    expect(made.settings.index.refresh_interval).toBe('7s');
    expect(Object.keys(made.aliases as object)).toEqual(['every']);
  });

  it('forbid or allow that an index is made by a document', async () => {
    await node.put('/_index_template/never', { index_patterns: 'never-*', allow_auto_create: false });
    await node.put('/_index_template/always', { index_patterns: 'always-*', allow_auto_create: true });
    expect(failure(await node.put('/never-1/_doc/1', {}))).toEqual([
      404,
      'index_not_found_exception',
      'no such index [never-1] and composable template [never] forbids index auto creation',
    ]);
    await node.put('/_cluster/settings', { transient: { 'action.auto_create_index': 'false' } });
    expect((await node.put('/always-1/_doc/1', {})).status).toBe(201);
    await node.put('/_cluster/settings', { transient: { 'action.auto_create_index': null } });
    expect((await node.put('/never-1')).status).toBe(200);
  });

  it('warn of older templates that they put aside', async () => {
    await node.put('/_template/old', { index_patterns: ['shade-*'], order: 1 });
    const put = await node.put('/_index_template/new', { index_patterns: 'shade-1*' });
    expect(put.headers.get('warning')).toContain('older templates [old] with patterns (old => [shade-*])');
    expect((await node.get('/_cat/templates/old,new?h=name,order,composed_of')).text).toBe('old 1 \nnew 0 []\n');
  });

  it('are missing with the words of their kind', async () => {
    expect(failure(await node.get('/_index_template/gone'))).toEqual([
      404,
      'resource_not_found_exception',
      'index template matching [gone] not found',
    ]);
    expect(failure(await node.delete('/_template/gone'))).toEqual([
      404,
      'index_template_missing_exception',
      'index_template [gone] missing',
    ]);
    expect((await node.get('/_template/gone')).status).toBe(404);
    expect((await node.request('HEAD', '/_component_template/part')).status).toBe(200);
    expect((await node.request('HEAD', '/_component_template/gone')).status).toBe(404);
  });
});

describe('legacy templates', () => {
  const DEPRECATED = '299 Quarry "Legacy index templates are deprecated in favor of composable templates."';
  const warningOf = async (on: TestNode, method: string, path: string, body?: Json): Promise<string | null> => {
    const answer = await on.request(method, path, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.headers.get('warning');
  };

  it('are deprecated where they are put, and only there', async () => {
    const body = { index_patterns: ['ancient-*'], order: 1 };
    expect(await warningOf(node, 'PUT', '/_template/ancient', body)).toBe(DEPRECATED);
    expect(await warningOf(node, 'POST', '/_template/ancient', body)).toBe(DEPRECATED);
    expect(await warningOf(node, 'GET', '/_template/ancient')).toBeNull();
    expect(await warningOf(node, 'DELETE', '/_template/ancient')).toBeNull();
    expect(await warningOf(node, 'PUT', '/_index_template/modern', { index_patterns: ['modern-*'] })).toBeNull();
  });

  it('say so beside other warnings', async () => {
    await node.put('/_index_template/every', { index_patterns: ['both-1'] });
    const warning = await warningOf(node, 'PUT', '/_template/second', { index_patterns: ['*'], order: 1 });
    expect(warning).toContain(`${DEPRECATED}, 299 Quarry "legacy template [second] has index patterns [*]`);
    await node.delete('/_template/second');
  });

  it('are not deprecated in the mode of OpenSearch, and transient settings in neither', async () => {
    const other = await TestNode.start({ 'compatibility.distribution': 'opensearch' });
    try {
      const template = { index_patterns: ['ancient-*'], order: 1 };
      expect(await warningOf(other, 'PUT', '/_template/ancient', template)).toBeNull();
      for (const on of [node, other]) {
        const settings = { transient: { 'cluster.routing.allocation.enable': 'all' } };
        expect(await warningOf(on, 'PUT', '/_cluster/settings', settings)).toBeNull();
      }
    } finally {
      await other.stop();
    }
  });
});
