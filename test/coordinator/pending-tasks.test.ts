import { expect, it } from 'vitest';
import { describeCommand, inOrder, priorityOf } from '../../src/coordinator/pending-tasks.js';

it('commands are carried out by priority, and those of equal priority as they came', () => {
  const commands = (['LANGUID', 'HIGH', 'URGENT', 'HIGH', 'IMMEDIATE'] as const).map((priority, insertOrder) => ({
    priority,
    insertOrder,
  }));
  expect(inOrder(commands).map(({ insertOrder }) => insertOrder)).toEqual([4, 2, 1, 3, 0]);
});

it('a wait for events has the priority of the events', () => {
  expect(priorityOf('create-index', {})).toBe('URGENT');
  expect(priorityOf('wait-for-events', { priority: 'HIGH' })).toBe('HIGH');
  expect(priorityOf('wait-for-events', { priority: 'high' })).toBe('LANGUID');
  expect(priorityOf('wait-for-events', null)).toBe('LANGUID');
});

it('a command is told by what it names', () => {
  expect(describeCommand('create-index', { name: 'logs', settings: {} })).toBe('create-index [logs]');
  expect(describeCommand('delete-indices', { indices: [{ name: 'a', uuid: '1' }, { name: 'b' }] })).toBe(
    'delete-indices [a, b]',
  );
  expect(describeCommand('add-dynamic-fields', { index: { name: 'c', uuid: '2' } })).toBe('add-dynamic-fields [c]');
  expect(describeCommand('shard-failed', { shard: { index: 'd', shard: 0 }, reason: 'x' })).toBe('shard-failed [d]');
  expect(describeCommand('reroute', undefined)).toBe('reroute');
});
