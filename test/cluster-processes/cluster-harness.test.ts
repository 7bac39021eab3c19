/** The harness itself: what tests of clusters rely on. */
import { afterEach, expect, it } from 'vitest';
import { TestCluster } from './cluster-harness.js';

let cluster: TestCluster | undefined;

afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

it('nodes are killed, started again with their data, and stood still', async () => {
  cluster = await TestCluster.start({ nodes: 1 });
  const member = cluster.member('n1');
  const id = member.nodeId;
  expect(id).toMatch(/^[\w-]{22}$/);
  await member.kill();
  expect(cluster.running).toEqual([]);
  await member.start();
  expect(member.nodeId).toBe(id);
  const { node } = member;
  member.pause();
  const answer = node.get('/');
  const first = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 300, 'nothing'))]);
  expect(first).toBe('nothing');
  member.resume();
  expect((await answer).status).toBe(200);
  expect((await cluster.waitForHealth()).status).toBe('green');
  expect(await member.terminate()).toBe(0);
});
