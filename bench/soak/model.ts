/** What an index has to hold: kept beside it, changed as it is. */
import type { Chance } from '../compare/chance.js';

export interface SoakDocument {
  readonly n: number;
  readonly group: string;
  readonly words: string;
}

export const GROUPS = ['g0', 'g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7'] as const;
const WORDS = ['amber', 'bridge', 'cedar', 'delta', 'ember', 'fable', 'garden', 'harbor', 'island', 'jumper'] as const;
/** Documents of an index: the same ids come again and again, so that it does not grow. */
const IDS = 2_000;
const NUMBERS = 1_000;

export const INDEX_BODY = {
  settings: { number_of_shards: 2, number_of_replicas: 0 },
  mappings: {
    dynamic: 'strict',
    properties: {
      n: { type: 'integer' },
      group: { type: 'keyword' },
      words: { type: 'text', fields: { raw: { type: 'keyword' } } },
    },
  },
} as const;

export function randomDocument(chance: Chance): SoakDocument {
  const words = chance.times(2, 12, () => chance.pick(WORDS)).join(' ');
  return { n: chance.below(NUMBERS), group: chance.pick(GROUPS), words };
}

export const randomWord = (chance: Chance): string => chance.pick(WORDS);
export const randomId = (chance: Chance): string => `d${chance.below(IDS)}`;

export class Model {
  private readonly documents = new Map<string, SoakDocument>();

  get count(): number {
    return this.documents.size;
  }

  get(id: string): SoakDocument | undefined {
    return this.documents.get(id);
  }

  put(id: string, document: SoakDocument): void {
    this.documents.set(id, document);
  }

  delete(id: string): void {
    this.documents.delete(id);
  }

  /** Those that match, with their ids. */
  where(matches: (document: SoakDocument) => boolean): (readonly [string, SoakDocument])[] {
    return [...this.documents].filter(([, document]) => matches(document));
  }

  /** Number of documents and sum of their numbers by group; groups without documents are left out. */
  groups(): Readonly<Record<string, { readonly count: number; readonly sum: number }>> {
    const ofGroups = GROUPS.map((group) => {
      const found = this.where((document) => document.group === group);
      return [group, { count: found.length, sum: found.reduce((sum, [, { n }]) => sum + n, 0) }] as const;
    });
    return Object.fromEntries(ofGroups.filter(([, { count }]) => count > 0));
  }
}
