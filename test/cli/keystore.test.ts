/** The command `quarry keystore`, and what its file is safe against. */
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkOwner } from '../../src/store/keystore/keystore-file.js';
import { sealKeystore, unsealKeystore } from '../../src/store/keystore/keystore-format.js';
import { ConfigFolder } from './keystore-harness.js';

const KEY = 's3.client.default.access_key';
const SECRET = 's3.client.default.secret_key';

let folder: ConfigFolder;

beforeEach(async () => {
  folder = await ConfigFolder.make();
});

afterEach(async () => {
  await rm(folder.directory, { recursive: true, force: true });
});

describe('quarry keystore', () => {
  it('keeps settings: create, add, list, show, add-file, remove', async () => {
    expect(await folder.run(['list'])).toMatchObject({ code: 1, err: expect.stringContaining('does not exist') });
    expect(await folder.run(['create'])).toMatchObject({ code: 0 });
    expect(await folder.run(['create'])).toMatchObject({ code: 1, err: expect.stringContaining('is there already') });
    expect((await stat(folder.keystore)).mode & 0o777).toBe(0o600);
    expect(await folder.run(['add', KEY, SECRET], { stdin: 'AKIA\nhush hush\n' })).toMatchObject({
      code: 0,
      out: '',
      err: '',
    });
    expect((await folder.run(['list'])).out).toBe(`${KEY}\n${SECRET}\n`);
    expect((await folder.run(['show', SECRET])).out).toBe('hush hush');
    expect(await folder.run(['add', KEY], { stdin: 'other' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('--force'),
    });
    expect(await folder.run(['add', '--force', KEY], { stdin: 'other' })).toMatchObject({ code: 0 });
    const file = join(folder.directory, 'token');
    await writeFile(file, Buffer.from([0, 255, 10]));
    expect(await folder.run(['add-file', 's3.client.b.session_token', file])).toMatchObject({ code: 0 });
    expect(await folder.run(['remove', KEY, 'none'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('[none] does not exist'),
    });
    expect(await folder.run(['remove', KEY])).toMatchObject({ code: 0 });
    expect((await folder.run(['list'])).out).toBe(`s3.client.b.session_token\n${SECRET}\n`);
    expect((await readFile(folder.keystore, 'utf8')).includes('hush')).toBe(false);
    expect((await readdir(join(folder.directory, 'config'))).sort()).toEqual(['quarry.keystore', 'quarry.yml']);
  }, 60_000);

  it('protects them by a password, which can be changed', async () => {
    expect(await folder.run(['create', '-p'], { stdin: 'first\n' })).toMatchObject({ code: 0 });
    expect(await folder.run(['has-passwd'])).toMatchObject({ code: 0 });
    expect(await folder.run(['add', KEY], { stdin: 'first\nAKIA\n' })).toMatchObject({ code: 0 });
    expect(await folder.run(['list'], { stdin: 'wrong\n' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('password was incorrect'),
    });
    const file = join(folder.directory, 'password');
    await writeFile(file, 'first\n');
    const environment = { QUARRY_KEYSTORE_PASSPHRASE_FILE: file };
    expect(await folder.run(['show', KEY], { environment })).toMatchObject({ out: 'AKIA' });
    expect(await folder.run(['passwd'], { stdin: 'first\nsecond\n' })).toMatchObject({ code: 0 });
    expect(await folder.run(['show', KEY], { environment })).toMatchObject({ code: 1 });
    expect(await folder.run(['show', KEY], { environment: { QUARRY_KEYSTORE_PASSPHRASE: 'second' } })).toMatchObject({
      out: 'AKIA',
    });
    expect(await folder.run(['passwd'], { stdin: 'second\n\n' })).toMatchObject({ code: 0 });
    expect(await folder.run(['has-passwd'])).toMatchObject({ code: 1 });
    expect(await folder.run(['upgrade'])).toMatchObject({ code: 0, out: expect.stringContaining('already') });
  }, 60_000);

  it('refuses names and values that can be none, and says which names no node knows', async () => {
    await folder.run(['create']);
    expect(await folder.run(['add', 'a b'], { stdin: 'x' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('[a b] is no name'),
    });
    expect(await folder.run(['add', KEY], { stdin: '' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('has ended'),
    });
    expect(await folder.run(['add', KEY], { stdin: '\n' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('is empty'),
    });
    const most = 64 << 10;
    expect(await folder.run(['add', KEY], { stdin: 'x'.repeat(most) })).toMatchObject({ code: 0 });
    expect(await folder.run(['add', SECRET], { stdin: 'x'.repeat(most + 1) })).toMatchObject({
      code: 1,
      err: expect.stringContaining('more than'),
    });
    expect(await folder.run(['add', 'of.tomorrow'], { stdin: 'x' })).toMatchObject({
      code: 0,
      err: expect.stringContaining('[of.tomorrow]'),
    });
  }, 60_000);

  it('works on no file that others may read', async () => {
    await folder.add({ [KEY]: 'AKIA' });
    await chmod(folder.keystore, 0o640);
    expect(await folder.run(['list'])).toMatchObject({ code: 1, err: expect.stringContaining('mode [0640]') });
  });
});

describe('the file of a keystore', () => {
  const entries = new Map([[KEY, Buffer.from('AKIA')]]);

  it('comes back with the password only, and differs each time', async () => {
    const text = await sealKeystore(entries, 'p');
    expect(await sealKeystore(entries, 'p')).not.toBe(text);
    expect(await unsealKeystore(text, 'p', 'k')).toMatchObject({ hasPassword: true, entries, isOutdated: false });
    await expect(unsealKeystore(text, '', 'k')).rejects.toMatchObject({ type: 'security_exception' });
    await expect(unsealKeystore(text, 'q', 'k')).rejects.toMatchObject({ type: 'security_exception' });
  });

  it('tells every damaged byte, and contents that somebody else wrote', async () => {
    const text = await sealKeystore(entries, '');
    for (let at = 0; at < text.length; at++) {
      const damaged = text.slice(0, at) + (text[at] === 'x' ? 'y' : 'x') + text.slice(at + 1);
      await expect(unsealKeystore(damaged, '', 'k')).rejects.toMatchObject({ type: 'corrupt_index_exception' });
    }
    const [, header = ''] = text.split('\n');
    const [, , other = ''] = (await sealKeystore(new Map(), '')).split('\n');
    const { createHash } = await import('node:crypto');
    const withSum = (body: string): string => `sha256:${createHash('sha256').update(body).digest('hex')}\n${body}`;
    const forged = withSum(`${header}\n${other}\n`);
    await expect(unsealKeystore(forged, '', 'k')).rejects.toMatchObject({ type: 'security_exception' });
    const later = withSum(`${header.replace('"format":1', '"format":2')}\n${other}\n`);
    await expect(unsealKeystore(later, '', 'k')).rejects.toThrow('the format [2], and this version reads [1]');
    const greedy = withSum(`${header.replace(/"cost":\d+/, '"cost":1073741824')}\n${other}\n`);
    await expect(unsealKeystore(greedy, '', 'k')).rejects.toThrow('unsound header');
  });

  it('belongs to whoever runs the node', () => {
    expect(() => checkOwner('k', 1000, 1000, 'service')).not.toThrow();
    expect(() => checkOwner('k', 1000, 0, 'administrator')).not.toThrow();
    expect(() => checkOwner('k', 1000, 0, 'service')).toThrow('owned by the user with the id [1000]');
    expect(() => checkOwner('k', 1000, 1001, 'administrator')).toThrow('runs as [1001]');
  });
});
