/** `source.remote` of a reindex: which cluster, and whether this node may ask it. */
import type { ActionContext } from '../../actions/context.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { parseTimeMs } from '../../base/units.js';
import { matchesAny } from '../../cluster/names/wildcard.js';
import type { RemoteCluster } from '../../transport/remote-cluster.js';

const TIMEOUT_MS = 30_000;
const HOST = /^https?:\/\/(?<host>\[[0-9a-fA-F:.]+\]|[^:/?#\\@[\]\s%]+):(?<port>\d{1,5})(?<prefix>\/[^?#]*)?$/;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

export function readRemote(remote: JsonObject): RemoteCluster {
  const { host, username, password, headers, socket_timeout, connect_timeout, ...others } = remote;
  if (typeof host !== 'string') throw illegalArgument('[host] must be specified to reindex from a remote cluster');
  if (!HOST.test(host) || !URL.canParse(host)) {
    throw illegalArgument(
      `[host] must be of the form [scheme]://[host]:[port](/[pathPrefix])? but was [${withoutUser(host)}]`,
    );
  }
  const unknown = Object.keys(others);
  if (unknown.length > 0) throw illegalArgument(`Unsupported fields in [remote]: [${unknown.join(',')}]`);
  // Both are waited for together.
  const timeoutMs = timeOf('socket_timeout', socket_timeout) + timeOf('connect_timeout', connect_timeout);
  return {
    url: host.replace(/\/$/, ''),
    username: textOf('username', username),
    password: textOf('password', password),
    headers: headersOf(headers),
    timeoutMs,
  };
}

/** All of it is one address, and broken: whatever stands before the last [@] may be a password. */
function withoutUser(host: string): string {
  const end = host.lastIndexOf('@');
  return end === -1 ? host : `${/^https?:\/\//.exec(host)?.[0] ?? ''}...${host.slice(end)}`;
}

/** Only what the node's configuration names may be asked. */
export function checkAllowed({ url }: RemoteCluster, { settings }: ActionContext): void {
  const address = addressOf(url);
  const { values } = settings;
  const listed = [...values['reindex.remote.allowlist'], ...values['reindex.remote.whitelist']];
  const allowed = listed.map((name) => name.toLowerCase());
  if (matchesAny(allowed, address)) return;
  const word = values['compatibility.distribution'] === 'elasticsearch' ? 'whitelist' : 'allowlist';
  throw illegalArgument(`[${address}] not ${word}ed in reindex.remote.${word}`);
}

/** What is asked in the end, however it was written: names and addresses have several spellings. */
function addressOf(text: string): string {
  const { protocol, hostname, port } = new URL(text);
  return `${hostname}:${port === '' ? (DEFAULT_PORTS[protocol] ?? '') : port}`;
}

function timeOf(name: string, value: JsonValue | undefined): number {
  if (value === undefined) return TIMEOUT_MS;
  try {
    return parseTimeMs(typeof value === 'string' ? value : JSON.stringify(value), name);
  } catch (error) {
    throw new QuarryError('number_format_exception', (error as Error).message);
  }
}

function textOf(name: string, value: JsonValue | undefined): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw illegalArgument(`[${name}] of [remote] must be a text`);
}

function headersOf(value: JsonValue | undefined): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (!isJsonObject(value)) throw illegalArgument('[headers] of [remote] must be an object');
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, textOf(name, text) ?? '']));
}
