/** Every endpoint, by who may call it: a user with the privilege that grants its action and no other, and one with all others. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  clusterPrivilegeNames,
  clusterPrivilegesThatGrant,
  isClusterAction,
} from '../../src/cluster/security/privileges/cluster-privileges.js';
import {
  indexPrivilegeNames,
  indexPrivilegesThatGrant,
} from '../../src/cluster/security/privileges/index-privileges.js';
import { NATIVE_REALM } from '../../src/cluster/security/realms.js';
import type { Subject } from '../../src/cluster/security/subject.js';
import type { ActionRule, Endpoint, RestRequest } from '../../src/rest/endpoint.js';
import { ENDPOINTS } from '../../src/rest/endpoints.js';
import type { Answer, TestNode } from './node-harness.js';
import { ADMIN, basic, startSecured } from './security-helpers.js';

const USER = basic('tester', 'testers-password');
/** Whatever a part of a path names; there is nothing of that name. */
const NAME = 'target';
/** Endpoints that some or all requests to which concern nobody but their sender. */
const OWN = [
  'async_search.delete',
  'async_search.get',
  'cat.help',
  'clear_scroll',
  'close_point_in_time',
  'delete_pit',
  'security.authenticate',
  'security.change_password',
  'security.get_user_privileges',
  'security.has_privileges',
];
/** Which documents may be written is asked for each of them; one that gets an id from the node is never replaced. */
function itemActionsOf({ name, routes }: Endpoint): readonly string[] {
  if (name !== 'index') return [];
  const hasId = routes.some(({ path }) => path.includes('{id}'));
  return [`indices:data/write/index:op_type/${hasId ? 'index' : 'create'}`];
}
/** Their names stand in the body. */
const NAMED_IN_BODY = ['indices.modify_data_stream', 'indices.update_aliases', 'reindex'];

const ruleOf = ({ action }: Endpoint): ActionRule => (typeof action === 'string' ? { name: action } : action);
/** What `call` sends, as far as actions depend on it. */
const REQUEST = { parts: { index: NAME }, parameters: {}, body: { object: () => ({}) } } as unknown as RestRequest;
/** Who sends it, as far as actions depend on him. */
const TESTER = { username: 'tester', lookupRealm: NATIVE_REALM } as Subject;
const actionOf = (endpoint: Endpoint): string => {
  const rule = ruleOf(endpoint);
  return rule.of?.(REQUEST, TESTER) ?? rule.name;
};
const actionsOf = (endpoint: Endpoint): readonly string[] => [actionOf(endpoint), ...(ruleOf(endpoint).also ?? [])];

let node: TestNode;

async function put(path: string, body: unknown): Promise<void> {
  const answer = await node.put(path, body, { authorization: ADMIN });
  expect(answer.status, answer.text).toBe(200);
}

interface Granted {
  readonly cluster: readonly string[];
  readonly indices: readonly { readonly names: readonly string[]; readonly privileges: readonly string[] }[];
}

/** The least privileges that grant these actions, those on indices only where the names say. */
function granting(actions: readonly string[], names: readonly string[]): Granted {
  const least = (privileges: readonly string[]): string => privileges[0] ?? 'unknown';
  const cluster = actions.filter(isClusterAction).map((action) => least(clusterPrivilegesThatGrant(action)));
  const index = actions.filter((action) => !isClusterAction(action));
  const privileges = index.map((action) => least(indexPrivilegesThatGrant(action)));
  return { cluster, indices: privileges.length === 0 ? [] : [{ names, privileges }] };
}

function isForbidden({ status, text }: Answer): boolean {
  return status === 403 && (text === '' || text.includes('security_exception'));
}

/** Whether one of the actions is what was refused. */
function names(actions: readonly string[], { text }: Answer): boolean {
  const shown = actions.map((action) => action.replace('/api_key/own/', '/api_key/'));
  return text === '' || shown.some((action) => text.includes(`action [${action}] is unauthorized for user [tester]`));
}

/** Everything that does not grant the action; where that is one on indices, it is granted on others. */
function allBut(action: string): Granted {
  const everywhere = ['*'];
  if (isClusterAction(action)) {
    const granted = new Set(clusterPrivilegesThatGrant(action));
    const cluster = clusterPrivilegeNames().filter((name) => !granted.has(name));
    return { cluster, indices: [{ names: everywhere, privileges: ['all'] }] };
  }
  const granted = new Set(indexPrivilegesThatGrant(action));
  const privileges = indexPrivilegeNames().filter((name) => !granted.has(name));
  return { cluster: ['all'], indices: [{ names: everywhere, privileges }] };
}

/** Of several paths the one with the most names in it. */
function call({ routes, body }: Endpoint): Promise<Answer> {
  const parts = (path: string): number => path.split('{').length;
  const [route] = [...routes].sort((left, right) => parts(right.path) - parts(left.path));
  const path = (route?.path ?? '/').replace(/\{[^}]+\}/g, NAME);
  const content = { none: undefined, json: '{}', ndjson: '{}\n', document: '{}' }[body];
  const headers = { authorization: USER, ...(body === 'ndjson' ? { 'content-type': 'application/x-ndjson' } : {}) };
  const method = route?.method ?? 'GET';
  return node.request(method, path, method === 'GET' ? undefined : content, headers);
}

function isNamed({ routes, name, action }: Endpoint): boolean {
  const isPerItem = typeof action !== 'string' && action.isPerItem === true;
  return !isPerItem && !NAMED_IN_BODY.includes(name) && routes.some(({ path }) => /\{(index|name|source)\}/.test(path));
}

/** Those that both products have are tried on a node that answers as the first. */
const PRODUCTS = [
  ['elasticsearch', ENDPOINTS.filter(({ distribution }) => distribution !== 'opensearch')],
  ['opensearch', ENDPOINTS.filter(({ distribution }) => distribution === 'opensearch')],
] as const;

interface OnePrivilege {
  readonly privilege: string;
  readonly role: unknown;
  /** Whether it grants the action, on the indices of that name. */
  readonly grants: (action: string) => boolean;
}

function everyPrivilege(): readonly OnePrivilege[] {
  const cluster = clusterPrivilegeNames().map((privilege) => ({
    privilege,
    role: { cluster: [privilege] },
    grants: (action: string) => clusterPrivilegesThatGrant(action).includes(privilege),
  }));
  const index = indexPrivilegeNames().map((privilege) => ({
    privilege,
    role: { indices: [{ names: [`${NAME}*`], privileges: [privilege] }] },
    grants: (action: string) => !isClusterAction(action) && indexPrivilegesThatGrant(action).includes(privilege),
  }));
  return [...cluster, ...index];
}

function ends({ name }: Endpoint): boolean {
  return /delete|close/.test(name);
}

describe.each(PRODUCTS)('an endpoint of %s', (product, onNode) => {
  const asked = onNode.filter(({ name }) => !OWN.includes(name));
  const isFirst = product === 'elasticsearch';

  beforeAll(async () => {
    node = await startSecured({ 'compatibility.distribution': product });
    await put('/_security/user/tester', { password: 'testers-password', roles: ['tested'] });
  }, 60_000);

  afterAll(async () => {
    await node.stop();
  });

  it('that everybody may call for himself is one of these', async () => {
    const own = onNode.filter((endpoint) => ruleOf(endpoint).isOwn !== undefined).map(({ name }) => name);
    expect(own.sort()).toEqual(isFirst ? OWN : []);
    await put('/_security/role/tested', {});
    for (const endpoint of onNode.filter(({ name }) => name !== 'security.change_password' && OWN.includes(name))) {
      const answer = await call(endpoint);
      expect([endpoint.name, isForbidden(answer), answer.text]).toEqual([endpoint.name, false, answer.text]);
    }
  });

  it('answers who has the privilege, and nothing else', { timeout: 300_000 }, async () => {
    for (const endpoint of asked) {
      // The one before may have deleted it.
      await node.put(`/${NAME}`, {}, { authorization: ADMIN });
      const actions = [...actionsOf(endpoint), ...itemActionsOf(endpoint)];
      await put('/_security/role/tested', granting(actions, [`${NAME}*`]));
      const answer = await call(endpoint);
      expect([endpoint.name, isForbidden(answer), answer.text]).toEqual([endpoint.name, false, answer.text]);
    }
  });

  it('refuses who has every other privilege', { timeout: 300_000 }, async () => {
    for (const endpoint of asked) {
      for (const action of actionsOf(endpoint)) {
        await put('/_security/role/tested', allBut(action));
        const answer = await call(endpoint);
        expect([endpoint.name, answer.status, answer.text]).toEqual([endpoint.name, 403, answer.text]);
        expect(names(actionsOf(endpoint), answer), answer.text).toBe(true);
      }
    }
  });

  it('refuses who has the privilege, but on other indices', { timeout: 300_000 }, async () => {
    const named = asked.filter((endpoint) => !isClusterAction(actionOf(endpoint)) && isNamed(endpoint));
    expect(named.length).toBeGreaterThan(isFirst ? 60 : -1);
    for (const endpoint of named) {
      const { cluster, indices } = granting(actionsOf(endpoint), ['other*']);
      await put('/_security/role/tested', { cluster, indices });
      const answer = await call(endpoint);
      expect([endpoint.name, answer.status, answer.text]).toEqual([endpoint.name, 403, answer.text]);
      expect(names([actionOf(endpoint)], answer), answer.text).toBe(true);
    }
  });

  it('answers by each privilege alone those that it grants, and refuses all others', { timeout: 300_000 }, async () => {
    // What takes the index away comes last.
    const ordered = [...asked].sort((left, right) => Number(ends(left)) - Number(ends(right)));
    for (const { privilege, role, grants } of everyPrivilege()) {
      await put('/_security/role/tested', role);
      await node.put(`/${NAME}`, {}, { authorization: ADMIN });
      const wrong: string[] = [];
      for (const endpoint of ordered) {
        const isGranted = [...actionsOf(endpoint), ...itemActionsOf(endpoint)].every(grants);
        const answer = await call(endpoint);
        if (isForbidden(answer) === isGranted) wrong.push(`${endpoint.name}: ${answer.status} ${answer.text}`);
      }
      expect([privilege, wrong]).toEqual([privilege, []]);
    }
  });
});
