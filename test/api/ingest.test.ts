import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
});

afterAll(async () => {
  await node.stop();
});

async function pipeline(id: string, processors: readonly object[], more: object = {}): Promise<void> {
  const answer = await node.put(`/_ingest/pipeline/${id}`, { processors, ...more });
  expect(answer.json()).toEqual({ acknowledged: true });
}

async function source(path: string): Promise<Json> {
  return (await node.get(path)).json()._source;
}

describe('pipelines as objects of the cluster', () => {
  it('are put, shown, replaced on condition and deleted', async () => {
    await pipeline('crud', [{ set: { field: 'a', value: 1 } }], { description: 'd', version: 1 });
    expect((await node.get('/_ingest/pipeline/cr*')).json()).toEqual({
      crud: { description: 'd', version: 1, processors: [{ set: { field: 'a', value: 1 } }] },
    });
    const wrong = await node.put('/_ingest/pipeline/crud?if_version=3', { processors: [] });
    expect([wrong.status, wrong.json().error.reason]).toEqual([
      400,
      'version conflict, required version [3] for pipeline [crud] but current version is [1]',
    ]);
    expect((await node.put('/_ingest/pipeline/crud?if_version=1', { processors: [] })).status).toBe(200);
    expect((await node.get('/_ingest/pipeline/crud')).json()).toEqual({ crud: { processors: [], version: 2 } });
    expect((await node.delete('/_ingest/pipeline/crud')).json()).toEqual({ acknowledged: true });
    expect((await node.get('/_ingest/pipeline/crud')).status).toBe(404);
    const missing = await node.delete('/_ingest/pipeline/crud');
    expect([missing.status, missing.json().error.reason]).toEqual([404, 'pipeline [crud] is missing']);
  });

  it('are refused with the place of what is wrong', async () => {
    const answer = await node.put('/_ingest/pipeline/bad', { processors: [{ set: { tag: 'fritag' } }] });
    expect([answer.status, answer.json().error.root_cause[0]]).toEqual([
      400,
      {
        type: 'parse_exception',
        reason: '[field] required property is missing',
        property_name: 'field',
        processor_type: 'set',
        processor_tag: 'fritag',
      },
    ]);
  });

  it('are bounded in number and size', async () => {
    const settings = (value: string | null): Promise<Answer> =>
      node.put('/_cluster/settings', { persistent: { 'ingest.pipeline.max_pipeline_size': value } });
    await settings('20b');
    const answer = await node.put('/_ingest/pipeline/big', { processors: [{ set: { field: 'a', value: 'b' } }] });
    expect([answer.status, answer.json().error.reason]).toEqual([400, expect.stringContaining('max_pipeline_size')]);
    await settings(null);
  });
});

describe('documents', () => {
  it('go through the pipeline that the request, the action or the index names, then the final one', async () => {
    await pipeline('asked', [{ set: { field: 'by', value: 'asked' } }]);
    await pipeline('default', [{ set: { field: 'by', value: 'default' } }]);
    await pipeline('final', [{ append: { field: 'by', value: 'final' } }]);
    await node.put('/piped', {
      settings: { 'index.default_pipeline': 'default', 'index.final_pipeline': 'final' },
      aliases: { pa: {} },
    });
    await node.put('/piped/_doc/1', { n: 1.0 });
    await node.put('/pa/_doc/2?pipeline=asked', { n: 1 });
    await node.put('/piped/_doc/3?pipeline=_none', { n: 1 });
    const answer = await node.bulk('/piped/_bulk?pipeline=asked&refresh=true', [
      { index: { _id: '4' } },
      { n: 1 },
      { create: { _id: '5', pipeline: 'default' } },
      { n: 1 },
      { delete: { _id: '3' } },
      { update: { _id: '6' } },
      { doc: { n: 2 }, upsert: { n: 1 } },
      { update: { _id: '7' } },
      { doc: { n: 2 }, doc_as_upsert: true },
    ]);
    expect(answer.json()).toMatchObject({ errors: false, ingest_took: expect.any(Number) });
    const by = async (id: number): Promise<Json> => (await source(`/piped/_doc/${id}`)).by;
    expect(await by(1)).toEqual(['default', 'final']);
    expect(await by(2)).toEqual(['asked', 'final']);
    expect(await by(4)).toEqual(['asked', 'final']);
    expect(await by(5)).toEqual(['default', 'final']);
    expect(await by(6)).toEqual(['asked', 'final']);
    expect(await by(7)).toEqual(['asked', 'final']);
    expect((await node.get('/piped/_doc/3')).status).toBe(404);
    const empty = await node.put('/piped/_doc/9?pipeline=', { n: 1 });
    expect([empty.status, empty.json().error.type]).toEqual([400, 'action_request_validation_exception']);
  });

  it('of a bulk without pipelines are taken as they are', async () => {
    const answer = await node.bulk('/plain/_bulk', [{ index: { _id: '1' } }, { pipeline: '"pipeline"', a: 1 }]);
    expect(answer.json()).not.toHaveProperty('ingest_took');
    expect(await source('/plain/_doc/1')).toEqual({ pipeline: '"pipeline"', a: 1 });
  });

  it('fail on their own, or the request when they are alone', async () => {
    await pipeline('fails', [{ fail: { message: 'no {{a}}' } }]);
    const answer = await node.bulk('/failing/_bulk', [
      { index: { _id: '1', pipeline: 'fails' } },
      { a: 1 },
      { index: { _id: '2', pipeline: 'nowhere' } },
      { a: 2 },
      { index: { _id: '3' } },
      { a: 3 },
    ]);
    expect(answer.json()).toMatchObject({
      errors: true,
      items: [
        { index: { _id: '1', status: 500, error: { type: 'fail_processor_exception', reason: 'no 1' } } },
        { index: { _id: '2', status: 400, error: { reason: 'pipeline with id [nowhere] does not exist' } } },
        { index: { _id: '3', status: 201 } },
      ],
    });
    const alone = await node.put('/failing/_doc/1?pipeline=fails', { a: 4 });
    expect([alone.status, alone.json().error.root_cause[0]]).toEqual([
      500,
      { type: 'fail_processor_exception', reason: 'no 4' },
    ]);
  });

  it('are dropped, and then make no index', async () => {
    await pipeline('drops', [{ drop: { if: "ctx.kind == 'noise'" } }]);
    const alone = await node.put('/dropped/_doc/1?pipeline=drops', { kind: 'noise' });
    const noop = { _index: 'dropped', _version: -3, result: 'noop', _shards: { total: 0, successful: 0, failed: 0 } };
    expect([alone.status, alone.json()]).toEqual([200, { ...noop, _id: '1' }]);
    const answer = await node.bulk('/dropped/_bulk?pipeline=drops', [{ index: {} }, { kind: 'noise' }]);
    expect(answer.json()).toMatchObject({ errors: false, items: [{ index: { ...noop, status: 200 } }] });
    expect((await node.get('/dropped')).status).toBe(404);
    expect((await node.put('/dropped/_doc/2?pipeline=drops', { kind: 'news' })).status).toBe(201);
  });

  it('change their index, id, routing and version', async () => {
    await pipeline('moves', [
      { set: { field: '_index', value: 'elsewhere' } },
      { set: { field: '_id', value: 'x-{{_id}}' } },
      { set: { field: '_routing', value: 'r' } },
    ]);
    const answer = await node.put('/nowhere/_doc/1?pipeline=moves', { a: 1 });
    expect(answer.json()).toMatchObject({ _index: 'elsewhere', _id: 'x-1', result: 'created' });
    expect((await node.get('/elsewhere/_doc/x-1?routing=r')).json()).toMatchObject({
      _routing: 'r',
      _source: { a: 1 },
    });
    expect((await node.get('/nowhere')).status).toBe(404);
    await node.put('/closed-end', { settings: { 'index.final_pipeline': 'moves' } });
    const refused = await node.put('/closed-end/_doc/1', { a: 1 });
    expect([refused.status, refused.json().error.reason]).toEqual([
      500,
      "final pipeline [moves] can't change the target index (from [closed-end] to [elsewhere]) for document [1]",
    ]);
  });

  it('are sent on to another index, through its pipelines, and round in no circle', async () => {
    await pipeline('to-b', [{ reroute: { destination: 'stop-b' } }, { fail: { message: 'not reached' } }]);
    await pipeline('in-b', [{ set: { field: 'seen', value: 'b' } }]);
    await node.put('/stop-b', { settings: { 'index.default_pipeline': 'in-b', 'index.final_pipeline': '_none' } });
    const answer = await node.put('/stop-a/_doc/1?pipeline=to-b&refresh=true', { a: 1 });
    expect([answer.status, answer.json()._index]).toEqual([201, 'stop-b']);
    expect(await source('/stop-b/_doc/1')).toEqual({ a: 1, seen: 'b' });
    expect((await node.get('/stop-a')).status).toBe(404);
    await pipeline('back', [{ reroute: { destination: 'stop-a' } }]);
    await node.put('/stop-a', { settings: { 'index.default_pipeline': 'to-b' } });
    await node.put('/stop-b/_settings', { 'index.default_pipeline': 'back' });
    expect((await node.put('/stop-a/_doc/1', {})).json().error.reason).toBe(
      'index cycle detected while processing pipeline [back]: [stop-a, stop-b, stop-a]',
    );
  });

  it('get an id of their own when a pipeline takes theirs', async () => {
    await pipeline('no-id', [{ remove: { field: '_id', ignore_missing: true } }]);
    await node.put('/own-ids/_doc/1', { a: 1 });
    const alone = await node.put('/own-ids/_doc/1?pipeline=no-id', { a: 2 });
    expect([alone.status, alone.json()._id]).toEqual([201, expect.not.stringMatching(/^1$/)]);
    const answer = await node.bulk('/own-ids/_bulk?pipeline=no-id&refresh=true', [
      ...[{ index: { _id: '1' } }, { a: 3 }],
      ...[{ index: {} }, { a: 4 }],
      ...[{ index: { _id: '1', if_seq_no: 0, if_primary_term: 1 } }, { a: 5 }],
    ]);
    expect(answer.json().items.map((item: Json) => item.index.status)).toEqual([201, 201, 409]);
    const found = (await node.post('/own-ids/_search', { sort: ['a'] })).json().hits.hits;
    expect(found.map((hit: Json) => hit._source.a)).toEqual([1, 2, 3, 4]);
    expect(new Set(found.map((hit: Json) => hit._id)).size).toBe(4);
  });

  it('are refused where they say in their source what they are called', async () => {
    await pipeline('quiet', [{ set: { field: 'b', value: 1 } }]);
    await node.put('/named/_doc/1', { a: 1 });
    const alone = await node.post('/named/_doc?pipeline=quiet', { _id: '1', a: 2 });
    expect([alone.status, alone.json().error.reason]).toEqual([400, 'unexpected metadata [_id:1] in source']);
    expect(await source('/named/_doc/1')).toEqual({ a: 1 });
  });

  it('fail on their own where a pipeline makes metadata that cannot be', async () => {
    await pipeline('sets-id', [{ set: { field: '_id', copy_from: 'id', ignore_empty_value: true } }]);
    await pipeline('sets-routing', [{ set: { field: '_routing', value: '' } }]);
    await pipeline('sets-type', [{ set: { field: '_version_type', value: 'external' } }]);
    const answer = await node.bulk('/metadata/_bulk', [
      ...[{ index: { pipeline: 'sets-id' } }, { id: 'x'.repeat(600) }],
      ...[{ index: { pipeline: 'sets-id' } }, { id: 'good' }],
      ...[{ index: { _id: '2', pipeline: 'sets-routing' } }, {}],
      ...[{ index: { _id: '3', pipeline: 'sets-type' } }, {}],
    ]);
    expect(answer.status).toBe(200);
    expect(answer.json().items.map((item: Json) => [item.index.status, item.index.error?.type])).toEqual([
      [400, 'action_request_validation_exception'],
      [201, undefined],
      [400, 'action_request_validation_exception'],
      [400, 'action_request_validation_exception'],
    ]);
    expect(await source('/metadata/_doc/good')).toEqual({ id: 'good' });
  });

  it('of an index that is still to be made go through the pipelines of its template', async () => {
    await pipeline('of-template', [{ set: { field: 'by', value: 'template' } }]);
    const settings = { default_pipeline: 'of-template', final_pipeline: 'of-template' };
    await node.put('/_index_template/piped', { index_patterns: ['tpl-*'], template: { settings } });
    const answer = await node.bulk('/_bulk', [
      { update: { _index: 'tpl-1', _id: '1' } },
      { doc: { x: 1 }, upsert: { f: 1 } },
    ]);
    expect(answer.json().items[0].update.result).toBe('created');
    expect(await source('/tpl-1/_doc/1')).toEqual({ f: 1, by: 'template' });
  });

  it('go through pipelines when they are copied or changed by query', async () => {
    await pipeline('copied', [{ set: { field: 'by', value: 'copy' } }, { drop: { if: 'ctx.n == 2' } }]);
    await node.bulk('/copy-source/_bulk?refresh=true', [
      { index: { _id: '1' } },
      { n: 1 },
      { index: { _id: '2' } },
      { n: 2 },
    ]);
    const dest = { index: 'copy-target', pipeline: 'copied' };
    const copied = await node.post('/_reindex?refresh=true', { source: { index: 'copy-source' }, dest });
    expect(copied.json()).toMatchObject({ total: 2, created: 1, noops: 1, failures: [] });
    expect(await source('/copy-target/_doc/1')).toEqual({ n: 1, by: 'copy' });
    const changed = await node.post('/copy-source/_update_by_query?pipeline=copied&refresh=true');
    expect(changed.json()).toMatchObject({ total: 2, updated: 1, noops: 1 });
    expect(await source('/copy-source/_doc/1')).toEqual({ n: 1, by: 'copy' });
  });

  it('go to an index that a date names', async () => {
    await pipeline('dated', [
      { date_index_name: { field: 'd', date_formats: ['ISO8601'], index_name_prefix: 'day-', date_rounding: 'd' } },
    ]);
    const answer = await node.put('/undated/_doc/1?pipeline=dated', { d: '2016-04-22T16:32:14.968Z' });
    expect(answer.json()).toMatchObject({ _index: 'day-2016-04-22' });
  });

  it('are changed by scripts', async () => {
    await pipeline('scripted', [
      { script: { source: 'ctx.sum = ctx.a + params.b; ctx._id = "s" + ctx._id', params: { b: 2 } } },
    ]);
    await node.put('/scripted/_doc/1?pipeline=scripted', { a: 1.5 });
    expect(await source('/scripted/_doc/s1')).toEqual({ a: 1.5, sum: 3.5 });
    const wrong = await node.put('/_ingest/pipeline/wrong', { processors: [{ script: { source: 'ctx.' } }] });
    expect([wrong.status, wrong.json().error.type]).toEqual([400, 'script_exception']);
  });
});

describe('simulation', () => {
  it('shows what comes out, or why nothing does', async () => {
    const body = {
      pipeline: { processors: [{ uppercase: { field: 'a' } }, { drop: { if: "ctx.a == 'X'" } }] },
      docs: [{ _index: 'i', _id: '7', _source: { a: 'b', n: 1.0 } }, { _source: {} }, { _source: { a: 'x' } }],
    };
    const { docs } = (await node.post('/_ingest/pipeline/_simulate', body)).json();
    expect(docs[0].doc).toEqual({
      ...{ _index: 'i', _id: '7', _version: '-3', _source: { a: 'B', n: 1 } },
      _ingest: { timestamp: expect.any(String) },
    });
    expect(docs[1].error).toMatchObject({ type: 'illegal_argument_exception', root_cause: [{}] });
    expect(docs[2]).toBeNull();
  });

  it('shows every step where that is asked for', async () => {
    await pipeline('inner', [{ rename: { field: 'no', target_field: 'x' } }]);
    const body = {
      pipeline: {
        processors: [
          { set: { tag: 't', description: 'd', if: 'true', field: 'a', value: 1 } },
          { set: { if: 'false', field: 'a', value: 2 } },
          { fail: { message: 'm', ignore_failure: true } },
          { pipeline: { name: 'inner' } },
        ],
      },
      docs: [{ _source: {} }],
    };
    const answer = (await node.post('/_ingest/pipeline/_simulate?verbose', body)).json();
    const results = answer.docs[0].processor_results;
    expect(results.map((each: Json) => [each.processor_type, each.status])).toEqual([
      ['set', 'success'],
      ['set', 'skipped'],
      ['fail', 'error_ignored'],
      ['pipeline', 'success'],
      ['rename', 'error'],
    ]);
    expect(results[0]).toMatchObject({ tag: 't', description: 'd', if: { condition: 'true', result: true } });
    expect(results[0].doc._ingest).toEqual({ pipeline: '_simulate_pipeline', timestamp: expect.any(String) });
    expect(results[4].error).toMatchObject({ reason: "field [no] doesn't exist" });
  });

  it('says what of the request is missing', async () => {
    const answer = await node.post('/_ingest/pipeline/_simulate', { docs: [{ _source: {} }] });
    expect([answer.status, answer.json().error]).toMatchObject([
      400,
      { reason: '[pipeline] required property is missing', root_cause: [{ property_name: 'pipeline' }] },
    ]);
    const unknown = await node.post('/_ingest/pipeline/unknown/_simulate', { docs: [{ _source: {} }] });
    expect([unknown.status, unknown.json().error.reason]).toEqual([400, 'pipeline [unknown] does not exist']);
  });
});

describe('what is known of pipelines', () => {
  it('is counted per pipeline and processor', async () => {
    await pipeline('counted', [
      { set: { tag: 'a', field: 'a', value: 1 } },
      { fail: { if: 'ctx.bad == true', message: 'm' } },
    ]);
    await node.put('/counted/_doc/1?pipeline=counted', { bad: false });
    await node.put('/counted/_doc/2?pipeline=counted', { bad: true });
    const { nodes } = (await node.get('/_nodes/stats/ingest')).json();
    const [{ ingest }] = Object.values(nodes) as [Json];
    expect(ingest.total).toMatchObject({ current: 0 });
    expect(ingest.pipelines.counted).toMatchObject({
      ...{ count: 2, failed: 1, current: 0, time_in_millis: expect.any(Number) },
      // The one that failed produced nothing.
      ingested_as_first_pipeline_in_bytes: '{"bad":false}{"bad":true}'.length,
      produced_as_first_pipeline_in_bytes: '{"bad":false,"a":1}'.length,
      processors: [
        { 'set:a': { type: 'set', stats: { count: 2, failed: 0 } } },
        { fail: { type: 'conditional', stats: { count: 1, failed: 1 } } },
      ],
    });
  });

  it('are the processors and the patterns that there are', async () => {
    const { nodes } = (await node.get('/_nodes/ingest')).json();
    const [info] = Object.values(nodes) as [Json];
    expect(info.ingest.processors).toContainEqual({ type: 'grok' });
    const { patterns } = (await node.get('/_ingest/processor/grok')).json();
    expect(patterns.PATH).toBe('(?:%{UNIXPATH}|%{WINPATH})');
  });

  it('survives a restart', async () => {
    await pipeline('kept', [{ set: { field: 'a', value: 1 } }]);
    const { directory } = node;
    await node.signal('SIGTERM');
    node = await TestNode.start({}, directory);
    expect((await node.get('/_ingest/pipeline/kept')).status).toBe(200);
    await node.put('/kept/_doc/1?pipeline=kept', {});
    expect(await source('/kept/_doc/1')).toEqual({ a: 1 });
  });
});
