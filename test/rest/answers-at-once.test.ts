/** Which requests may wait for time of the front's own. */
import { expect, it } from 'vitest';
import { NO_SUBJECT } from '../../src/cluster/security/subject-text.js';
import type { ClusterState } from '../../src/cluster/state.js';
import { AnswersAtOnce, type AnswersAtOnceServices } from '../../src/rest/answers-at-once.js';
import { ENDPOINTS } from '../../src/rest/endpoints.js';
import { search } from '../../src/rest/search/search.js';
import type { BareRequest } from '../../src/rest/wire.js';

it('searches of a user do not: they take the usual way', () => {
  const atOnce = new AnswersAtOnce(() => ({}) as ClusterState, {} as AnswersAtOnceServices);
  const request = { endpoint: ENDPOINTS.indexOf(search), parts: { index: 'i' } } as unknown as BareRequest;
  expect(atOnce.isSearch({ ...request, subject: NO_SUBJECT })).toBe(true);
  const ofUser = { ...request, subject: '{"user":"ann"}' };
  expect([atOnce.isSearch(ofUser), atOnce.mayFind(ofUser)]).toEqual([false, false]);
});
