/** By which addresses others reach this node. */
import type { NetworkInterfaceInfo } from 'node:os';
import { formatHostAddress } from '../base/host-address.js';
import type { NodeSettings } from '../base/node-settings.js';

export interface PublishedAddresses {
  /** Name or address of the host, as other nodes see it. */
  readonly host: string;
  readonly ip: string;
  /** `host:port` each. */
  readonly http: string;
  readonly transport: string;
}

export interface BoundPorts {
  readonly http: number;
  readonly transport: number;
}

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::', '::0']);
const LOOPBACK = '127.0.0.1';

export function publishedAddresses(
  { values }: NodeSettings,
  bound: BoundPorts,
  interfaces: Interfaces,
): PublishedAddresses {
  const http = values['http.publish_host'] ?? reachable(values['http.host'], interfaces);
  const host = values['transport.publish_host'] ?? reachable(values['transport.host'], interfaces);
  return {
    host,
    ip: host === 'localhost' ? LOOPBACK : host,
    http: formatHostAddress(http, bound.http),
    transport: formatHostAddress(host, values['transport.publish_port'] ?? bound.transport),
  };
}

/** Whether only this machine reaches it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** A node that listens on all its addresses tells the first that is not the machine's own. */
function reachable(host: string, interfaces: Interfaces): string {
  if (!ANY_ADDRESS.has(host)) return host;
  const addresses = Object.values(interfaces).flatMap((list) => list ?? []);
  const outside = addresses.filter(({ internal }) => !internal);
  const chosen = outside.find(({ family }) => family === 'IPv4') ?? outside.find(({ scopeid }) => scopeid === 0);
  return chosen?.address ?? LOOPBACK;
}
