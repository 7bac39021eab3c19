/** Commands that wait to be carried out, in the order of their priorities: those of one moment make one change. */
import type { CommandName } from './commands.js';

/** The API's words, the most urgent first. */
export const PRIORITIES = ['IMMEDIATE', 'URGENT', 'HIGH', 'NORMAL', 'LOW', 'LANGUID'] as const;
export type Priority = (typeof PRIORITIES)[number];

const PRIORITY_OF: Readonly<Record<CommandName, Priority>> = {
  'add-dynamic-fields': 'HIGH',
  'begin-clone': 'URGENT',
  'begin-snapshot': 'URGENT',
  'begin-snapshot-deletion': 'URGENT',
  'confirm-snapshot-operation': 'URGENT',
  'delete-repositories': 'URGENT',
  'end-snapshot-operation': 'URGENT',
  'note-repository-generation': 'URGENT',
  'put-repository': 'URGENT',
  'report-snapshot-shards': 'HIGH',
  'restore-snapshot': 'URGENT',
  'settle-snapshot-operation': 'URGENT',
  'add-voting-exclusions': 'URGENT',
  'balance-figures': 'NORMAL',
  'begin-slm-retention': 'NORMAL',
  'begin-slm-run': 'NORMAL',
  'begin-sm-run': 'NORMAL',
  'clear-voting-exclusions': 'URGENT',
  'close-indices': 'URGENT',
  'create-data-stream': 'URGENT',
  'create-index': 'URGENT',
  'delete-component-templates': 'URGENT',
  'delete-data-streams': 'URGENT',
  'delete-index-templates': 'URGENT',
  'delete-indices': 'URGENT',
  'delete-legacy-templates': 'URGENT',
  'delete-lifecycle-policy': 'NORMAL',
  'delete-pipelines': 'NORMAL',
  'delete-shutdown': 'URGENT',
  'delete-slm-policy': 'NORMAL',
  'delete-sm-policy': 'NORMAL',
  'delete-stored-script': 'NORMAL',
  'end-slm-retention': 'NORMAL',
  'end-slm-run': 'NORMAL',
  'entomb-indices': 'URGENT',
  'explain-allocation': 'NORMAL',
  'lifecycle-step': 'NORMAL',
  'mark-rollover': 'URGENT',
  'master-elected': 'IMMEDIATE',
  'migrate-alias': 'URGENT',
  'modify-data-streams': 'URGENT',
  'node-joined': 'IMMEDIATE',
  'import-index': 'NORMAL',
  'install-stack': 'IMMEDIATE',
  'node-left': 'IMMEDIATE',
  'nodes-changed': 'IMMEDIATE',
  'note-sm-run': 'NORMAL',
  'open-indices': 'URGENT',
  'put-component-template': 'URGENT',
  'put-index-template': 'URGENT',
  'put-legacy-template': 'URGENT',
  'put-lifecycle-policy': 'NORMAL',
  'put-mapping': 'HIGH',
  'put-pipeline': 'NORMAL',
  'put-shutdown': 'URGENT',
  'put-slm-policy': 'NORMAL',
  'put-sm-policy': 'NORMAL',
  'put-stored-script': 'NORMAL',
  'request-slm-retention': 'NORMAL',
  reroute: 'HIGH',
  'replace-mounted': 'NORMAL',
  'replace-shrunken': 'NORMAL',
  'resize-index': 'URGENT',
  rollover: 'URGENT',
  'set-lifecycle-mode': 'IMMEDIATE',
  'set-slm-mode': 'IMMEDIATE',
  'set-sm-enabled': 'NORMAL',
  'shard-failed': 'HIGH',
  'shards-started': 'URGENT',
  'simulate-template': 'NORMAL',
  'slm-run-started': 'NORMAL',
  'update-aliases': 'URGENT',
  'update-cluster-settings': 'IMMEDIATE',
  'update-data-streams': 'URGENT',
  'update-disk-blocks': 'URGENT',
  'update-index-settings': 'URGENT',
  'voters-changed': 'IMMEDIATE',
  'wait-for-events': 'LANGUID',
  'worker-lost': 'IMMEDIATE',
  'activate-user-profile': 'NORMAL',
  'create-api-key': 'NORMAL',
  'create-bearer-token': 'NORMAL',
  'create-service-token': 'NORMAL',
  'delete-application-privileges': 'NORMAL',
  'delete-role': 'NORMAL',
  'delete-role-mapping': 'NORMAL',
  'delete-service-token': 'NORMAL',
  'delete-user': 'NORMAL',
  'invalidate-api-keys': 'NORMAL',
  'invalidate-bearer-tokens': 'NORMAL',
  'put-application-privileges': 'NORMAL',
  'put-role': 'NORMAL',
  'put-role-mapping': 'NORMAL',
  'put-user': 'NORMAL',
  'set-password': 'NORMAL',
  'set-reserved-enabled': 'NORMAL',
  'set-reserved-password': 'NORMAL',
  'set-user-enabled': 'NORMAL',
  'update-api-keys': 'NORMAL',
  'update-user-profile': 'NORMAL',
};

export function priorityOf(name: CommandName, input: unknown): Priority {
  if (name !== 'wait-for-events') return PRIORITY_OF[name];
  const asked = members(input)['priority'];
  return PRIORITIES.find((priority) => priority === asked) ?? PRIORITY_OF[name];
}

/** Plain data. */
export interface PendingTask {
  readonly insertOrder: number;
  readonly priority: Priority;
  /** What is to be changed. */
  readonly source: string;
  /** It is being carried out, and waits for the other nodes' agreement. */
  readonly executing: boolean;
  readonly timeInQueueMs: number;
  readonly timeInExecutionMs: number;
}

/** Of a coordinator. */
export interface MasterWork {
  /** Of the state that it knows. */
  readonly version: number;
  /** The most urgent first. */
  readonly tasks: readonly PendingTask[];
}

/** What a command is about, as far as it names anything. */
export function describeCommand(name: CommandName, input: unknown): string {
  const { index, indices, shard, name: named, nodeId } = members(input);
  const what = [named, nameOf(index), ...listOf(indices).map(nameOf), nameOf(members(shard)['index']), nodeId];
  const names = what.filter((each) => typeof each === 'string');
  return names.length === 0 ? name : `${name} [${names.join(', ')}]`;
}

function nameOf(value: unknown): unknown {
  return typeof value === 'string' ? value : members(value)['name'];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function members(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

interface Queued {
  readonly insertOrder: number;
  readonly priority: Priority;
}

/** The most urgent first; of equals the one that came first. */
export function inOrder<Command extends Queued>(commands: readonly Command[]): readonly Command[] {
  const rank = ({ priority }: Queued): number => PRIORITIES.indexOf(priority);
  return [...commands].sort((left, right) => rank(left) - rank(right) || left.insertOrder - right.insertOrder);
}
