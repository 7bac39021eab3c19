/** The archive that an operator gives away: what is in it, and that no secret is. */
import { spawn } from 'node:child_process';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redactLog, redactText, redactValue } from '../../src/cli/diagnose/redact.js';
import { TestNode } from '../api/node-harness.js';
import { PASSWORD, startSecured } from '../api/security-helpers.js';
import { TestCertificates } from '../transport/certificates.js';

const MAIN = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url));
const SECRET = 'planted-secret';
/** As long as signed tokens are. */
const LONG = 'e'.repeat(420);
/** Of documents: not to be given away either. */
const CONTENT = 'planted-content';

let node: TestNode;
let home: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'quarry-diagnose-'));
  node = await TestNode.start({ 'node.name': 'asked' }, home);
}, 60_000);

afterAll(async () => {
  await node.stop();
  rmSync(home, { recursive: true, force: true });
});

function diagnose(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [MAIN, 'diagnose', ...args], {
    cwd: home,
    env: { ...process.env, ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) =>
    child.once('close', (code) => {
      resolve({ code, output });
    }),
  );
}

/** By name without the folder. */
function unpack(archive: string): ReadonlyMap<string, string> {
  const into = mkdtempSync(join(home, 'unpacked-'));
  execFileSync('tar', ['-xzf', archive, '-C', into]);
  const [folder = ''] = readdirSync(into);
  const files = readdirSync(join(into, folder), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(join(into, folder).length + 1), readFileSync(path, 'utf8')] as const;
    }),
  );
}

describe('the archive', () => {
  it('has answers, configuration, logs and machine, and no secret that was planted', async () => {
    const settings = { number_of_replicas: 0, 'search.slowlog.threshold.query.warn': '0ms' };
    await node.put('/films', { settings: { ...settings, 'indexing.slowlog.threshold.index.warn': '0ms' } });
    await node.post('/films/_doc?refresh', { text: CONTENT });
    await node.post('/films/_search', { query: { match: { text: CONTENT } } });
    await node.put('/_cluster/settings', {
      persistent: {
        'cluster.metadata.token': SECRET,
        'cluster.metadata.nested.password': SECRET,
        'cluster.metadata.ok': 'shown',
      },
    });
    await node.until(async () => ((await node.logged()).some(({ msg }) => msg === 'slow query') ? true : undefined));
    const logs = join(home, 'logs');
    const [log = ''] = readdirSync(logs);
    for (const line of [
      JSON.stringify({
        level: 30,
        msg: `it used Authorization: Basic ${Buffer.from(SECRET).toString('base64')}`,
        token: SECRET,
      }),
      JSON.stringify({
        level: 30,
        msg: `cannot reach https://user:${SECRET}@example.org/path`,
        nested: { apiKey: [SECRET] },
      }),
      `plain text with password=${SECRET} and source="{\\"text\\":\\"${CONTENT}\\"}"`,
      `{"msg":"cut off`,
    ])
      appendFileSync(join(logs, log), `${line}\n`);
    const config = join(home, 'planted.yml');
    writeFileSync(
      config,
      `# ${SECRET}\nnode.name: asked\nremote: {password: ${SECRET}}\nsecrets:\n  - ${SECRET}\nurl: http://a:${SECRET}@b/\ngit: https://oauth2:${LONG}${SECRET}@git.example/x\ns3.client.default.proxy.host: user:${SECRET}@proxy\n`,
    );
    const output = join(home, 'out.tar.gz');
    const args = ['--url', node.url, '--config', config, '--logs', logs, '--output', output, '--user', 'someone'];
    const done = await diagnose(args, { QUARRY_PASSWORD: SECRET });
    expect(done).toEqual({
      code: 0,
      output: expect.stringMatching(/out\.tar\.gz: \d+ files, \d+ answers of the node\n$/),
    });
    expect(statSync(output).mode & 0o777).toBe(0o600);
    const files = unpack(output);
    const text = [...files].map(([name, contents]) => `${name}\n${contents}`).join('\n');
    for (const planted of [
      SECRET,
      CONTENT,
      Buffer.from(SECRET).toString('base64'),
      Buffer.from(`someone:${SECRET}`).toString('base64'),
    ]) {
      expect(text.includes(planted)).toBe(false);
    }
    expect(text).toContain('shown');
    expect([...files.keys()].sort()).toEqual(
      expect.arrayContaining([
        'about.json',
        'api/nodes-stats.json',
        'api/hot-threads.txt',
        'api/metrics.txt',
        'config/quarry.yml',
        `logs/${log}`,
      ]),
    );
    const about = JSON.parse(files.get('about.json') ?? '{}') as { requests: Record<string, string>; machine: object };
    expect(about.requests['/_cluster/health?level=indices&timeout=5s']).toBe('200');
    expect(about.machine).toMatchObject({ platform: process.platform });
    expect(files.get(`logs/${log}`)).toContain('slow query');
    expect(files.get('config/quarry.yml')).toContain('name: asked');
    // It is not written over.
    expect(await diagnose(args, { QUARRY_PASSWORD: SECRET })).toMatchObject({
      code: 1,
      output: `quarry: cannot write [${output}]: it exists, and is not written over\n`,
    });
  });

  it('has no place in a folder that is not there, or is a file, however much there is to write', async () => {
    const logs = join(home, 'many');
    mkdirSync(logs);
    // More than what waits in a stream: entries that nobody takes fail each by itself.
    for (const name of ['a', 'b', 'c']) writeFileSync(join(logs, `${name}.log`), randomBytes(300_000).toString('hex'));
    const tried = (output: string): ReturnType<typeof diagnose> =>
      diagnose(['--url', node.url, '--logs', logs, '--output', output]);
    const absent = join(home, 'none', 'out.tar.gz');
    const folder = join(home, 'none');
    expect(await tried(absent)).toEqual({
      code: 1,
      output: `quarry: cannot write [${absent}]: the folder [${folder}] does not exist\n`,
    });
    const below = join(logs, 'a.log', 'out.tar.gz');
    expect(await tried(below)).toMatchObject({ code: 1, output: expect.stringMatching(/a\.log\] is a file\n$/) });
    const beneath = join(logs, 'a.log', 'x', 'out.tar.gz');
    expect(await tried(beneath)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^quarry: cannot write \[[^\n]+ cannot be looked into: ENOTDIR[^\n]+\n$/),
    });
    // Found out by writing only.
    const refused = await tried('/proc/out.tar.gz');
    expect([refused.code, refused.output]).toEqual([
      1,
      expect.stringMatching(/^quarry: cannot write \[\/proc\/out\.tar\.gz\]: [^\n]+\n$/),
    ]);
  });

  it('is written where no node answers, and says so', async () => {
    const output = join(home, 'silent.tar.gz');
    const { code, output: printed } = await diagnose([
      '--url',
      'http://127.0.0.1:9',
      '--output',
      output,
      '--logs',
      'none',
    ]);
    const said = /no node answered at http:\/\/127\.0\.0\.1:9: no answer: connect ECONNREFUSED/;
    expect([code, printed]).toEqual([1, expect.stringMatching(said)]);
    expect([...unpack(output).keys()]).toEqual(['about.json']);
  });

  it('comes from a node with TLS as well, from its logs where they are, and says what was refused', async () => {
    const certificates = await TestCertificates.make();
    const { certificate, key } = await certificates.issue('node');
    const tls = { 'http.ssl.enabled': 'true', 'http.ssl.certificate': certificate, 'http.ssl.key': key };
    const secured = await startSecured(tls);
    try {
      const config = join(home, 'secured.yml');
      writeFileSync(config, `path.logs: ${join(secured.directory, 'logs')}\n`);
      const ask = async (expected: number, name: string, ...more: readonly string[]): Promise<string> => {
        const args = ['--url', secured.url, '--config', config, '--output', join(home, `${name}.tar.gz`)];
        const { code, output } = await diagnose([...args, ...more], { QUARRY_PASSWORD: PASSWORD });
        expect(code, output).toBe(expected);
        return output;
      };
      const authority = ['--ca', await certificates.authority()];
      expect(await ask(1, 'foreign')).toContain('name the authority of the cluster with --ca');
      expect(await ask(1, 'nobody', ...authority)).toMatch(
        /the node refused \d\d of the requests: --user names somebody/,
      );
      expect(await ask(0, 'whole', ...authority, '--user', 'admin')).not.toContain('refused');
      const files = unpack(join(home, 'whole.tar.gz'));
      expect([...files.keys()]).toEqual(expect.arrayContaining([expect.stringMatching(/^logs\/quarry\..*\.log$/)]));
      expect(files.get('api/cluster-health.json')).toContain('"status": "green"');
    } finally {
      await secured.stop();
      await certificates.remove();
    }
  }, 60_000);

  it.each([
    [['--url', 'nowhere'], '[--url] must be an address such as http://127.0.0.1:9200'],
    [['--url', 'http://user:word@127.0.0.1:9200'], 'without a user in it'],
    [['--user', 'someone'], '[--user] needs a password in the environment variable QUARRY_PASSWORD'],
    [['--what'], 'unknown option'],
    [['--ca', 'none.crt'], '[--ca none.crt]: the file does not exist'],
  ])('is refused: %j', async (args, reason) => {
    const { code, output } = await diagnose(args, { QUARRY_PASSWORD: undefined });
    expect([code, output]).toEqual([1, expect.stringContaining(reason)]);
  });
});

describe('what is taken out', () => {
  it('goes by the names of members, down to their leaves', () => {
    const value = {
      'xpack.http.password': 'x',
      access_key: 'x',
      session: { token: ['x', { deep: 'x' }] },
      jdbc: { dbPass: 'x', proxyAuth: 'x', pwd: 'x', authHeader: 'x', auth: 'x' },
      'security.authc.cache.ttl': '20m',
      index: { max_token_count: 5, tokenizer: 'standard', compass: 'n', bypass: true, passing: 1, author: 'x' },
    };
    expect(redactValue(value)).toEqual({
      'xpack.http.password': '[redacted]',
      access_key: '[redacted]',
      session: { token: ['[redacted]', { deep: '[redacted]' }] },
      jdbc: {
        ...{ dbPass: '[redacted]', proxyAuth: '[redacted]', pwd: '[redacted]' },
        ...{ authHeader: '[redacted]', auth: '[redacted]' },
      },
      'security.authc.cache.ttl': '20m',
      index: { max_token_count: 5, tokenizer: 'standard', compass: 'n', bypass: true, passing: 1, author: 'x' },
    });
  });

  it.each([
    ['Authorization: ApiKey abcdEFGH==', 'Authorization: ApiKey [redacted]'],
    ['s3://key:word@bucket', 's3://[redacted]@bucket'],
    ['user:word@proxy', '[redacted]@proxy'],
    [`https://oauth2:${LONG}@git.example/x`, 'https://[redacted]@git.example/x'],
    [`https://${LONG}@git.example/x`, 'https://[redacted]@git.example/x'],
    [`https://${LONG}:${LONG}/${LONG}@git.example/x`, 'https://[redacted]@git.example/x'],
    [`${LONG}:${LONG}@proxy`, '[redacted]@proxy'],
    [`${'x'.repeat(40)}://user:word@host`, `${'x'.repeat(40)}://[redacted]@host`],
    ['proxy=DOMAIN\\user:w/o@r:d@proxy:3128, next', 'proxy=[redacted]@proxy:3128, next'],
    ['http://user:w/o@r:d@host/path', 'http://[redacted]@host/path'],
    ['http://host:9200/path/a@b at 10:30:00 of ann@host', 'http://host:9200/path/a@b at 10:30:00 of ann@host'],
    ['{"password" : "a \\" b"}', '{"password" : [redacted]}'],
    ['?api_key=abc&x=1', '?api_key=[redacted]&x=1'],
    ['-----BEGIN RSA PRIVATE KEY-----\nabc\n', '[redacted]'],
    ['pwd=abc, proxyAuth: "a b"', 'pwd=[redacted], proxyAuth: [redacted]'],
    ['a tokenizer: standard', 'a tokenizer: standard'],
    ['security.authc.cache.ttl: 20m', 'security.authc.cache.ttl: 20m'],
  ])('goes by the forms of texts: %j', (text, redacted) => {
    expect(redactText(text)).toBe(redacted);
  });

  it.each(['://a:', ',a:', 'http://', '@:', 'a.', 'token '])('goes through long texts once: %j', (part) => {
    const text = part.repeat(500_000);
    expect(redactText(`${text} user:word@proxy`)).toContain(' [redacted]@proxy');
  });

  it('leaves out lines that are not whole, and what users wrote', () => {
    expect(redactLog('{"a":1,"plan":"x","elasticsearch.slowlog.source":"y"}\n{"passw')).toBe(
      '{"a":1,"plan":"[redacted]","elasticsearch.slowlog.source":"[redacted]"}\n[redacted] (a line that is not whole)',
    );
  });
});
