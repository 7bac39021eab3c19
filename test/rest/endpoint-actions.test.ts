import { describe, expect, it } from 'vitest';
import {
  clusterPrivilegesThatGrant,
  isClusterAction,
} from '../../src/cluster/security/privileges/cluster-privileges.js';
import { indexPrivilegesThatGrant, isIndexAction } from '../../src/cluster/security/privileges/index-privileges.js';
import type { Endpoint } from '../../src/rest/endpoint.js';
import { ENDPOINTS } from '../../src/rest/endpoints.js';

function actionsOf({ action }: Endpoint): readonly string[] {
  return typeof action === 'string' ? [action] : [action.name, ...(action.also ?? [])];
}

describe('the action of every endpoint', () => {
  it('is one that some privilege short of everything grants', () => {
    for (const endpoint of ENDPOINTS) {
      for (const action of actionsOf(endpoint)) {
        const kind = isClusterAction(action) ? 'cluster' : isIndexAction(action) ? 'index' : 'unknown';
        const granted = kind === 'cluster' ? clusterPrivilegesThatGrant(action) : indexPrivilegesThatGrant(action);
        expect({ name: endpoint.name, action, kind, isGranted: granted.length > 1 }).toEqual({
          ...{ name: endpoint.name, action, isGranted: true },
          kind: expect.stringMatching(/^(cluster|index)$/) as string,
        });
      }
    }
  });
});
