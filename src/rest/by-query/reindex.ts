/** `POST _reindex`: copies documents from some indices to another. */
import type { ActionContext } from '../../actions/context.js';
import { asParts } from '../../actions/security/authority.js';
import type { JobPlan } from '../../actions/by-query/job.js';
import { copied, copies, type Destination } from '../../actions/by-query/make-writes.js';
import { RemoteSource } from '../../actions/by-query/remote-source.js';
import { scriptedWrites, type ScriptRules } from '../../actions/by-query/scripted-writes.js';
import { QuarryError } from '../../base/errors.js';
import { keepOf } from '../../actions/searches/contexts/keep-alive.js';
import { writeIndexNamed } from '../../cluster/aliases/aliases.js';
import { resolveDateMathName } from '../../cluster/names/date-math-name.js';
import type { NativeScript } from '../../native/scripts.js';
import { Place } from '../../search/body/place.js';
import { validationFailure } from '../../search/request/combinations.js';
import { defineEndpoint } from '../endpoint.js';
import { stringParameter } from '../parameters.js';
import { noSearchValues, readSearch, SEARCH_ACTION, toldOf, type ReadSearch } from '../search/search-call.js';
import { answerWork, runParameters } from './common.js';
import { planSlices, type QueryWork } from './query-work.js';
import { checkAllowed, readRemote } from './remote.js';
import { readReindex, type ReindexRequest } from './reindex-body.js';

export const reindexEndpoint = defineEndpoint({
  name: 'reindex',
  action: 'indices:data/write/reindex',
  methods: ['POST'],
  paths: ['/_reindex'],
  parameters: { ...runParameters, scroll: stringParameter('5m') },
  body: 'json',
  pool: 'write',
  placement: 'any',
  async handle({ parameters: given, body }, context) {
    if (body.isEmpty) throw new QuarryError('parse_exception', 'request body is required');
    const request = readReindex(body, given.max_docs);
    const { conflicts, destination, script } = request;
    const by = { ...given, ...request, abortsOnConflict: conflicts === 'abort' };
    const plans = request.remote === undefined ? localPlans(request, by, context) : [remotePlan(request, by, context)];
    const make = script === undefined ? plain(destination) : scripted(script, destination);
    const to = script === undefined ? `to [${destination.index}]` : `updated with a script to [${destination.index}]`;
    const piped = destination.pipeline === undefined ? {} : { pipeline: destination.pipeline };
    const work = {
      action: 'indices:data/write/reindex',
      description: `reindex from [${request.indices.join(', ')}] ${to}`,
      plans: plans.map((plan) => ({ ...plan, ...piped, make })),
      pace: given.requests_per_second,
      refresh: given.refresh,
    };
    return answerWork(work, { created: true, updated: true }, given.wait_for_completion, context);
  },
});

type PlannedBy = Parameters<typeof planSlices>[1];

function localPlans(request: ReindexRequest, by: PlannedBy, context: ActionContext): QueryWork['plans'] {
  const read = readSource(request, context);
  checkNotIntoItself(read, request.destination, context);
  return planSlices(read, by, context).plans;
}

function remotePlan(request: ReindexRequest, by: PlannedBy, context: ActionContext): QueryWork['plans'][number] {
  const { indices, search, pageSize, maxDocs } = request;
  if (by.slices !== 1 && by.slices !== 'auto') {
    throw validationFailure([`reindex from remote sources doesn't support slices > 1 but was [${by.slices}]`]);
  }
  const cluster = readRemote(request.remote ?? {});
  checkAllowed(cluster, context);
  const keepAliveMs = keepOf('scroll', by.scroll, context).keepAliveMs;
  const size = Math.max(1, Math.min(pageSize, maxDocs ?? pageSize));
  return {
    source: new RemoteSource(cluster, {
      indices,
      body: Place.ofBody(search).exactValue(),
      pageSize: size,
      keepAliveMs,
    }),
    pageSize,
    maxDocs,
    abortsOnConflict: by.abortsOnConflict,
    activeShards: by.wait_for_active_shards,
    timeoutMs: by.timeout,
  };
}

function readSource({ indices, search }: ReindexRequest, context: ActionContext): ReadSearch {
  const sorts = search.object()?.['sort'] !== undefined;
  const parameters = {
    ...noSearchValues(),
    allow_partial_search_results: true,
    version: true,
    seq_no_primary_term: true,
    ...(sorts ? {} : { sort: ['_doc'] }),
  };
  const call = { index: indices.join(','), parameters, body: search };
  const part = asParts(context, SEARCH_ACTION);
  return toldOf(readSearch(call, part), part);
}

function checkNotIntoItself({ scope }: ReadSearch, { index }: Destination, context: ActionContext): void {
  if (scope instanceof QuarryError) throw scope;
  const state = context.clusterState();
  const name = resolveDateMathName(index, context.clock.nowMs());
  const target = writeIndexNamed(state, name)?.name ?? name;
  if (!scope.targets.some((source) => source.index.name === target)) return;
  throw validationFailure([`reindex cannot write into an index its reading from [${target}]`]);
}

function plain(destination: Destination): JobPlan['make'] {
  return (page, hits) => copies(page, hits, destination);
}

function scripted(script: NativeScript, destination: Destination): JobPlan['make'] {
  const rules: ScriptRules = {
    script,
    context: 'reindex',
    mayMove: true,
    plain: (hit) => copied(hit, destination),
    deletion: ({ id, routing }) => ({ action: 'delete', id, ...(routing === undefined ? {} : { routing }) }),
    indexOf: () => destination.index,
  };
  return (page, hits, context) => scriptedWrites(page, hits, rules, context);
}
