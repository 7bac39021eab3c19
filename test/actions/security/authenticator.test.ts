import { expect, it } from 'vitest';
import { Authenticator } from '../../../src/actions/security/authenticator.js';
import { PasswordHasher, type Hasher } from '../../../src/actions/security/password-hasher.js';
import { systemClock } from '../../../src/base/clock.js';
import { parseNodeSettings } from '../../../src/base/node-settings.js';
import { seededRandom } from '../../../src/base/random.js';
import type { FileUser } from '../../../src/cluster/security/file-users.js';
import { emptyClusterState, type ClusterState } from '../../../src/cluster/state.js';

/** The quickest there is. */
const COST = 4;

it('takes as long for the right password of a disabled user as for a wrong one', async () => {
  const real = new PasswordHasher(COST);
  const passwordHash = await real.hash('right');
  const compared: string[] = [];
  const hasher: Hasher = {
    figures: () => real.figures(),
    prepare: () => real.prepare(),
    hash: (password) => real.hash(password),
    verify: (password, hash) => {
      compared.push('with that of the user');
      return real.verify(password, hash);
    },
    refuse: (password) => {
      compared.push('with a decoy');
      return real.refuse(password);
    },
  };
  const bob = { passwordHash, roles: [], enabled: false, metadata: {} };
  const state = {
    ...emptyClusterState('', ''),
    users: new Map([['bob', bob]]),
  } as unknown as ClusterState;
  const settings = parseNodeSettings(new Map());
  const random = seededRandom(1);
  const fileUsers = (): ReadonlyMap<string, FileUser> => new Map();
  const authenticator = new Authenticator({
    settings,
    hasher,
    clock: systemClock,
    random,
    state: () => state,
    fileUsers,
  });
  for (const password of ['right', 'wrong', 'right']) {
    await expect(authenticator.withPassword('bob', password, '/')).rejects.toMatchObject({
      type: 'security_exception',
    });
  }
  expect(compared).toEqual(['with a decoy', 'with a decoy', 'with a decoy']);
});
