/** IP addresses as bytes, and the ranges that have names. */
import { BlockList, isIP } from 'node:net';
import { illegalArgument } from '../../base/errors.js';

/** 4 or 16 bytes; undefined for a text that is no address. */
export function addressBytes(text: string): Uint8Array | undefined {
  if (isIP(text) === 4) return Uint8Array.from(text.split('.'), Number);
  if (isIP(text) !== 6 || text.includes('%')) return undefined;
  const plain = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...octets: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = octets.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = '', tail] = plain.split('::');
  const groups = (part: string): readonly string[] => (part === '' ? [] : part.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...new Array<string>(zeros).fill('0'), ...after].map((group) => Number.parseInt(group, 16));
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

const RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fd00::/8'],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  interface_local_multicast: ['ff01::/16', 'ff11::/16'],
  link_local_multicast: ['224.0.0.0/24', 'ff02::/16', 'ff12::/16'],
  link_local_unicast: ['169.254.0.0/16', 'fe80::/10'],
  unspecified: ['0.0.0.0/32', '::/128'],
  broadcast: ['255.255.255.255/32'],
};

/** Those that are in none of these ranges. */
const COMPLEMENTS: Readonly<Record<string, readonly string[]>> = {
  public: [
    'private',
    'loopback',
    'unspecified',
    'link_local_unicast',
    'link_local_multicast',
    'interface_local_multicast',
    'multicast',
    'broadcast',
  ],
  global_unicast: ['broadcast', 'unspecified', 'loopback', 'multicast', 'link_local_unicast'],
  unicast: ['broadcast', 'unspecified', 'loopback', 'multicast', 'link_local_unicast'],
};

/** Whether an address is in a network: `10.0.0.0/8`, or a name such as `private`. Throws for what is no network. */
export function networkMatcher(network: string): (address: string) => boolean {
  const others = Object.hasOwn(COMPLEMENTS, network) ? COMPLEMENTS[network] : undefined;
  if (others !== undefined) {
    const matchers = others.map(networkMatcher);
    return (address) => !matchers.some((matches) => matches(address));
  }
  const ranges = (Object.hasOwn(RANGES, network) ? RANGES[network] : undefined) ?? [network];
  const list = new BlockList();
  for (const range of ranges) addRange(list, range);
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function addRange(list: BlockList, range: string): void {
  const [address = '', length = ''] = range.split('/');
  const family = isIP(address);
  const bits = family === 6 ? 128 : 32;
  const prefix = /^\d{1,3}$/.test(length) ? Number(length) : NaN;
  if (family === 0 || !(prefix <= bits)) {
    throw illegalArgument(`'${range}' is not an IP string literal.`);
  }
  list.addSubnet(address, prefix, family === 6 ? 'ipv6' : 'ipv4');
}
