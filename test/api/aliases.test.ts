/** Names of aliases in requests: exclusions, and those that must exist. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
  const aliases = { red: {}, 'red-dark': {}, 'red-light': {}, blue: { filter: { term: { tag: 'blue' } } } };
  await node.put('/colours', { settings: { number_of_replicas: 0 }, aliases });
});

afterAll(async () => {
  await node.stop();
});

async function aliasesOf(path: string): Promise<Json> {
  const answer = await node.get(path);
  const { colours, error } = answer.json();
  return { status: answer.status, names: Object.keys(colours?.aliases ?? {}).sort(), error };
}

describe('_alias with exclusions', () => {
  it.each([
    ['red*,-red-dark', ['red', 'red-light']],
    ['blue,red*,-red-*', ['blue', 'red']],
    ['_all,-red*', ['blue']],
    // What is excluded further on need not exist.
    ['green,red*,-green', ['red', 'red-dark', 'red-light']],
    ['red-dark,*,-red*', ['blue']],
  ])('%s', async (names, expected) => {
    expect(await aliasesOf(`/_alias/${names}`)).toEqual({ status: 200, names: expected, error: undefined });
  });

  it.each([
    ['green,red*,-red-*', ['red'], 'alias [green] missing'],
    // Before any wildcard a minus sign is part of a name for what is missing.
    ['red,-red', [], 'alias [-red] missing'],
  ])('%s misses one', async (names, expected, error) => {
    expect(await aliasesOf(`/_alias/${names}`)).toEqual({ status: 404, names: expected, error });
  });
});

describe('must_exist', () => {
  async function remove(aliases: readonly string[]): Promise<Json> {
    const actions = [{ remove: { index: 'colours', aliases, must_exist: true } }];
    const answer = await node.post('/_aliases', { actions });
    return [answer.status, answer.json().error?.reason];
  }

  it('is about each of the named aliases, and changes nothing where one is missing', async () => {
    expect(await remove(['red', 'green'])).toEqual([404, 'required alias [green] does not exist']);
    expect(await remove(['green', 'red*', 'grey'])).toEqual([404, 'required alias [green,grey] does not exist']);
    expect(await remove(['green*'])).toEqual([404, 'required alias [green*] does not exist']);
    expect((await aliasesOf('/_alias')).names).toEqual(['blue', 'red', 'red-dark', 'red-light']);
  });
});

it('names the aliases through which a search goes, with and without a filter', async () => {
  const through = async (names: string): Promise<Json> => (await node.get(`/${names}/_search_shards`)).json().indices;
  const filter = { term: { tag: 'blue' } };
  expect(await through('red')).toEqual({ colours: { aliases: ['red'] } });
  expect(await through('blue')).toEqual({ colours: { aliases: ['blue'], filter } });
  expect(await through('red,blue')).toEqual({ colours: { aliases: ['blue', 'red'] } });
  expect(await through('blue,colours')).toEqual({ colours: { aliases: ['blue'] } });
  expect(await through('colours')).toEqual({ colours: {} });
});
