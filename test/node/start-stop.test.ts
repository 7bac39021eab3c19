import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeArguments, runCommand, TestNode } from '../api/node-harness.js';
import { ADMIN, PASSWORD, SECURED } from '../api/security-helpers.js';

/** Rights of those who are neither owner nor group. */
const OTHERS = 0o007;

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'quarry-start-'));
});

afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

describe('start', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends with 0 on %s and keeps its identity for the next start',
    async (signal) => {
      const first = await TestNode.start({}, home);
      const before = (await first.get('/')).json();
      expect(await first.signal(signal)).toBe(0);
      const second = await TestNode.start({}, home);
      expect((await second.get('/')).json().cluster_uuid).toBe(before.cluster_uuid);
      await second.stop();
    },
  );

  it('writes structured lines to path.logs', async () => {
    const node = await TestNode.start({ 'node.name': 'logger' }, home);
    await node.signal('SIGTERM');
    const [file = ''] = await readdir(join(home, 'logs'));
    const lines = (await readFile(join(home, 'logs', file), 'utf8')).trim().split('\n');
    const messages = lines.map((line) => JSON.parse(line) as { node: string; msg: string });
    expect(messages.map(({ msg }) => msg)).toEqual(['the master of the cluster', 'started', 'stopping', 'stopped']);
    expect(messages.at(-1)).toMatchObject({ requests: 0, requestsRejected: 0, bodiesRefused: 0, buffersRelieved: 0 });
    expect(messages.every(({ node: name }) => name === 'logger')).toBe(true);
  });

  it('keeps its files from all but their owner and group', async () => {
    const settings = { ...SECURED, 'security.audit.enabled': 'true' };
    const node = await TestNode.start(settings, home, [], { QUARRY_BOOTSTRAP_PASSWORD: PASSWORD });
    const made = await node.put('/films/_doc/1?refresh=true', { title: 'a' }, { authorization: ADMIN });
    expect(made.status).toBe(201);
    await node.signal('SIGTERM');
    const entries = (
      await Promise.all(
        ['data', 'logs'].map((name) => readdir(join(home, name), { recursive: true, withFileTypes: true })),
      )
    ).flat();
    const modeOf = async (path: string): Promise<number> => (await stat(join(home, path))).mode & 0o777;
    await writeFile(join(home, 'file'), '');
    await mkdir(join(home, 'directory'));
    const [fileMode, directoryMode] = [(await modeOf('file')) & ~OTHERS, (await modeOf('directory')) & ~OTHERS];
    for (const { name, parentPath } of entries) {
      const info = await stat(join(parentPath, name));
      const allowed = info.isDirectory() ? directoryMode : fileMode;
      // Some are for their owner alone.
      expect(info.mode & 0o777 & ~allowed, join(parentPath, name)).toBe(0);
    }
    expect(await modeOf('data')).toBe(directoryMode);
    expect(await modeOf('data/cluster/raft/raft.log')).toBe(fileMode);
    const logs = entries.filter(({ parentPath }) => parentPath === join(home, 'logs')).map(({ name }) => name);
    expect(logs.some((name) => name.includes('audit'))).toBe(true);
    for (const name of logs) expect(await modeOf(join('logs', name))).toBe(fileMode);
    expect(entries.some(({ parentPath }) => parentPath.includes('indices'))).toBe(true);
  });

  it('lets one node into a data directory, and takes over the lock of a killed one', async () => {
    const node = await TestNode.start({}, home);
    const second = await runCommand(['start', ...nodeArguments({}, home)]);
    expect(second.code).toBe(1);
    expect(second.output).toMatch(/^quarry: data directory \[.*\] is in use by the node with process id \[\d+\]\n$/);
    await node.signal('SIGKILL');
    const third = await TestNode.start({}, home);
    await third.stop();
  });

  it('says in one sentence that the port is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const { code, output } = await runCommand(['start', ...nodeArguments({ 'http.port': String(port) }, home)]);
    server.close();
    expect([code, output]).toEqual([
      1,
      `quarry: cannot listen on [127.0.0.1]: port [${port}] is in use or not permitted\n`,
    ]);
  });

  it('says in one sentence that a path cannot be used', async () => {
    await writeFile(join(home, 'file'), '');
    const path = join(home, 'file', 'data');
    const { code, output } = await runCommand(['start', ...nodeArguments({ 'path.data': path }, home)]);
    expect(code).toBe(1);
    expect(output).toMatch(/^quarry: cannot create directory \[.*file\/data\]: .*\n$/);
  });

  it('reads the secret of the cluster beside the configuration file, wherever it was started', async () => {
    const folder = join(home, 'elsewhere');
    await mkdir(folder);
    const [config, secret] = [join(folder, 'quarry.yml'), join(folder, 'cluster.secret')];
    // Only a node with a secret may be reached.
    await writeFile(config, 'transport.host: 0.0.0.0\ntransport.publish_host: 127.0.0.1\n');
    const settings = { 'path.config': undefined };
    const args = ['start', ...nodeArguments(settings, home), '--config', config];
    const without = await runCommand(args);
    expect([without.code, without.output]).toEqual([1, expect.stringContaining('[transport.host: 0.0.0.0] can be')]);
    await writeFile(secret, 'a secret that is long enough for nodes', { mode: 0o644 });
    const readable = await runCommand(args);
    expect([readable.code, readable.output]).toEqual([1, expect.stringContaining(`file [${secret}] can be read by`)]);
    await chmod(secret, 0o600);
    const node = await TestNode.start(settings, home, ['--config', config]);
    expect((await node.get('/_cluster/health')).status).toBe(200);
    await node.stop();
  });

  it('does not run without the secret of the cluster that lies where earlier versions read it', async () => {
    const [folder, former] = [join(home, 'elsewhere'), join(home, 'config', 'cluster.secret')];
    await mkdir(folder);
    await mkdir(join(home, 'config'));
    const config = join(folder, 'quarry.yml');
    await writeFile(config, 'cluster.name: moved\n');
    await writeFile(former, 'a secret that is long enough for nodes', { mode: 0o600 });
    const settings = { 'path.config': undefined, 'transport.host': '0.0.0.0' };
    const args = ['start', ...nodeArguments(settings, home), '--config', config];
    const { code, output } = await runCommand(args, undefined, false, undefined, home);
    expect([code, output]).toEqual([
      1,
      expect.stringContaining(
        `the secret of the cluster is read from [${join(folder, 'cluster.secret')}], beside the configuration file, ` +
          `and no longer from [${former}]: move that file, or name it with [cluster.secret_file]`,
      ),
    ]);
    const named = await TestNode.start({ ...settings, 'cluster.secret_file': former }, home, [...['--config', config]]);
    expect((await named.get('/_cluster/health')).status).toBe(200);
    await named.stop();
  });

  it('refuses a damaged cluster state by name', async () => {
    const node = await TestNode.start({}, home);
    await node.signal('SIGTERM');
    const path = join(home, 'data', 'cluster', 'raft', 'raft.log');
    const bytes = await readFile(path);
    const place = bytes.indexOf('"version":');
    bytes.write('1', place + 4);
    await writeFile(path, bytes);
    const { code, output } = await runCommand(['start', ...nodeArguments({}, home)]);
    expect(code).toBe(1);
    expect(output).toContain(path);
  });
});

describe('settings', () => {
  it.each([
    ['htp.port', 'http.port'],
    ['cluster.routing.allocation.enabl', 'cluster.routing.allocation.enable'],
  ])('stops at the unknown key %s and names the nearest', async (key, nearest) => {
    const { code, output } = await runCommand(['start', ...nodeArguments({ [key]: '1' }, home)]);
    expect([code, output]).toEqual([1, `quarry: unknown setting [${key}] did you mean [${nearest}]?\n`]);
  });

  it('stops at a name that is empty', async () => {
    const { code, output } = await runCommand(['start', ...nodeArguments({ 'node.name': '' }, home)]);
    const sentence = 'quarry: failed to parse value [] for setting [node.name]: one value is expected\n';
    expect([code, output]).toEqual([1, sentence]);
  });

  it('refuses roles that a node without others can do nothing with', async () => {
    const { code, output } = await runCommand(['start', ...nodeArguments({ 'node.roles': 'data,ingest' }, home)]);
    expect(code).toBe(1);
    expect(output).toContain(
      'setting [node.roles]: a node without the role [master] needs others, see [discovery.seed_hosts]',
    );
  });

  it('stops at a value that a setting cannot have', async () => {
    const { output } = await runCommand(['start', ...nodeArguments({ 'node.processors': 'many' }, home)]);
    expect(output).toBe(
      'quarry: failed to parse value [many] for setting [node.processors]: an integer of 1 to 256 is expected\n',
    );
    const replicas = await runCommand(['start', ...nodeArguments({ 'index.number_of_replicas': '-1' }, home)]);
    expect(replicas.output).toContain('index.number_of_replicas');
  });

  it('reads a file, nested or flat, and lets -E win', async () => {
    const config = join(home, 'quarry.yml');
    await writeFile(config, 'cluster:\n  name: from-file\nnode.name: from-file\npath.repo: [/a, /b]\n');
    const node = await TestNode.start({ 'node.name': 'from-command' }, home, ['--config', config]);
    expect((await node.get('/')).json()).toMatchObject({ name: 'from-command', cluster_name: 'from-file' });
    await node.stop();
  });

  it('answers as OpenSearch tools expect when told so', async () => {
    const node = await TestNode.start({ 'compatibility.distribution': 'opensearch' }, home);
    const answer = await node.get('/');
    expect(answer.headers.get('x-elastic-product')).toBeNull();
    expect(answer.json().version.distribution).toBe('opensearch');
    await node.stop();
  });
});

describe('command line', () => {
  it('prints version and help', async () => {
    expect((await runCommand(['--version'])).output).toMatch(/^\d+\.\d+\.\d+\n$/);
    const help = await runCommand(['--help']);
    expect(help.code).toBe(0);
    expect(help.output).toContain('start');
    expect(help.output).toContain('check');
    for (const option of ['-E, --setting', '--config', '--nodes']) expect(help.output).toContain(option);
    expect((await runCommand(['start', '--help'])).output).toContain('--setting <key=value>');
  });

  it('refuses an unknown option', async () => {
    const { code, output } = await runCommand(['start', '--nonsense']);
    expect(code).toBe(1);
    expect(output).toContain("unknown option '--nonsense'");
  });
});
