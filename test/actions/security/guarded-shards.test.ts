/** Who pays for restrictions of what may be read: those who have some, and nobody else. */
import { describe, expect, it } from 'vitest';
import { asAction, asSystem, Authority } from '../../../src/actions/security/authority.js';
import type { ActionContext } from '../../../src/actions/context.js';
import type { RoleDescriptor } from '../../../src/cluster/security/role-descriptor.js';
import { parseRoleDescriptor } from '../../../src/cluster/security/parse-role-descriptor.js';
import type { Subject } from '../../../src/cluster/security/subject.js';
import type { ClusterState } from '../../../src/cluster/state.js';
import type { ShardClient } from '../../../src/actions/shard-client.js';

const SEARCH = 'indices:data/read/search';
const WHOLE = parseRoleDescriptor('whole', { indices: [{ names: ['a'], privileges: ['read'] }] });
const PART = parseRoleDescriptor('part', {
  indices: [{ names: ['b'], privileges: ['read'], query: { term: { dept: 'open' } } }],
});

function contextOf(roles: Readonly<Record<string, RoleDescriptor>>): ActionContext {
  const subject: Subject = {
    ...{ username: 'u', fullName: null, email: null, metadata: {}, enabled: true, lookupRealm: null },
    ...{ roles: Object.keys(roles), authenticationRealm: { name: 'n', type: 'native' }, authenticationType: 'realm' },
  };
  const state = { roles: new Map(Object.entries(roles)), indices: new Map(), dataStreams: new Map() };
  const authority = new Authority(subject, () => state as unknown as ClusterState);
  return { authority, shards: {} as ShardClient, tasks: {} } as unknown as ActionContext;
}

describe('the way to shards', () => {
  it('is the same for who may read everything of his indices', () => {
    const context = contextOf({ whole: WHOLE });
    expect(asAction(context, SEARCH).shards).toBe(context.shards);
  });

  it('is guarded for others, whatever they do, and not for the node itself', () => {
    const context = contextOf({ whole: WHOLE, part: PART });
    const guarded = asAction(context, SEARCH);
    expect(guarded.shards).not.toBe(context.shards);
    expect(asAction(guarded, 'indices:data/read/get').shards).not.toBe(guarded.shards);
    expect(asSystem(guarded).shards).toBe(context.shards);
  });
});
