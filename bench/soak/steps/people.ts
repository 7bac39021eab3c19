/** Users, roles and keys that come and go, and what they may not do. */
import { textAt } from '../answers.js';
import { at } from '../../json.js';
import { basic } from '../client.js';
import type { Lane, NamedStep } from '../lane.js';

const PASSWORD = 'a-long-enough-password';

async function users({ client, chance, index }: Lane): Promise<void> {
  const name = `${index}-user-${chance.below(20)}`;
  const indices = [{ names: [index], privileges: ['read'], query: { term: { group: 'g1' } } }];
  await client.expect(200, 'PUT', `/_security/role/${name}`, { indices });
  await client.expect(200, 'PUT', `/_security/user/${name}`, { password: PASSWORD, roles: [name] });
  const user = client.as(basic(name, PASSWORD));
  await user.post(`/${index}/_search`, { size: 1 });
  await user.expect(403, 'PUT', `/${index}/_doc/x`, { n: 1 });
  await user.expect(403, 'GET', '/_cluster/state');
  await client.as(basic(name, 'not-the-password')).expect(401, 'GET', '/');
  await client.as('').expect(401, 'GET', '/');
  await client.expect(200, 'DELETE', `/_security/user/${name}`);
  await user.expect(401, 'GET', '/');
  await client.expect(200, 'DELETE', `/_security/role/${name}`);
}

async function keys({ client, index }: Lane): Promise<void> {
  const key = await client.post('/_security/api_key', { name: `${index}-key`, expiration: '1h' });
  const user = client.as(`ApiKey ${textAt(key, 'encoded')}`);
  await user.post(`/${index}/_count`);
  await client.expect(200, 'DELETE', '/_security/api_key', { ids: [at(key, 'id') ?? null] });
  await user.expect(401, 'GET', '/');
}

export const PEOPLE: readonly NamedStep[] = [
  { name: 'users and roles', weight: 1, run: users },
  { name: 'keys', weight: 1, run: keys },
];
