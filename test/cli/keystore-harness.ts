/** `quarry keystore` as a process of its own, for tests. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url));

export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CommandInput {
  readonly stdin?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A folder with a configuration file beside which a keystore may lie. */
export class ConfigFolder {
  readonly directory: string;
  readonly config: string;
  readonly keystore: string;

  private constructor(directory: string) {
    this.directory = directory;
    this.config = join(directory, 'config', 'quarry.yml');
    this.keystore = join(directory, 'config', 'quarry.keystore');
  }

  static async make(): Promise<ConfigFolder> {
    const folder = new ConfigFolder(await mkdtemp(join(tmpdir(), 'quarry-config-')));
    await mkdir(join(folder.directory, 'config'));
    await writeFile(folder.config, '# nothing\n');
    return folder;
  }

  run(args: readonly string[], { stdin = '', environment = {} }: CommandInput = {}): Promise<CommandResult> {
    const child = spawn(process.execPath, [MAIN, 'keystore', '--config', this.config, ...args], {
      env: { ...process.env, ...environment },
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    // A command that reads nothing may have ended.
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
  }

  /** Adds settings with their values; makes the keystore if there is none. */
  async add(settings: Readonly<Record<string, string>>): Promise<void> {
    const stdin = Object.values(settings).join('\n');
    const { code, err } = await this.run(['add', '--force', ...Object.keys(settings)], { stdin });
    if (code !== 0) throw new Error(err);
  }
}
