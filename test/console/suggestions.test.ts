/** What the console's editor completes, from the list of endpoints that a node gives it. */
import { expect, test } from 'vitest';
import { suggestPaths, type Endpoint } from '../../src/console/pages/requests/suggestions.js';

const ENDPOINTS: readonly Endpoint[] = [
  { name: 'search', method: 'GET', path: '/{index}/_search', parameters: 'size,sort,request_cache=true|false' },
  { name: 'search', method: 'POST', path: '/{index}/_search', parameters: 'size,sort,request_cache=true|false' },
  { name: 'index', method: 'PUT', path: '/{index}/_doc/{id}', parameters: 'refresh=true|false|wait_for,routing' },
  { name: 'info', method: 'GET', path: '/', parameters: '' },
];

const complete = (typed: string, method = 'GET'): readonly string[] =>
  suggestPaths(typed, method, ENDPOINTS, ['films']);

test('parameters are completed by the endpoint that the path leads to', () => {
  expect(complete('films/_search?s')).toEqual(['films/_search?size=', 'films/_search?sort=']);
  expect(complete('/films/_search?size=3&so')).toEqual(['/films/_search?size=3&sort=']);
  expect(complete('_all/_search?req')).toEqual(['_all/_search?request_cache=']);
  expect(complete('films/_doc/1?r', 'PUT')).toEqual(['films/_doc/1?refresh=', 'films/_doc/1?routing=']);
  expect(complete('films/_doc/1?r', 'GET')).toEqual([]);
  expect(complete('films/_none?s')).toEqual([]);
});

test('none is offered twice, and those of all endpoints are there as well', () => {
  expect(complete('films/_search?size=3&')).not.toContain('films/_search?size=3&size=');
  expect(complete('?')).toEqual(['?error_trace=', '?filter_path=', '?human=', '?pretty=']);
});

test('values are completed where they are few', () => {
  expect(complete('films/_doc/1?refresh=', 'PUT')).toEqual([
    'films/_doc/1?refresh=true',
    'films/_doc/1?refresh=false',
    'films/_doc/1?refresh=wait_for',
  ]);
  expect(complete('films/_search?size=3&request_cache=f')).toEqual(['films/_search?size=3&request_cache=false']);
  expect(complete('films/_search?size=')).toEqual([]);
  expect(complete('films/_search?pretty=tr')).toEqual(['films/_search?pretty=true']);
});
