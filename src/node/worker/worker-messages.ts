/** What a worker is sent, and which of it is of one kind. */
import { ENDPOINTS } from '../../rest/endpoints.js';
import type {
  IngestFiguresMessage,
  MakeRoomMessage,
  NodeMessage,
  PublishMessage,
  RecoveryMessage,
  RemoteMessage,
  RequestMessage,
  ShardMessage,
} from '../thread-messages.js';

/** What comes over the lines of a worker. */
export type WorkerMessage =
  | RequestMessage
  | PublishMessage
  | ShardMessage
  | RecoveryMessage
  | NodeMessage
  | MakeRoomMessage
  | RemoteMessage
  | IngestFiguresMessage;

/** What a message has the worker do, as far as one kind of it should not wait for another. */
export function laneOf(message: WorkerMessage): string {
  switch (message.kind) {
    case 'request':
      return ENDPOINTS[message.request[0]]?.pool ?? message.kind;
    case 'shard':
      return message.name;
    case 'remote':
      return message.operation === '' ? message.action : message.operation;
    default:
      return message.kind;
  }
}
