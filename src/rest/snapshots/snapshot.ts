/** `_snapshot/{repository}/{snapshot}`: make, clone, delete. */
import type { ActionContext } from '../../actions/context.js';
import {
  createClone,
  createSnapshot,
  deleteSnapshots,
  snapshotMissing,
  whenMade,
} from '../../actions/snapshots/create-snapshot.js';
import { illegalArgument } from '../../base/errors.js';
import { resolveDateMathName } from '../../cluster/names/date-math-name.js';
import { featuresToSnapshot } from '../../cluster/snapshots/features.js';
import { indexNotFound } from '../../cluster/names/index-expression.js';
import { IndicesDefaults, type IndicesOptions } from '../../cluster/names/indices-options.js';
import { isPattern, matchesAny, patternMatcher } from '../../cluster/names/wildcard.js';
import { answerAcknowledged, answerValue, type RestAnswer } from '../answer.js';
import { defineEndpoint, type Distribution } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters, booleanParameter, splitList } from '../parameters.js';
import { renderRecord } from './render.js';
import { SnapshotBody } from './snapshot-body.js';

const management = { pool: 'management', placement: 'any' } as const;
/** Longest `metadata`, as JSON. */
const METADATA_CHARACTERS_MAX = 1_024;
const EVERY_INDEX: IndicesOptions = { ...IndicesDefaults.expandOpenAndClosed, expandHidden: true };

export const createSnapshotEndpoint = defineEndpoint({
  ...management,
  name: 'snapshot.create',
  action: 'cluster:admin/snapshot/create',
  methods: ['PUT', 'POST'],
  paths: ['/_snapshot/{repository}/{snapshot}'],
  parameters: { ...acknowledgedParameters, wait_for_completion: booleanParameter(false) },
  body: 'json',
  async handle({ parts, parameters, sentParameters, body }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    const asked = readSnapshot(
      new SnapshotBody('snapshot', body.object() ?? {}),
      context.settings.values['compatibility.distribution'],
    );
    const name = resolveDateMathName(parts.snapshot, context.clock.nowMs());
    const { repository } = parts;
    const { uuid } = await createSnapshot(context, { ...asked, repository, name }, timeoutMs);
    if (!parameters.wait_for_completion) return answerValue({ accepted: true }, ACCEPTED);
    await whenMade(context, repository, uuid);
    return answerSnapshot(context, repository, uuid);
  },
});

const ACCEPTED = 202;
const FAILED = 500;

function readSnapshot(
  body: SnapshotBody,
  distribution: Distribution,
): Pick<
  Parameters<typeof createSnapshot>[1],
  'indices' | 'options' | 'featureStates' | 'includeGlobalState' | 'partial' | 'metadata'
> {
  const metadata = body.object('metadata');
  if (metadata !== undefined && JSON.stringify(metadata).length > METADATA_CHARACTERS_MAX) {
    throw illegalArgument(`metadata must be smaller than ${METADATA_CHARACTERS_MAX} bytes`);
  }
  const includeGlobalState = body.flag('include_global_state', true);
  const read = {
    indices: body.list('indices') ?? [],
    options: body.indicesOptions(EVERY_INDEX),
    featureStates: featuresToSnapshot(body.featureStates(distribution), includeGlobalState),
    includeGlobalState,
    partial: body.flag('partial', false),
    ...(metadata === undefined ? {} : { metadata }),
  };
  body.refuseOthers();
  return read;
}

async function answerSnapshot(context: ActionContext, repository: string, uuid: string): Promise<RestAnswer> {
  const record = await context.repositories.of(context.clusterState(), repository).snapshot(uuid);
  const isNothingStored = record.failures.length > 0 && record.successfulShards === 0;
  const status = isNothingStored ? FAILED : 200;
  return answerValue({ snapshot: renderRecord(context, repository, record) }, status);
}

export const cloneSnapshotEndpoint = defineEndpoint({
  ...management,
  name: 'snapshot.clone',
  action: 'cluster:admin/snapshot/clone',
  methods: ['PUT'],
  paths: ['/_snapshot/{repository}/{snapshot}/_clone/{target_snapshot}'],
  parameters: acknowledgedParameters,
  body: 'json',
  async handle({ parts, parameters, sentParameters, body }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    const members = new SnapshotBody('clone of a snapshot', body.requireObject());
    const indices = members.list('indices');
    if (indices === undefined) throw illegalArgument('indices list to clone must be specified');
    const options = members.indicesOptions(EVERY_INDEX);
    members.refuseOthers();
    const { repository, snapshot: source } = parts;
    const name = resolveDateMathName(parts.target_snapshot, context.clock.nowMs());
    const choose = (known: readonly string[]): readonly string[] => namedIn(known, indices, options);
    const { uuid } = await createClone(context, { repository, source, name, expressions: indices, choose }, timeoutMs);
    await whenMade(context, repository, uuid);
    return answerAcknowledged();
  },
});

/** Of the indices of a snapshot those that are asked for; nothing means all, `-name` leaves out. */
export function namedIn(
  known: readonly string[],
  asked: readonly string[],
  { ignoreUnavailable }: IndicesOptions,
): readonly string[] {
  const chosen = new Set<string>();
  for (const [at, expression] of (asked.length === 0 ? ['*'] : asked).entries()) {
    const isExclusion = expression.startsWith('-') && at > 0;
    const pattern = expression === '_all' ? '*' : expression.slice(isExclusion ? 1 : 0);
    const matches = patternMatcher(pattern);
    const found = known.filter((name) => matches(name));
    if (found.length === 0 && !isExclusion && !isPattern(pattern) && !ignoreUnavailable) {
      throw indexNotFound(pattern);
    }
    for (const name of found) {
      if (isExclusion) chosen.delete(name);
      else chosen.add(name);
    }
  }
  return known.filter((name) => chosen.has(name));
}

export const deleteSnapshotEndpoint = defineEndpoint({
  ...management,
  name: 'snapshot.delete',
  action: 'cluster:admin/snapshot/delete',
  methods: ['DELETE'],
  paths: ['/_snapshot/{repository}/{snapshot}'],
  parameters: { ...acknowledgedParameters, wait_for_completion: booleanParameter(true) },
  body: 'none',
  async handle({ parts, parameters, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    const { repository } = parts;
    const asked = splitList(parts.snapshot);
    const removed = deleteSnapshots(
      context,
      repository,
      (snapshots) => {
        const missing = asked.find((name) => !isPattern(name) && !snapshots.some((each) => each.name === name));
        if (missing !== undefined) throw snapshotMissing(repository, missing);
        return snapshots.filter(({ name }) => matchesAny(asked, name));
      },
      timeoutMs,
      parameters.wait_for_completion,
    );
    await removed;
    return answerAcknowledged();
  },
});
