/** Where the bench keeps repositories: in a directory, and on two real servers of the S3 protocol where they can be installed. */
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ACCESS_KEY, S3Server, SECRET_KEY, SERVER_KINDS } from '../../test/repositories/s3-servers.js';

const BUCKET = 'bench';
/** As fast as the disks are. */
const UNLIMITED = { max_snapshot_bytes_per_sec: '0', max_restore_bytes_per_sec: '0' };

export interface Place {
  readonly name: string;
  /** What a repository there is registered with. */
  registration(repository: string): object;
  /** Lengths by name, of all blobs of a repository. */
  blobs(repository: string): Promise<ReadonlyMap<string, number>>;
}

export interface Places {
  readonly all: readonly Place[];
  /** Arguments of the node that reaches them. */
  readonly nodeArguments: readonly string[];
  stop(): Promise<void>;
}

/** In a new folder, which is that of `fs`; with so many servers, which are installed with their first use. */
export async function openPlaces(folder: string, serversMax: number): Promise<Places> {
  const servers: { readonly name: string; readonly server: S3Server }[] = [];
  for (const kind of SERVER_KINDS.slice(0, serversMax)) {
    const program = kind.program();
    if (program === undefined) console.log(`${kind.name} cannot be installed: left out`);
    else servers.push({ name: kind.name, server: await S3Server.start(kind, program) });
  }
  for (const { server } of servers) await server.makeBucket(BUCKET);
  const settings = servers.flatMap(({ name, server }) => [
    ...['-E', `s3.client.${name}.endpoint=${server.endpoint}`],
    ...['-E', `s3.client.${name}.path_style_access=true`],
  ]);
  const config = path.join(folder, 'config', 'quarry.yml');
  keepSecrets(config, servers);
  return {
    all: [directory(folder), ...servers.map(({ name, server }) => bucket(name, server))],
    nodeArguments: ['--config', config, '-E', `path.repo=${folder}`, ...settings],
    async stop() {
      await Promise.all(servers.map(({ server }) => server.stop()));
    },
  };
}

function keepSecrets(config: string, servers: readonly { readonly name: string }[]): void {
  mkdirSync(path.dirname(config));
  writeFileSync(config, '# nothing\n');
  if (servers.length === 0) return;
  const keys = servers.flatMap(({ name }) => [`s3.client.${name}.access_key`, `s3.client.${name}.secret_key`]);
  const input = servers.flatMap(() => [ACCESS_KEY, SECRET_KEY]).join('\n');
  const args = ['dist/program/main.js', 'keystore', '--config', config, 'add', '--force', ...keys];
  execFileSync(process.execPath, args, { input, stdio: ['pipe', 'ignore', 'inherit'] });
}

function directory(folder: string): Place {
  return {
    name: 'fs',
    registration: (repository) => ({ type: 'fs', settings: { location: repository, ...UNLIMITED } }),
    blobs: (repository) => Promise.resolve(filesBelow(path.join(folder, repository))),
  };
}

function bucket(name: string, server: S3Server): Place {
  const client = server.client();
  return {
    name,
    registration: (repository) => ({
      type: 's3',
      settings: { bucket: BUCKET, base_path: repository, client: name, ...UNLIMITED },
    }),
    async blobs(repository) {
      const found = new Map<string, number>();
      let token: string | undefined;
      do {
        const input = { Bucket: BUCKET, Prefix: `${repository}/`, ContinuationToken: token };
        const page = await client.send(new ListObjectsV2Command(input));
        for (const { Key, Size = 0 } of page.Contents ?? []) found.set(Key ?? '', Size);
        token = page.NextContinuationToken;
      } while (token !== undefined);
      return found;
    },
  };
}

/** Lengths of the files below, by their path. */
export function filesBelow(folder: string): ReadonlyMap<string, number> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return [file, statSync(file).size] as const;
    }),
  );
}

export function bytesOf(files: ReadonlyMap<string, number>): number {
  return [...files.values()].reduce((sum, size) => sum + size, 0);
}
