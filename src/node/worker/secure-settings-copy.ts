/** What a thread knows of the node's secure settings: asked of the front when it is needed, and again after each reload. */
import type { LiveSecureSettings, SecureSettings } from '../../base/secure-settings.js';

type Entries = ReadonlyMap<string, Uint8Array>;

export class SecureSettingsCopy implements LiveSecureSettings {
  private readonly words: Int32Array;
  private readonly ask: () => Promise<Entries>;
  private known: { readonly version: number; readonly settings: Promise<SecureSettings> } | undefined;

  /** `words`: see `NodeKeystore.version`. */
  constructor(words: Int32Array, ask: () => Promise<Entries>) {
    this.words = words;
    this.ask = ask;
  }

  get version(): number {
    return Atomics.load(this.words, 0);
  }

  read(): Promise<SecureSettings> {
    // Before asking: what is newer then is asked for once more, and not missed.
    const { version } = this;
    if (this.known?.version === version) return this.known.settings;
    const settings = this.ask().then((entries) => ({
      secureSetting(name: string): string | undefined {
        const value = entries.get(name);
        return value === undefined ? undefined : Buffer.from(value).toString('utf8');
      },
    }));
    this.known = { version, settings };
    settings.catch(() => (this.known = undefined));
    return settings;
  }
}
