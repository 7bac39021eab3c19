import { describe, expect, it } from 'vitest';
import {
  clusterPrivilege,
  clusterPrivilegesThatGrant,
} from '../../../src/cluster/security/privileges/cluster-privileges.js';
import { indexPrivilege, indexPrivilegesThatGrant } from '../../../src/cluster/security/privileges/index-privileges.js';

describe('privileges', () => {
  it('are listed from the least to the most', () => {
    expect(indexPrivilegesThatGrant('indices:data/read/search')).toEqual(['read', 'all']);
    expect(indexPrivilegesThatGrant('indices:admin/auto_create')).toEqual([
      'auto_configure',
      'create_index',
      'manage',
      'all',
    ]);
    expect(clusterPrivilegesThatGrant('cluster:admin/xpack/security/user/get')).toEqual([
      'read_security',
      'manage_security',
      'all',
    ]);
    expect(clusterPrivilegesThatGrant('cluster:admin/snapshot/create')).toEqual(['create_snapshot', 'manage', 'all']);
  });

  it('may be actions, which stand for all that begin so', () => {
    expect(clusterPrivilege('cluster:admin/snapshot').has('cluster:admin/snapshot/create')).toBe(true);
    expect(clusterPrivilege('cluster:admin/snapshot').has('cluster:admin/repository/get')).toBe(false);
    expect(indexPrivilege('indices:data/write/*').has('indices:data/write/bulk')).toBe(true);
  });

  it('of managing leave security out', () => {
    expect(clusterPrivilege('manage').has('cluster:admin/xpack/security/user/put')).toBe(false);
    expect(clusterPrivilege('all').has('cluster:admin/xpack/security/user/put')).toBe(true);
  });
});
