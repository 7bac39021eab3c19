/** Documents that jobs by query work on. */
import type { Json, TestNode } from './node-harness.js';

export const FILMS = 6;

/** With numbers, laid out over lines, each with a routing of its own, in an index of three shards; nothing else is there. */
export async function fillFilms(node: TestNode): Promise<void> {
  await node.delete('/_all');
  await node.delete('/.tasks');
  await node.put('/films', { settings: { number_of_shards: 3, number_of_replicas: 0, refresh_interval: '-1' } });
  for (let id = 1; id <= FILMS; id++) {
    await node.put(`/films/_doc/${id}?routing=r${id}`, `{\n "n": ${id},\n "big": 1.10000000000000000000001 }`);
  }
  await node.post('/films/_refresh');
}

export async function idsIn(node: TestNode, index: string): Promise<readonly string[]> {
  await node.post(`/${index}/_refresh`);
  const answer = (await node.get(`/${index}/_search?size=100`)).json();
  return (answer.hits.hits as Json[]).map(({ _id }) => _id as string).sort();
}
