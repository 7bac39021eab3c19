import { describe, expect, it } from 'vitest';
import { Router } from '../../src/rest/router.js';

const router = new Router([
  { method: 'GET', path: '/' },
  { method: 'GET', path: '/_search' },
  { method: 'GET', path: '/{index}' },
  { method: 'PUT', path: '/{index}' },
  { method: 'GET', path: '/{index}/_search' },
  { method: 'GET', path: '/_cat/{what}' },
  { method: 'GET', path: '/{index}/_doc/{id}' },
  { method: 'POST', path: '/_all/_close' },
] as const);

function matched(method: string, path: string): unknown {
  const match = router.match(method, path);
  return match.kind === 'found' ? [match.route.path, match.parts] : match;
}

describe('router', () => {
  it('prefers literal segments and falls back to parts in braces', () => {
    expect(matched('GET', '/_search')).toEqual(['/_search', {}]);
    expect(matched('GET', '/logs')).toEqual(['/{index}', { index: 'logs' }]);
    expect(matched('GET', '/_all/_search')).toEqual(['/{index}/_search', { index: '_all' }]);
    expect(matched('GET', '/_cat')).toEqual(['/{index}', { index: '_cat' }]);
  });

  it('decodes parts but not separators', () => {
    expect(matched('GET', '/a%2Fb/_doc/%C3%A9+%2B%20x')).toEqual(['/{index}/_doc/{id}', { index: 'a/b', id: 'é++ x' }]);
  });

  it('ignores slashes at the end and doubled ones', () => {
    expect(matched('GET', '/logs/')).toEqual(['/{index}', { index: 'logs' }]);
    expect(matched('GET', '//logs//_search')).toEqual(['/{index}/_search', { index: 'logs' }]);
  });

  it('collects the methods of every path that matches', () => {
    expect(matched('DELETE', '/logs')).toEqual({ kind: 'wrong_method', allowed: ['GET', 'PUT'] });
    expect(matched('DELETE', '/_search')).toEqual({ kind: 'wrong_method', allowed: ['GET', 'PUT'] });
    expect(matched('GET', '/a/b/c')).toEqual({ kind: 'unknown_path' });
  });

  it('refuses a route that is defined twice', () => {
    expect(
      () =>
        new Router([
          { method: 'GET', path: '/{a}' },
          { method: 'GET', path: '/{b}' },
        ]),
    ).toThrow('defined twice');
  });
});
