/** The first password of the built-in user, and what strangers are told until it is set. */
import { expect, it } from 'vitest';
import { PasswordHasher, type Hasher } from '../../src/actions/security/password-hasher.js';
import { systemClock, type Clock } from '../../src/base/clock.js';
import { QuarryError } from '../../src/base/errors.js';
import type { Logger } from '../../src/base/logger.js';
import { parseNodeSettings } from '../../src/base/node-settings.js';
import { seededRandom } from '../../src/base/random.js';
import { emptyClusterState, type ClusterState } from '../../src/cluster/state.js';
import { StateHolder } from '../../src/coordinator/state-holder.js';
import type { Visitor } from '../../src/http/gate.js';
import { FrontSecurity } from '../../src/node/front/front-security.js';
import type { Line } from '../../src/workers/mailbox.js';

/** The quickest there is. */
const COST = 4;
const NODE = { id: 'n', ephemeralId: 'e' };
const PASSWORD = 'first-password';

/** What waits for a time goes on at once. */
const clock: Clock = {
  ...systemClock,
  schedule: (_, action) => {
    queueMicrotask(action);
    return () => undefined;
  },
};

function as(username: string, password: string): Visitor {
  return {
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    ...{ runAs: undefined, method: 'GET', rawPath: '/', query: '', opaqueId: '' },
    address: () => '',
    header: () => '',
    mark: () => undefined,
  };
}

interface Front {
  readonly security: FrontSecurity;
  readonly states: StateHolder;
  readonly logged: readonly string[];
  /** Status of the answer to wrong credentials. */
  readonly stranger: () => Promise<number>;
}

function front(hasher: Hasher, submit: (message: unknown) => void, isBootstrapping = false): Front {
  const logged: string[] = [];
  const logger: Logger = { log: (_, message, fields) => logged.push(`${message}: ${String(fields?.['reason'])}`) };
  const states = new StateHolder(systemClock);
  const recovered: ClusterState = { ...emptyClusterState('c', 'u'), version: 1, masterNodeId: NODE.id };
  states.apply({ kind: 'full', state: recovered });
  const coordinator: Line = {
    call: (message) => {
      submit(message);
      return Promise.resolve();
    },
    note: () => undefined,
    close: () => undefined,
  };
  const security = new FrontSecurity({
    settings: parseNodeSettings(new Map()),
    random: seededRandom(1),
    ...{ clock, logger, states, hasher, isBootstrapping, audit: undefined, auditLog: undefined },
    ready: Promise.resolve(),
    self: () => NODE,
    coordinator: () => coordinator,
  });
  const stranger = async (): Promise<number> => {
    try {
      await security.gate(as('stranger', 'wrong'));
      return 200;
    } catch (error) {
      return error instanceof QuarryError ? error.status : 500;
    }
  };
  return { security, states, logged, stranger };
}

it('the first password is set though it cannot be hashed at first, and then wrong credentials are wrong', async () => {
  const real = new PasswordHasher(COST);
  const refusals = ['too many', 'still too many'];
  const hasher: Hasher = {
    figures: () => real.figures(),
    prepare: () => real.prepare(),
    verify: (password, hash) => real.verify(password, hash),
    refuse: (password) => real.refuse(password),
    hash: (password) => {
      const why = refusals.shift();
      return why === undefined
        ? real.hash(password)
        : Promise.reject(new QuarryError('rejected_execution_exception', why));
    },
  };
  const submitted: unknown[] = [];
  const { security, logged, stranger } = front(hasher, (message) => submitted.push(message));
  let join: (value: unknown) => void = () => undefined;
  const done = security.bootstrap(PASSWORD, new Promise((resolve) => (join = resolve)));
  expect(await stranger()).toBe(503);
  join(undefined);
  await done;
  expect(submitted).toMatchObject([
    { name: 'set-reserved-password', input: { username: 'admin', isFirst: true, passwordHash: expect.any(String) } },
  ]);
  expect(logged).toEqual([
    'the first password of the admin could not be set: too many',
    'the first password of the admin could not be set: still too many',
  ]);
  expect(await stranger()).toBe(401);
});

it('wrong credentials are wrong as well where the node could not join its cluster at first', async () => {
  const { security, stranger } = front(new PasswordHasher(COST), () => undefined);
  await expect(security.bootstrap(PASSWORD, Promise.reject(new Error('no cluster')))).rejects.toThrow('no cluster');
  expect(await stranger()).toBe(401);
});

it('a side front knows nobody either until the first password is in the state', async () => {
  const { states, stranger } = front(new PasswordHasher(COST), () => undefined, true);
  expect(await stranger()).toBe(503);
  const admin = { passwordHash: await new PasswordHasher(COST).hash(PASSWORD), enabled: true };
  const reservedUsers = new Map([['admin', admin]]);
  states.apply({ kind: 'full', state: { ...states.current, reservedUsers } });
  expect(await stranger()).toBe(401);
});
