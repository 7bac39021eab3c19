/** Which requests may wait for time of the front's own. */
import { expect, it } from 'vitest';
import type { ClusterState } from '../../src/cluster/state.js';
import { AnswersAtOnce, type AnswersAtOnceServices } from '../../src/rest/answers-at-once.js';
import { ENDPOINTS } from '../../src/rest/endpoints.js';
import { search } from '../../src/rest/search/search.js';
import type { BareRequest } from '../../src/rest/wire.js';

it('searches of which the audit log is told do not: they take the usual way', () => {
  const atOnce = new AnswersAtOnce(() => ({}) as ClusterState, {} as AnswersAtOnceServices);
  const request = { endpoint: ENDPOINTS.indexOf(search), parts: { index: 'i' } } as unknown as BareRequest;
  expect(atOnce.isSearch({ ...request, audit: '' })).toBe(true);
  const audited = { ...request, audit: 'search\n127.0.0.1' };
  expect([atOnce.isSearch(audited), atOnce.mayFind(audited)]).toEqual([false, false]);
});
