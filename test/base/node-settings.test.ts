/** Settings of a node that make it part of a cluster. */
import { describe, expect, it } from 'vitest';
import { parseHostAddress } from '../../src/base/host-address.js';
import type { RawSetting } from '../../src/base/node-setting-kinds.js';
import { isNodeSetting, parseNodeSettings, type NodeSettings } from '../../src/base/node-settings.js';

function parse(raw: Readonly<Record<string, RawSetting>>): NodeSettings {
  return parseNodeSettings(new Map(Object.entries(raw)));
}

const SEEDS = { 'discovery.seed_hosts': '10.0.0.1' };

describe('roles', () => {
  it.each<[RawSetting, readonly string[]]>([
    ['master, data', ['master', 'data']],
    [
      ['data_hot', 'data_warm', 'data_cold', 'data_frozen', 'data_content'],
      ['data_hot', 'data_warm', 'data_cold', 'data_frozen', 'data_content'],
    ],
    [
      ['master', 'voting_only'],
      ['master', 'voting_only'],
    ],
    ['cluster_manager,master', ['master']],
    [[], []],
    ['', []],
    [null, []],
  ])('%j are read', (raw, roles) => {
    expect(parse({ ...SEEDS, 'node.roles': raw }).values['node.roles']).toEqual(roles);
  });

  it.each<[RawSetting, RegExp]>([
    ['master,ml', /failed to parse value \[ml\] for setting \[node\.roles\]: known roles are \[master, .*voting_only/],
    ['voting_only', /the role \[voting_only\] needs the role \[master\]/],
  ])('%j are refused', (raw, message) => {
    expect(() => parse({ ...SEEDS, 'node.roles': raw })).toThrow(message);
  });

  it('of a node without others must let it lead', () => {
    expect(() => parse({ 'node.roles': 'data' })).toThrow(/without the role \[master\] needs others/);
    expect(() => parse({ 'node.roles': 'master,voting_only' })).toThrow(/only votes needs others/);
  });
});

describe('discovery', () => {
  it('takes lists in either form', () => {
    const seeds = ['127.0.0.1:9301', 'node-2.example', '[::1]:9300', 'fe80::1'];
    expect(parse({ 'discovery.seed_hosts': seeds }).values['discovery.seed_hosts']).toEqual(seeds);
    expect(parse({ 'discovery.seed_hosts': seeds.join(' , ') }).values['discovery.seed_hosts']).toEqual(seeds);
    const names = parse({ 'cluster.initial_master_nodes': 'n1,n2,n3' }).values['cluster.initial_master_nodes'];
    expect(names).toEqual(['n1', 'n2', 'n3']);
  });

  it.each(['host:0', 'host:99999', 'a:b:c', '[::1', 'ho st', '[host]:1', 'http://host'])('refuses [%s]', (seed) => {
    expect(parseHostAddress(seed)).toBeUndefined();
    expect(() => parse({ 'discovery.seed_hosts': seed })).toThrow(
      `failed to parse value [${seed}] for setting [discovery.seed_hosts]: a host, or a host and a port, is expected`,
    );
  });

  it('of a single node allows no other settings of discovery', () => {
    expect(() => parse({ 'discovery.type': 'single-node', ...SEEDS })).toThrow(
      'setting [discovery.seed_hosts] is not allowed when [discovery.type] is set to [single-node]',
    );
  });
});

describe('addresses', () => {
  it('are those of network.host unless told for themselves', () => {
    const { values } = parse({ 'network.host': '10.0.0.7', 'http.host': '127.0.0.1', 'network.publish_host': 'n7' });
    expect([values['http.host'], values['transport.host']]).toEqual(['127.0.0.1', '10.0.0.7']);
    expect([values['http.publish_host'], values['transport.publish_host']]).toEqual(['n7', 'n7']);
  });

  it('are loopback otherwise', () => {
    expect(parse({}).values).toMatchObject({ 'http.host': '127.0.0.1', 'transport.host': '127.0.0.1' });
    expect(parse({ 'network.host': '_local_' }).values['http.host']).toBe('127.0.0.1');
  });

  it.each<RawSetting>(['_site_', 'a b', '', ['a', 'b']])('%j is refused', (raw) => {
    expect(() => parse({ 'network.host': raw })).toThrow(/for setting \[network\.host\]/);
  });
});

describe('attributes', () => {
  it('are text of any kind', () => {
    expect(parse({ 'node.attr.rack': 'r 1', 'node.attr.size': 3 }).attributes).toEqual({ rack: 'r 1', size: '3' });
  });

  it.each<RawSetting>([' r1', ['a', 'b'], null])('%j is refused', (raw) => {
    expect(() => parse({ 'node.attr.rack': raw })).toThrow(/for setting \[node\.attr\.rack\]/);
  });
});

describe('the release that is announced', () => {
  it('is one of its product', () => {
    expect(parse({}).values['compatibility.version']).toBe('8.19.0');
    expect(parse({ 'compatibility.distribution': 'opensearch' }).values['compatibility.version']).toBe('3.1.0');
    expect(parse({ 'compatibility.version': '9.1.0' }).values['compatibility.version']).toBe('9.1.0');
  });

  it.each([
    [
      'elasticsearch',
      '3.1.0',
      /failed to parse value \[3\.1\.0\] for setting \[compatibility\.version\].*8\.19\.0, .*9\.0\.0/,
    ],
    ['opensearch', '2.18.0', /\[compatibility\.distribution: opensearch\] known are \[3\.1\.0, 3\.0\.0, 2\.19\.0\]/],
  ])('is refused by name where it is unknown: %s %s', (distribution, version, message) => {
    const raw = { 'compatibility.distribution': distribution, 'compatibility.version': version };
    expect(() => parse(raw)).toThrow(message);
  });
});

it.each<[Readonly<Record<string, string>>, number]>([
  [{ 'node.processors': '1' }, 1],
  [{ 'node.processors': '2' }, 2],
  [{ 'node.processors': '11' }, 2],
  [{ 'node.processors': '16' }, 4],
  [{ 'node.processors': '256' }, 16],
  [{ 'node.processors': '2', 'thread_pool.write.size': '1' }, 1],
  [{ 'node.processors': '16', 'thread_pool.search.size': '3' }, 3],
  [{ 'node.processors': '2', 'thread_pool.write.size': '1', 'http.front_threads': '3' }, 3],
])('%j has so many fronts: %i', (raw, fronts) => {
  expect(parse(raw).values['http.front_threads']).toBe(fronts);
});

describe('a setting that sets nothing here', () => {
  it.each<[string, RawSetting, string]>([
    ['thread_pool.get.size', 4, 'such requests are admitted by [thread_pool.search.size] and'],
    ['thread_pool.analyze.queue_size', 16, 'such requests are admitted by [thread_pool.management.size] and'],
    ['thread_pool.snapshot.max', 5, 'each worker copies two shards at once'],
    ['thread_pool.force_merge.size', 1, '[thread_pool.merge.max] at once'],
    ['thread_pool.refresh.max', 2, '[node.processors] says how many workers there are'],
    ['thread_pool.flush.keep_alive', '5m', '[node.processors] says how many workers there are'],
    ['thread_pool.management.max', 5, 'its settings are [thread_pool.management.size] and'],
    ['thread_pool.generic.max', 128, 'there is no such pool: requests are admitted by'],
    ['gateway.recover_after_data_nodes', 3, '[cluster.routing.allocation.enable]'],
    ['http.max_initial_line_length', '8kb', '[http.max_header_size] bounds'],
    ['http.max_warning_header_count', 64, 'an answer has two warnings at most'],
    ['indices.queries.cache.size', '10%', '[indices.requests.cache.size] bounds'],
    ['indices.fielddata.cache.size', '20%', '[indices.breaker.fielddata.limit] bounds'],
    ['indices.breaker.type', 'none', 'the breakers are always on'],
    ['bootstrap.memory_lock', true, 'memory is not locked'],
  ])('is refused with what there is instead: %s: %s', (key, value, why) => {
    const said = (): NodeSettings => parse({ [key]: value });
    expect(said).toThrow(`setting [${key}] is not supported`);
    expect(said).toThrow(why);
  });

  it('is taken at the value that holds anyway, and no other', () => {
    for (const value of [false, 'false']) expect(() => parse({ 'bootstrap.memory_lock': value })).not.toThrow();
    expect(() => parse({ 'indices.breaker.type': 'hierarchy', 'gateway.expected_data_nodes': -1 })).not.toThrow();
    expect(() => parse({ 'gateway.expected_data_nodes': 0 })).toThrow('is not supported but as [-1]');
  });

  it.each(['thread_pool.serach.size', 'thread_pool.get.colour', 'thread_pool.search'])('is not %s', (key) => {
    expect(() => parse({ [key]: 1 })).toThrow(`unknown setting [${key}]`);
  });
});

it('bounds merges and requests for management', () => {
  const { values } = parse({ 'thread_pool.merge.max': 3, 'thread_pool.management.size': '256' });
  expect([values['thread_pool.merge.max'], values['thread_pool.management.size']]).toEqual([3, 256]);
  expect(parse({}).values).toMatchObject({ 'thread_pool.merge.max': undefined, 'thread_pool.management.size': 32 });
  for (const value of [0, 257]) expect(() => parse({ 'thread_pool.merge.max': value })).toThrow(/integer of 1 to 256/);
});

describe('settings of security by their names in the reference', () => {
  it.each([
    ['xpack.security.enabled', 'true', 'security.enabled', true],
    ['xpack.security.http.ssl.client_authentication', 'optional', 'http.ssl.client_authentication', 'optional'],
    ['xpack.security.transport.ssl.verification_mode', 'certificate', 'transport.ssl.verification_mode', 'certificate'],
    ['xpack.security.authc.anonymous.username', 'guest', 'security.anonymous.username', 'guest'],
    ['xpack.security.authc.token.timeout', '5m', 'security.authc.token.timeout', 300_000],
  ] as const)('[%s] is [%s]', (key, text, own, value) => {
    expect(parse({ [key]: text }).values[own]).toBe(value);
    expect(isNodeSetting(key)).toBe(true);
    expect(() => parse({ [key]: text, [own]: text })).toThrow(`setting [${own}] is given twice, also as [${key}]`);
  });

  it('are told by the nearest name where they are misspelt', () => {
    expect(() => parse({ 'xpack.security.http.ssl.enabeld': 'true' })).toThrow(
      'unknown setting [xpack.security.http.ssl.enabeld] did you mean [http.ssl.enabled]?',
    );
  });
});
