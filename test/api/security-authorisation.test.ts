/** What users with some privileges see and may do: names, wildcards, aliases, items of bulks, what belongs to somebody. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crc32c } from '../../src/segment/crc32c.js';
import type { Answer, Json, TestNode } from './node-harness.js';
import { ADMIN, basic, startSecured } from './security-helpers.js';

let node: TestNode;
let backups: string;
const PASSWORD = 'users-password';

const as = (user: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  node.request(method, path, body, { authorization: user === 'admin' ? ADMIN : basic(user, PASSWORD) });

async function admin(method: string, path: string, body?: unknown): Promise<Json> {
  const answer = await as('admin', method, path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.text === '' ? undefined : answer.json();
}

async function user(name: string, role: unknown): Promise<void> {
  await admin('PUT', `/_security/role/${name}`, role);
  await admin('PUT', `/_security/user/${name}`, { password: PASSWORD, roles: [name] });
}

const on = (names: readonly string[], privileges: readonly string[]): Json => ({ indices: [{ names, privileges }] });

const lines = (...actions: readonly unknown[]): string => actions.map((each) => JSON.stringify(each)).join('\n') + '\n';

function reasonOf(answer: Answer): string {
  return (answer.json() as Json).error.reason;
}

beforeAll(async () => {
  backups = await mkdtemp(join(tmpdir(), 'quarry-backups-'));
  node = await startSecured({ 'path.repo': backups });
  for (const index of ['logs-a', 'logs-b', 'secret'])
    await admin('PUT', `/${index}/_doc/1?refresh=true`, { from: index });
  await admin('POST', '/_aliases', {
    actions: [
      { add: { index: 'secret', alias: 'window', filter: { term: { from: 'nobody' } } } },
      { add: { index: 'logs-a', alias: 'both' } },
      { add: { index: 'secret', alias: 'both' } },
    ],
  });
  await admin('PUT', '/_index_template/streams', { index_patterns: ['stream-*'], data_stream: {} });
  await admin('PUT', '/_data_stream/stream-a');
  await admin('PUT', '/_data_stream/stream-b');
  await user('reader', { cluster: ['monitor'], ...on(['logs-*'], ['read', 'view_index_metadata', 'monitor']) });
  await user('outsider', { cluster: ['monitor'] });
  await user('adder', on(['logs-*'], ['create_doc']));
  await user('window', on(['window'], ['read']));
  await user('streamer', on(['stream-a'], ['all']));
  await user('everything', { cluster: ['all'], ...on(['*'], ['all']) });
}, 60_000);

afterAll(async () => {
  await node.stop();
  await rm(backups, { recursive: true });
});

describe('a search', () => {
  it('with wildcards, and without names, sees what its user may read', async () => {
    for (const path of ['/_search', '/_all/_search', '/*/_search', '/logs-*,sec*/_search', '/*,-logs-b/_search']) {
      const { hits } = (await as('reader', 'GET', path)).json();
      const indices = hits.hits.map((hit: Json) => hit._index).sort();
      expect([path, indices]).toEqual([path, path.includes('-logs-b') ? ['logs-a'] : ['logs-a', 'logs-b']]);
    }
    expect((await as('reader', 'GET', '/sec*/_count')).json()).toMatchObject({ count: 0 });
    expect((await as('reader', 'GET', '/sec*/_search?allow_no_indices=false')).status).toBe(404);
  });

  it('of a name that its user may not read is refused in the words of the reference, whether it is there or not', async () => {
    for (const name of ['secret', 'absent']) {
      const answer = await as('reader', 'GET', `/logs-a,${name}/_search`);
      expect(answer.status).toBe(403);
      expect(reasonOf(answer)).toBe(
        `action [indices:data/read/search] is unauthorized for user [reader] with effective roles [reader] on indices [${name}], ` +
          'this action is granted by the index privileges [read,all]',
      );
      expect(answer.json().error).toMatchObject({
        type: 'security_exception',
        root_cause: [{ type: 'security_exception' }],
      });
    }
    const lenient = await as('reader', 'GET', '/logs-a,secret/_search?ignore_unavailable=true');
    expect(lenient.json().hits.hits).toHaveLength(1);
    expect((await as('reader', 'GET', '/logs-absent/_search')).status).toBe(404);
  });

  it('of a user who may read nothing is refused without names', async () => {
    const answer = await as('outsider', 'GET', '/_search');
    expect(reasonOf(answer)).toBe(
      'action [indices:data/read/search] is unauthorized for user [outsider] with effective roles [outsider], ' +
        'this action is granted by the index privileges [read,all]',
    );
  });

  it('inside many fails alone', async () => {
    const body = lines({ index: 'logs-a' }, {}, { index: 'secret' }, {}, { index: 's*' }, {});
    const answer = await node.request('POST', '/_msearch', body, {
      ...{ authorization: basic('reader', PASSWORD), 'content-type': 'application/x-ndjson' },
    });
    const statuses = answer.json().responses.map(({ status }: Json) => status);
    expect(statuses).toEqual([200, 403, 200]);
  });

  it('does not look up what its user may not read', async () => {
    const terms = { from: { index: 'secret', id: '1', path: 'from' } };
    await user('cleaner', {
      indices: [
        { names: ['logs-a'], privileges: ['read', 'delete'] },
        { names: ['secret'], privileges: ['delete'] },
      ],
    });
    const cleaned = await as('cleaner', 'POST', '/logs-a/_delete_by_query', { query: { terms } });
    expect(cleaned.status).toBe(403);
    expect((await as('reader', 'POST', '/logs-a/_search', { query: { terms } })).status).toBe(403);
  });
});

describe('an analysis', () => {
  it('with the analyzers of an index needs that index, however it is named', async () => {
    await user('analyst', { cluster: ['manage'], ...on(['logs-*'], ['manage']) });
    for (const path of ['/secret/_analyze', '/_analyze?index=secret']) {
      expect([path, (await as('analyst', 'POST', path, { text: 'a' })).status]).toEqual([path, 403]);
    }
    for (const path of ['/logs-a/_analyze', '/_analyze?index=logs-a', '/_analyze']) {
      expect([path, (await as('analyst', 'POST', path, { text: 'a' })).status]).toEqual([path, 200]);
    }
  });
});

describe('an alias', () => {
  it('that alone may be read gives what its filter lets through, and not its index', async () => {
    for (const path of ['/window/_search', '/_search', '/*/_search', '/win*/_search', '/_count']) {
      const answer = await as('window', 'GET', path);
      const { hits, count } = answer.json();
      expect([path, answer.status, hits?.total.value ?? count]).toEqual([path, 200, 0]);
    }
    for (const path of ['/secret/_search', '/secret/_doc/1', '/window,secret/_search', '/both/_search']) {
      expect([path, (await as('window', 'GET', path)).status]).toEqual([path, 403]);
    }
    const lenient = await as('window', 'GET', '/secret/_search?ignore_unavailable=true');
    expect(lenient.json().hits.total.value).toBe(0);
  });

  it('is not shown to those who may not use its name', async () => {
    expect((await as('reader', 'GET', '/_alias')).json()).toEqual({
      'logs-a': { aliases: {} },
      'logs-b': { aliases: {} },
    });
    expect((await as('reader', 'GET', '/_alias/both')).status).toBe(403);
    expect((await as('reader', 'GET', '/_cat/aliases')).text).toBe('');
    await user('aliases', on(['logs-a', 'both'], ['manage']));
    // The alias leads to both of its indices, whatever may be done under their own names.
    const held = { aliases: { both: {} } };
    expect((await as('aliases', 'GET', '/_alias')).json()).toEqual({ 'logs-a': held, secret: held });
    expect((await as('aliases', 'PUT', '/logs-a/_alias/other')).status).toBe(403);
    expect((await as('aliases', 'PUT', '/secret/_alias/both')).status).toBe(403);
    const actions = [{ add: { index: 'logs-a', alias: 'both' } }, { remove: { index: 'secret', alias: 'both' } }];
    expect((await as('aliases', 'POST', '/_aliases', { actions })).status).toBe(403);
    expect((await as('aliases', 'POST', '/_aliases', { actions: actions.slice(0, 1) })).status).toBe(200);
  });
});

describe('lists', () => {
  it('show what their user may see', async () => {
    const cat = await as('reader', 'GET', '/_cat/indices?h=index&s=index');
    expect(cat.text).toBe('logs-a\nlogs-b\n');
    for (const path of ['/_mapping', '/_settings', '/_stats', '/*', '/_segments', '/_recovery']) {
      const body = (await as('reader', 'GET', path)).json();
      expect([path, Object.keys(body.indices ?? body).sort()]).toEqual([path, ['logs-a', 'logs-b']]);
    }
    const { indices, aliases, data_streams } = (await as('reader', 'GET', '/_resolve/index/*')).json();
    expect([indices.map(({ name }: Json) => name), aliases, data_streams]).toEqual([['logs-a', 'logs-b'], [], []]);
    expect((await as('reader', 'GET', '/_field_caps?fields=*')).json().indices).toEqual(['logs-a', 'logs-b']);
  });

  it('of data streams show those, and their indices are reached by them', async () => {
    const { data_streams } = (await as('streamer', 'GET', '/_data_stream')).json();
    expect(data_streams.map(({ name }: Json) => name)).toEqual(['stream-a']);
    expect((await as('streamer', 'GET', '/_data_stream/stream-b')).status).toBe(403);
    const [backing] = data_streams[0].indices;
    expect((await as('streamer', 'GET', `/${backing.index_name}/_search`)).status).toBe(200);
    expect((await as('streamer', 'POST', '/stream-a/_doc', { '@timestamp': 1 })).status).toBe(201);
    expect((await as('streamer', 'POST', '/stream-b/_doc', { '@timestamp': 1 })).status).toBe(403);
  });
});

describe('writes', () => {
  it('of one bulk fail alone', async () => {
    const body = lines(
      ...[{ create: { _index: 'logs-a', _id: 'new' } }, { a: 1 }],
      ...[{ index: { _index: 'logs-a', _id: '1' } }, { a: 1 }],
      { delete: { _index: 'logs-a', _id: '1' } },
      ...[{ update: { _index: 'logs-a', _id: '1' } }, { doc: { a: 1 } }],
      ...[{ create: { _index: 'secret', _id: 'new' } }, { a: 1 }],
      ...[{ create: { _index: 'logs-new', _id: 'new' } }, { a: 1 }],
    );
    const answer = await node.request('POST', '/_bulk', body, {
      ...{ authorization: basic('adder', PASSWORD), 'content-type': 'application/x-ndjson' },
    });
    const { errors, items } = answer.json();
    expect(errors).toBe(true);
    const outcomes = items.map((item: Json) => {
      const [outcome] = Object.values(item) as Json[];
      return [outcome.status, outcome.error?.type];
    });
    const refused = [403, 'security_exception'];
    expect(outcomes).toEqual([[201, undefined], refused, refused, refused, refused, refused]);
    expect(items[1].index.error.reason).toBe(
      'action [indices:data/write/index:op_type/index] is unauthorized for user [adder] with effective roles [adder] ' +
        'on indices [logs-a], this action is granted by the index privileges [create,index,write,all]',
    );
    expect(items[5].create.error.reason).toContain('action [indices:admin/auto_create] is unauthorized');
    expect((await as('admin', 'GET', '/logs-a/_doc/1')).json()._source).toEqual({ from: 'logs-a' });
  });

  it('of single documents need what those of a bulk need', async () => {
    expect((await as('adder', 'PUT', '/logs-a/_create/other', {})).status).toBe(201);
    expect((await as('adder', 'POST', '/logs-a/_doc', {})).status).toBe(201);
    expect((await as('adder', 'PUT', '/logs-a/_doc/other', {})).status).toBe(403);
    expect((await as('adder', 'DELETE', '/logs-a/_doc/other')).status).toBe(403);
    expect((await as('reader', 'PUT', '/logs-a/_doc/other', {})).status).toBe(403);
  });

  it('by query read and write as their user may', async () => {
    await user('copier', {
      indices: [on(['logs-a'], ['read']), on(['copy'], ['write', 'create_index'])].flatMap(
        (each: Json) => each.indices,
      ),
    });
    const reindex = (from: string, to: string): Promise<Answer> =>
      as('copier', 'POST', '/_reindex', { source: { index: from }, dest: { index: to } });
    expect((await reindex('logs-a', 'copy')).json()).toMatchObject({ failures: [] });
    expect((await reindex('secret', 'copy')).status).toBe(403);
    const { failures } = (await reindex('logs-a', 'logs-b')).json();
    expect(failures[0]).toMatchObject({ status: 403 });
    await user('deleter', on(['logs-b'], ['delete', 'read']));
    expect((await as('deleter', 'POST', '/logs-b/_delete_by_query', { query: { match_all: {} } })).status).toBe(200);
    expect((await as('deleter', 'POST', '/logs-a/_delete_by_query', { query: { match_all: {} } })).status).toBe(403);
  });

  it('go on as their user in the background', async () => {
    const start = await as('copier', 'POST', '/_reindex?wait_for_completion=false', {
      ...{ source: { index: 'logs-a' }, dest: { index: 'logs-b' } },
    });
    const { task } = start.json();
    const done = await node.until(async () => {
      const { completed, response } = (await as('admin', 'GET', `/_tasks/${task}`)).json();
      return completed === true ? (response as Json) : undefined;
    });
    expect(done.failures[0]).toMatchObject({ status: 403 });
  });
});

describe('an index that is made of another', () => {
  const blocked = { settings: { 'index.blocks.write': true, number_of_replicas: 0 } };

  it('by a resize needs the privilege on that one, and its name may grant no more', async () => {
    for (const index of ['source-a', 'narrow-a']) await admin('PUT', `/${index}`, blocked);
    const narrow = { names: ['narrow-*'], privileges: ['manage'] };
    const wide = { names: ['source-*', 'wide-*'], privileges: ['all'] };
    await user('resizer', { indices: [narrow, wide] });
    const clone = (source: string, target: string) => as('resizer', 'PUT', `/${source}/_clone/${target}`);
    // Nothing is granted on the new name, or less than on the old one.
    expect((await clone('narrow-a', 'elsewhere')).status).toBe(200);
    expect((await clone('source-a', 'narrow-b')).status).toBe(200);
    expect((await clone('source-a', 'wide-a')).status).toBe(200);
    const wider = await clone('narrow-a', 'wide-b');
    expect([wider.status, reasonOf(wider)]).toEqual([
      403,
      'Resizing an index is not allowed when the target index has more permissions than the source index',
    ]);
    expect((await as('admin', 'HEAD', '/wide-b')).status).toBe(404);
    expect(reasonOf(await clone('secret', 'narrow-c'))).toContain('action [indices:admin/resize] is unauthorized');
  });

  it('by a rollover needs the privilege on the alias, whatever the new index is called', async () => {
    await admin('PUT', '/rolled-000001', { aliases: { rolling: { is_write_index: true } } });
    await user('roller', on(['rolling'], ['manage']));
    const rolled = await as('roller', 'POST', '/rolling/_rollover');
    expect([rolled.status, rolled.json().new_index]).toEqual([200, 'rolled-000002']);
    await user('holder', on(['rolled-*'], ['manage']));
    expect(reasonOf(await as('holder', 'POST', '/rolling/_rollover'))).toContain('on indices [rolling]');
  });
});

describe('what the system keeps for itself', () => {
  it('is out of reach without allow_restricted_indices', async () => {
    expect((await as('everything', 'GET', '/.tasks/_search')).status).toBe(403);
    expect((await as('everything', 'GET', '/_cat/indices/.*?h=index&expand_wildcards=all')).text).not.toContain(
      '.tasks',
    );
    expect(reasonOf(await as('everything', 'GET', '/.tasks/_search'))).toContain('on restricted indices [.tasks]');
    const indices = [{ names: ['*'], privileges: ['all'], allow_restricted_indices: true }];
    await user('restricted', { indices });
    expect((await as('restricted', 'GET', '/.tasks/_search')).status).toBe(200);
  });
});

describe('allocation explain', () => {
  it('needs the cluster privilege monitor or manage', async () => {
    for (const privilege of ['monitor', 'manage']) {
      await user('explainer', { cluster: [privilege] });
      expect((await as('explainer', 'GET', '/_cluster/allocation/explain')).status).not.toBe(403);
    }
    await user('explainer', { cluster: ['manage_slm', 'read_slm'] });
    expect(reasonOf(await as('explainer', 'GET', '/_cluster/allocation/explain'))).toContain(
      'this action is granted by the cluster privileges [monitor,manage,all]',
    );
  });
});

describe('running as another user', () => {
  it('is for those whose roles say so', async () => {
    await user('runner', { run_as: ['read*'] });
    const runAs = (name: string): Promise<Answer> =>
      node.request('GET', '/logs-a/_count', undefined, {
        ...{ authorization: basic('runner', PASSWORD), 'es-security-runas-user': name },
      });
    expect((await runAs('reader')).status).toBe(200);
    for (const name of ['adder', 'admin', 'reader-who-is-not-there']) {
      expect(reasonOf(await runAs(name))).toBe(
        `action [indices:data/read/search] is unauthorized for user [runner] with effective roles [runner], ` +
          `because user [runner] is unauthorized to run as [${name}]`,
      );
    }
  });
});

describe('what is kept between requests', () => {
  it('is of no use to anybody but its owner', async () => {
    await user('other', on(['logs-*'], ['read']));
    const scroll = (await as('reader', 'GET', '/logs-*/_search?scroll=1m&size=1')).json()._scroll_id;
    expect((await as('other', 'POST', '/_search/scroll', { scroll_id: scroll })).status).toBe(404);
    expect((await as('other', 'DELETE', '/_search/scroll', { scroll_id: scroll })).status).toBe(404);
    expect((await as('other', 'DELETE', '/_search/scroll/_all')).status).toBe(403);
    expect((await as('reader', 'POST', '/_search/scroll', { scroll_id: scroll })).status).toBe(200);
    expect((await as('reader', 'DELETE', '/_search/scroll', { scroll_id: scroll })).json().num_freed).toBeGreaterThan(
      0,
    );

    const { id } = (await as('reader', 'POST', '/logs-*/_pit?keep_alive=1m')).json();
    expect((await as('other', 'POST', '/_search', { pit: { id } })).status).toBe(404);
    expect((await as('other', 'DELETE', '/_pit', { id })).status).toBe(404);
    expect((await as('reader', 'POST', '/_search', { pit: { id } })).status).toBe(200);
    expect((await as('reader', 'DELETE', '/_pit', { id })).status).toBe(200);

    const submitted = await as(
      'reader',
      'POST',
      '/logs-*/_async_search?keep_on_completion=true&wait_for_completion_timeout=5s',
    );
    const search = submitted.json().id;
    for (const method of ['GET', 'DELETE']) {
      expect([method, (await as('other', method, `/_async_search/${search}`)).status]).toEqual([method, 404]);
    }
    expect((await as('other', 'GET', `/_async_search/status/${search}`)).status).toBe(403);
    expect((await as('reader', 'GET', `/_async_search/status/${search}`)).status).toBe(200);
    expect((await as('reader', 'DELETE', `/_async_search/${search}`)).status).toBe(200);
  });

  it('keeps the filters through which it was opened, whatever its id says', async () => {
    const { id } = (await as('window', 'POST', '/window/_pit?keep_alive=1m')).json();
    const read = async (pit: string): Promise<Answer> => as('window', 'POST', '/_search', { pit: { id: pit } });
    expect((await read(id)).json().hits.total.value).toBe(0);
    const json = JSON.parse(Buffer.from(id, 'base64url').subarray(4).toString('utf8')) as Json;
    expect(Object.keys(json.f)).toEqual(['secret']);
    const forged = Buffer.from(JSON.stringify({ ...json, f: {} }), 'utf8');
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(crc32c(forged));
    expect((await read(Buffer.concat([checksum, forged]).toString('base64url'))).status).toBe(404);
  });
});

describe('a user who manages snapshot policies', () => {
  it('needs manage_slm, read_slm and cluster:admin/snapshot/*, and the system writes the history', async () => {
    const repository = { type: 'fs', settings: { location: join(backups, 'one') } };
    await admin('PUT', '/_snapshot/backup', repository);
    await user('keeper', { cluster: ['manage_slm', 'read_slm', 'cluster:admin/snapshot/*'] });
    const policy = {
      schedule: '0 30 1 * * ?',
      name: '<daily-{now/d}>',
      repository: 'backup',
      config: {},
      retention: {},
    };
    expect((await as('keeper', 'PUT', '/_slm/policy/daily', policy)).status).toBe(200);
    expect((await as('keeper', 'POST', '/_slm/policy/daily/_execute')).status).toBe(200);
    const found = await node.until(async () => {
      const answer = await as('admin', 'GET', '/.slm-history-*/_search?q=policy:daily&expand_wildcards=all');
      return answer.json().hits?.total.value > 0 ? true : undefined;
    });
    expect(found).toBe(true);
    expect((await as('keeper', 'GET', '/_slm/policy')).status).toBe(200);
    expect((await as('keeper', 'GET', '/_slm/stats')).status).toBe(200);
    expect((await as('keeper', 'PUT', '/_snapshot/other', repository)).status).toBe(403);
    expect((await as('keeper', 'PUT', '/_ilm/policy/x', { policy: { phases: {} } })).status).toBe(403);
  });
});

describe('documents by id', () => {
  it('are read where their user may read, one by one', async () => {
    for (const path of ['/secret/_doc/1', '/secret/_source/1', '/secret/_explain/1?q=*:*', '/secret/_termvectors/1']) {
      expect([path, (await as('reader', 'GET', path)).status]).toEqual([path, 403]);
    }
    const docs = ['logs-a', 'secret', 'both'].map((_index) => ({ _index, _id: '1' }));
    const found = (await as('reader', 'POST', '/_mget', { docs })).json().docs as readonly Json[];
    expect(found.map((doc) => [doc.found, doc.error?.type])).toEqual([
      [true, undefined],
      [undefined, 'security_exception'],
      [undefined, 'security_exception'],
    ]);
    const vectors = (await as('reader', 'POST', '/_mtermvectors', { docs })).json().docs as readonly Json[];
    expect(vectors.map((doc) => doc.error?.type)).toEqual([undefined, 'security_exception', 'security_exception']);
  });
});
