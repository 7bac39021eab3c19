/** The settings of a node: every key of the configuration file and of `-E`, with its type and default. */
import { QuarryError } from './errors.js';
import { parseBytes } from './units.js';
import { nearestNames } from './suggest.js';

/** What a configuration file or a command line can give for one key. */
export type RawSetting = string | number | boolean | null | readonly (string | number | boolean)[];

interface SettingKind<T> {
  readonly fallback: T;
  parse(raw: RawSetting, key: string): T;
}

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

const text = <T extends string | undefined>(fallback: T): SettingKind<string | T> => ({
  fallback,
  parse: (raw, key) => (Array.isArray(raw) || raw === null ? refuse(key, raw, 'one value is expected') : String(raw)),
});

const oneOf = <const T extends string>(values: readonly T[], fallback: T): SettingKind<T> => ({
  fallback,
  parse: (raw, key) =>
    values.find((value) => value === raw) ?? refuse(key, raw, `expected one of [${values.join(', ')}]`),
});

const list = (fallback: readonly string[]): SettingKind<readonly string[]> => ({
  fallback,
  parse(raw) {
    if (typeof raw === 'object' && raw !== null) return raw.map(String);
    return String(raw ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  },
});

const integer = <T extends number | undefined>(
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

const flag = (fallback: boolean): SettingKind<boolean> => ({
  fallback,
  parse(raw, key) {
    if (raw === true || raw === 'true') return true;
    if (raw === false || raw === 'false') return false;
    return refuse(key, raw, 'only [true] or [false] are allowed');
  },
});

const bytes = <T extends number | undefined>(
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

/** A part of the memory (`10%`) or a size (`512mb`); kept as it was written. */
const memoryShare = (fallback: string): SettingKind<string> => ({
  fallback,
  parse(raw, key) {
    const text = String(raw);
    const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
    if (percent === undefined) parseBytes(text, key);
    else if (Number(percent) > 100) refuse(key, raw, 'at most [100%] is expected');
    return text;
  },
});

const ports = (fallback: PortRange): SettingKind<PortRange> => ({
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
  'data',
  'data_content',
  'data_hot',
  'data_warm',
  'data_cold',
  'data_frozen',
  'ingest',
  'remote_cluster_client',
] as const;
export type NodeRole = (typeof NODE_ROLES)[number];

const roles = (): SettingKind<readonly NodeRole[]> => ({
  fallback: ['master', 'data', 'ingest', 'remote_cluster_client'],
  parse(raw, key) {
    const names = list([]).parse(raw, key);
    const chosen = names.map(
      (name) =>
        NODE_ROLES.find((role) => role === name) ?? refuse(key, name, `known roles are [${NODE_ROLES.join(', ')}]`),
    );
    // A node is a cluster by itself, and somebody has to lead it.
    if (chosen.includes('master') || chosen.includes('cluster_manager')) return chosen;
    return refuse(key, names, 'a cluster of one node needs the role [master]');
  },
});

/** Workers own shards and run everything; more than this many gains nothing and costs memory. */
const WORKERS_MAX = 256;
const QUEUE_MAX = 1_000_000;
const MEGABYTE = 1024 * 1024;

const DECLARATIONS = {
  'cluster.name': text('quarry'),
  'cluster.initial_master_nodes': list([]),
  'compatibility.distribution': oneOf(['elasticsearch', 'opensearch'], 'elasticsearch'),
  'discovery.seed_hosts': list([]),
  'discovery.type': oneOf(['single-node', 'multi-node'], 'single-node'),
  'http.compression': flag(true),
  'http.host': text('127.0.0.1'),
  'http.max_content_length': bytes(1, 2 ** 31 - 1, 100 * MEGABYTE),
  'http.port': ports({ first: 9200, last: 9299 }),
  'indices.memory.index_buffer_size': memoryShare('10%'),
  'indices.memory.max_index_buffer_size': bytes(1, 2 ** 50, undefined),
  'indices.memory.min_index_buffer_size': bytes(1, 2 ** 50, 48 * MEGABYTE),
  'logger.file_count': integer(1, 10_000, 14),
  'logger.file_size': bytes(1024, 2 ** 40, 100 * MEGABYTE),
  'logger.level': oneOf(['trace', 'debug', 'info', 'warn', 'error'], 'info'),
  'node.name': text(undefined),
  'node.processors': integer(1, WORKERS_MAX, undefined),
  'node.roles': roles(),
  'path.data': text('data'),
  'path.logs': text('logs'),
  'path.repo': list([]),
  'thread_pool.management.queue_size': integer(1, QUEUE_MAX, 1_000),
  'thread_pool.search.queue_size': integer(1, QUEUE_MAX, 1_000),
  'thread_pool.search.size': integer(1, WORKERS_MAX, undefined),
  'thread_pool.write.queue_size': integer(1, QUEUE_MAX, 10_000),
  'thread_pool.write.size': integer(1, WORKERS_MAX, undefined),
  'transport.port': ports({ first: 9300, last: 9399 }),
} as const;

export type NodeSettingKey = keyof typeof DECLARATIONS;
type NodeSettingValue<Key extends NodeSettingKey> = (typeof DECLARATIONS)[Key] extends SettingKind<infer T> ? T : never;

/** Speak of what this version has not: the node starts with them, and its log says so. */
const WITHOUT_EFFECT: Partial<Record<NodeSettingKey, string>> = {
  'cluster.initial_master_nodes': 'a node is a cluster by itself',
  'discovery.seed_hosts': 'a node is a cluster by itself',
  'discovery.type': 'a node is a cluster by itself',
  'path.repo': 'there are no snapshot repositories yet',
  'transport.port': 'nodes do not talk to each other yet',
};

/** Plain data, so that every thread can be given a copy. */
export interface NodeSettings {
  readonly values: { readonly [Key in NodeSettingKey]: NodeSettingValue<Key> };
  /** `node.attr.<name>`. */
  readonly attributes: Readonly<Record<string, string>>;
  /** `index.*`: defaults of new indices. */
  readonly indexDefaults: Readonly<Record<string, string>>;
  /** Given settings that this version does nothing with, and why. */
  readonly withoutEffect: Readonly<Record<string, string>>;
}

/** Index settings that a node may set defaults of. */
const INDEX_DEFAULT_KEYS = ['index.number_of_shards', 'index.number_of_replicas', 'index.refresh_interval'];

const ATTRIBUTE_PREFIX = 'node.attr.';

/**
 * Reads flat keys; an unknown one is refused, naming the nearest known key. `checkIndexSetting` refuses a value that the
 * index setting of this key cannot have.
 */
export function parseNodeSettings(
  raw: ReadonlyMap<string, RawSetting>,
  checkIndexSetting: (key: string, value: string) => void = () => undefined,
): NodeSettings {
  const values: Record<string, unknown> = {};
  for (const [key, kind] of Object.entries(DECLARATIONS)) values[key] = kind.fallback;
  const attributes: Record<string, string> = {};
  const indexDefaults: Record<string, string> = {};
  const withoutEffect: Record<string, string> = {};
  for (const [key, value] of raw) {
    if (isNodeSettingKey(key)) {
      values[key] = DECLARATIONS[key].parse(value, key);
      const why = WITHOUT_EFFECT[key];
      if (why !== undefined && !sameValue(values[key], DECLARATIONS[key].fallback)) withoutEffect[key] = why;
    } else if (key.startsWith(ATTRIBUTE_PREFIX) && key.length > ATTRIBUTE_PREFIX.length) {
      attributes[key.slice(ATTRIBUTE_PREFIX.length)] = String(value);
    } else if (INDEX_DEFAULT_KEYS.includes(key)) {
      checkIndexSetting(key, String(value));
      indexDefaults[key] = String(value);
    } else throw unknownKey(key);
  }
  return { values: values as NodeSettings['values'], attributes, indexDefaults, withoutEffect };
}

function isNodeSettingKey(key: string): key is NodeSettingKey {
  return Object.hasOwn(DECLARATIONS, key);
}

function sameValue(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** `{ http: { port: 1 } }` and `{ "http.port": 1 }` alike become the key `http.port`. */
export function flattenSettings(
  tree: unknown,
  prefix = '',
  into = new Map<string, RawSetting>(),
): Map<string, RawSetting> {
  if (typeof tree === 'object' && tree !== null && !Array.isArray(tree)) {
    for (const [name, child] of Object.entries(tree))
      flattenSettings(child, prefix === '' ? name : `${prefix}.${name}`, into);
    return into;
  }
  if (prefix === '') throw new QuarryError('settings_exception', 'the configuration must be a map of keys to values');
  if (into.has(prefix)) throw new QuarryError('settings_exception', `setting [${prefix}] is given twice`);
  into.set(prefix, tree as RawSetting);
  return into;
}

function unknownKey(key: string): QuarryError {
  const [nearest] = nearestNames(key, [
    ...Object.keys(DECLARATIONS),
    ...INDEX_DEFAULT_KEYS,
    `${ATTRIBUTE_PREFIX}<name>`,
  ]);
  const hint = nearest === undefined ? '' : ` did you mean [${nearest}]?`;
  return new QuarryError('settings_exception', `unknown setting [${key}]${hint}`);
}

function refuse(key: string, raw: unknown, why: string): never {
  throw new QuarryError('settings_exception', `failed to parse value [${String(raw)}] for setting [${key}]: ${why}`);
}
