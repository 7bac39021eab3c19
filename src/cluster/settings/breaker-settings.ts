/** Settings of the circuit breakers, and the limits in bytes that they mean on this node. */
import { must } from '../../base/assert.js';
import { bytesOrShare } from '../../base/memory.js';
import type { FlatSettings } from './flat-settings.js';
import { setting, valueOf, type SettingDefinition } from './registry.js';
import { floatKind, shareOrSizeKind } from './setting-kinds.js';

const TOTAL_LIMIT = 'indices.breaker.total.limit';
const REQUEST_LIMIT = 'indices.breaker.request.limit';
const INFLIGHT_LIMIT = 'indices.breaker.inflight_requests.limit';
const NETWORK_INFLIGHT_LIMIT = 'network.breaker.inflight_requests.limit';
const ACCOUNTING_LIMIT = 'indices.breaker.accounting.limit';
const FIELDDATA_LIMIT = 'indices.breaker.fielddata.limit';

/** Percentages are of the node's memory budget. */
export const BreakerSettingDefinitions = {
  totalBreakerLimit: setting(TOTAL_LIMIT, shareOrSizeKind, '95%', 'dynamic'),
  /** Memory that the aggregations of all searches of a node may hold together. */
  requestBreakerLimit: setting(REQUEST_LIMIT, shareOrSizeKind, '60%', 'dynamic'),
  inflightBreakerLimit: setting(INFLIGHT_LIMIT, shareOrSizeKind, '100%', 'dynamic'),
  /** The name that the references have for it; wins over the other. */
  networkInflightBreakerLimit: setting(NETWORK_INFLIGHT_LIMIT, shareOrSizeKind, undefined, 'dynamic'),
  accountingBreakerLimit: setting(ACCOUNTING_LIMIT, shareOrSizeKind, '100%', 'dynamic'),
  /** What computed columns that are kept may take; the least recently used go. Small, because each can be computed again. */
  fielddataBreakerLimit: setting(FIELDDATA_LIMIT, shareOrSizeKind, '256mb', 'dynamic'),
} as const;

/** Known by name, offered at their default only: nothing is estimated that would need a factor. */
export const FIXED_BREAKER_SETTINGS: readonly SettingDefinition<unknown>[] = [
  ...[
    'indices.breaker.request.overhead',
    'indices.breaker.fielddata.overhead',
    'indices.breaker.accounting.overhead',
    'indices.breaker.inflight_requests.overhead',
    'network.breaker.inflight_requests.overhead',
  ].map((key) => setting(key, floatKind(0), '1.0', 'dynamic', 'fixed')),
];

/** Bytes. */
export interface BreakerLimits {
  readonly parent: number;
  readonly request: number;
  readonly fielddata: number;
  readonly inflight_requests: number;
  readonly accounting: number;
}

/** Where breakers add up what they count themselves, which is not all that there is. */
const TOTAL_OF_COUNTED = '70%';

/** Each request asks. */
const known = { real: new WeakMap<FlatSettings, BreakerLimits>(), counted: new WeakMap<FlatSettings, BreakerLimits>() };

/** By the effective settings of the cluster. The same object for the same settings. */
export function breakerLimits(settings: FlatSettings, usesRealMemory: boolean): BreakerLimits {
  const before = known[usesRealMemory ? 'real' : 'counted'];
  let limits = before.get(settings);
  if (limits === undefined) {
    limits = readLimits(settings, usesRealMemory);
    before.set(settings, limits);
  }
  return limits;
}

function readLimits(settings: FlatSettings, usesRealMemory: boolean): BreakerLimits {
  const { totalBreakerLimit, inflightBreakerLimit, networkInflightBreakerLimit } = BreakerSettingDefinitions;
  const total =
    usesRealMemory || settings.has(TOTAL_LIMIT) ? bytesOf(totalBreakerLimit, settings) : share(TOTAL_OF_COUNTED);
  return {
    parent: total,
    request: bytesOf(BreakerSettingDefinitions.requestBreakerLimit, settings),
    fielddata: bytesOf(BreakerSettingDefinitions.fielddataBreakerLimit, settings),
    inflight_requests: settings.has(NETWORK_INFLIGHT_LIMIT)
      ? bytesOf(networkInflightBreakerLimit, settings)
      : bytesOf(inflightBreakerLimit, settings),
    accounting: bytesOf(BreakerSettingDefinitions.accountingBreakerLimit, settings),
  };
}

function bytesOf(definition: SettingDefinition<string>, settings: FlatSettings): number {
  return bytesOrShare(must(valueOf(definition, settings), definition.key), definition.key);
}

function share(text: string): number {
  return bytesOrShare(text, TOTAL_LIMIT);
}
