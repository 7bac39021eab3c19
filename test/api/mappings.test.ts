import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer } from './node-harness.js';

let node: TestNode;

const reason = (answer: Answer): unknown => [answer.status, answer.json().error.reason];

beforeAll(async () => {
  node = await TestNode.start({ 'index.number_of_replicas': '0' });
  const properties = {
    title: { type: 'text', fields: { raw: { type: 'keyword', ignore_above: 10 } } },
    count: { type: 'integer' },
    author: { properties: { name: { type: 'keyword' } } },
  };
  await node.put('/books', { mappings: { properties } });
});

afterAll(async () => {
  await node.stop();
});

describe('PUT _mapping', () => {
  it('adds fields and changes what may change', async () => {
    const properties = {
      title: { type: 'text', fields: { raw: { type: 'keyword', ignore_above: 20 } } },
      added: { type: 'date', format: 'epoch_millis' },
      author: { properties: { born: { type: 'long' } } },
    };
    expect((await node.put('/books/_mapping', { properties })).json()).toEqual({ acknowledged: true });
    const mapping = (await node.get('/books/_mapping')).json().books.mappings.properties;
    expect(mapping.title.fields.raw.ignore_above).toBe(20);
    expect(mapping.added).toEqual({ type: 'date', format: 'epoch_millis' });
    expect(Object.keys(mapping.author.properties as object)).toEqual(['born', 'name']);
    expect(mapping.count).toEqual({ type: 'integer' });
  });

  it.each([
    [{ count: { type: 'keyword' } }, 'mapper [count] cannot be changed from type [integer] to [keyword]'],
    [
      { title: { type: 'text', analyzer: 'english' } },
      'Mapper for [title] conflicts with existing mapper:\n\tCannot update parameter [analyzer] from [default] to [english]',
    ],
    [
      { count: { type: 'integer', doc_values: false } },
      'Mapper for [count] conflicts with existing mapper:\n\tCannot update parameter [doc_values] from [true] to [false]',
    ],
    [{ author: { type: 'keyword' } }, "can't merge a non object mapping [author] with an object mapping"],
    [{ count: { properties: {} } }, "can't merge a non object mapping [count] with an object mapping"],
    [{ more: { type: 'nonsense' } }, 'No handler for type [nonsense] declared on field [more]'],
    [{ more: { type: 'keyword', nonsense: 1 } }, 'unknown parameter [nonsense] on mapper [more] of type [keyword]'],
  ])('refuses %j', async (properties, expected) => {
    const before = (await node.get('/books/_mapping')).json();
    expect(reason(await node.put('/books/_mapping', { properties }))).toEqual([400, expected]);
    expect((await node.get('/books/_mapping')).json()).toEqual(before);
  });

  it('changes all of several indices or none', async () => {
    await node.put('/one', { mappings: { properties: { a: { type: 'long' } } } });
    await node.put('/two', { mappings: { properties: { b: { type: 'keyword' } } } });
    const answer = await node.put('/one,two/_mapping', { properties: { b: { type: 'long' }, c: { type: 'ip' } } });
    expect(reason(answer)).toEqual([400, 'mapper [b] cannot be changed from type [keyword] to [long]']);
    expect((await node.get('/one/_mapping')).json().one.mappings.properties).toEqual({ a: { type: 'long' } });
    expect((await node.put('/one,missing/_mapping', { properties: {} })).status).toBe(404);
  });

  it('needs a body', async () => {
    expect(reason(await node.put('/books/_mapping'))).toEqual([400, 'Validation Failed: 1: mapping source is null;']);
  });

  it('counts fields', async () => {
    await node.put('/few', { settings: { 'mapping.total_fields.limit': 2 } });
    const properties = { a: { type: 'long' }, b: { type: 'long' }, c: { type: 'long' } };
    expect(reason(await node.put('/few/_mapping', { properties }))).toEqual([
      400,
      'Limit of total fields [2] has been exceeded',
    ]);
  });
});

describe('GET _mapping/field', () => {
  it('finds fields by name and pattern', async () => {
    const { mappings } = (await node.get('/books/_mapping/field/author.name,title*')).json().books;
    expect(Object.keys(mappings as object)).toEqual(['author.name', 'title', 'title.raw']);
    expect(mappings['author.name']).toEqual({ full_name: 'author.name', mapping: { name: { type: 'keyword' } } });
    expect((await node.get('/books/_mapping/field/missing')).json()).toEqual({ books: { mappings: {} } });
    expect((await node.get('/missing/_mapping/field/title')).status).toBe(404);
  });

  it('shows defaults when asked', async () => {
    const { mapping } = (await node.get('/books/_mapping/field/count?include_defaults')).json().books.mappings.count;
    expect(mapping.count).toMatchObject({ type: 'integer', index: true, doc_values: true, coerce: true });
  });
});
