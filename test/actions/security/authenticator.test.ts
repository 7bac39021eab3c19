import { expect, it } from 'vitest';
import { Authenticator } from '../../../src/actions/security/authenticator.js';
import { PasswordHasher, type Hasher } from '../../../src/actions/security/password-hasher.js';
import { systemClock } from '../../../src/base/clock.js';
import { silentLogger, type Logger } from '../../../src/base/logger.js';
import { parseNodeSettings } from '../../../src/base/node-settings.js';
import { seededRandom } from '../../../src/base/random.js';
import type { FileUser } from '../../../src/cluster/security/file-users.js';
import { emptyClusterState, type ClusterState } from '../../../src/cluster/state.js';

/** The quickest there is. */
const COST = 4;

function authenticatorOf(bob: Record<string, unknown>, hasher: Hasher, logger: Logger = silentLogger): Authenticator {
  const user = { roles: [], enabled: true, metadata: {}, ...bob };
  const state = { ...emptyClusterState('', ''), users: new Map([['bob', user]]) } as unknown as ClusterState;
  const fileUsers = (): ReadonlyMap<string, FileUser> => new Map();
  return new Authenticator({
    settings: parseNodeSettings(new Map()),
    ...{ hasher, logger, fileUsers, clock: systemClock, random: seededRandom(1) },
    state: () => state,
  });
}

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
  const authenticator = authenticatorOf({ passwordHash, enabled: false }, hasher);
  for (const password of ['right', 'wrong', 'right']) {
    await expect(authenticator.withPassword('bob', password, '/')).rejects.toMatchObject({
      type: 'security_exception',
    });
  }
  expect(compared).toEqual(['with a decoy', 'with a decoy', 'with a decoy']);
});

it('the log is told once of each user whose hash would take too long for any password to be compared with it', async () => {
  const hasher = new PasswordHasher(COST);
  const usual = await hasher.hash('right');
  const warnings = async (passwordHash: string): Promise<readonly string[]> => {
    const logged: string[] = [];
    const logger: Logger = { log: (level, message) => logged.push(`${level}: ${message}`) };
    const authenticator = authenticatorOf({ passwordHash }, hasher, logger);
    for (const password of ['right', 'wrong', 'right']) {
      await authenticator.withPassword('bob', password, '/').catch(() => undefined);
    }
    return logged;
  };
  for (const cost of ['15', '20', '31']) {
    expect(await warnings(usual.replace('$04$', `$${cost}$`))).toEqual([
      'warn: user [bob] cannot log in with any password, and needs a new one',
    ]);
  }
  expect(await warnings(usual)).toEqual([]);
});
