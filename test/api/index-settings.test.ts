import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer } from './node-harness.js';

let node: TestNode;

const reason = (answer: Answer): unknown => [answer.status, answer.json().error.reason];

beforeAll(async () => {
  node = await TestNode.start({ 'index.number_of_replicas': '0' });
  await node.put('/plain');
});

afterAll(async () => {
  await node.stop();
});

describe('PUT _settings', () => {
  it.each([
    ['flat with prefix', { 'index.refresh_interval': '5s' }],
    ['flat without prefix', { refresh_interval: '5s' }],
    ['nested', { index: { refresh_interval: '5s' } }],
    ['in a member', { settings: { refresh_interval: '5s' } }],
  ])('takes settings %s; null removes them', async (_form, body) => {
    expect((await node.put('/plain/_settings', body)).json()).toEqual({ acknowledged: true });
    expect((await node.get('/plain/_settings/index.refresh_interval')).json()).toEqual({
      plain: { settings: { index: { refresh_interval: '5s' } } },
    });
    await node.put('/plain/_settings', { 'index.refresh_interval': null });
    expect((await node.get('/plain/_settings/index.refresh_interval')).json()).toEqual({});
  });

  it('leaves existing ones alone when asked', async () => {
    await node.put('/plain/_settings', { max_result_window: 5 });
    await node.put('/plain/_settings?preserve_existing=true', { max_result_window: 7, max_terms_count: 8 });
    const { index } = (await node.get('/plain/_settings')).json().plain.settings;
    expect([index.max_result_window, index.max_terms_count]).toEqual(['5', '8']);
  });

  it('refuses sizes that no 64 bits count, and opens shards with the largest that they do', async () => {
    const name = 'index.translog.flush_threshold_size';
    await node.put('/large');
    const refusal = 'values greater than 9223372036854775807 bytes are not supported';
    const sizes = { 'indices.breaker.request.limit': '8589934592gb' };
    for (const refused of [
      await node.put('/large/_settings', { [name]: '8589934592gb' }),
      await node.put('/larger', { settings: { [name]: '8589934592gb' } }),
      await node.put('/_cluster/settings', { persistent: sizes }),
    ]) {
      expect(reason(refused)).toEqual([400, expect.stringContaining(refusal)]);
    }
    const settings = { [name]: '8589934591gb', 'index.translog.generation_threshold_size': '8589934591gb' };
    await node.put('/large/_settings', settings);
    const persistent = { 'indices.breaker.request.limit': '8589934591gb' };
    expect((await node.put('/_cluster/settings', { persistent })).status).toBe(200);
    await node.post('/large/_close');
    await node.post('/large/_open?wait_for_active_shards=1');
    expect((await node.put('/large/_doc/1?refresh=true', { a: 1 })).status).toBe(201);
    expect((await node.post('/large/_search', { aggs: { a: { terms: { field: 'a' } } } })).status).toBe(200);
    await node.put('/_cluster/settings', { persistent: { 'indices.breaker.request.limit': null } });
  });

  it('keeps static settings of an open index; a closed one may change them; nobody the number of shards', async () => {
    await node.put('/static');
    const uuid = (await node.get('/static')).json().static.settings.index.uuid as string;
    expect(reason(await node.put('/static/_settings', { codec: 'best_compression', refresh_interval: '9s' }))).toEqual([
      400,
      `Can't update non dynamic settings [[index.codec]] for open indices [[static/${uuid}]]`,
    ]);
    expect((await node.get('/static/_settings/index.refresh_interval')).json()).toEqual({});
    await node.post('/static/_close');
    expect((await node.put('/static/_settings', { codec: 'best_compression' })).status).toBe(200);
    expect((await node.put('/static/_settings', { number_of_shards: 2 })).status).toBe(400);
    await node.post('/static/_open');
    expect((await node.get('/static/_settings/index.codec')).json().static.settings.index.codec).toBe(
      'best_compression',
    );
  });

  it('closes and opens the index for static settings when told to, and keeps its documents', async () => {
    await node.put('/reopened');
    await node.put('/reopened/_doc/1?refresh=true', { a: 1 });
    const change = { codec: 'best_compression' };
    expect((await node.put('/reopened/_settings?reopen=true', change)).json()).toEqual({ acknowledged: true });
    expect((await node.get('/reopened/_settings/index.codec')).json().reopened.settings.index).toEqual(change);
    expect((await node.get('/reopened/_doc/1')).json().found).toBe(true);
    expect((await node.put('/reopened/_settings?reopen=true', { codec: 'nonsense' })).status).toBe(400);
    expect((await node.get('/reopened/_doc/1')).json().found).toBe(true);
  });

  it.each([
    [
      { refresh_intervall: '1s' },
      /^unknown setting \[index\.refresh_intervall\] did you mean \[index\.refresh_interval\]\?$/,
    ],
    [{ number_of_replicas: -1 }, /must be >= 0$/],
    [{ uuid: 'x' }, /^Can't update non dynamic settings \[\[index\.uuid\]\]/],
    [{ 'merge.scheduler.auto_throttle': false }, /cannot be changed from its default \[true\] yet$/],
    [{}, /^Validation Failed: 1: no settings to update;$/],
  ])('refuses %j', async (body, expected) => {
    const answer = await node.put('/plain/_settings', body);
    expect([answer.status, answer.json().error.reason]).toEqual([400, expect.stringMatching(expected)]);
  });
});

describe('GET _settings', () => {
  it('answers nothing for what is not set or unknown, and 404 for a missing index', async () => {
    expect((await node.get('/plain/_settings/index.nonsense')).json()).toEqual({});
    expect((await node.get('/missing/_settings')).json().error.type).toBe('index_not_found_exception');
  });

  it('takes patterns of names and shows defaults beside', async () => {
    const { settings, defaults } = (
      await node.get('/plain/_settings/index.number*,index.codec?include_defaults&flat_settings')
    ).json().plain;
    expect(settings).toEqual({ 'index.number_of_replicas': '0', 'index.number_of_shards': '1' });
    expect(defaults).toEqual({ 'index.codec': 'default' });
  });
});

describe('limits of analysis', () => {
  it('bound the components of an index', async () => {
    const tokenizer = { grams: { type: 'ngram', min_gram: 1, max_gram: 4 } };
    const settings = { analysis: { tokenizer, analyzer: { grams: { tokenizer: 'grams' } } } };
    expect((await node.put('/grams', { settings })).json().error.reason).toContain('[index.max_ngram_diff]');
    expect((await node.put('/grams', { settings: { ...settings, max_ngram_diff: 3 } })).status).toBe(200);
    const { tokens } = (await node.post('/grams/_analyze', { analyzer: 'grams', text: 'abcd' })).json();
    expect(tokens).toHaveLength(10);
    expect((await node.put('/grams/_settings', { max_ngram_diff: 1 })).status).toBe(400);
  });
});

describe('settings of how long the translog is kept', () => {
  const settings = { 'index.translog.retention.age': '12h', 'index.translog.retention.size': '512mb' };
  const SUBJECT = 'Translog retention settings [index.translog.retention.age] and [index.translog.retention.size] are';

  it('are refused where they are not known any more', async () => {
    const refused = [400, `${SUBJECT} no longer supported. Please do not specify values for these settings`];
    expect(reason(await node.put('/kept', { settings }))).toEqual(refused);
    expect(reason(await node.put('/plain/_settings', settings))).toEqual(refused);
    expect((await node.put('/plain/_settings', { 'index.translog.retention.age': null })).status).toBe(200);
  });

  it('are checked, kept and ignored with a warning elsewhere', async () => {
    const other = await TestNode.start({ 'compatibility.distribution': 'opensearch' });
    const warning = `299 Quarry "${SUBJECT} deprecated and effectively ignored. They will be removed in a future version."`;
    const told = (answer: Answer): unknown => [answer.status, answer.headers.get('warning')];
    try {
      expect(told(await other.put('/kept', { settings }))).toEqual([200, warning]);
      const { kept } = (await other.get('/kept/_settings?flat_settings')).json();
      expect(kept.settings).toMatchObject(settings);
      expect(told(await other.put('/kept/_settings', { translog: { retention: { size: '1gb' } } }))).toEqual([
        ...[200, warning],
      ]);
      expect(told(await other.put('/kept/_settings', { refresh_interval: '5s' }))).toEqual([200, null]);
      await other.put('/_index_template/kept', { index_patterns: ['from-*'], template: { settings } });
      expect(told(await other.put('/from-template'))).toEqual([200, warning]);
      expect(told(await other.put('/none'))).toEqual([200, null]);
      expect((await other.put('/bad', { settings: { 'index.translog.retention.size': 'much' } })).status).toBe(400);
    } finally {
      await other.stop();
    }
  });
});
