/** The settings of a node: every key of the configuration file and of `-E`, with its type and default. */
import { availableParallelism } from 'node:os';
import { isAbsentSetting } from './absent-node-settings.js';
import { defaultRelease, RELEASES, type ProductName } from './compatible-versions.js';
import { QuarryError } from './errors.js';
import { loggerOfSetting, parseLogLevel, type LogLevel } from './logger.js';
import { defaultMemoryBudget, memoryBytes } from './memory.js';
import {
  bytes,
  duration,
  flag,
  host,
  integer,
  limitedShare,
  list,
  logLevel,
  methods,
  oneOf,
  origins,
  ports,
  refuse,
  roles,
  seedHosts,
  share,
  text,
  type RawSetting,
  type SettingKind,
} from './node-setting-kinds.js';
import { isS3ClientSetting, S3_CLIENT_SETTINGS, S3Clients, type S3ClientSettings } from './s3-client-settings.js';
import { isSecureSetting, secureSettingInTheOpen } from './secure-settings.js';
import { nearestNames } from './suggest.js';
import { refuseOtherTls, TLS_DECLARATIONS, tlsSettings } from './tls-settings.js';

/** Workers own shards and run everything; more than this many gains nothing and costs memory. */
const WORKERS_MAX = 256;
const FRONTS_MAX = 16;
/** One carries what a dozen processors answer, if they have more to do than to find documents by their ids. */
const PROCESSORS_PER_FRONT = 4;
const FRONTS_FROM_TWO_PROCESSORS = 2;
const QUEUE_MAX = 1_000_000;
const PORT_MAX = 65_535;
const MEGABYTE = 1024 * 1024;
const MINUTE_MS = 60_000;
/** bcrypt with the binary logarithm of its rounds, which is 10 without a number. */
const BCRYPT_COSTS = [
  'bcrypt',
  ...(['bcrypt4', 'bcrypt5', 'bcrypt6', 'bcrypt7', 'bcrypt8', 'bcrypt9'] as const),
  ...(['bcrypt10', 'bcrypt11', 'bcrypt12', 'bcrypt13', 'bcrypt14'] as const),
] as const;

const CACHE = 'xpack.searchable.snapshot.shared_cache';

const DECLARATIONS = {
  ...TLS_DECLARATIONS,
  'cluster.name': text('quarry'),
  'cluster.initial_master_nodes': list([]),
  /** What nodes of the cluster prove to each other that they know; unless it is said, `cluster.secret` in `path.config`. */
  'cluster.secret_file': text(undefined),
  'compatibility.distribution': oneOf(['elasticsearch', 'opensearch'], 'elasticsearch'),
  /** The release that is announced; see {@link RELEASES}. */
  'compatibility.version': text(defaultRelease('elasticsearch')),
  /** The web console at `/_console/`. */
  'console.enabled': flag(true),
  'discovery.seed_hosts': seedHosts(),
  'discovery.type': oneOf(['single-node', 'multi-node'], 'multi-node'),
  /** How long the front looks for the answer to a request that is alone before it sleeps until it comes; 0: not at all. */
  'http.active_wait_micros': integer(0, 100_000, 400),
  'http.compression': flag(true),
  'http.cors.allow-credentials': flag(false),
  'http.cors.allow-headers': list([
    ...['X-Requested-With', 'Content-Type', 'Content-Length', 'Authorization', 'Accept', 'User-Agent'],
    'X-Elastic-Client-Meta',
  ]),
  'http.cors.allow-methods': methods(['OPTIONS', 'HEAD', 'GET', 'POST', 'PUT', 'DELETE']),
  'http.cors.allow-origin': origins(),
  'http.cors.enabled': flag(false),
  'http.cors.expose-headers': list(['X-elastic-product']),
  /** Seconds for which a browser remembers the answer to its question. */
  'http.cors.max-age': integer(0, 0x7fff_ffff, 1_728_000),
  /** Threads that carry the connections of clients; see {@link defaultFronts}. */
  'http.front_threads': integer(1, FRONTS_MAX, 1),
  'http.host': host('127.0.0.1'),
  'http.max_content_length': bytes(1, 2 ** 31 - 1, 100 * MEGABYTE),
  /** Of the request line and headers together, of clients and of other nodes, whose own need a part of it. */
  'http.max_header_size': bytes(8 * 1024, MEGABYTE, 32 * 1024),
  'http.port': ports({ first: 9200, last: 9299 }),
  'http.publish_host': host(undefined),
  /** Whether the parent breaker looks at what the process holds, or at what the other breakers count. */
  'indices.breaker.total.use_real_memory': flag(true),
  /** Of what documents hold while they are written; see `indexing-pressure.ts`. The limits behind it hold for one stage. */
  'indexing_pressure.memory.limit': limitedShare('10%'),
  'indexing_pressure.memory.coordinating.limit': limitedShare(undefined),
  'indexing_pressure.memory.primary.limit': limitedShare(undefined),
  /** Undefined: one and a half times that of primaries. */
  'indexing_pressure.memory.replica.limit': limitedShare(undefined),
  'indices.memory.index_buffer_size': share('10%'),
  'indices.memory.max_index_buffer_size': bytes(1, 2 ** 50, undefined),
  'indices.memory.min_index_buffer_size': bytes(1, 2 ** 50, 48 * MEGABYTE),
  'indices.requests.cache.size': share('1%'),
  'logger.file_count': integer(1, 10_000, 14),
  'logger.file_size': bytes(1024, 2 ** 40, 100 * MEGABYTE),
  /** Lines of JSON, or for people. */
  'logger.format': oneOf(['json', 'plain'], 'json'),
  'logger.level': logLevel('info'),
  /** Of all files of the log together. */
  'logger.total_size': bytes(1024, 2 ** 50, 1024 * MEGABYTE),
  'network.host': host(undefined),
  'network.publish_host': host(undefined),
  'node.name': text(undefined),
  'node.processors': integer(1, WORKERS_MAX, undefined),
  'node.roles': roles(),
  /** Where the files `users`, `users_roles` and `cluster.secret` are; beside the configuration file unless it is said otherwise. */
  'path.config': text('config'),
  'path.data': text('data'),
  'path.logs': text('logs'),
  'path.repo': list([]),
  'reindex.remote.allowlist': list([]),
  'reindex.remote.whitelist': list([]),
  /** With `*` for any text. */
  'repositories.url.allowed_urls': list([]),
  'script.allowed_contexts': list([]),
  'script.allowed_types': list([]),
  'script.painless.regex.enabled': oneOf(['true', 'false', 'limited'], 'limited'),
  'script.painless.regex.limit-factor': integer(1, 0x7fff_ffff, 6),
  /** A node that others may reach, though it does not ask who they are. */
  'security.allow_insecure_bind': flag(false),
  'search.max_concurrent_slices': integer(1, WORKERS_MAX, undefined),
  /** Refusals of anonymous requests: status 403 where it is true, 401 where a client is to ask its user for a password. */
  'security.anonymous.authz_exception': flag(true),
  /** None: requests without credentials are refused. */
  'security.anonymous.roles': list([]),
  'security.anonymous.username': text('_anonymous'),
  /** A log of its own, of who did what. */
  'security.audit.enabled': flag(false),
  'security.authc.cache.max_users': integer(0, 1_000_000, 10_000),
  'security.authc.cache.ttl': duration(0, 24 * 60 * MINUTE_MS, 20 * MINUTE_MS),
  'security.authc.password_hashing.algorithm': oneOf(BCRYPT_COSTS, 'bcrypt'),
  'security.authc.token.timeout': duration(1_000, 60 * MINUTE_MS, 20 * MINUTE_MS),
  'security.enabled': flag(false),
  'thread_pool.management.queue_size': integer(1, QUEUE_MAX, 1_000),
  'thread_pool.management.size': integer(1, WORKERS_MAX, 32),
  /** Merges at once, of all shards; undefined: half as many as there are workers. */
  'thread_pool.merge.max': integer(1, WORKERS_MAX, undefined),
  'thread_pool.search.queue_size': integer(1, QUEUE_MAX, 1_000),
  'thread_pool.search.size': integer(1, WORKERS_MAX, undefined),
  'thread_pool.write.queue_size': integer(1, QUEUE_MAX, 10_000),
  'thread_pool.write.size': integer(1, WORKERS_MAX, undefined),
  'transport.host': host('127.0.0.1'),
  'transport.port': ports({ first: 9300, last: 9399 }),
  'transport.publish_host': host(undefined),
  'transport.publish_port': integer(1, PORT_MAX, undefined),
  [`${CACHE}.region_size`]: bytes(4096, 1024 * MEGABYTE, 16 * MEGABYTE),
  /** Undefined: none, or nine tenths of the disk of a node that holds nothing but the frozen tier. */
  [`${CACHE}.size`]: share(undefined),
  /** What a part of the disk leaves of it, at most; -1: no bound. */
  [`${CACHE}.size.max_headroom`]: bytes(-1, 2 ** 50, undefined),
} as const;

export type NodeSettingKey = keyof typeof DECLARATIONS;
type NodeSettingValue<Key extends NodeSettingKey> = (typeof DECLARATIONS)[Key] extends SettingKind<infer T> ? T : never;

/** Plain data, so that every thread can be given a copy. */
export interface NodeSettings {
  readonly values: { readonly [Key in NodeSettingKey]: NodeSettingValue<Key> };
  /** `node.attr.<name>`. */
  readonly attributes: Readonly<Record<string, string>>;
  /** `index.*`: defaults of new indices. */
  readonly indexDefaults: Readonly<Record<string, string>>;
  /** `s3.client.<name>.*` by name, of the clients that were given any. */
  readonly s3Clients: Readonly<Record<string, S3ClientSettings>>;
  /** Settings of the cluster, which hold while this node is the master and nobody has set them through the API. */
  readonly clusterSettings: Readonly<Record<string, string | readonly string[]>>;
  readonly memory: MemoryBudget;
  /** `logger.<name>`: by the name of the logger. */
  readonly loggers: Readonly<Record<string, LogLevel>>;
}

/** What the node may hold outside the page cache. */
export interface MemoryBudget {
  readonly budgetBytes: number;
  /** Options of a Java machine in these files, which mean nothing here. */
  readonly ignoredOptions: readonly string[];
}

/** Index settings that a node may set defaults of. */
const INDEX_DEFAULT_KEYS = ['index.number_of_shards', 'index.number_of_replicas', 'index.refresh_interval'];

const LOGGER_PREFIX = 'logger.';
const ATTRIBUTE_PREFIX = 'node.attr.';

/** What indices and the cluster know of settings that a node may be configured with. */
export interface OtherSettings {
  /** Refuses a value that the index setting of this key cannot have. */
  checkIndexSetting(key: string, value: string): void;
  /** Whether the cluster has such a setting; refuses a value that it cannot have. */
  isClusterSetting(key: string, value: string | readonly string[]): boolean;
  /** What an unknown key may have been meant for. */
  readonly clusterSettings: Iterable<string>;
}

const DESTRUCTIVE_REQUIRES_NAME = 'action.destructive_requires_name';

const NO_OTHERS: OtherSettings = {
  checkIndexSetting: () => undefined,
  isClusterSetting: () => false,
  clusterSettings: [],
};

/** Reads flat keys; an unknown one is refused, naming the nearest known key. */
export function parseNodeSettings(
  raw: ReadonlyMap<string, RawSetting>,
  others: OtherSettings = NO_OTHERS,
  memory: MemoryBudget = defaultMemory(),
): NodeSettings {
  const values: Record<string, unknown> = {};
  for (const [key, kind] of Object.entries(DECLARATIONS)) values[key] = kind.fallback;
  const attributes: Record<string, string> = {};
  const indexDefaults: Record<string, string> = {};
  const clusterSettings: Record<string, string | readonly string[]> = {};
  const loggers: Record<string, LogLevel> = {};
  const s3Clients = new S3Clients();
  for (const [written, value] of raw) {
    const key = currentName(written, raw);
    if (isNodeSettingKey(key)) values[key] = DECLARATIONS[key].parse(value, key);
    else if (key.startsWith(LOGGER_PREFIX)) loggers[loggerOfSetting(key)] = parseLogLevel(String(value));
    else if (key.startsWith(ATTRIBUTE_PREFIX) && key.length > ATTRIBUTE_PREFIX.length) {
      attributes[key.slice(ATTRIBUTE_PREFIX.length)] = attributeValue(value, key);
    } else if (isS3ClientSetting(key)) {
      s3Clients.set(key, value);
    } else if (INDEX_DEFAULT_KEYS.includes(key)) {
      others.checkIndexSetting(key, String(value));
      indexDefaults[key] = String(value);
    } else if (others.isClusterSetting(key, settingText(value))) clusterSettings[key] = settingText(value);
    else if (!isAbsentSetting(key, value)) throw unknownKey(key, others.clusterSettings);
  }
  useNetworkHost(values, raw);
  // As in version 8 of the one product; the other deletes by patterns.
  if (values['compatibility.distribution'] === 'elasticsearch') clusterSettings[DESTRUCTIVE_REQUIRES_NAME] ??= 'true';
  if (!raw.has('compatibility.version')) {
    values['compatibility.version'] = defaultRelease(values['compatibility.distribution'] as ProductName);
  }
  if (!raw.has('http.front_threads')) values['http.front_threads'] = defaultFronts(values);
  const checked = values as NodeSettings['values'];
  checkRelease(checked);
  checkDiscovery(checked);
  for (const port of ['http', 'transport'] as const) tlsSettings(checked, port);
  return {
    values: checked,
    attributes,
    indexDefaults,
    s3Clients: s3Clients.byName(),
    clusterSettings,
    memory,
    loggers,
  };
}

/**
 * A thread for each of two processors, since fronts answer what is brief themselves; for more processors one of four. No more than a pool has places:
 * one that ends in a front makes room in another one a little later.
 */
function defaultFronts(values: Readonly<Record<string, unknown>>): number {
  const [processors = availableParallelism(), searches = FRONTS_MAX, writes = FRONTS_MAX] = [
    values['node.processors'],
    values['thread_pool.search.size'],
    values['thread_pool.write.size'],
  ] as (number | undefined)[];
  const wanted = Math.max(FRONTS_FROM_TWO_PROCESSORS, Math.floor(processors / PROCESSORS_PER_FRONT));
  return Math.min(processors, wanted, searches, writes, FRONTS_MAX);
}

function defaultMemory(): MemoryBudget {
  return { budgetBytes: defaultMemoryBudget(memoryBytes()), ignoredOptions: [] };
}

/** Settings of security are taken by their names in the reference as well. */
function currentName(key: string, raw: ReadonlyMap<string, RawSetting>): string {
  const name = ownSettingName(key);
  if (!isNodeSettingKey(name)) return key;
  if (name !== key && raw.has(name)) {
    throw new QuarryError('settings_exception', `setting [${name}] is given twice, also as [${key}]`);
  }
  return name;
}

/** Beginnings of names in the reference, which has all of security in one place, and what they are here. The first that fits counts. */
const REFERENCE_BEGINNINGS = [
  ['xpack.security.http.ssl.', 'http.ssl.'],
  ['xpack.security.transport.ssl.', 'transport.ssl.'],
  ['xpack.security.authc.anonymous.', 'security.anonymous.'],
  ['xpack.security.', 'security.'],
] as const;

/** The name here of a setting that is given by its name in the reference; any other is returned as it is. */
export function ownSettingName(key: string): string {
  const found = REFERENCE_BEGINNINGS.find(([beginning]) => key.startsWith(beginning));
  return found === undefined ? key : `${found[1]}${key.slice(found[0].length)}`;
}

function settingText(value: RawSetting): string | readonly string[] {
  return typeof value === 'object' && value !== null ? value.map(String) : String(value);
}

/** `network.host` stands for what HTTP and transport were not told for themselves. */
function useNetworkHost(values: Record<string, unknown>, raw: ReadonlyMap<string, RawSetting>): void {
  for (const room of ['http', 'transport']) {
    if (raw.has('network.host') && !raw.has(`${room}.host`)) values[`${room}.host`] = values['network.host'];
    values[`${room}.publish_host`] ??= values['network.publish_host'];
  }
}

function checkRelease(values: NodeSettings['values']): void {
  const { 'compatibility.distribution': product, 'compatibility.version': version } = values;
  const known = RELEASES[product];
  if (known.has(version)) return;
  const numbers = [...known.keys()].join(', ');
  refuse('compatibility.version', version, `of [compatibility.distribution: ${product}] known are [${numbers}]`);
}

function checkDiscovery(values: NodeSettings['values']): void {
  const found = DISCOVERY_KEYS.find((key) => values[key].length > 0);
  const isAlone = values['discovery.type'] === 'single-node';
  if (isAlone && found !== undefined) {
    const reason = `setting [${found}] is not allowed when [discovery.type] is set to [single-node]`;
    throw new QuarryError('settings_exception', reason);
  }
  const roles = values['node.roles'];
  if (found === undefined && !roles.includes('master')) {
    refuse('node.roles', roles, 'a node without the role [master] needs others, see [discovery.seed_hosts]');
  }
  if (found === undefined && roles.includes('voting_only')) {
    refuse('node.roles', roles, 'a node that only votes needs others, see [discovery.seed_hosts]');
  }
}

const DISCOVERY_KEYS = ['discovery.seed_hosts', 'cluster.initial_master_nodes'] as const;

/** Filters compare whole values: blanks at the ends could never be meant. */
function attributeValue(raw: RawSetting, key: string): string {
  if (typeof raw === 'object') return refuse(key, raw, 'one value is expected');
  const text = String(raw);
  return text === text.trim() ? text : refuse(key, raw, 'it has blanks at its ends');
}

function isNodeSettingKey(key: string): key is NodeSettingKey {
  return Object.hasOwn(DECLARATIONS, key);
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

/** Whether a node may be configured with the key. */
export function isNodeSetting(key: string): boolean {
  return (
    isNodeSettingKey(ownSettingName(key)) ||
    key.startsWith(ATTRIBUTE_PREFIX) ||
    INDEX_DEFAULT_KEYS.includes(key) ||
    isS3ClientSetting(key)
  );
}

function unknownKey(key: string, clusterSettings: Iterable<string>): QuarryError {
  refuseOtherTls(key);
  if (isSecureSetting(key)) return secureSettingInTheOpen(key);
  const [nearest] = nearestNames(ownSettingName(key), [
    ...Object.keys(DECLARATIONS),
    ...INDEX_DEFAULT_KEYS,
    ...clusterSettings,
    `${ATTRIBUTE_PREFIX}<name>`,
    ...S3_CLIENT_SETTINGS,
  ]);
  const hint = nearest === undefined ? '' : ` did you mean [${nearest}]?`;
  return new QuarryError('settings_exception', `unknown setting [${key}]${hint}`);
}
