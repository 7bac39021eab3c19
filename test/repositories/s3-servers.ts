/**
 * Real servers of the S3 protocol for tests: moto (Python) and versitygw (Go). They are installed by pip and go into a folder of the
 * system, where they stay for later runs; where that fails, their tests are left out.
 */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// The library would print which versions of Node.js its later versions will need.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const HOME = process.env['QUARRY_S3_SERVERS'] ?? join(tmpdir(), 'quarry-s3-servers');
const INSTALL_MS_MAX = 900_000;
const MOTO = '5.2.5';
const VERSITYGW = '1.8.0';
const READY_ROUNDS_MAX = 300;

export const ACCESS_KEY = 'AKIATESTTESTTEST';
export const SECRET_KEY = 'the-secret-of-the-tests-0123456789';

export interface ServerKind {
  readonly name: 'moto' | 'versitygw';
  /** Undefined where it cannot be installed. */
  readonly program: () => string | undefined;
  readonly args: (port: number, directory: string) => readonly string[];
}

/**
 * It looks whether a blob is there and writes it in two steps, so that two writers may both make it new when its threads take turns in between.
 * They do so only where they wait then.
 */
const START_MOTO = 'import sys; sys.setswitchinterval(60); from moto.server import main; main()';

export const SERVER_KINDS: readonly ServerKind[] = [
  {
    name: 'moto',
    program() {
      const folder = join(HOME, `moto-${MOTO}`);
      const program = join(folder, 'bin', 'python');
      if (existsSync(join(folder, 'bin', 'moto_server'))) return program;
      const isMade = succeeds('python3', ['-m', 'venv', folder]);
      if (isMade) succeeds(join(folder, 'bin', 'pip'), ['install', '--quiet', `moto[server]==${MOTO}`]);
      return existsSync(join(folder, 'bin', 'moto_server')) ? program : undefined;
    },
    args: (port) => ['-c', START_MOTO, '-H', '127.0.0.1', '-p', String(port)],
  },
  {
    name: 'versitygw',
    program() {
      const folder = join(HOME, `versitygw-${VERSITYGW}`);
      const program = join(folder, 'versitygw');
      if (existsSync(program)) return program;
      const module = `github.com/versity/versitygw/cmd/versitygw@v${VERSITYGW}`;
      succeeds('go', ['install', module], { GOBIN: folder, GOFLAGS: '-buildvcs=false' });
      return existsSync(program) ? program : undefined;
    },
    args: (port, directory) => [
      ...['--access', ACCESS_KEY, '--secret', SECRET_KEY, '--port', `127.0.0.1:${port}`, '--quiet'],
      ...['posix', directory],
    ],
  },
];

function succeeds(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): boolean {
  mkdirSync(HOME, { recursive: true });
  const env = { ...process.env, ...environment };
  return spawnSync(command, args, { stdio: 'ignore', timeout: INSTALL_MS_MAX, env }).status === 0;
}

export class S3Server {
  readonly endpoint: string;
  /** Of the server's own files, where it has any. */
  readonly directory: string;
  private readonly process: ChildProcess;

  private constructor(endpoint: string, directory: string, child: ChildProcess) {
    this.endpoint = endpoint;
    this.directory = directory;
    this.process = child;
  }

  static async start(kind: ServerKind, program: string): Promise<S3Server> {
    const directory = await mkdtemp(join(tmpdir(), 'quarry-s3-'));
    const port = await freePort();
    const child = spawn(program, kind.args(port, directory), { stdio: 'ignore' });
    const server = new S3Server(`http://127.0.0.1:${port}`, directory, child);
    for (let round = 0; round < READY_ROUNDS_MAX; round++) {
      if (child.exitCode !== null) break;
      if (
        await fetch(server.endpoint).then(
          () => true,
          () => false,
        )
      )
        return server;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await server.stop();
    throw new Error(`${kind.name} did not start`);
  }

  client(): S3Client {
    return new S3Client({
      endpoint: this.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY },
    });
  }

  async makeBucket(name: string): Promise<void> {
    await this.client().send(new CreateBucketCommand({ Bucket: name }));
  }

  async stop(): Promise<void> {
    this.process.kill('SIGKILL');
    await rm(this.directory, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
