/** `*.routing.allocation.require`, `include` and `exclude`: of the cluster and of the index. */
import type { Question } from '../allocation/allocation-round.js';
import type { FilterKind, NodeFilter, NodeFilters } from '../allocation/index-facts.js';
import type { NodeLoad } from '../allocation/node-load.js';
import type { NodeRecord } from '../state.js';
import { matchesAny } from '../names/wildcard.js';
import { decision, type Decider, type Decision } from './decider.js';

const NAME = 'filter';

export const filter: Decider = {
  name: NAME,
  canAllocate: passes,
  canRemain: passes,
  allowsStay: { inRound: ({ facts }) => isOpen(facts.filters), ofIndex: ({ filters }) => isOpen(filters) },
};

function isOpen({ require, include, exclude }: NodeFilters): boolean {
  return require.length + include.length + exclude.length === 0;
}

function passes({ round, facts }: Question, { node }: NodeLoad): Decision {
  for (const [scope, filters] of [
    ['cluster', round.facts.filters],
    ['index', facts.filters],
  ] as const) {
    const refusal = refusedBy(filters, node);
    if (refusal === undefined) continue;
    return decision(round, NAME, 'NO', () => {
      const setting = `${scope} setting [${scope}.routing.allocation.${refusal}]`;
      const verb = refusal === 'exclude' ? 'matches' : 'does not match';
      return `node ${verb} ${setting} filters [${describe(filters[refusal], refusal)}]`;
    });
  }
  return decision(round, NAME, 'YES', () => 'node passes include/exclude/require filters');
}

/** Which kind of the filters the node does not pass. `require`: all must match; `include`: one; `exclude`: none. */
function refusedBy(filters: NodeFilters, node: NodeRecord): FilterKind | undefined {
  const matches = (each: NodeFilter): boolean =>
    attributeValues(node, each.attribute).some((actual) => matchesAny(each.patterns, actual));
  if (!filters.require.every(matches)) return 'require';
  if (filters.include.length > 0 && !filters.include.some(matches)) return 'include';
  return filters.exclude.some(matches) ? 'exclude' : undefined;
}

/** Whether the filters of cluster and index let copies be on the node at all. */
export function passesFilters(filters: readonly NodeFilters[], node: NodeRecord): boolean {
  return filters.every((each) => refusedBy(each, node) === undefined);
}

function describe(filters: readonly NodeFilter[], kind: FilterKind): string {
  const parts = filters.map(({ attribute, patterns }) => `${attribute}:"${patterns.join(' OR ')}"`);
  return parts.join(kind === 'require' ? ' AND ' : ' OR ');
}

function attributeValues(node: NodeRecord, attribute: string): readonly string[] {
  switch (attribute) {
    case '_id':
      return [node.id];
    case '_name':
      return [node.name];
    case '_host':
      return [node.host, node.ip];
    case '_ip':
    case '_host_ip':
    case '_publish_ip':
      return [node.ip];
    default: {
      const value = Object.hasOwn(node.attributes, attribute) ? node.attributes[attribute] : undefined;
      return value === undefined ? [] : [value];
    }
  }
}
