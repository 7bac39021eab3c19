import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/base/json-value.js';
import { parseRoleDescriptor } from '../../../src/cluster/security/parse-role-descriptor.js';
import { commonPermissions, permissionsOf, type Permissions } from '../../../src/cluster/security/permissions.js';
import { builtInRoles } from '../../../src/cluster/security/privileges/built-in-roles.js';
import { PatternCover } from '../../../src/cluster/security/privileges/patterns-together.js';
import { indexPrivilege } from '../../../src/cluster/security/privileges/index-privileges.js';

const SEARCH = 'indices:data/read/search';

function onIndices(names: readonly string[], privileges: readonly string[], withRestricted = false): Permissions {
  const entry = { names, privileges, allow_restricted_indices: withRestricted };
  return permissionsOf([parseRoleDescriptor('r', { indices: [entry] })]);
}

function allowed(permissions: Permissions, names: readonly string[]): readonly string[] {
  const access = permissions.onIndices(SEARCH);
  return names.filter((name) => access?.allows(name) === true);
}

function coversOn(permissions: Permissions, privilege: string, pattern: string): boolean {
  const cover = new PatternCover();
  return permissions.coversIndices({
    ...{ actions: indexPrivilege(privilege), pattern, withRestricted: false },
    coversTogether: (patterns, each) => cover.covers(patterns, each),
  });
}

describe('permissions', () => {
  it('allow an action on the names for which some entry has the privilege', () => {
    const permissions = permissionsOf([
      parseRoleDescriptor('a', { indices: [{ names: ['a*'], privileges: ['read'] }] }),
      parseRoleDescriptor('b', { indices: [{ names: ['b'], privileges: ['write'] }] }),
    ]);
    expect(allowed(permissions, ['a', 'ab', 'b', 'c'])).toEqual(['a', 'ab']);
    expect(permissions.onIndices('indices:admin/delete')).toBeUndefined();
    expect(permissions.onIndices('indices:data/write/delete')?.allows('b')).toBe(true);
  });

  it('reach what the system keeps for itself only where that is said', () => {
    expect(allowed(onIndices(['*'], ['all']), ['.tasks', 'a'])).toEqual(['a']);
    expect(allowed(onIndices(['*'], ['all'], true), ['.tasks', 'a'])).toEqual(['.tasks', 'a']);
    expect(onIndices(['*'], ['all']).onIndices(SEARCH)?.isEverything).toBe(false);
    expect(onIndices(['*'], ['all'], true).onIndices(SEARCH)?.isEverything).toBe(true);
  });

  it('of an API key are those that its owner has as well', () => {
    const common = commonPermissions(onIndices(['a*', 'b'], ['read']), onIndices(['ab', 'b', 'c'], ['all']));
    expect(allowed(common, ['a', 'ab', 'b', 'c'])).toEqual(['ab', 'b']);
    expect(coversOn(common, 'read', 'ab')).toBe(true);
    expect(coversOn(common, 'write', 'ab')).toBe(false);
  });

  it('cover a privilege on all that a pattern names', () => {
    const permissions = onIndices(['logs-*'], ['write', 'read']);
    const covers = (privilege: string, pattern: string): boolean => coversOn(permissions, privilege, pattern);
    expect(covers('read', 'logs-2020*')).toBe(true);
    expect(covers('index', 'logs-a')).toBe(true);
    expect(covers('read', 'log*')).toBe(false);
    expect(covers('manage', 'logs-a')).toBe(false);
  });

  it('cover what several patterns name together, where each of them has the privilege', () => {
    const permissions = permissionsOf([
      parseRoleDescriptor('a', { indices: [{ names: ['logs-a*', 'logs-b*'], privileges: ['read', 'write'] }] }),
      parseRoleDescriptor('b', { indices: [{ names: ['/logs-[^ab].*/', 'logs-'], privileges: ['read'] }] }),
    ]);
    expect(coversOn(permissions, 'read', 'logs-*')).toBe(true);
    expect(coversOn(permissions, 'write', 'logs-*')).toBe(false);
    expect(coversOn(permissions, 'write', '/logs-[ab].*/')).toBe(true);
  });

  it('of built-in roles are what those that are written by hand could be', () => {
    for (const [name, { cluster, indices, applications, run_as }] of builtInRoles()) {
      const body = JSON.stringify({ cluster, indices, applications, run_as });
      expect(() => parseRoleDescriptor(name, JSON.parse(body) as JsonValue), name).not.toThrow();
    }
    const superuser = permissionsOf(
      [...builtInRoles()].filter(([name]) => name === 'superuser').map(([, role]) => role),
    );
    expect(superuser.allowsCluster('cluster:admin/xpack/security/user/put')).toBe(true);
    expect(superuser.mayRunAs('anybody')).toBe(true);
    expect(superuser.onIndices('indices:admin/delete')?.allows('.tasks')).toBe(false);
  });
});
