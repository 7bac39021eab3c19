/** One client of the soak: it has an index for itself, so that it knows what each answer has to be. */
import type { Chance } from '../compare/chance.js';
import type { Client } from './client.js';
import type { Model } from './model.js';

export interface Lane {
  readonly index: string;
  readonly client: Client;
  readonly chance: Chance;
  readonly model: Model;
  /** What has a name of its own in the cluster is made by this one alone. */
  readonly isFirst: boolean;
}

/** Throws where an answer is wrong. */
export type Step = (lane: Lane) => Promise<void>;

export interface NamedStep {
  readonly name: string;
  /** How often it comes, beside the others. */
  readonly weight: number;
  readonly run: Step;
}

export function refresh({ client, index }: Lane): Promise<unknown> {
  return client.post(`/${index}/_refresh`);
}
