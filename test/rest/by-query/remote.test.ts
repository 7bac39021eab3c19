/** Which remote clusters a reindex may ask. */
import { describe, expect, it } from 'vitest';
import type { ActionContext } from '../../../src/actions/context.js';
import { checkAllowed, readRemote } from '../../../src/rest/by-query/remote.js';

function ask(host: string, ...allowed: readonly string[]): void {
  const values = {
    'reindex.remote.allowlist': allowed,
    'reindex.remote.whitelist': [],
    'compatibility.distribution': 'opensearch',
  };
  checkAllowed(readRemote({ host }), { settings: { values } } as unknown as ActionContext);
}

describe('the host of a remote cluster', () => {
  it.each([
    'http://169.254.169.254#.example.com:9200',
    'http://169.254.169.254?.example.com:9200',
    'http://169.254.169.254\\.example.com:9200',
    'http://a@b.example.com:9200',
    'http://169.254.169.254%23.example.com:9200',
    'http://a\n.example.com:9200',
    'http://[::1#]:9200',
    'http://a.example.com:99999',
  ])('is refused where a URL means another: %j', (host) => {
    expect(() => {
      ask(host, '*:*');
    }).toThrow('[host] must be of the form');
  });

  it.each(['user:hunter2', 'user:hun ter2', 'user:123456/hunter2', 'user:hunt@er2', 'hunter2'])(
    'is told without what stands before it: %j',
    (user) => {
      expect(() => {
        ask(`http://${user}@a.example.com:9200`, '*:*');
      }).toThrow('but was [http://...@a.example.com:9200]');
    },
  );

  it.each([
    ['http://a.example.com:9200', '*.example.com:9200'],
    ['http://A.Example.com:9200/prefix', 'a.example.com:9200'],
    ['http://localhost:80', 'LocalHost:80'],
    ['https://localhost:443', 'localhost:443'],
    ['http://[0:0:0:0:0:0:0:1]:9200', '[::1]:9200'],
  ])('is allowed: %j by %j', (host, allowed) => {
    expect(() => {
      ask(host, allowed);
    }).not.toThrow();
  });

  it.each([
    ['http://example.com:9200', '*.example.com:9200'],
    ['http://a.example.com:9201', '*.example.com:9200'],
    ['http://0x7f.1:9200', '0x*:9200'],
  ])('is not allowed: %j by %j', (host, allowed) => {
    expect(() => {
      ask(host, allowed);
    }).toThrow('not allowlisted in reindex.remote.allowlist');
  });
});
