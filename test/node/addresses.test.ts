import type { NetworkInterfaceInfo } from 'node:os';
import { expect, it } from 'vitest';
import { parseNodeSettings } from '../../src/base/node-settings.js';
import { publishedAddresses, type PublishedAddresses } from '../../src/node/addresses.js';

const ETHERNET = { address: '192.168.7.2', family: 'IPv4', internal: false } as NetworkInterfaceInfo;
const LOOPBACK = { address: '127.0.0.1', family: 'IPv4', internal: true } as NetworkInterfaceInfo;
const INTERFACES = { lo: [LOOPBACK], eth0: [ETHERNET] };

function published(raw: Readonly<Record<string, string>>, interfaces = INTERFACES): PublishedAddresses {
  const settings = parseNodeSettings(new Map(Object.entries(raw)));
  return publishedAddresses(settings, { http: 9200, transport: 9300 }, interfaces);
}

it('others are told what the node is bound to', () => {
  expect(published({})).toEqual({
    host: '127.0.0.1',
    ip: '127.0.0.1',
    http: '127.0.0.1:9200',
    transport: '127.0.0.1:9300',
  });
});

it('a node bound to all addresses tells one that others can reach', () => {
  expect(published({ 'network.host': '0.0.0.0' })).toMatchObject({ ip: '192.168.7.2', transport: '192.168.7.2:9300' });
  expect(published({ 'network.host': '::' }, { ...INTERFACES, eth0: [] })).toMatchObject({ ip: '127.0.0.1' });
});

it('settings of what to publish win', () => {
  const told = { 'transport.publish_host': 'fd00::7', 'transport.publish_port': '9400', 'http.publish_host': 'public' };
  expect(published(told)).toMatchObject({ http: 'public:9200', transport: '[fd00::7]:9400' });
});
