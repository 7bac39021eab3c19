/** Secure settings of a real node: what stops its start, and how it takes new ones while it runs. */
import { chmod, chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigFolder } from '../cli/keystore-harness.js';
import { TestNode, type Json } from './node-harness.js';

const KEY = 's3.client.default.access_key';
const RELOAD = '/_nodes/reload_secure_settings';

let folder: ConfigFolder;

beforeEach(async () => {
  folder = await ConfigFolder.make();
});

afterEach(async () => {
  await rm(folder.directory, { recursive: true, force: true });
});

function start(environment: Readonly<Record<string, string>> = {}): Promise<TestNode> {
  return TestNode.start({}, folder.directory, ['--config', folder.config], environment);
}

async function reload(node: TestNode, body?: Json, path = RELOAD): Promise<Json> {
  const answer = await node.post(path, body);
  expect(answer.status).toBe(200);
  const [shown] = Object.values(answer.json().nodes);
  return shown;
}

describe('a start', () => {
  it.each([
    [
      'an unknown secure setting',
      's3.client.default.acces_key',
      /unknown secure setting \[s3\.client\.default\.acces_key\] did you mean \[s3\.client\.default\.access_key\]/,
    ],
    [
      'a setting of the configuration file',
      'cluster.name',
      /\[cluster\.name\] is a non-secure setting and must be stored inside quarry\.yml/,
    ],
    ['a setting of a client that is no secret', 's3.client.default.endpoint', /is a non-secure setting/],
  ])('is refused with %s in the keystore', async (_what, name, reason) => {
    await folder.add({ [name]: 'very-secret' });
    const error: unknown = await start().catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(reason);
    expect(String(error)).not.toContain('very-secret');
  });

  it('is refused with a secret in the configuration file, whose value is not printed', async () => {
    await writeFile(folder.config, `${KEY}: very-secret\n`);
    const error: unknown = await start().catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/is a secure setting and must be stored inside the keystore/);
    expect(String(error)).not.toContain('very-secret');
  });

  it('needs the password of the keystore, by file or by variable', async () => {
    await folder.run(['create', '-p'], { stdin: 'pass word\n' });
    await expect(start()).rejects.toThrow('QUARRY_KEYSTORE_PASSPHRASE_FILE');
    await expect(start({ QUARRY_KEYSTORE_PASSPHRASE: 'wrong' })).rejects.toThrow('password was incorrect');
    const file = join(folder.directory, 'password');
    await writeFile(file, 'pass word\n');
    const node = await start({ QUARRY_KEYSTORE_PASSPHRASE_FILE: file });
    try {
      expect(await reload(node)).toMatchObject({ reload_exception: { type: 'security_exception' } });
      expect(await reload(node, { secure_settings_password: 'pass word' })).toEqual({ name: expect.any(String) });
      expect(
        await reload(node, { secure_settings_password: 'pass word' }, '/_nodes/_local/reload_secure_settings'),
      ).toEqual({
        name: expect.any(String),
      });
    } finally {
      await node.stop();
    }
  }, 60_000);

  it.skipIf(process.getuid?.() !== 0)('is refused with a keystore of somebody else, and so is a reload', async () => {
    await folder.add({ [KEY]: 'AKIA' });
    await chown(folder.keystore, 12_345, 12_345);
    await expect(start()).rejects.toThrow('owned by the user with the id [12345]');
    await chown(folder.keystore, 0, 0);
    const node = await start();
    try {
      await chown(folder.keystore, 12_345, 12_345);
      expect(await reload(node)).toMatchObject({
        reload_exception: { type: 'security_exception', reason: expect.stringContaining('[12345]') },
      });
    } finally {
      await node.stop();
    }
  });
});

describe('a reload', () => {
  it('changes nothing when the file is wrong, and shows no value anywhere', async () => {
    await folder.add({ [KEY]: 'very-secret' });
    const node = await start();
    try {
      expect(await reload(node)).toEqual({ name: expect.any(String) });
      expect(await reload(node, { secure_settings_password: 'of nothing' })).toMatchObject({
        reload_exception: { type: 'security_exception', reason: 'Provided keystore password was incorrect' },
      });
      await chmod(folder.keystore, 0o644);
      expect(await reload(node)).toMatchObject({
        reload_exception: { type: 'security_exception', reason: expect.stringContaining('mode [0644]') },
      });
      await chmod(folder.keystore, 0o600);
      await folder.add({ 'of.tomorrow': 'very-secret' });
      expect(await reload(node)).toMatchObject({
        reload_exception: { type: 'settings_exception', reason: expect.stringContaining('[of.tomorrow]') },
      });
      await folder.run(['remove', 'of.tomorrow']);
      expect(await reload(node)).toEqual({ name: expect.any(String) });
      await writeFile(folder.keystore, 'x');
      expect(await reload(node)).toMatchObject({ reload_exception: { type: 'corrupt_index_exception' } });
      await rm(folder.keystore);
      expect(await reload(node)).toMatchObject({
        reload_exception: { type: 'illegal_state_exception', reason: expect.stringContaining('is missing') },
      });
      for (const path of [
        '/_nodes/settings',
        '/_nodes',
        '/_cluster/state',
        '/_tasks?detailed',
        '/_nodes/stats',
        '/_cluster/settings?include_defaults',
      ]) {
        expect((await node.get(path)).text).not.toMatch(/very-secret|access_key/);
      }
      expect(JSON.stringify(await node.logged())).not.toContain('very-secret');
      expect(node.printed).not.toContain('very-secret');
    } finally {
      await node.stop();
    }
  }, 60_000);
});
