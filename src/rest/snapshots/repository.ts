/** `_snapshot/{repository}`: register, show, forget, verify, clean. */
import type { ActionContext } from '../../actions/context.js';
import { cleanRepository } from '../../actions/snapshots/create-snapshot.js';
import { noteContent } from '../../actions/snapshots/newest-root.js';
import { verifyRepository } from '../../actions/snapshots/verify-repository.js';
import { QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json-value.js';
import { findRepository, repositoryMissing } from '../../cluster/changes/snapshots/repositories.js';
import { flattenSettings, renderNested, type SettingValue } from '../../cluster/settings/flat-settings.js';
import { checkRepositoryName } from '../../cluster/snapshots/snapshot-name.js';
import type { RepositoryRecord } from '../../cluster/snapshots/types.js';
import type { ClusterState } from '../../cluster/state.js';
import { isPattern, matchesAny, withoutExclusions } from '../../cluster/names/wildcard.js';
import { checkDefinition } from '../../repositories/settings.js';
import { answerAcknowledged, answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs, stateReadParameters } from '../indices/index-names.js';
import { acknowledgedParameters, booleanParameter, splitList } from '../parameters.js';

const management = { pool: 'management', placement: 'any' } as const;

export const putRepositoryEndpoint = defineEndpoint({
  ...management,
  name: 'snapshot.create_repository',
  action: 'cluster:admin/repository/put',
  methods: ['PUT', 'POST'],
  paths: ['/_snapshot/{repository}'],
  parameters: { ...acknowledgedParameters, verify: booleanParameter(true) },
  body: 'json',
  async handle({ parts, parameters, sentParameters, body }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    const { type, settings } = readDefinition(parts.repository, body.requireObject());
    checkRepositoryName(parts.repository);
    checkDefinition({ name: parts.repository, type, settings }, context.repositories.places);
    const input = { name: parts.repository, type, settings };
    const record = await context.coordinator.submit('put-repository', input, { timeoutMs });
    if (parameters.verify) {
      await verifyRepository(context, record);
      await noteContent(context, record);
    }
    return answerAcknowledged();
  },
});

function readDefinition(
  name: string,
  body: JsonObject,
): { readonly type: string; readonly settings: ReadonlyMap<string, SettingValue> } {
  const { type, settings = {}, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw refused(name, `unknown member [${unknown}]`);
  if (typeof type !== 'string') throw refused(name, 'type is missing');
  if (!isJsonObject(settings)) throw refused(name, 'settings must be an object');
  const flat = [...flattenSettings(settings)].flatMap(([key, value]) =>
    value === null ? [] : [[key, value] as const],
  );
  return { type, settings: new Map(flat) };
}

function refused(name: string, why: string): QuarryError {
  return new QuarryError('repository_exception', `[${name}] ${why}`, { status: 400 });
}

export const getRepositoryEndpoint = defineEndpoint({
  ...management,
  name: 'snapshot.get_repository',
  action: 'cluster:admin/repository/get',
  methods: ['GET'],
  paths: ['/_snapshot', '/_snapshot/{repository}'],
  parameters: stateReadParameters,
  body: 'none',
  handle({ parts }, context) {
    const found = namedRepositories(context.clusterState(), parts.repository);
    // OpenSearch tells no uuids.
    const showsUuid = context.settings.values['compatibility.distribution'] === 'elasticsearch';
    const shown = found.map(({ name, type, contentUuid, settings }) => [
      name,
      {
        type,
        ...(contentUuid === undefined || !showsUuid ? {} : { uuid: contentUuid }),
        settings: renderNested(settings),
      },
    ]);
    return answerValue(Object.fromEntries(shown) as JsonObject);
  },
});

/**
 * In order of their names. After a pattern, `-name` leaves out what is called so, however it was named. Any other name without a wildcard
 * that is not there is a `repository_missing_exception`.
 */
export function namedRepositories(
  { repositories }: Pick<ClusterState, 'repositories'>,
  part: string | undefined,
): readonly RepositoryRecord[] {
  const asked = part === undefined || part.toLowerCase() === '_all' ? ['*'] : splitList(part);
  const { wanted, unwanted } = withoutExclusions(asked);
  const missing = wanted.filter((name) => !isPattern(name) && !repositories.has(name));
  if (missing.length > 0) throw repositoryMissing(missing.join(', '));
  return [...repositories.values()]
    .filter(({ name }) => matchesAny(wanted, name) && !matchesAny(unwanted, name))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

export const deleteRepositoryEndpoint = defineEndpoint({
  ...management,
  name: 'snapshot.delete_repository',
  action: 'cluster:admin/repository/delete',
  methods: ['DELETE'],
  paths: ['/_snapshot/{repository}'],
  parameters: acknowledgedParameters,
  body: 'none',
  async handle({ parts, parameters, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    // Only a pattern stands for all of them here.
    if (parts.repository.toLowerCase() === '_all') throw repositoryMissing(parts.repository);
    const names = namedRepositories(context.clusterState(), parts.repository).map(({ name }) => name);
    if (names.length === 0 && parts.repository !== '*') throw repositoryMissing(parts.repository);
    await context.coordinator.submit('delete-repositories', { names }, { timeoutMs });
    return answerAcknowledged();
  },
});

export const verifyRepositoryEndpoint = defineEndpoint({
  ...management,
  name: 'snapshot.verify_repository',
  action: 'cluster:admin/repository/verify',
  methods: ['POST'],
  paths: ['/_snapshot/{repository}/_verify'],
  parameters: acknowledgedParameters,
  body: 'none',
  async handle({ parts }, context) {
    const nodes = await verifyRepository(context, registered(context, parts.repository));
    return answerValue({ nodes: Object.fromEntries(nodes.map(({ id, name }) => [id, { name }])) });
  },
});

export const cleanRepositoryEndpoint = defineEndpoint({
  ...management,
  name: 'snapshot.cleanup_repository',
  action: 'cluster:admin/repository/_cleanup',
  methods: ['POST'],
  paths: ['/_snapshot/{repository}/_cleanup'],
  parameters: acknowledgedParameters,
  body: 'none',
  async handle({ parts, parameters, sentParameters }, context) {
    registered(context, parts.repository);
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    const { bytes = 0, blobs = 0 } = await cleanRepository(context, parts.repository, timeoutMs);
    return answerValue({ results: { deleted_bytes: bytes, deleted_blobs: blobs } });
  },
});

function registered(context: ActionContext, name: string): RepositoryRecord {
  return findRepository(context.clusterState(), name);
}
