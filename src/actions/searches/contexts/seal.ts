/** To whom a scroll or point in time belongs: an id alone, found or altered, is not enough to use it. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../base/json-value.js';
import type { ActionContext } from '../../context.js';

export interface Seal {
  /** Who opened it; empty where nobody was asked. */
  readonly owner: string;
  /** Of the alias filters that hold for all who search it: clients hold them, in the id. */
  readonly filters: string;
}

/** The same text for the same user of the same realm, or the same API key. */
export function ownerOf({ authority }: Pick<ActionContext, 'authority'>): string {
  if (authority === undefined) return '';
  const { username, lookupRealm, apiKey } = authority.subject;
  return JSON.stringify([username, lookupRealm?.name ?? null, apiKey?.id ?? null]);
}

/**
 * As {@link ownerOf}, of a scroll: its plan has what its owner might read when it began, so that he is another one when his roles become others. Points
 * in time are searched with what he may read then.
 */
export function ownerOfHeld(kind: 'scroll' | 'pit', context: Pick<ActionContext, 'authority'>): string {
  const owner = ownerOf(context);
  const mark = kind === 'scroll' ? context.authority?.readingMark() : undefined;
  return mark === undefined ? owner : JSON.stringify([owner, mark]);
}

export function sealOf(owner: string, filters: Readonly<Record<string, readonly JsonObject[]>> = {}): Seal {
  return { owner, filters: createHash('sha256').update(JSON.stringify(filters)).digest('base64url') };
}

export function isSameSeal(left: Seal | undefined, right: Seal | undefined): boolean {
  return left?.owner === right?.owner && left?.filters === right?.filters;
}
