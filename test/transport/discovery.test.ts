/** Probing with a clock of the test's own: time passes only when nothing else is to be done. */
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { QuarryError } from '../../src/base/errors.js';
import { silentLogger } from '../../src/base/logger.js';
import { seededRandom } from '../../src/base/random.js';
import { Discovery, seedAddresses } from '../../src/transport/discovery.js';
import type { HandshakeAnswer } from '../../src/transport/handshake.js';

class TestClock implements Clock {
  nowAtMs = 0;
  readonly delays: number[] = [];

  nowMs(): number {
    return this.nowAtMs;
  }

  monotonicMs(): number {
    return this.nowAtMs;
  }

  schedule(delayMs: number, action: () => void): () => void {
    this.delays.push(delayMs);
    let isWanted = true;
    setImmediate(() => {
      this.nowAtMs += delayMs;
      if (isWanted) action();
    });
    return () => {
      isWanted = false;
    };
  }
}

function node(port: number, changes: Partial<HandshakeAnswer> = {}): HandshakeAnswer {
  return {
    nodeId: `id-${port}`,
    ephemeralId: 'e',
    name: `n${port}`,
    version: '0.1.0',
    roles: ['master'],
    address: `127.0.0.1:${port}`,
    clusterUuid: null,
    clusterName: 'c',
    isFresh: true,
    master: null,
    knownAddresses: [],
    ...changes,
  };
}

function discovery(
  seedHosts: readonly string[],
  answers: ReadonlyMap<string, HandshakeAnswer>,
): { found: Discovery; clock: TestClock; asked: string[] } {
  const clock = new TestClock();
  const asked: string[] = [];
  const found = new Discovery('id-9300', {
    seedHosts,
    defaultPorts: { first: 9300, last: 9399 },
    clock,
    random: seededRandom(1),
    logger: silentLogger,
    handshake(address) {
      asked.push(address);
      const answer = answers.get(address);
      return answer === undefined ? Promise.reject(new Error('nobody')) : Promise.resolve(answer);
    },
  });
  return { found, clock, asked };
}

it('tells once of each seed that belongs to another cluster, and again when it says something else', async () => {
  const warnings: unknown[] = [];
  const log = (level: string, message: string, fields?: object): void => {
    if (level === 'warn') warnings.push({ message, ...fields });
  };
  let reason = 'remote cluster name [d] does not match local cluster name [c]';
  const subject = new Discovery('id-9300', {
    seedHosts: ['a:9300', 'b:9300'],
    defaultPorts: { first: 9300, last: 9399 },
    clock: new TestClock(),
    random: seededRandom(1),
    logger: { log },
    handshake: (address) =>
      Promise.reject(
        address === 'a:9300' ? new QuarryError('connect_transport_exception', reason) : new Error('nobody'),
      ),
  });
  for (let round = 1; round <= 3; round++) await subject.ask(round);
  const told = { message: 'a seed host refuses this node', address: 'a:9300' };
  expect(warnings).toEqual([{ ...told, reason }]);
  const first = reason;
  reason = 'remote cluster name [e] does not match local cluster name [c]';
  await subject.ask(4);
  expect(warnings).toEqual([
    { ...told, reason: first },
    { ...told, reason },
  ]);
});

describe('seed hosts', () => {
  it.each([
    ['10.0.0.1:9400', ['10.0.0.1:9400']],
    ['[::1]:9301', ['[::1]:9301']],
    ['fe80::2', [9300, 9301, 9302].map((port) => `[fe80::2]:${port}`)],
    ['host', [9300, 9301, 9302].map((port) => `host:${port}`)],
    ['no host', []],
  ])('[%s] is asked at %j', (seed, addresses) => {
    expect(seedAddresses(seed, { first: 9300, last: 9302 })).toEqual(addresses);
  });

  it('without a port are asked at a few of the default ones', () => {
    expect(seedAddresses('host', { first: 9300, last: 9399 })).toHaveLength(6);
  });
});

describe('a round', () => {
  it('asks the seeds, those that they know and their master, each once', async () => {
    const answers = new Map([
      ['127.0.0.1:9300', node(9300)],
      ['127.0.0.1:9301', node(9301, { knownAddresses: ['127.0.0.1:9302', '127.0.0.1:9309'] })],
      ['127.0.0.1:9302', node(9302, { master: { nodeId: 'id-9303', address: '127.0.0.1:9303' } })],
      ['127.0.0.1:9303', node(9303, { clusterUuid: 'u', knownAddresses: ['127.0.0.1:9301'] })],
    ]);
    const { found, asked } = discovery(['127.0.0.1:9300', '127.0.0.1:9301'], answers);
    const { peers, failures } = await found.ask(1);
    expect([...peers.keys()]).toEqual(['id-9301', 'id-9302', 'id-9303']);
    expect([...failures]).toEqual([['127.0.0.1:9309', 'Error: nobody']]);
    expect(new Set(asked).size).toBe(asked.length);
    expect([...found.knownAddresses].sort()).toEqual([9301, 9302, 9303].map((port) => `127.0.0.1:${port}`));
  });
});

describe('asking', () => {
  it('goes on, slower and slower, until there is a decision', async () => {
    const answers = new Map<string, HandshakeAnswer>();
    const { found, clock } = discovery(['127.0.0.1:9301'], answers);
    const decision = await found.until(({ round, peers }) => {
      if (round === 9) answers.set('127.0.0.1:9301', node(9301));
      return peers.size === 0 ? undefined : round;
    });
    expect(decision).toBe(10);
    const [first = 0] = clock.delays;
    expect(first).toBeLessThan(500);
    expect(clock.delays.every((delay) => delay <= 2_000)).toBe(true);
    expect(clock.delays.at(-1)).toBeGreaterThanOrEqual(1_000);
  });

  it('ends when it is stopped', async () => {
    const { found } = discovery([], new Map());
    const rounds: number[] = [];
    await found.until(({ round }) => {
      rounds.push(round);
      if (round === 3) found.stop();
      return undefined;
    });
    expect(rounds).toEqual([1, 2, 3]);
  });
});
