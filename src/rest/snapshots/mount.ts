/** `POST _snapshot/{repository}/{snapshot}/_mount`: an index that is searched as a snapshot has it. */
import type { RestoreRequest } from '../../actions/snapshots/restore-snapshot.js';
import { illegalArgument } from '../../base/errors.js';
import { indexNotFound } from '../../cluster/names/index-expression.js';
import type { MountStorage } from '../../cluster/snapshots/mounts.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters, booleanParameter, enumParameter } from '../parameters.js';
import { readGivenSettings, readIgnoredSettings } from './restore.js';
import { SnapshotBody } from './snapshot-body.js';

const { master_timeout, cluster_manager_timeout } = acknowledgedParameters;

export const mountSnapshotEndpoint = defineEndpoint({
  name: 'searchable_snapshots.mount',
  action: 'cluster:admin/snapshot/mount',
  methods: ['POST'],
  paths: ['/_snapshot/{repository}/{snapshot}/_mount'],
  parameters: {
    master_timeout,
    cluster_manager_timeout,
    wait_for_completion: booleanParameter(false),
    storage: enumParameter(['full_copy', 'shared_cache']),
  },
  body: 'json',
  pool: 'management',
  placement: 'any',
  distribution: 'elasticsearch',
  async handle({ parts, parameters, sentParameters, body }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    const { repository, snapshot } = parts;
    const asked = readMount(new SnapshotBody('mount', body.requireObject()), parameters.storage ?? 'full_copy');
    const { restoreSnapshot, whenRestored } = await import('../../actions/snapshots/restore-snapshot.js');
    const begun = await restoreSnapshot(context, { ...asked, repository, snapshot }, timeoutMs);
    if (!parameters.wait_for_completion) return answerValue({ accepted: true });
    const shards = await whenRestored(context, begun);
    return answerValue({ snapshot: { snapshot, indices: begun.indices.map(({ name }) => name), shards } });
  },
});

function readMount(body: SnapshotBody, mount: MountStorage): Omit<RestoreRequest, 'repository' | 'snapshot'> {
  const index = body.text('index');
  if (index === undefined) throw illegalArgument('Required [index] of a mount is missing');
  const asked: Omit<RestoreRequest, 'repository' | 'snapshot'> = {
    choose(indices) {
      if (!indices.includes(index)) throw indexNotFound(index);
      return { indices: [index], dataStreams: [] };
    },
    renameIndices: body.text('renamed_index'),
    renameAliases: undefined,
    includeAliases: false,
    includeGlobalState: false,
    featureStates: [],
    partial: false,
    settings: readGivenSettings(body),
    ignoredSettings: readIgnoredSettings(body),
    mount,
  };
  body.refuseOthers();
  return asked;
}
