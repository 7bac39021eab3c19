/** What several tables print of a node. */
import type { NodeRecord } from '../../cluster/state.js';

/** One letter for each role, in order. */
const ROLE_LETTERS: Readonly<Record<string, string>> = {
  master: 'm',
  voting_only: 'v',
  data: 'd',
  data_cold: 'c',
  data_frozen: 'f',
  data_hot: 'h',
  data_content: 's',
  data_warm: 'w',
  ingest: 'i',
  remote_cluster_client: 'r',
};

/** `-` for a node that only coordinates. */
export function roleLetters({ roles }: NodeRecord): string {
  const letters = roles.map((role) => ROLE_LETTERS[role] ?? '').sort();
  return letters.length === 0 ? '-' : letters.join('');
}
