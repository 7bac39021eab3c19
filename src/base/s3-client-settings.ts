/** `s3.client.<name>.*`: how a node reaches stores of the S3 protocol, by the name that repositories call a client by. */
import { QuarryError } from './errors.js';
import { flag, integer, oneOf, refuse, text, type RawSetting, type SettingKind } from './node-setting-kinds.js';
import { parseTimeMs } from './units.js';

const PORT_MAX = 65_535;
const READ_TIMEOUT_MS_MAX = 3_600_000;

/** `host[:port]` or `scheme://host[:port]`. */
const endpoint = (): SettingKind<string | undefined> => ({
  fallback: undefined,
  parse(raw, key) {
    const value = String(raw);
    const isWhole =
      /^(?:https?:\/\/)?[^\s/?#@]+\/?$/.test(value) && URL.canParse(value.includes('://') ? value : `https://${value}`);
    return isWhole
      ? value.replace(/\/$/, '')
      : refuse(key, raw, 'a host, with or without a scheme and a port, is expected');
  },
});

const duration = (fallback: number): SettingKind<number> => ({
  fallback,
  parse(raw, key) {
    const value = parseTimeMs(String(raw), key);
    return value >= 1 && value <= READ_TIMEOUT_MS_MAX ? value : refuse(key, raw, '1ms to 1h is expected');
  },
});

const DECLARATIONS = {
  endpoint: endpoint(),
  /** Where the endpoint names none. */
  protocol: oneOf(['http', 'https'], 'https'),
  region: text(undefined),
  path_style_access: flag(false),
  /** After the first try. */
  max_retries: integer(0, 100, 3),
  read_timeout: duration(50_000),
  max_connections: integer(1, 10_000, 50),
  'proxy.host': text(undefined),
  'proxy.port': integer(1, PORT_MAX, 80),
  'proxy.scheme': oneOf(['http', 'https'], 'http'),
} as const;

type Key = keyof typeof DECLARATIONS;

/** Durations in milliseconds. */
export type S3ClientSettings = {
  readonly [Name in Key]: (typeof DECLARATIONS)[Name] extends SettingKind<infer T> ? T : never;
};

const SHAPE = /^s3\.client\.([\w-]+)\.(.+)$/;

/** For suggestions. */
export const S3_CLIENT_SETTINGS: readonly string[] = Object.keys(DECLARATIONS).map((key) => `s3.client.default.${key}`);

export const DEFAULT_S3_CLIENT: S3ClientSettings = fallbacks();

export function isS3ClientSetting(key: string): boolean {
  return Object.hasOwn(DECLARATIONS, SHAPE.exec(key)?.[2] ?? '');
}

/** Collects what a node is configured with. */
export class S3Clients {
  private readonly clients = new Map<string, Record<string, unknown>>();

  /** `key` is one for which `isS3ClientSetting` holds. */
  set(key: string, value: RawSetting): void {
    const [, name = '', member = ''] = SHAPE.exec(key) ?? [];
    const client = this.clients.get(name) ?? { ...DEFAULT_S3_CLIENT };
    client[member] = DECLARATIONS[member as Key].parse(value, key);
    this.clients.set(name, client);
  }

  byName(): Readonly<Record<string, S3ClientSettings>> {
    for (const [name, client] of this.clients) checkTogether(name, client as S3ClientSettings);
    return Object.fromEntries([...this.clients].map(([name, client]) => [name, client as S3ClientSettings]));
  }
}

function checkTogether(name: string, client: S3ClientSettings): void {
  if (client['proxy.host'] !== undefined) return;
  const lonely = (['proxy.port', 'proxy.scheme'] as const).find((key) => client[key] !== DEFAULT_S3_CLIENT[key]);
  if (lonely === undefined) return;
  const reason = `setting [s3.client.${name}.${lonely}] means nothing without [s3.client.${name}.proxy.host]`;
  throw new QuarryError('settings_exception', reason);
}

function fallbacks(): S3ClientSettings {
  const values = Object.entries(DECLARATIONS).map(([key, { fallback }]) => [key, fallback]);
  return Object.fromEntries(values) as S3ClientSettings;
}
