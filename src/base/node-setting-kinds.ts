/** The kinds of values that settings of a node have. */
import { QuarryError } from './errors.js';
import { isHostName, parseHostAddress } from './host-address.js';
import { LOG_LEVELS, type LogLevel } from './logger.js';
import { formatTime, parseBytes, parseTimeMs } from './units.js';

/** What a configuration file or a command line can give for one key. */
export type RawSetting = string | number | boolean | null | readonly (string | number | boolean)[];

export interface SettingKind<T> {
  readonly fallback: T;
  parse(raw: RawSetting, key: string): T;
}

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export const text = <T extends string | undefined>(fallback: T): SettingKind<string | T> => ({
  fallback,
  parse: (raw, key) =>
    typeof raw === 'object' || raw === '' ? refuse(key, raw, 'one value is expected') : String(raw),
});

export const oneOf = <const T extends string>(values: readonly T[], fallback: T): SettingKind<T> => ({
  fallback,
  parse: (raw, key) =>
    values.find((value) => value === raw) ?? refuse(key, raw, `expected one of [${values.join(', ')}]`),
});

export const list = (fallback: readonly string[]): SettingKind<readonly string[]> => ({
  fallback,
  parse(raw) {
    if (typeof raw === 'object' && raw !== null) return raw.map(String);
    return String(raw ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  },
});

/** Methods of HTTP. */
export const methods = (fallback: readonly string[]): SettingKind<readonly string[]> => ({
  fallback,
  parse: (raw, key) =>
    list([])
      .parse(raw, key)
      .map((name) => {
        const method = name.toUpperCase();
        return fallback.includes(method) ? method : refuse(key, name, `expected are [${fallback.join(', ')}]`);
      }),
});

/** Of pages in a browser: `scheme://host[:port]`, `null` or `*`, or one pattern between slashes. */
export const origins = (): SettingKind<readonly string[]> => ({
  fallback: [],
  parse(raw, key) {
    if (typeof raw === 'string' && /^\/.*\/$/.test(raw)) return [raw];
    const names = list([]).parse(raw, key);
    for (const name of names) {
      if (!ORIGIN.test(name))
        refuse(key, name, 'an origin such as [https://example.org:8080], [*] or a pattern in slashes is expected');
    }
    return names;
  },
});

const ORIGIN = /^(?:\*|null|[a-z][a-z0-9+.-]*:\/\/[^\s/]+)$/i;

export const integer = <T extends number | undefined>(
  minimum: number,
  maximum: number,
  fallback: T,
): SettingKind<number | T> => ({
  fallback,
  parse(raw, key) {
    const value = /^-?\d+$/.test(String(raw)) ? Number(raw) : NaN;
    if (value >= minimum && value <= maximum) return value;
    return refuse(key, raw, `an integer of ${minimum} to ${maximum} is expected`);
  },
});

/** In any case, as operators write it. */
export const logLevel = (fallback: LogLevel): SettingKind<LogLevel> => ({
  fallback,
  parse: (raw, key) => {
    const level = LOG_LEVELS.find((known) => known === String(raw).toLowerCase());
    return level ?? refuse(key, raw, `expected is one of [${LOG_LEVELS.join(', ')}]`);
  },
});

export const flag = (fallback: boolean): SettingKind<boolean> => ({
  fallback,
  parse(raw, key) {
    if (raw === true || raw === 'true') return true;
    if (raw === false || raw === 'false') return false;
    return refuse(key, raw, 'only [true] or [false] are allowed');
  },
});

/** In milliseconds; written with a unit, such as `20m`. */
export const duration = (minimumMs: number, maximumMs: number, fallbackMs: number): SettingKind<number> => ({
  fallback: fallbackMs,
  parse(raw, key) {
    const value = parseTimeMs(String(raw), key);
    return value >= minimumMs && value <= maximumMs
      ? value
      : refuse(key, raw, `[${formatTime(minimumMs)}] to [${formatTime(maximumMs)}] are expected`);
  },
});

export const bytes = <T extends number | undefined>(
  minimum: number,
  maximum: number,
  fallback: T,
): SettingKind<number | T> => ({
  fallback,
  parse(raw, key) {
    const value = typeof raw === 'number' ? raw : parseBytes(String(raw), key);
    return value >= minimum && value <= maximum
      ? value
      : refuse(key, raw, `${minimum} to ${maximum} bytes are expected`);
  },
});

/** A part of the memory, or of the disk (`10%`), or a size (`512mb`); kept as it was written. */
export const share = <T extends string | undefined>(fallback: T): SettingKind<string | T> => ({
  fallback,
  parse(raw, key) {
    const text = String(raw);
    const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
    if (percent === undefined) parseBytes(text, key);
    else if (Number(percent) > 100) refuse(key, raw, 'at most [100%] is expected');
    return text;
  },
});

/** As {@link share}, of what cannot be without a limit. */
export const limitedShare = <T extends string | undefined>(fallback: T): SettingKind<string | T> => ({
  fallback,
  parse(raw, key) {
    const text = share(fallback).parse(raw, key);
    return text?.startsWith('-') === true
      ? refuse(key, raw, 'a percentage or a size of at least [0] is expected')
      : text;
  },
});

export const ports = (fallback: PortRange): SettingKind<PortRange> => ({
  fallback,
  parse(raw, key) {
    const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(String(raw));
    const first = Number(match?.[1] ?? NaN);
    const last = Number(match?.[2] ?? first);
    if (first <= last && last <= 65_535) return { first, last };
    return refuse(key, raw, 'a port or a range such as 9200-9299 is expected');
  },
});

export const NODE_ROLES = [
  'master',
  'cluster_manager',
  'voting_only',
  'data',
  'data_content',
  'data_hot',
  'data_warm',
  'data_cold',
  'data_frozen',
  'ingest',
  'remote_cluster_client',
] as const;
/** `cluster_manager` is read as `master`, of which it is another name. */
export type NodeRole = Exclude<(typeof NODE_ROLES)[number], 'cluster_manager'>;

/** An empty list makes a node that only coordinates. */
export const roles = (): SettingKind<readonly NodeRole[]> => ({
  fallback: ['master', 'data', 'ingest', 'remote_cluster_client'],
  parse(raw, key) {
    const chosen = list([])
      .parse(raw, key)
      .map((name) => {
        const role = NODE_ROLES.find((each) => each === name);
        if (role === undefined) refuse(key, name, `known roles are [${NODE_ROLES.join(', ')}]`);
        return role === 'cluster_manager' ? 'master' : role;
      });
    if (chosen.includes('voting_only') && !chosen.includes('master')) {
      refuse(key, chosen, 'the role [voting_only] needs the role [master]');
    }
    return [...new Set(chosen)];
  },
});

/** An address that a node listens on or tells others. Special values would depend on the machine's interfaces. */
export const host = <T extends string | undefined>(fallback: T): SettingKind<string | T> => ({
  fallback,
  parse(raw, key) {
    if (typeof raw === 'object') return refuse(key, raw, 'one address is expected');
    const text = String(raw).trim();
    if (text === '_local_') return '127.0.0.1';
    if (/^_.*_$/.test(text)) return refuse(key, raw, 'of the special values only [_local_] is known');
    return isHostName(text) ? text : refuse(key, raw, 'a host name or an IP address is expected');
  },
});

/** Addresses with or without a port; see `parseHostAddress`. */
export const seedHosts = (): SettingKind<readonly string[]> => ({
  fallback: [],
  parse(raw, key) {
    const seeds = list([]).parse(raw, key);
    for (const seed of seeds) {
      if (parseHostAddress(seed) === undefined) refuse(key, seed, 'a host, or a host and a port, is expected');
    }
    return [...new Set(seeds)];
  },
});

export function refuse(key: string, raw: unknown, why: string): never {
  throw new QuarryError('settings_exception', `failed to parse value [${String(raw)}] for setting [${key}]: ${why}`);
}
