import { describe, expect, it } from 'vitest';
import { QuarryError } from '../../../src/base/errors.js';
import type { JsonValue } from '../../../src/base/json-value.js';
import {
  checkRoleName,
  parseRoleDescriptor,
  ROLE_LENGTH_MAX,
} from '../../../src/cluster/security/parse-role-descriptor.js';

function refusal(body: JsonValue): QuarryError {
  try {
    parseRoleDescriptor('r', body);
  } catch (error) {
    if (error instanceof QuarryError) return error;
    throw error;
  }
  throw new Error('taken');
}

const READ = { names: ['a'], privileges: ['read'] };

describe('a role', () => {
  it('keeps what it grants, and fills in the rest', () => {
    const role = parseRoleDescriptor('r', {
      cluster: ['monitor', 'cluster:admin/snapshot'],
      indices: [{ names: 'logs-*', privileges: ['READ', 'indices:data/write/bulk'], field_security: { grant: ['*'] } }],
      applications: [{ application: 'kibana-.kibana', privileges: ['read'], resources: ['*'] }],
      run_as: ['other'],
      metadata: { team: 'a' },
    });
    expect(role).toEqual({
      cluster: ['monitor', 'cluster:admin/snapshot'],
      indices: [
        { names: ['logs-*'], privileges: ['read', 'indices:data/write/bulk'], allow_restricted_indices: false },
      ],
      applications: [{ application: 'kibana-.kibana', privileges: ['read'], resources: ['*'] }],
      run_as: ['other'],
      metadata: { team: 'a' },
      transient_metadata: { enabled: true },
    });
    expect(parseRoleDescriptor('r', {})).toMatchObject({ cluster: [], indices: [], applications: [], run_as: [] });
  });

  it('is refused with the place of what is wrong', () => {
    const cases: readonly (readonly [JsonValue, string])[] = [
      [[], 'failed to parse role [r]. expected an object but found [START_ARRAY] instead'],
      [{ unknown: 1 }, 'failed to parse role [r]. unexpected field [unknown]'],
      [{ global: { application: {} } }, 'failed to parse role [r]. field [global] is not supported'],
      [{ global: [] }, 'failed to parse role [r]. field [global] is not supported'],
      [{ global: null }, 'failed to parse role [r]. field [global] is not supported'],
      [{ remote_indices: [{}] }, 'failed to parse role [r]. field [remote_indices] is not supported'],
      [{ remote_cluster: [{}] }, 'failed to parse role [r]. field [remote_cluster] is not supported'],
      [{ restriction: {} }, 'failed to parse role [r]. field [restriction] is not supported'],
      [{ cluster: 1 }, 'expected field [cluster] value to be a string or an array of strings'],
      [{ indices: {} }, 'expected field [indices] value to be an array, but found [START_OBJECT] instead'],
      [{ indices: [1] }, 'but found an array element of type [VALUE_NUMBER]'],
      [{ indices: [{ privileges: ['read'] }] }, 'missing required [names] field'],
      [{ indices: [{ names: ['a'] }] }, 'missing required [privileges] field'],
      [{ indices: [{ ...READ, names: [] }] }, '[names] cannot be an empty array'],
      [{ indices: [{ ...READ, clusters: ['b'] }] }, 'unexpected field [clusters]'],
      [{ indices: [{ ...READ, names: ['/a~b/'] }] }, 'has an operator that is not supported'],
      [{ indices: [{ ...READ, allow_restricted_indices: 'yes' }] }, 'value to be a boolean'],
      [{ applications: [{ application: 'app', privileges: ['a'] }] }, 'missing required [resources] field'],
      [{ metadata: [] }, 'expected field [metadata] to be of type object, but found [START_ARRAY] instead'],
    ];
    for (const [body, reason] of cases) expect(refusal(body).message).toContain(reason);
  });

  it('may have members that are not supported and empty, and does not keep them', () => {
    const role = parseRoleDescriptor('r', { cluster: ['monitor'], global: {}, remote_indices: [], remote_cluster: [] });
    expect(role).toEqual(parseRoleDescriptor('r', { cluster: ['monitor'] }));
  });

  it('names every unknown privilege, with those there are', () => {
    const { message, type } = refusal({ cluster: ['bogus'], indices: [{ names: ['a'], privileges: ['nothing'] }] });
    expect(type).toBe('action_request_validation_exception');
    expect(message).toContain('1: unknown cluster privilege [bogus]. a privilege must be either one of the predefined');
    expect(message).toContain('2: unknown index privilege [nothing]');
    expect(message).toMatch(/predefined fixed indices privileges \[[a-z_,]*create_doc,[a-z_,]*,all\]/);
  });

  it('is bounded', () => {
    const members = (length: number): JsonValue => ({
      metadata: { a: 'x'.repeat(length - '{"metadata":{"a":""}}'.length) },
    });
    expect(parseRoleDescriptor('r', members(ROLE_LENGTH_MAX))).toBeDefined();
    expect(refusal(members(ROLE_LENGTH_MAX + 1)).message).toContain(`more than [${ROLE_LENGTH_MAX}]`);
  });

  it('has a name that can be written', () => {
    for (const name of ['a', 'my role/1', 'x'.repeat(507)]) checkRoleName(name);
    for (const name of ['', '_a', ' a', 'ä', 'x'.repeat(508)]) expect(() => checkRoleName(name)).toThrow('Role names');
  });
});
