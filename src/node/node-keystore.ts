/** The secure settings of a node, as the front thread holds them; workers ask it for copies. */
import { QuarryError } from '../base/errors.js';
import { Lanes } from '../base/lanes.js';
import { checkSecureSettings, type SecureSettings } from '../base/secure-settings.js';
import { readKeystoreFile } from '../store/keystore/keystore-file.js';
import type { KeystoreEntries } from '../store/keystore/keystore-format.js';

export interface KeystoreOptions {
  /** Of the file, which need not be there. */
  readonly path: string;
  /** Called where the keystore has a password. */
  readonly password: () => Promise<string>;
  /** Whether a setting of this name belongs into the configuration file. */
  readonly isPlain: (name: string) => boolean;
}

export class NodeKeystore implements SecureSettings {
  /** Shared memory: counts how often the settings became others. */
  readonly version = new Int32Array(new SharedArrayBuffer(4));
  private readonly options: KeystoreOptions;
  /** Each makes a key of a password, which takes memory. */
  private readonly reloads = new Lanes(1);
  private entries: KeystoreEntries;
  private isThere: boolean;

  private constructor(options: KeystoreOptions, entries: KeystoreEntries | undefined) {
    this.options = options;
    this.entries = entries ?? new Map();
    this.isThere = entries !== undefined;
  }

  /** Throws for a file that cannot be trusted or opened, and for settings that no part of a node reads. */
  static async open(options: KeystoreOptions): Promise<NodeKeystore> {
    return new NodeKeystore(options, await read(options, (isNeeded) => (isNeeded ? options.password() : '')));
  }

  secureSetting(name: string): string | undefined {
    const value = this.entries.get(name);
    return value === undefined ? undefined : Buffer.from(value).toString('utf8');
  }

  /** All of them, for the threads of this node. */
  copy(): KeystoreEntries {
    return this.entries;
  }

  /** Reads the file again. Whatever is wrong with it leaves the settings as they were. */
  reload(password: string): Promise<void> {
    return this.reloads.run(async () => {
      const entries = await read(this.options, () => password);
      if (entries === undefined && this.isThere) {
        throw new QuarryError('illegal_state_exception', `keystore [${this.options.path}] is missing`);
      }
      if (entries === undefined && password !== '') {
        throw new QuarryError('security_exception', 'Provided keystore password was incorrect');
      }
      if (entries === undefined) return;
      this.entries = entries;
      this.isThere = true;
      Atomics.add(this.version, 0, 1);
    });
  }
}

async function read(
  { path, isPlain }: KeystoreOptions,
  password: (isNeeded: boolean) => Promise<string> | string,
): Promise<KeystoreEntries | undefined> {
  const file = await readKeystoreFile(path, 'service');
  if (file === undefined) return undefined;
  // Most nodes have no keystore.
  const { needsPassword, unsealKeystore } = await import('../store/keystore/keystore-format.js');
  // Any password is wrong for a file that has none.
  const secret = await password(needsPassword(file.text, path));
  const { entries } = await unsealKeystore(file.text, secret, path);
  checkSecureSettings(entries.keys(), isPlain);
  return entries;
}
