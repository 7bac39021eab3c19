/** The commands of `POST _cluster/reroute`, as the body has them: `{"move": {"index": ..., ...}}`. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';

interface OnShard {
  readonly index: string;
  readonly shard: number;
}

interface OnNode extends OnShard {
  /** Name, id or address. */
  readonly node: string;
}

export type RerouteCommand =
  | ({ readonly kind: 'move'; readonly fromNode: string; readonly toNode: string } & OnShard)
  | ({ readonly kind: 'cancel'; readonly allowPrimary: boolean } & OnNode)
  | ({ readonly kind: 'allocate_replica' } & OnNode)
  | ({ readonly kind: 'allocate_stale_primary' | 'allocate_empty_primary'; readonly acceptDataLoss: boolean } & OnNode);

/** More at once are refused. */
const COMMANDS_MAX = 10_000;

const MEMBERS: Readonly<Record<RerouteCommand['kind'], readonly string[]>> = {
  move: ['index', 'shard', 'from_node', 'to_node'],
  cancel: ['index', 'shard', 'node', 'allow_primary'],
  allocate_replica: ['index', 'shard', 'node'],
  allocate_stale_primary: ['index', 'shard', 'node', 'accept_data_loss'],
  allocate_empty_primary: ['index', 'shard', 'node', 'accept_data_loss'],
};

export function parseRerouteCommands(value: JsonValue | undefined): readonly RerouteCommand[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw parseError('[commands] must be an array of commands');
  const items = value as readonly JsonValue[];
  if (items.length > COMMANDS_MAX) throw illegalArgument(`[commands] holds more than [${COMMANDS_MAX}] commands`);
  return items.map(parseCommand);
}

function parseCommand(item: JsonValue): RerouteCommand {
  const [entry, ...others] = isJsonObject(item) ? Object.entries(item) : [];
  if (entry === undefined || others.length > 0)
    throw parseError('a command must be an object with one member, its name');
  const [kind, body] = entry;
  if (!isKind(kind)) throw illegalArgument(`unknown allocation command [${kind}]`);
  if (!isJsonObject(body)) throw parseError(`[${kind}] command must be an object`);
  const unknown = Object.keys(body).find((name) => !MEMBERS[kind].includes(name));
  if (unknown !== undefined) throw parseError(`[${kind}] command does not support field [${unknown}]`);
  const shard = { index: text(kind, body, 'index'), shard: shardNumber(kind, body) };
  switch (kind) {
    case 'move':
      return { kind, ...shard, fromNode: text(kind, body, 'from_node'), toNode: text(kind, body, 'to_node') };
    case 'cancel':
      return { kind, ...shard, node: text(kind, body, 'node'), allowPrimary: flag(kind, body, 'allow_primary') };
    case 'allocate_replica':
      return { kind, ...shard, node: text(kind, body, 'node') };
    case 'allocate_stale_primary':
    case 'allocate_empty_primary':
      return { kind, ...shard, node: text(kind, body, 'node'), acceptDataLoss: flag(kind, body, 'accept_data_loss') };
  }
}

/** What the command asks, as its explanation repeats it. */
export function renderRerouteCommand(command: RerouteCommand): JsonObject {
  const { index, shard } = command;
  switch (command.kind) {
    case 'move':
      return { index, shard, from_node: command.fromNode, to_node: command.toNode };
    case 'cancel':
      return { index, shard, node: command.node, allow_primary: command.allowPrimary };
    case 'allocate_replica':
      return { index, shard, node: command.node };
    case 'allocate_stale_primary':
    case 'allocate_empty_primary':
      return { index, shard, node: command.node, accept_data_loss: command.acceptDataLoss };
  }
}

function isKind(kind: string): kind is RerouteCommand['kind'] {
  return Object.hasOwn(MEMBERS, kind);
}

function text(kind: string, body: JsonObject, name: string): string {
  const value = body[name];
  if (value === undefined || value === null) throw parseError(`[${kind}] command missing the ${name} parameter`);
  if (typeof value === 'object') throw parseError(`[${kind}] command does not support complex values of [${name}]`);
  return String(value);
}

function shardNumber(kind: string, body: JsonObject): number {
  const value = text(kind, body, 'shard');
  if (!/^\d{1,9}$/.test(value)) throw parseError(`[${kind}] command has no shard [${value}]`);
  return Number(value);
}

function flag(kind: string, body: JsonObject, name: string): boolean {
  const value = body[name] ?? false;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw parseError(`[${kind}] command: [${name}] must be [true] or [false]`);
}

function parseError(reason: string): QuarryError {
  return new QuarryError('parse_exception', reason);
}
