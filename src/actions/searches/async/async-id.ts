/** Names a search that goes on without its request: the worker that carries it out, and a random token. */
import { illegalArgument } from '../../../base/errors.js';
import type { CopyPlace } from '../../shard-client.js';

export interface AsyncId {
  readonly place: CopyPlace;
  readonly token: string;
}

export function encodeAsyncId({ place, token }: AsyncId): string {
  return Buffer.from([token, place.workerSlot, place.nodeId].join('/'), 'utf8').toString('base64url');
}

export function decodeAsyncId(text: string): AsyncId {
  const parts = /^(?<token>[\w-]{1,64})\/(?<slot>\d{1,3})\/(?<nodeId>[\w-]{1,64})$/.exec(
    Buffer.from(text, 'base64url').toString('utf8'),
  )?.groups;
  const { token, slot, nodeId } = parts ?? {};
  if (token === undefined || slot === undefined || nodeId === undefined) throw illegalArgument(`invalid id: [${text}]`);
  return { place: { nodeId, workerSlot: Number(slot) }, token };
}
