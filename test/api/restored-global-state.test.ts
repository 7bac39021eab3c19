/** What a restore with the global state makes of a cluster that has changed since the snapshot. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

let node: TestNode;
let repositories: string;

async function ok(asked: Promise<Answer>): Promise<Json> {
  const answer = await asked;
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json();
}

async function isThere(path: string): Promise<boolean> {
  return (await node.get(path)).status === 200;
}

const policyOf = (age: string): Json => ({ policy: { phases: { delete: { min_age: age, actions: { delete: {} } } } } });
const slmOf = (schedule: string): Json => ({ schedule, name: 'nightly', repository: 'archive', config: {} });

/** One of each kind, by where it is put; `what` is what a reader can tell them apart by. */
const KINDS: Readonly<Record<string, (what: string, name: string) => Json>> = {
  '/_index_template': (what, name) => ({ index_patterns: [`${name}-*`], priority: 900, _meta: { what } }),
  '/_component_template': (what) => ({ template: {}, _meta: { what } }),
  '/_ingest/pipeline': (what) => ({ description: what, processors: [] }),
  '/_ilm/policy': (what) => policyOf(what === 'before' ? '1d' : '2d'),
  '/_slm/policy': (what) => slmOf(what === 'before' ? '0 30 1 * * ?' : '0 30 2 * * ?'),
  '/_scripts': (what) => ({ script: { lang: 'painless', source: `'${what}'` } }),
  '/_template': (what, name) => ({ index_patterns: [`old-${name}-*`], order: what === 'before' ? 1 : 2 }),
};

async function put(name: string, what: string): Promise<void> {
  for (const [path, body] of Object.entries(KINDS)) await ok(node.put(`${path}/${name}`, body(what, name)));
}

/** Without what tells when it was put. */
async function read(name: string): Promise<Json> {
  const seen = Object.keys(KINDS).map(async (path) => [path, (await node.get(`${path}/${name}`)).json()] as const);
  const text = JSON.stringify(Object.fromEntries(await Promise.all(seen)));
  return JSON.parse(text, (key, value: unknown) => (/date|millis|version/.test(key) ? undefined : value)) as Json;
}

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-global-'));
  node = await TestNode.start({ 'path.repo': repositories });
  await ok(node.put('/_snapshot/archive', { type: 'fs', settings: { location: 'archive' } }));
  await ok(node.put('/goods', { settings: { number_of_replicas: 0 } }));
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

const SETTING = 'cluster.routing.allocation.node_concurrent_recoveries';
const OTHER = 'cluster.max_shards_per_node';

it('puts what the snapshot has in the place of what is there, and leaves other legacy templates', async () => {
  await put('kept', 'before');
  await put('removed', 'before');
  await ok(node.put('/_cluster/settings', { persistent: { [SETTING]: '7' } }));
  await ok(node.put('/_snapshot/archive/one?wait_for_completion=true', { indices: 'goods', feature_states: ['none'] }));
  const [kept, removed] = [await read('kept'), await read('removed')];
  await put('kept', 'after');
  await put('added', 'after');
  for (const path of Object.keys(KINDS)) await ok(node.delete(`${path}/removed`));
  await ok(node.put('/_cluster/settings', { persistent: { [SETTING]: '8', [OTHER]: '500' } }));
  await ok(node.post('/_slm/stop'));
  await ok(node.post('/_ilm/stop'));
  const restore = (body: Json): Promise<Json> =>
    ok(node.post('/_snapshot/archive/one/_restore?wait_for_completion=true', { indices: 'absent*', ...body }));

  await restore({});
  expect(await isThere('/_ingest/pipeline/added')).toBe(true);

  await restore({ include_global_state: true });
  expect([await read('kept'), await read('removed')]).toEqual([kept, removed]);
  const left = await Promise.all(
    Object.keys(KINDS).map(async (path) => [path, await isThere(`${path}/added`)] as const),
  );
  expect(left.filter(([, there]) => there)).toEqual([['/_template', true]]);
  expect((await ok(node.get('/_cluster/settings?flat_settings'))).persistent).toEqual({ [SETTING]: '7' });
  // Templates that come with the cluster are there still.
  await node.until(async () => ((await isThere('/_index_template/logs')) ? true : undefined));
  // Whether lifecycles run is no part of a snapshot.
  expect((await ok(node.get('/_slm/status'))).operation_mode).toBe('STOPPED');
  expect((await ok(node.get('/_ilm/status'))).operation_mode).toBe('STOPPED');
  await ok(node.post('/_slm/start'));
  const { snapshot_name: name } = await ok(node.post('/_slm/policy/removed/_execute'));
  await node.until(async () => {
    const { removed: policy } = await ok(node.get('/_slm/policy/removed'));
    return policy.last_success?.snapshot_name === name ? true : undefined;
  });
});

it('is refused where its settings contradict each other, unless what stays agrees with them', async () => {
  const [most, usual] = ['search.max_keep_alive', 'search.default_keep_alive'];
  const agreeing = { transient: { [usual]: '1m' } };
  await ok(node.put('/_cluster/settings', { persistent: { [most]: '1m' }, ...agreeing }));
  const config = { indices: 'goods', feature_states: ['none'] };
  await ok(node.put('/_snapshot/archive/contradictory?wait_for_completion=true', config));
  await ok(node.put('/_cluster/settings', { persistent: { [most]: null }, transient: { [usual]: null } }));
  const before = (await ok(node.get('/_cluster/settings?flat_settings'))).persistent;
  const restore = (): Promise<Answer> =>
    node.post('/_snapshot/archive/contradictory/_restore?wait_for_completion=true', {
      indices: 'absent*',
      include_global_state: true,
    });
  const refused = await restore();
  expect([refused.status, refused.json().error]).toMatchObject([
    400,
    {
      type: 'illegal_argument_exception',
      reason: `Default keep alive setting for request [${usual}] should be smaller than max keep alive [${most}], was (5m > 1m)`,
    },
  ]);
  expect((await ok(node.get('/_cluster/settings?flat_settings'))).persistent).toEqual(before);
  await ok(node.put('/_cluster/settings', agreeing));
  await ok(restore());
  expect((await ok(node.get('/_cluster/settings?flat_settings'))).persistent[most]).toBe('1m');
  await ok(
    node.put('/_cluster/settings', { persistent: { [OTHER]: '500', [most]: null }, transient: { [usual]: null } }),
  );
});

it('comes with a clone as well, which has its own when the source is gone, and none where the source has none', async () => {
  await put('cloned', 'before');
  const config = { indices: 'goods', feature_states: ['none'] };
  await ok(node.put('/_snapshot/archive/whole?wait_for_completion=true', config));
  await ok(node.put('/_snapshot/archive/bare?wait_for_completion=true', { ...config, include_global_state: false }));
  const before = await read('cloned');
  for (const source of ['whole', 'bare']) {
    await ok(node.put(`/_snapshot/archive/${source}/_clone/of-${source}`, { indices: 'goods' }));
    await ok(node.delete(`/_snapshot/archive/${source}`));
  }
  const { snapshots } = await ok(node.get('/_snapshot/archive/of-*?sort=name'));
  expect(snapshots.map((each: Json) => [each.snapshot, each.include_global_state, each.feature_states])).toEqual([
    ['of-bare', false, []],
    ['of-whole', true, []],
  ]);
  await put('cloned', 'after');
  expect(await read('cloned')).not.toEqual(before);
  const restore = (source: string): Promise<Answer> =>
    node.post(`/_snapshot/archive/${source}/_restore?wait_for_completion=true`, {
      indices: 'absent*',
      include_global_state: true,
    });
  await ok(restore('of-whole'));
  expect(await read('cloned')).toEqual(before);
  expect((await restore('of-bare')).json().error.type).toBe('snapshot_restore_exception');
});
