/** `community_id`: the name of a network flow. The distributions of the API name its properties differently. */
import { illegalArgument } from '../../base/errors.js';
import type { Options } from '../compile/options.js';
import type { IngestDocument } from '../document/ingest-document.js';
import { printValue } from '../document/values.js';
import { addressBytes } from '../network/address.js';
import { communityId, icmpPorts, type Flow } from '../network/community-id.js';
import { defineProcessor } from '../processor.js';

interface Fields {
  readonly source: string;
  readonly destination: string;
  readonly sourcePort: string | undefined;
  readonly destinationPort: string | undefined;
  readonly number: string | undefined;
  readonly protocol: string | undefined;
  readonly icmpType: string | undefined;
  readonly icmpCode: string | undefined;
}

export const community = defineProcessor('community_id', (options, { distribution }) => {
  const isOpen = distribution === 'opensearch';
  const fields = isOpen ? openFields(options) : elasticFields(options);
  const target = options.optionalText('target_field', isOpen ? 'community_id' : 'network.community_id');
  const seed = options.optionalInteger('seed', 0);
  const ignoreMissing = options.flag('ignore_missing', !isOpen);
  if (seed < 0 || seed > 65_535) throw options.error('seed', `seed must be a value between 0 and 65535`);
  return (document) => {
    const flow = flowOf(document, fields, ignoreMissing);
    if (flow !== undefined) document.set(target, communityId(flow, seed));
  };
});

function openFields(options: Options): Fields {
  return {
    source: options.text('source_ip_field'),
    destination: options.text('destination_ip_field'),
    sourcePort: options.optionalText('source_port_field'),
    destinationPort: options.optionalText('destination_port_field'),
    number: options.optionalText('iana_protocol_number_field'),
    protocol: options.optionalText('protocol_field'),
    icmpType: options.optionalText('icmp_type_field'),
    icmpCode: options.optionalText('icmp_code_field'),
  };
}

function elasticFields(options: Options): Fields {
  return {
    source: options.optionalText('source_ip', 'source.ip'),
    destination: options.optionalText('destination_ip', 'destination.ip'),
    sourcePort: options.optionalText('source_port', 'source.port'),
    destinationPort: options.optionalText('destination_port', 'destination.port'),
    number: options.optionalText('iana_number', 'network.iana_number'),
    protocol: options.optionalText('transport', 'network.transport'),
    icmpType: options.optionalText('icmp_type', 'icmp.type'),
    icmpCode: options.optionalText('icmp_code', 'icmp.code'),
  };
}

const PROTOCOLS: Readonly<Record<string, number>> = {
  ...{ icmp: 1, igmp: 2, tcp: 6, egp: 8, igp: 9, udp: 17, gre: 47, esp: 50, ah: 51, eigrp: 88, ospf: 89 },
  ...{ 'ipv6-icmp': 58, ipv6_icmp: 58, icmp6: 58, icmpv6: 58, pim: 103, sctp: 132 },
};
const WITH_PORTS = new Set([6, 17, 132]);

function flowOf(document: IngestDocument, fields: Fields, ignoreMissing: boolean): Flow | undefined {
  const source = addressOf(document, fields.source, ignoreMissing);
  const destination = addressOf(document, fields.destination, ignoreMissing);
  if (source === undefined || destination === undefined) return undefined;
  const protocol = protocolOf(document, fields);
  if (protocol === undefined) {
    if (ignoreMissing) return undefined;
    throw illegalArgument('protocol number is missing: neither a number nor a name of a protocol was found');
  }
  const integer = (field: string | undefined): number | undefined => integerOf(document, field);
  if (WITH_PORTS.has(protocol)) {
    const [from, to] = [integer(fields.sourcePort), integer(fields.destinationPort)];
    if (from === undefined || to === undefined) {
      if (ignoreMissing) return undefined;
      throw illegalArgument('both source and destination port need to be set');
    }
    for (const port of [from, to]) {
      if (port < 1 || port > 65_535) throw illegalArgument(`invalid port [${port}]`);
    }
    return { source, destination, protocol, ports: { source: from, destination: to, isOneWay: false } };
  }
  if (protocol !== 1 && protocol !== 58) return { source, destination, protocol, ports: undefined };
  const type = integer(fields.icmpType);
  if (type === undefined) {
    if (ignoreMissing) return undefined;
    throw illegalArgument('icmp type is missing');
  }
  return { source, destination, protocol, ports: icmpPorts(protocol, type, integer(fields.icmpCode) ?? 0) };
}

function addressOf(document: IngestDocument, field: string, ignoreMissing: boolean): Uint8Array | undefined {
  const value = document.find(field);
  if (value === null || value === '') {
    if (ignoreMissing) return undefined;
    throw illegalArgument(`ip address in the field [${field}] is null or empty`);
  }
  const bytes = typeof value === 'string' ? addressBytes(value) : undefined;
  if (bytes !== undefined) return bytes;
  throw illegalArgument(`ip address [${printValue(value)}] in the field [${field}] is not a valid ipv4/ipv6 address`);
}

function protocolOf(document: IngestDocument, { number, protocol }: Fields): number | undefined {
  const given = integerOf(document, number);
  if (given !== undefined) return checkProtocol(given);
  const name = protocol === undefined ? null : document.find(protocol);
  if (name === null) return undefined;
  const text = printValue(name).toLowerCase();
  const known = Object.hasOwn(PROTOCOLS, text) ? PROTOCOLS[text] : undefined;
  if (known !== undefined) return known;
  if (/^\d{1,3}$/.test(text)) return checkProtocol(Number(text));
  throw illegalArgument(`could not convert string [${text}] to transport protocol`);
}

function checkProtocol(number: number): number {
  if (number >= 0 && number <= 255) return number;
  throw illegalArgument(`invalid iana protocol number [${number}]`);
}

function integerOf(document: IngestDocument, field: string | undefined): number | undefined {
  const value = field === undefined ? null : document.find(field);
  if (value === null) return undefined;
  const text = printValue(value);
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw illegalArgument(`unable to parse the value [${text}] of field [${field}] as a number`);
}
