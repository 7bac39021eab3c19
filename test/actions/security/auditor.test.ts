/** What one request has the audit log tell: bounded, whatever it names. */
import { expect, it } from 'vitest';
import { Auditor, ENTRIES_MAX } from '../../../src/actions/security/audit/auditor.js';
import { bodyText, queryText } from '../../../src/actions/security/audit/redact.js';
import { AUDIT_NAMES_MAX, type AuditEntry } from '../../../src/cluster/security/audit/audit-entry.js';
import { NATIVE_REALM } from '../../../src/cluster/security/realms.js';
import type { Subject } from '../../../src/cluster/security/subject.js';
import { emptyClusterState } from '../../../src/cluster/state.js';

const SUBJECT: Subject = {
  username: 'jane',
  fullName: null,
  email: null,
  roles: ['r'],
  metadata: {},
  enabled: true,
  authenticationRealm: NATIVE_REALM,
  lookupRealm: NATIVE_REALM,
  authenticationType: 'realm',
};
const ORIGIN = {
  requestId: 'r',
  address: 'a',
  method: 'GET',
  path: '/',
  query: '',
  opaqueId: '',
  traceId: '',
  forwardedFor: '',
};

function told(act: (witness: ReturnType<Auditor['witness']>) => void): readonly AuditEntry[] {
  const entries: AuditEntry[] = [];
  const state = emptyClusterState('c', 'u');
  const auditor = new Auditor({ state: () => state, nowMs: () => 0, write: (entry) => entries.push(entry) });
  act(auditor.witness(`bulk\n${JSON.stringify(ORIGIN)}`, SUBJECT));
  return entries;
}

it('the same is told once, and of a request with many indices no more than so many entries', () => {
  const entries = told((witness) => {
    for (let at = 0; at < ENTRIES_MAX - 1; at++) witness.denied('indices:data/write/index', [`index-${at}`]);
    for (let at = 0; at < 10; at++) witness.denied('indices:data/write/index', ['index-0']);
  });
  expect(entries.length).toBe(ENTRIES_MAX - 1);
  expect(entries.some(({ fields }) => fields['audit.truncated'] === true)).toBe(false);
  const more = told((witness) => {
    for (let at = 0; at <= ENTRIES_MAX; at++) witness.denied('indices:data/write/index', [`index-${at}`]);
  });
  expect(more.length).toBe(ENTRIES_MAX);
  expect(more.filter(({ fields }) => fields['audit.truncated'] === true)).toEqual([more.at(-1)]);
});

it('patterns are expanded no more often than entries are told', () => {
  const state = emptyClusterState('c', 'u');
  let views = 0;
  const reach = {
    parameters: {},
    view: () => {
      views++;
      return state;
    },
  };
  const search = 'indices:data/read/search';
  const same = told((witness) => {
    for (let at = 0; at < 10; at++) witness.granted(search, ['logs-*', 'a'], reach);
    witness.granted(search, ['logs-*', 'a'], { ...reach, parameters: { expand_wildcards: ['hidden'] } });
  });
  expect([same.length, views]).toEqual([2, 2]);
  views = 0;
  const many = told((witness) => {
    for (let at = 0; at < 2 * ENTRIES_MAX; at++) witness.granted(search, [`logs-${at}-*`], reach);
  });
  expect([many.length, views]).toEqual([ENTRIES_MAX, ENTRIES_MAX]);
});

it('an entry names so many indices', () => {
  const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `index-${at}`);
  const [all, some] = told((witness) => {
    witness.denied('indices:data/read/search', names(AUDIT_NAMES_MAX));
    witness.denied('indices:data/read/search', names(AUDIT_NAMES_MAX + 1));
  });
  expect([all?.indices.length, all?.fields['audit.truncated']]).toEqual([AUDIT_NAMES_MAX, undefined]);
  expect([some?.indices.length, some?.fields['audit.truncated']]).toEqual([AUDIT_NAMES_MAX, true]);
});

it('bodies and query strings are shown without what sounds secret', () => {
  const shown = (text: string): string | undefined => bodyText('search', Buffer.from(text));
  expect(shown('{"a":{"Password" : "x\\"y","b":1}}')).toBe('{"a":{"Password" : "...","b":1}}');
  expect(shown('{"api_key":123,"secret_access_key":"s","b":1}')).toBe(
    '{"api_key":"...","secret_access_key":"...","b":1}',
  );
  expect(shown('{"client_token":"cut in the mid')).toBe('{"client_token":"..."');
  expect(shown(`{"a":"${'x'.repeat(16_384)}","password":"s"}`)).not.toContain('password');
  expect(bodyText('security.put_user', Buffer.from('{"password":"x"}'))).not.toContain('x"');
  expect(bodyText('search', new Uint8Array(0))).toBeUndefined();
  expect(shown('{"password":["s","s"],"pwd":{"x":["s"]},"a":1}')).toBe(
    '{"password":["...","..."],"pwd":{"x":["..."]},"a":1}',
  );
  expect(shown('{"pass\\u0077ord":"s","tokenizer":"standard","compass":1}')).toBe(
    '{"pass\\u0077ord":"...","tokenizer":"standard","compass":1}',
  );
  expect(shown('{"index":{}}\n{"passwd":"s"}\n{"a":"s"}')).toBe('{"index":{}}\n{"passwd":"..."}\n{"a":"s"}');
  expect(shown('{"template":"{\\"password\\":\\"s\\"}"}')).toBe('{"template":"{\\"password\\":\\"...\\"}"}');
  expect(shown('{"dbPass":"s","proxyAuth":{"a":"s"},"authHeader":"s","pass":"s","bypass":1,"author":"a"}')).toBe(
    '{"dbPass":"...","proxyAuth":{"a":"..."},"authHeader":"...","pass":"...","bypass":1,"author":"a"}',
  );
  expect(shown('{"url":"see http:\\/\\/u:p@h:1/a"}')).toBe('{"url":"see http://...@h:1/a"}');
  expect(shown('{"url":"http://u:p')).toBe('{"url":"http://...');
  expect(shown('{"a":"to user:s')).toBe('{"a":"to ...');
  expect(shown("{password:'s s'}")).not.toContain('s s');
  expect(queryText('a=1&source=%7B%7D&s%6Furce=x&password=y&b')).toBe('a=1&source=...&source=...&password=...&b');
});

it.each([
  ['http://u:s/w@host/path', 'http://...@host/path'],
  ['http://u:s@w@host, or later', 'http://...@host, or later'],
  ['http://u:s"w@host', 'http://...@host'],
  [`https://oauth2:${'s'.repeat(420)}@host/x`, 'https://...@host/x'],
  [`https://${'s'.repeat(420)}@host/x`, 'https://...@host/x'],
  ['user:s@proxy:3128', '...@proxy:3128'],
  ['proxy=DOMAIN\\user:s/w@proxy', 'proxy=...@proxy'],
  ['http://host:9200/a@b of ann@host at 10:30:00', 'http://host:9200/a@b of ann@host at 10:30:00'],
])('bodies are shown without what stands before the @ of addresses: %j', (text, seen) => {
  const body = (value: string): string => JSON.stringify({ index: 'a', note: { url: value } });
  expect(bodyText('index', Buffer.from(body(text)))).toBe(body(seen));
  const inText = JSON.stringify({ template: body(text) });
  expect(bodyText('search_template', Buffer.from(inText))).toBe(JSON.stringify({ template: body(seen) }));
});

it('of a remote cluster nothing is shown that might let somebody in', () => {
  const shown = (text: string): string | undefined => bodyText('reindex', Buffer.from(text));
  expect(
    shown('{"source":{"remote":{"host":"u:p@h:1","username":"u","headers":{"X-Api":"s"},"key":"s"},"index":"a"}}'),
  ).toBe('{"source":{"remote":{"host":"...@h:1","username":"u","headers":{"X-Api":"..."},"key":"..."},"index":"a"}}');
  expect(shown('{"source":{"remote":{"host":"https://u:p/@q@h:1/p"}}}')).toBe(
    '{"source":{"remote":{"host":"https://...@h:1/p"}}}',
  );
  for (const host of ['["u:s@h"]', '{"x":"s"}', '"u:s']) {
    expect(shown(`{"source":{"remote":{"host":${host}`), host).not.toContain('s"');
  }
  expect(shown('{"source":{"remote":"u:s@h","query":{"term":{"host":"s"}}}}')).toBe(
    '{"source":{"remote":"...","query":{"term":{"host":"s"}}}}',
  );
});
