/** `PUT _cluster/settings`: what goes together, ratios as watermarks. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runCommand, TestNode, type Answer } from './node-harness.js';

const WATERMARK = 'cluster.routing.allocation.disk.watermark';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
});

afterEach(async () => {
  await node.put('/_cluster/settings', { persistent: { '*': null }, transient: { '*': null } });
});

afterAll(async () => {
  await node.stop();
});

type Settings = Readonly<Record<string, string | number | null>>;

function persist(settings: Settings): Promise<Answer> {
  return node.put('/_cluster/settings', { persistent: settings });
}

const reasonOf = (answer: Answer): readonly unknown[] => [answer.status, answer.json().error?.reason];

async function stored(): Promise<unknown> {
  const { persistent, transient } = (await node.get('/_cluster/settings?flat_settings')).json();
  return { ...persistent, ...transient };
}

describe('the keep-alive that holds where none is given', () => {
  const [USUAL, MOST] = ['search.default_keep_alive', 'search.max_keep_alive'];
  const refusal = (usual: string, most: string): unknown => [
    400,
    `Default keep alive setting for request [${USUAL}] should be smaller than max keep alive [${MOST}], ` +
      `was (${usual} > ${most})`,
  ];

  it('is not longer than the longest, whichever is set first', async () => {
    expect(reasonOf(await persist({ [USUAL]: '5m', [MOST]: '1m' }))).toEqual(refusal('5m', '1m'));
    expect(reasonOf(await persist({ [MOST]: '1m' }))).toEqual(refusal('5m', '1m'));
    expect(reasonOf(await persist({ [USUAL]: '25h' }))).toEqual(refusal('25h', '24h'));
    expect(await stored()).toEqual({});
    expect((await persist({ [USUAL]: '30s', [MOST]: '1m' })).status).toBe(200);
    expect(reasonOf(await persist({ [USUAL]: '61s' }))).toEqual(refusal('61s', '1m'));
    // The default is the longer one again.
    expect(reasonOf(await persist({ [USUAL]: null }))).toEqual(refusal('5m', '1m'));
    const transient = await node.put('/_cluster/settings', { transient: { [MOST]: '29s' } });
    expect(reasonOf(transient)).toEqual(refusal('30s', '29s'));
    expect(await stored()).toEqual({ [USUAL]: '30s', [MOST]: '1m' });
  });

  it('is not longer in the configuration of a node either', async () => {
    const { code, output } = await runCommand(['start', '-E', 'path.data=/nowhere', '-E', `${MOST}=1m`]);
    expect([code, output]).toEqual([1, expect.stringContaining('was (5m > 1m)')]);
  });
});

describe('watermarks of disks', () => {
  const mark = (name: string): string => `${WATERMARK}.${name}`;

  it('may be ratios beside percentages, which are shown as they were written', async () => {
    const marks = { [mark('low')]: '0.85', [mark('high')]: '90%', [mark('flood_stage')]: 0.99 };
    expect((await persist({ ...marks, [mark('flood_stage.frozen')]: '0.5' })).status).toBe(200);
    expect(await stored()).toEqual({
      ...marks,
      [mark('flood_stage')]: '0.99',
      [mark('flood_stage.frozen')]: '0.5',
    });
    expect(reasonOf(await persist({ [mark('low')]: '0.905' }))).toEqual([
      400,
      'low disk watermark [90.5%] more than high disk watermark [90%]',
    ]);
    expect(reasonOf(await persist({ [mark('high')]: '7gb' }))[1]).toContain('unable to consistently parse');
    await persist({ 'cluster.routing.allocation.disk.threshold_enabled': 'true' });
    const { cluster_settings: told } = (await node.get('/_migration/deprecations')).json();
    expect(JSON.stringify(told)).toContain('flood_stage] is [99%]');
  });

  it('are no ratios beyond 1, and breakers have none', async () => {
    for (const [key, value] of [
      [mark('low'), '1.01'],
      [mark('low'), '-0.1'],
      [mark('low.max_headroom'), '0.5'],
      ['indices.breaker.total.limit', '0.5'],
    ] as const) {
      const reason = `failed to parse setting [${key}] with value [${value}] as a size in bytes: unit is missing or unrecognized`;
      expect(reasonOf(await persist({ [key]: value }))).toEqual([400, reason]);
    }
  });

  it('may be ratios in the configuration of a node', async () => {
    const { code, output } = await runCommand(['start', '-E', 'path.data=/nowhere', '-E', `${mark('low')}=0.99`]);
    expect([code, output]).toEqual([
      1,
      expect.stringContaining('low disk watermark [99%] more than high disk watermark [90%]'),
    ]);
  });

  it('stand as percentages in the decisions that follow from them', async () => {
    const marks = { low: '0.00001', high: '0.9', flood_stage: '1' };
    const answer = await node.put('/_cluster/settings', {
      persistent: { [WATERMARK]: marks, 'cluster.routing.allocation.disk.threshold_enabled': true },
    });
    expect(answer.status).toBe(200);
    await node.put('/films?timeout=100ms', { settings: { number_of_replicas: 1, number_of_shards: 1 } });
    const text = await node.until(async () => {
      const explained = await node.post('/_cluster/allocation/explain?include_yes_decisions', {
        ...{ index: 'films', shard: 0, primary: false },
      });
      return explained.text.includes('watermark.low') ? explained.text : undefined;
    });
    expect(text).toContain(`${mark('low')}=0.001%`);
  });
});

describe('settings of nodes', () => {
  it('are known, but not changed while a node runs', async () => {
    const refusal = (kind: string, key: string): unknown => [
      400,
      `${kind} setting [${key}], not dynamically updateable`,
    ];
    for (const key of ['path.data', 'node.attr.rack', 'http.port', 's3.client.default.endpoint']) {
      expect(reasonOf(await persist({ 'cluster.max_shards_per_node': 7, [key]: 'x' }))).toEqual(
        refusal('persistent', key),
      );
    }
    expect(reasonOf(await persist({ 'node.name': null }))).toEqual(refusal('persistent', 'node.name'));
    const transient = await node.put('/_cluster/settings', { transient: { cluster: { name: 'other' } } });
    expect(reasonOf(transient)).toEqual(refusal('transient', 'cluster.name'));
    expect(await stored()).toEqual({});
  });

  it('that are patterns, of indices or of nobody are not', async () => {
    for (const key of ['index.number_of_replicas', 'node.attr.*', 'path.nowhere']) {
      expect(reasonOf(await persist({ [key]: 'x' }))).toEqual([400, `persistent setting [${key}], not recognized`]);
    }
  });
});
