/** `routing.allocation.<kind>.<attribute>` of indices and of the cluster: names, addresses or patterns, joined with commas. */
import { isIP } from 'node:net';
import { illegalArgument } from '../../base/errors.js';
import { isPattern } from '../names/wildcard.js';
import type { SettingValue } from './flat-settings.js';
import { textKind } from './setting-kinds.js';

const OF_ADDRESSES = ['._ip', '._host_ip', '._publish_ip'];
const TIER_PREFERENCE = 'index.routing.allocation.include._tier_preference';
const TIERS = ['data_content', 'data_hot', 'data_warm', 'data_cold', 'data_frozen'];

/** A filter with a slip of the pen would keep no node, or every node, from holding shards. */
export function checkAllocationFilter(key: string, value: SettingValue): void {
  const text = textKind.parse(value, key);
  const names = text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  if (OF_ADDRESSES.some((ending) => key.endsWith(ending))) {
    const wrong = names.find((name) => !isPattern(name) && isIP(name) === 0);
    if (wrong !== undefined) throw illegalArgument(`invalid IP address [${wrong}] for [${key}]`);
  }
  if (key === TIER_PREFERENCE && names.some((name) => !TIERS.includes(name))) {
    throw illegalArgument(`invalid tier names found in [${text}] allowed values are [${TIERS.join(', ')}]`);
  }
}
