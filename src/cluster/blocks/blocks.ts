/** `index.blocks.*`: what may not be done to an index. */
import { QuarryError } from '../../base/errors.js';
import { booleanSetting } from '../settings/index-values.js';
import type { IndexMetadata } from '../state.js';

export type BlockLevel = 'read' | 'write' | 'metadata_read' | 'metadata_write';

export interface Block {
  readonly id: number;
  readonly setting: 'readOnly' | 'blockRead' | 'blockWrite' | 'blockMetadata' | 'readOnlyAllowDelete';
  readonly key: string;
  readonly description: string;
  readonly levels: readonly BlockLevel[];
  /** It goes by itself: what it refuses may be tried again. */
  readonly isRetryable?: true;
}

const BLOCKS: readonly Block[] = [
  {
    id: 5,
    setting: 'readOnly',
    key: 'read_only',
    description: 'index read-only (api)',
    levels: ['write', 'metadata_write'],
  },
  { id: 7, setting: 'blockRead', key: 'read', description: 'index read (api)', levels: ['read'] },
  { id: 8, setting: 'blockWrite', key: 'write', description: 'index write (api)', levels: ['write'] },
  {
    id: 9,
    setting: 'blockMetadata',
    key: 'metadata',
    description: 'index metadata (api)',
    levels: ['metadata_read', 'metadata_write'],
  },
  {
    id: 12,
    setting: 'readOnlyAllowDelete',
    key: 'read_only_allow_delete',
    description: 'disk usage exceeded flood-stage watermark, index has read-only-allow-delete block',
    levels: ['write', 'metadata_write'],
    isRetryable: true,
  },
];

/** Those that are set on the index. */
export function activeBlocks(index: IndexMetadata): readonly Block[] {
  return BLOCKS.filter(({ setting }) => booleanSetting(index, setting));
}

/** Throws `cluster_block_exception` when a block of the index forbids work of this level. */
export function checkBlocks(index: IndexMetadata, level: BlockLevel): void {
  refuseIfAny(
    index,
    BLOCKS.filter(({ levels }) => levels.includes(level)),
  );
}

/** Whether a block of the index forbids work of this level. */
export function isBlocked(index: IndexMetadata, level: BlockLevel): boolean {
  return BLOCKS.some(({ levels, setting }) => levels.includes(level) && booleanSetting(index, setting));
}

/** Deleting a whole index frees space, so it is allowed under `read_only_allow_delete`. */
export function checkDeletionBlocks(index: IndexMetadata): void {
  refuseIfAny(
    index,
    BLOCKS.filter(({ id, levels }) => id !== 12 && levels.includes('metadata_write')),
  );
}

/** Settings under `index.blocks.` may always be changed: else no block could be taken away. */
export function isBlockSetting(key: string): boolean {
  return BLOCKS.some((block) => key === `index.blocks.${block.key}`);
}

function refuseIfAny(index: IndexMetadata, candidates: readonly Block[]): void {
  const active = candidates.filter(({ setting }) => booleanSetting(index, setting));
  if (active.length === 0) return;
  const statusOf = ({ isRetryable }: Block): string => (isRetryable === true ? 'TOO_MANY_REQUESTS' : 'FORBIDDEN');
  const list = active.map((block) => `[${statusOf(block)}/${block.id}/${block.description}];`).join('');
  throw new QuarryError('cluster_block_exception', `index [${index.name}] blocked by: ${list}`, {
    details: { index: index.name, index_uuid: index.uuid },
    ...(active.every(({ isRetryable }) => isRetryable === true) ? { status: 429 } : {}),
  });
}
