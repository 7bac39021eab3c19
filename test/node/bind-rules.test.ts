/** Which nodes may be reached from other machines. */
import { expect, it } from 'vitest';
import { parseNodeSettings, type NodeSettings } from '../../src/base/node-settings.js';
import { openHosts } from '../../src/node/bind-rules.js';
import { transportSecurity } from '../../src/node/transport-security.js';
import type { TransportSecurity } from '../../src/transport/security.js';

const SECRET = { QUARRY_CLUSTER_SECRET: 'a secret that is long enough for nodes' };
const TLS = {
  'transport.ssl.enabled': 'true',
  'transport.ssl.certificate': 'node.crt',
  'transport.ssl.key': 'node.key',
  'transport.ssl.certificate_authorities': 'ca.crt',
};

async function configured(
  raw: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
  secure: Readonly<Record<string, string>> = {},
): Promise<[NodeSettings, TransportSecurity]> {
  const settings = parseNodeSettings(new Map(Object.entries(raw)));
  return [settings, await transportSecurity(settings, { secureSetting: (name) => secure[name] }, { ...environment })];
}

it.each(['127.0.0.1', '127.8.0.1', 'localhost', '::1'])('a node on [%s] asks nobody who he is', async (host) => {
  const node = await configured({ 'network.host': host });
  expect(openHosts(...node)).toEqual([]);
});

it.each(['0.0.0.0', '::', '10.0.0.7', 'n1.example.org', '128.0.0.1'])(
  'HTTP on [%s] needs users and TLS',
  async (host) => {
    const [settings, security] = await configured({ 'http.host': host });
    expect(() => {
      openHosts(settings, security);
    }).toThrow(
      `[http.host: ${host}] can be reached from other machines, and nothing keeps anybody out: ` +
        'set [security.enabled: true] and [http.ssl.enabled: true]; or keep to [http.host: 127.0.0.1]; ' +
        'or allow it with [security.allow_insecure_bind: true]',
    );
    // Without users TLS keeps nobody out.
    const tls = { 'http.ssl.enabled': 'true', 'http.ssl.certificate': 'a', 'http.ssl.key': 'b' };
    const encrypted = await configured({ 'http.host': host, ...tls });
    expect(() => openHosts(...encrypted)).toThrow(/nothing keeps anybody out/);
    const guarded = await configured({ 'http.host': host, 'security.enabled': 'true', ...tls });
    expect(openHosts(...guarded)).toEqual([]);
    // Users alone would send their passwords for everybody to read.
    const readable = await configured({ 'http.host': host, 'security.enabled': 'true' });
    expect(() => openHosts(...readable)).toThrow(/nothing keeps anybody out/);
  },
);

it('the port of the nodes needs certificates or a secret', async () => {
  const host = { 'transport.host': '0.0.0.0' };
  const open = await configured(host);
  expect(() => {
    openHosts(...open);
  }).toThrow(/^\[transport\.host: 0\.0\.0\.0\] can be reached from other machines.*\[cluster\.secret_file\]/);
  for (const node of [await configured({ ...host, ...TLS }), await configured(host, SECRET)]) {
    expect(openHosts(...node)).toEqual([]);
  }
});

it('what is allowed expressly is started, and still known to be open', async () => {
  const node = await configured({ 'network.host': '0.0.0.0', 'security.allow_insecure_bind': 'true' });
  expect(openHosts(...node)).toEqual(['http.host', 'transport.host']);
});

it('a secret is long enough, and its file is there', async () => {
  await expect(configured({}, { QUARRY_CLUSTER_SECRET: 'short' })).rejects.toThrow(
    /\[5\] characters, and needs \[32\]/,
  );
  await expect(configured({ 'cluster.secret_file': '/does/not/exist' })).rejects.toThrow(
    'setting [cluster.secret_file]: file [/does/not/exist] does not exist',
  );
  // An empty variable is none.
  const [, none] = await configured({}, { QUARRY_CLUSTER_SECRET: '' });
  expect(none.secretKey).toBeUndefined();
});

it('the secret of the cluster is that of the environment, else of the keystore', async () => {
  const [kept, given] = ['the secret that the keystore has, long enough', 'the secret of the environment, long enough'];
  const keyOf = async (environment: Readonly<Record<string, string>>, secure: Readonly<Record<string, string>>) =>
    (await configured({}, environment, secure))[1].secretKey;
  const ofKeystore = await keyOf({}, { 'cluster.secret': kept });
  const ofEnvironment = await keyOf({ QUARRY_CLUSTER_SECRET: given }, {});
  expect(ofKeystore).toBeDefined();
  expect(await keyOf({ QUARRY_CLUSTER_SECRET: given }, { 'cluster.secret': kept })).toEqual(ofEnvironment);
  expect(ofKeystore).not.toEqual(ofEnvironment);
});
