/** `network_direction`: whether a flow comes in, goes out, or stays on one side of a network. */
import { isIP } from 'node:net';
import { illegalArgument } from '../../base/errors.js';
import type { IngestDocument } from '../document/ingest-document.js';
import { printValue } from '../document/values.js';
import { networkMatcher } from '../network/address.js';
import { defineProcessor } from '../processor.js';
import { textTemplate } from '../templates.js';
import { castError } from '../document/ingest-document.js';

export const networkDirection = defineProcessor('network_direction', (options) => {
  const source = options.optionalText('source_ip', 'source.ip');
  const destination = options.optionalText('destination_ip', 'destination.ip');
  const target = options.optionalText('target_field', 'network.direction');
  const networks = options.optionalTexts('internal_networks')?.map(textTemplate);
  const networksField = options.optionalText('internal_networks_field');
  const ignoreMissing = options.flag('ignore_missing', true);
  if (networks === undefined && networksField === undefined) {
    throw options.error('internal_networks', 'or [internal_networks_field] must be specified');
  }
  if (networks !== undefined && networksField !== undefined) {
    throw options.error('internal_networks', 'and [internal_networks_field] cannot both be used in the same processor');
  }
  return (document) => {
    const addresses = [source, destination].map((field) => addressAt(document, field, ignoreMissing));
    const [from, to] = addresses;
    const internal =
      networks?.map((network) => network(document)) ?? listed(document, networksField ?? '', ignoreMissing);
    if (typeof from !== 'string' || typeof to !== 'string' || internal === undefined) return;
    const matchers = internal.map(networkMatcher);
    const isInternal = (address: string): boolean => matchers.some((matches) => matches(address));
    document.set(target, direction(isInternal(from), isInternal(to)));
  };
});

function direction(isFromInside: boolean, isToInside: boolean): string {
  if (isFromInside) return isToInside ? 'internal' : 'outbound';
  return isToInside ? 'inbound' : 'external';
}

function addressAt(document: IngestDocument, field: string, ignoreMissing: boolean): string | undefined {
  const value = document.find(field);
  if (value === null) {
    if (ignoreMissing) return undefined;
    throw illegalArgument('unable to calculate network direction from document');
  }
  const text = printValue(value);
  if (isIP(text) !== 0) return text;
  throw illegalArgument(`'${text}' is not an IP string literal.`);
}

function listed(document: IngestDocument, field: string, ignoreMissing: boolean): readonly string[] | undefined {
  const value = ignoreMissing ? document.find(field) : document.get(field);
  if (value === null) return undefined;
  if (!Array.isArray(value)) throw castError(field, value, 'java.util.List');
  return value.map(printValue);
}
