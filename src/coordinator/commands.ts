/** The table of all commands. A new command is added here and nowhere else. */
import { createIndex } from '../cluster/changes/indices/create-index.js';
import {
  createDataStream,
  deleteDataStreams,
  migrateAlias,
  modifyDataStreams,
  updateDataStreams,
} from '../cluster/changes/indices/data-streams.js';
import { deleteIndices, entombIndices } from '../cluster/changes/indices/delete-indices.js';
import { importIndex } from '../cluster/changes/indices/import-index.js';
import { installStack } from '../cluster/changes/install-stack.js';
import {
  deleteLifecyclePolicy,
  lifecycleStep,
  putLifecyclePolicy,
  setLifecycleMode,
} from '../cluster/changes/lifecycle-policies.js';
import { closeIndices, openIndices } from '../cluster/changes/indices/open-close-indices.js';
import { addDynamicFields, putMapping } from '../cluster/changes/indices/put-mapping.js';
import {
  deleteComponentTemplates,
  deleteIndexTemplates,
  deleteLegacyTemplates,
  putComponentTemplate,
  putIndexTemplate,
  putLegacyTemplate,
} from '../cluster/changes/put-templates.js';
import { deletePipelines, putPipeline } from '../cluster/changes/put-pipeline.js';
import { replaceMounted, replaceShrunken } from '../cluster/changes/indices/replace-by-heir.js';
import { resizeIndex } from '../cluster/changes/indices/resize-index.js';
import { rerouteCluster } from '../cluster/changes/copies/reroute-cluster.js';
import { deleteRepositories, noteGeneration, putRepository } from '../cluster/changes/snapshots/repositories.js';
import { restoreSnapshot } from '../cluster/changes/snapshots/restore-snapshot.js';
import { markRollover, rollover } from '../cluster/changes/indices/rollover.js';
import { createApiKey, invalidateApiKeys, updateApiKeys } from '../cluster/changes/security/api-keys.js';
import { deleteApplicationPrivileges, putApplicationPrivileges } from '../cluster/changes/security/privileges.js';
import { deleteRole, deleteRoleMapping, putRole, putRoleMapping } from '../cluster/changes/security/roles.js';
import {
  createBearerToken,
  createServiceToken,
  deleteServiceToken,
  invalidateBearerTokens,
} from '../cluster/changes/security/tokens.js';
import { activateProfile, updateProfile } from '../cluster/changes/security/user-profiles.js';
import {
  deleteUser,
  putUser,
  setPassword,
  setReservedEnabled,
  setReservedPassword,
  setUserEnabled,
} from '../cluster/changes/security/users.js';
import { deleteSlmPolicy, putSlmPolicy, setSlmMode } from '../cluster/changes/snapshots/slm-policies.js';
import {
  beginSlmRetention,
  beginSlmRun,
  endSlmRetention,
  endSlmRun,
  requestSlmRetention,
  slmRunStarted,
} from '../cluster/changes/snapshots/slm-runs.js';
import { deleteSmPolicy, putSmPolicy, setSmEnabled } from '../cluster/changes/snapshots/sm-policies.js';
import { beginSmRun, noteSmRun } from '../cluster/changes/snapshots/sm-runs.js';
import { shardFailed, shardsStarted } from '../cluster/changes/copies/shard-reports.js';
import { deleteShutdown, putShutdown } from '../cluster/changes/nodes/node-shutdowns.js';
import { masterElected, nodeJoined, nodeLeft, nodesChanged } from '../cluster/changes/nodes/membership.js';
import {
  beginClone,
  beginDeletion,
  beginSnapshot,
  confirmOperation,
  endOperation,
  reportShards,
  settleOperation,
} from '../cluster/changes/snapshots/snapshot-operations.js';
import { deleteStoredScript, putStoredScript } from '../cluster/changes/stored-scripts.js';
import { updateAliases } from '../cluster/changes/indices/update-aliases.js';
import { updateClusterSettings } from '../cluster/changes/update-cluster-settings.js';
import { updateDiskBlocks } from '../cluster/changes/update-disk-blocks.js';
import { updateIndexSettings } from '../cluster/changes/indices/update-index-settings.js';
import {
  addVotingExclusions,
  clearVotingExclusions,
  votersChanged,
} from '../cluster/changes/nodes/voting-exclusions.js';
import { workerLost } from '../cluster/changes/nodes/worker-lost.js';
import { balanceFigures } from '../cluster/explain/balance-figures.js';
import { explainAllocation } from '../cluster/explain/explain-allocation.js';
import { simulateTemplate } from '../cluster/templates/simulate.js';
import { defineCommand, type CommandDefinition } from './command.js';
import type { Priority } from './pending-tasks.js';

export interface WaitForEvents {
  readonly priority: Priority;
}

export const COMMANDS = {
  'add-dynamic-fields': defineCommand('add-dynamic-fields', addDynamicFields),
  'add-voting-exclusions': defineCommand('add-voting-exclusions', addVotingExclusions),
  'clear-voting-exclusions': defineCommand('clear-voting-exclusions', clearVotingExclusions),
  'begin-slm-retention': defineCommand('begin-slm-retention', beginSlmRetention),
  'begin-slm-run': defineCommand('begin-slm-run', beginSlmRun),
  'begin-sm-run': defineCommand('begin-sm-run', beginSmRun),
  'balance-figures': defineCommand('balance-figures', balanceFigures),
  'close-indices': defineCommand('close-indices', closeIndices),
  'create-data-stream': defineCommand('create-data-stream', createDataStream),
  'create-index': defineCommand('create-index', createIndex),
  'delete-component-templates': defineCommand('delete-component-templates', deleteComponentTemplates),
  'delete-data-streams': defineCommand('delete-data-streams', deleteDataStreams),
  'delete-index-templates': defineCommand('delete-index-templates', deleteIndexTemplates),
  'delete-indices': defineCommand('delete-indices', deleteIndices),
  'delete-slm-policy': defineCommand('delete-slm-policy', deleteSlmPolicy),
  'delete-sm-policy': defineCommand('delete-sm-policy', deleteSmPolicy),
  'delete-stored-script': defineCommand('delete-stored-script', deleteStoredScript),
  'delete-legacy-templates': defineCommand('delete-legacy-templates', deleteLegacyTemplates),
  'delete-lifecycle-policy': defineCommand('delete-lifecycle-policy', deleteLifecyclePolicy),
  'delete-pipelines': defineCommand('delete-pipelines', deletePipelines),
  'delete-shutdown': defineCommand('delete-shutdown', deleteShutdown),
  'end-slm-retention': defineCommand('end-slm-retention', endSlmRetention),
  'end-slm-run': defineCommand('end-slm-run', endSlmRun),
  'entomb-indices': defineCommand('entomb-indices', entombIndices),
  'explain-allocation': defineCommand('explain-allocation', explainAllocation),
  'import-index': defineCommand('import-index', importIndex),
  'install-stack': defineCommand('install-stack', installStack),
  'master-elected': defineCommand('master-elected', masterElected),
  'migrate-alias': defineCommand('migrate-alias', migrateAlias),
  'lifecycle-step': defineCommand('lifecycle-step', lifecycleStep),
  'mark-rollover': defineCommand('mark-rollover', markRollover),
  'modify-data-streams': defineCommand('modify-data-streams', modifyDataStreams),
  'node-joined': defineCommand('node-joined', nodeJoined),
  'node-left': defineCommand('node-left', nodeLeft),
  'nodes-changed': defineCommand('nodes-changed', nodesChanged),
  'note-sm-run': defineCommand('note-sm-run', noteSmRun),
  'open-indices': defineCommand('open-indices', openIndices),
  'put-component-template': defineCommand('put-component-template', putComponentTemplate),
  'put-index-template': defineCommand('put-index-template', putIndexTemplate),
  'put-legacy-template': defineCommand('put-legacy-template', putLegacyTemplate),
  'put-lifecycle-policy': defineCommand('put-lifecycle-policy', putLifecyclePolicy),
  'put-mapping': defineCommand('put-mapping', putMapping),
  'put-pipeline': defineCommand('put-pipeline', putPipeline),
  'put-shutdown': defineCommand('put-shutdown', putShutdown),
  'put-slm-policy': defineCommand('put-slm-policy', putSlmPolicy),
  'put-sm-policy': defineCommand('put-sm-policy', putSmPolicy),
  'put-stored-script': defineCommand('put-stored-script', putStoredScript),
  'request-slm-retention': defineCommand('request-slm-retention', requestSlmRetention),
  reroute: defineCommand('reroute', rerouteCluster),
  'replace-mounted': defineCommand('replace-mounted', replaceMounted),
  'replace-shrunken': defineCommand('replace-shrunken', replaceShrunken),
  'resize-index': defineCommand('resize-index', resizeIndex),
  rollover: defineCommand('rollover', rollover),
  'set-lifecycle-mode': defineCommand('set-lifecycle-mode', setLifecycleMode),
  'set-slm-mode': defineCommand('set-slm-mode', setSlmMode),
  'set-sm-enabled': defineCommand('set-sm-enabled', setSmEnabled),
  'slm-run-started': defineCommand('slm-run-started', slmRunStarted),
  'shard-failed': defineCommand('shard-failed', shardFailed),
  'shards-started': defineCommand('shards-started', shardsStarted),
  'simulate-template': defineCommand('simulate-template', simulateTemplate),
  /** Changes nothing: when it is answered, all that were at least as urgent have been carried out. */
  'wait-for-events': defineCommand('wait-for-events', (state, _input: WaitForEvents) => ({ state, result: null })),
  'voters-changed': defineCommand('voters-changed', votersChanged),
  'update-aliases': defineCommand('update-aliases', updateAliases),
  'update-cluster-settings': defineCommand('update-cluster-settings', updateClusterSettings),
  'update-data-streams': defineCommand('update-data-streams', updateDataStreams),
  'update-disk-blocks': defineCommand('update-disk-blocks', updateDiskBlocks),
  'update-index-settings': defineCommand('update-index-settings', updateIndexSettings),
  'worker-lost': defineCommand('worker-lost', workerLost),
  'activate-user-profile': defineCommand('activate-user-profile', activateProfile),
  'create-api-key': defineCommand('create-api-key', createApiKey),
  'create-bearer-token': defineCommand('create-bearer-token', createBearerToken),
  'create-service-token': defineCommand('create-service-token', createServiceToken),
  'delete-application-privileges': defineCommand('delete-application-privileges', deleteApplicationPrivileges),
  'delete-role': defineCommand('delete-role', deleteRole),
  'delete-role-mapping': defineCommand('delete-role-mapping', deleteRoleMapping),
  'delete-service-token': defineCommand('delete-service-token', deleteServiceToken),
  'delete-user': defineCommand('delete-user', deleteUser),
  'invalidate-api-keys': defineCommand('invalidate-api-keys', invalidateApiKeys),
  'invalidate-bearer-tokens': defineCommand('invalidate-bearer-tokens', invalidateBearerTokens),
  'put-application-privileges': defineCommand('put-application-privileges', putApplicationPrivileges),
  'put-role': defineCommand('put-role', putRole),
  'put-role-mapping': defineCommand('put-role-mapping', putRoleMapping),
  'put-user': defineCommand('put-user', putUser),
  'set-password': defineCommand('set-password', setPassword),
  'set-reserved-enabled': defineCommand('set-reserved-enabled', setReservedEnabled),
  'set-reserved-password': defineCommand('set-reserved-password', setReservedPassword),
  'set-user-enabled': defineCommand('set-user-enabled', setUserEnabled),
  'update-api-keys': defineCommand('update-api-keys', updateApiKeys),
  'update-user-profile': defineCommand('update-user-profile', updateProfile),
  'begin-clone': defineCommand('begin-clone', beginClone),
  'begin-snapshot': defineCommand('begin-snapshot', beginSnapshot),
  'begin-snapshot-deletion': defineCommand('begin-snapshot-deletion', beginDeletion),
  'confirm-snapshot-operation': defineCommand('confirm-snapshot-operation', confirmOperation),
  'delete-repositories': defineCommand('delete-repositories', deleteRepositories),
  'end-snapshot-operation': defineCommand('end-snapshot-operation', endOperation),
  'note-repository-generation': defineCommand('note-repository-generation', noteGeneration),
  'put-repository': defineCommand('put-repository', putRepository),
  'report-snapshot-shards': defineCommand('report-snapshot-shards', reportShards),
  'settle-snapshot-operation': defineCommand('settle-snapshot-operation', settleOperation),
  'restore-snapshot': defineCommand('restore-snapshot', restoreSnapshot),
} as const;

export type CommandName = keyof typeof COMMANDS;
export type CommandInput<Name extends CommandName> =
  (typeof COMMANDS)[Name] extends CommandDefinition<string, infer Input, unknown> ? Input : never;
export type CommandResult<Name extends CommandName> =
  (typeof COMMANDS)[Name] extends CommandDefinition<string, never, infer Result> ? Result : never;
