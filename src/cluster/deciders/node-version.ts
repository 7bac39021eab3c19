/** Files go to nodes of the same version or a newer one: an older one may not be able to read them. */
import type { Question } from '../allocation/allocation-round.js';
import type { NodeLoad } from '../allocation/node-load.js';
import { isActive, primaryOf } from '../copies/shard-copies.js';
import { compareVersions } from '../nodes/version-order.js';
import { decision, type Decider, type Decision } from './decider.js';

const NAME = 'node_version';

export const nodeVersion: Decider = {
  name: NAME,
  canAllocate({ round, copy, copies }: Question, { node: target }: NodeLoad): Decision {
    if (copy.primary && copy.nodeId === null) {
      return decision(round, NAME, 'YES', () => 'the primary shard is new or already existed on the node');
    }
    const primary = primaryOf(copies);
    const source = primary !== undefined && isActive(primary) ? round.state.nodes.get(primary.nodeId ?? '') : undefined;
    if (source === undefined) return decision(round, NAME, 'YES', () => 'no active primary shard yet');
    const isAble = compareVersions(target.version, source.version) >= 0;
    return decision(round, NAME, isAble ? 'YES' : 'NO', () =>
      copy.primary
        ? `${isAble ? 'can' : 'cannot'} relocate primary shard from a node with version [${source.version}] to a node with ` +
          `${isAble ? 'equal-or-newer' : 'older'} version [${target.version}]`
        : `${isAble ? 'can' : 'cannot'} allocate replica shard to a node with version [${target.version}] since this is ` +
          `${isAble ? 'equal-or-newer than' : 'older than'} the primary version [${source.version}]`,
    );
  },
};
