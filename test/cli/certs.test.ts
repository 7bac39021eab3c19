/** `quarry certs`, and the node that runs as it says. */
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand, TestNode } from '../api/node-harness.js';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'quarry-certs-'));
});

afterEach(() => rm(home, { recursive: true, force: true }));

const certs = (...args: string[]): Promise<{ code: number | null; output: string }> => runCommand(['certs', ...args]);

async function certificate(...path: string[]): Promise<X509Certificate> {
  return new X509Certificate(await readFile(join(home, ...path)));
}

async function modeOf(...path: string[]): Promise<number> {
  return (await stat(join(home, ...path))).mode & 0o777;
}

function statusOf(url: string, ca: Buffer): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { ca, agent: false }, (answer) => {
      resolve(answer.resume().statusCode);
    })
      .on('error', reject)
      .end();
  });
}

it('makes an authority and a certificate; a node with the printed settings serves those who trust it', async () => {
  const out = join(home, 'certs');
  const { code, output } = await certs('--out', out, '--host', 'n1.example.org', '--host', '10.0.0.7', '--days', '90');
  expect({ code, output }).toMatchObject({ code: 0 });
  const [authority, own] = [await certificate('certs', 'ca.crt'), await certificate('certs', 'node.crt')];
  expect(own.verify(authority.publicKey)).toBe(true);
  expect([authority.ca, own.ca]).toEqual([true, false]);
  expect(own.subjectAltName).toBe(
    'DNS:n1.example.org, IP Address:10.0.0.7, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
  );
  expect(own.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  const days = (Date.parse(own.validTo) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(89.9);
  expect(days).toBeLessThan(90.1);
  expect(await Promise.all(['ca.key', 'node.key'].map((name) => modeOf('certs', name)))).toEqual([0o600, 0o600]);

  const lines = output.split('\n').filter((line) => /^(?:http|transport)\.ssl\./.test(line));
  expect(lines.length).toBe(7);
  const config = join(home, 'quarry.yml');
  await writeFile(config, lines.join('\n'));
  const node = await TestNode.start({ 'transport.port': '0' }, join(home, 'node'), ['--config', config]);
  const ca = /^curl --cacert (\S+) https:\/\/localhost:9200$/m.exec(output)?.[1] ?? '';
  expect(await statusOf(node.url.replace('127.0.0.1', 'localhost'), await readFile(ca))).toBe(200);
  await node.stop();

  const next = /^npm run quarry -- (certs --ca .*)$/m.exec(output)?.[1] ?? '';
  const more = await runCommand(next.split(' '));
  expect(more.code).toBe(0);
  const second = await certificate('certs-n2', 'node.crt');
  expect(second.verify(authority.publicKey)).toBe(true);
  expect(second.subjectAltName).toMatch(/^DNS:n2\.example\.org, /);
  expect((await certificate('certs-n2', 'ca.crt')).fingerprint256).toBe(authority.fingerprint256);
  await expect(stat(join(home, 'certs-n2', 'ca.key'))).rejects.toThrow();
});

it('replaces a certificate only when it is told to, and never an authority', async () => {
  const out = join(home, 'certs');
  await certs('--out', out);
  const before = await certificate('certs', 'node.crt');
  const refused = await certs('--out', out);
  expect(refused).toEqual({
    code: 1,
    output: `quarry: [${out}/node.crt] exists: [--renew] replaces it, [--out] names another directory\n`,
  });
  const authority = await certificate('certs', 'ca.crt');
  expect((await certs('--out', out, '--renew')).output).toContain('reads them again within seconds');
  expect((await certificate('certs', 'node.crt')).serialNumber).not.toBe(before.serialNumber);
  expect((await certificate('certs', 'ca.crt')).fingerprint256).toBe(authority.fingerprint256);
  expect(await modeOf('certs', 'node.key')).toBe(0o600);
});

it('says what it cannot use, and makes nothing', async () => {
  const out = join(home, 'certs');
  const wrong: [string[], RegExp][] = [
    [['--ca', join(home, 'none')], /^quarry: \[.*none\/ca\.crt\] does not exist: \[--ca\] names the directory/],
    [['--host', 'a b'], /^quarry: \[--host a b\] is no host name and no IP address/],
    [['--host', 'x', ...Array.from({ length: 97 }, (_, at) => ['--host', `n${at}`]).flat()], /at most \[100\] names/],
    [['--days', '0'], /1 to 3650 are expected/],
    [['--days', '3651'], /1 to 3650 are expected/],
  ];
  for (const [args, expected] of wrong) {
    const { code, output } = await certs('--out', out, ...args);
    expect(output).toMatch(expected);
    expect(code).toBe(1);
  }
  await expect(stat(out)).rejects.toThrow();
  await certs('--out', out);
  await writeFile(join(out, 'ca.key'), await readFile(join(out, 'node.key')));
  const mixed = await certs('--ca', out, '--out', join(home, 'other'));
  expect(mixed.output).toContain('the certificate authority cannot be used: the key is not that of its certificate');
  await expect(stat(join(home, 'other'))).rejects.toThrow();
});
