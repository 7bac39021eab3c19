/** Shrinking, splitting and cloning an index over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

const DOCUMENTS = 400;

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
  await make('four', { number_of_shards: 4, number_of_replicas: 0 });
});

afterAll(async () => {
  await node.stop();
});

/** Some of the documents have a routing, some were deleted, some are nested; not all of them in one segment. */
async function make(index: string, settings: Json): Promise<void> {
  const properties = { at: { type: 'long' }, tag: { type: 'keyword' }, parts: { type: 'nested' } };
  await node.put(`/${index}`, { settings: { ...settings, 'index.refresh_interval': '-1' }, mappings: { properties } });
  for (let from = 0; from < DOCUMENTS; from += 100) {
    const lines = Array.from({ length: 100 }, (_, at) => at + from).flatMap((at) => [
      { index: { _id: String(at), ...(at % 7 === 0 ? { routing: `r${at % 5}` } : {}) } },
      { at, tag: `t${at % 3}`, parts: [{ part: at }, { part: -at }] },
    ]);
    expect((await node.bulk(`/${index}/_bulk?refresh=true`, lines)).json().errors).toBe(false);
  }
  await node.post(`/${index}/_delete_by_query?refresh=true`, { query: { term: { at: 1 } } });
  await node.put(`/${index}/_settings`, { 'index.blocks.write': true });
}

async function idsOf(index: string): Promise<Json> {
  const body = { size: DOCUMENTS, sort: ['at'], query: { match_all: {} }, docvalue_fields: ['tag'] };
  const { hits } = (await node.post(`/${index}/_search`, body)).json();
  return hits.hits.map(({ _id, _routing, _source, fields }: Json) => ({ _id, _routing, _source, fields }));
}

async function expectSame(target: string): Promise<void> {
  expect(await idsOf(target)).toEqual(await idsOf('four'));
  for (const [id, routing] of [
    ['2', ''],
    ['14', '?routing=r4'],
  ]) {
    expect((await node.get(`/${target}/_doc/${id}${routing}`)).json().found).toBe(true);
  }
  const nested = { query: { nested: { path: 'parts', query: { term: { 'parts.part': -17 } } } } };
  expect((await node.post(`/${target}/_search`, nested)).json().hits.hits.map(({ _id }: Json) => _id)).toEqual(['17']);
}

describe.each([
  ['shrink', { 'index.number_of_shards': 2 }, 2],
  ['split', { index: { number_of_shards: 8 } }, 8],
  ['clone', {}, 4],
] as const)('%s', (kind, settings, shards) => {
  const target = `by-${kind}`;

  it('makes an index with the same documents, that takes writes', async () => {
    const body = { settings: { ...settings, 'index.blocks.write': null }, aliases: { [`${target}-alias`]: {} } };
    const answer = await node.put(`/four/_${kind}/${target}`, body);
    expect(answer.json()).toEqual({ acknowledged: true, shards_acknowledged: true, index: target });
    await expectSame(target);
    const { settings: made, aliases, mappings } = (await node.get(`/${target}`)).json()[target];
    expect(made.index.number_of_shards).toBe(String(shards));
    expect(made.index.resize.source.name).toBe('four');
    expect(made.index.refresh_interval).toBe('-1');
    expect(made.index.blocks).toBeUndefined();
    expect(aliases).toEqual({ [`${target}-alias`]: {} });
    expect(mappings.properties.tag).toEqual({ type: 'keyword' });
    const written = await node.put(`/${target}/_doc/2?refresh=true`, {
      at: 2,
      tag: 't2',
      parts: [{ part: 2 }, { part: -2 }],
    });
    expect(written.json().result).toBe('updated');
    const { shards: recovered } = (await node.get(`/${target}/_recovery`)).json()[target];
    expect(recovered.map(({ type, stage }: Json) => [type, stage])).toEqual(
      Array.from({ length: shards }, () => ['LOCAL_SHARDS', 'DONE']),
    );
  });

  it('made it to last: it outlives the source and the process', async () => {
    await node.post(`/${target}/_forcemerge?max_num_segments=1`);
    await expectSameCount(target);
  });
});

async function expectSameCount(target: string): Promise<void> {
  expect((await node.get(`/${target}/_count`)).json().count).toBe(DOCUMENTS - 1);
}

it('answers with a task where it shall not wait', async () => {
  const { task } = (await node.post('/four/_clone/by-task?wait_for_completion=false', {})).json();
  const told = (await node.get(`/_tasks/${task}?wait_for_completion=true`)).json();
  expect(told.task).toMatchObject({ action: 'indices:admin/resize', description: 'clone from [four] to [by-task]' });
  expect(told.response).toEqual({ acknowledged: true, shards_acknowledged: true, index: 'by-task' });
});

it('chooses the number of shards by their size', async () => {
  await node.put('/four/_shrink/by-size', { max_shard_size: '1b' });
  await node.put('/four/_shrink/by-large-size', { max_shard_size: '10gb' });
  const shardsOf = async (index: string): Promise<string> =>
    (await node.get(`/${index}/_settings`)).json()[index].settings.index.number_of_shards;
  expect(await shardsOf('by-size')).toBe('4');
  expect(await shardsOf('by-large-size')).toBe('1');
});

it.each<readonly [string, Json, number, string]>([
  ['/nothing/_shrink/x', {}, 404, 'no such index [nothing]'],
  ['/four/_clone/by-clone', {}, 400, 'already exists'],
  ['/four/_split/x', {}, 400, 'index.number_of_shards is required for split operations'],
  ['/four/_split/x', { settings: { 'index.number_of_shards': 6 } }, 400, 'must be a factor of [6]'],
  ['/four/_clone/x', { settings: { 'index.number_of_shards': 6 } }, 400, 'the number of target shards (6) must be'],
  ['/four/_clone/x', { settings: { 'index.sort.field': 'at' } }, 400, "can't override index sort when resizing"],
  ['/four/_shrink/x', { settings: { 'index.number_of_routing_shards': 8 } }, 400, 'number_of_routing_shards on resize'],
  ['/four/_shrink/x', { settings: { 'index.routing_partition_size': 2 } }, 400, 'routing partition size value'],
  ['/four/_shrink/x', { mappings: {} }, 400, '[resize_request] unknown field [mappings]'],
  ['/four/_split/x', { max_shard_size: '1gb' }, 400, 'Unsupported parameter [max_shard_size]'],
  ['/four/_shrink/x', { settings: { 'index.resize.source.uuid': 'u' } }, 400, 'private index setting'],
  ['/four/_shrink/x?copy_settings=false', {}, 400, 'can not be explicitly set to [false]'],
  ['/by-large-size/_shrink/x', {}, 400, "can't shrink an index with only one shard"],
])('refuses %s %j', async (path, body, status, reason) => {
  const answer = await node.put(path, body);
  expect(answer.json().error.reason).toContain(reason);
  expect(answer.status).toBe(status);
});

it('refuses a source that takes writes', async () => {
  await node.put('/writable', { settings: { number_of_shards: 2, number_of_replicas: 0 } });
  const answer = await node.post('/writable/_shrink/x', {});
  expect(answer.status).toBe(500);
  expect(answer.json().error.reason).toBe(
    'index writable must be read-only to resize index. use "index.blocks.write=true"',
  );
});

it('refuses a closed source', async () => {
  await node.put('/closed', { settings: { number_of_shards: 2, number_of_replicas: 0, 'index.blocks.write': true } });
  await node.post('/closed/_close');
  for (const [kind, settings] of Object.entries({ shrink: {}, split: { number_of_shards: 4 }, clone: {} })) {
    const refused = await node.put(`/closed/_${kind}/of-closed`, { settings });
    expect([kind, refused.status, refused.json().error.type]).toEqual([kind, 400, 'index_closed_exception']);
  }
  expect((await node.get('/of-closed')).status).toBe(404);
});

it('is an action of lifecycle policies: the shrunk index takes the place of the other', async () => {
  const actions = {
    shrink: { number_of_shards: 1, allow_write_after_shrink: true },
    forcemerge: { max_num_segments: 1 },
  };
  await node.put('/_ilm/policy/shrinking', { policy: { phases: { warm: { actions } } } });
  await node.put('/_cluster/settings', { transient: { 'indices.lifecycle.poll_interval': '1s' } });
  const settings = { number_of_shards: 2, number_of_replicas: 0, 'index.lifecycle.name': 'shrinking' };
  await node.put('/aging', { settings, aliases: { old: {} } });
  await node.put('/aging/_doc/1?refresh=true', { a: 1 });
  const explained = await node.until(async () => {
    const [index] = Object.values<Json>((await node.get('/aging/_ilm/explain')).json().indices);
    return index.index !== 'aging' && index.action === 'complete' ? (index as Json) : undefined;
  });
  expect(explained.index).toMatch(/^shrink-.{4}-aging$/);
  const { settings: made, aliases } = (await node.get('/aging')).json()[explained.index];
  expect(made.index).toMatchObject({ number_of_shards: '1', lifecycle: { name: 'shrinking' } });
  expect(Object.keys(aliases)).toEqual(['aging', 'old']);
  expect((await node.get('/old/_count')).json().count).toBe(1);
  expect((await node.put('/aging/_doc/2', { a: 2 })).status).toBe(201);
});

it('leaves what was made when the source goes and the process starts again', async () => {
  await node.delete('/four');
  await node.signal('SIGKILL');
  node = await TestNode.start({}, node.directory);
  await node.get('/_cluster/health?wait_for_status=yellow');
  for (const target of ['by-shrink', 'by-split', 'by-clone']) await expectSameCount(target);
});

it('refuses a target that nobody could delete, whoever blocks it', async () => {
  const refusal = (name: string): string => `target index [blocked] will be blocked by [index.blocks.${name}=true]`;
  await node.put('/shut', { settings: { number_of_shards: 1, number_of_replicas: 0, 'index.blocks.write': true } });
  for (const name of ['metadata', 'read_only']) {
    const settings = { [`index.blocks.${name}`]: true };
    const answer = await node.put('/shut/_clone/blocked', { settings });
    expect([answer.status, answer.json().error.type]).toEqual([400, 'illegal_argument_exception']);
    expect(answer.json().error.reason).toContain(refusal(name));
  }
  await node.put('/locked', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  await node.put('/locked/_settings', { 'index.blocks.read_only': true });
  const inherited = await node.put('/locked/_clone/blocked', {});
  expect(inherited.status).toBe(400);
  expect(inherited.json().error.reason).toContain(refusal('read_only'));
  expect((await node.get('/blocked')).status).toBe(404);
  const free = { settings: { 'index.blocks.read_only': null } };
  expect((await node.put('/locked/_clone/unlocked', free)).status).toBe(200);
  expect((await node.delete('/unlocked')).status).toBe(200);
});
