/** Reading documents by id: one, or many from several indices. */
import { must } from '../../base/assert.js';
import { asQuarryError } from '../../base/error-wire.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { aliasTable } from '../../cluster/aliases/aliases.js';
import { checkBlocks } from '../../cluster/blocks/blocks.js';
import { resolveDateMathName } from '../../cluster/names/date-math-name.js';
import { indexClosed, indexNotFound } from '../../cluster/names/index-expression.js';
import { requireNames } from '../../cluster/security/index-access.js';
import type { ClusterState, IndexMetadata } from '../../cluster/state.js';
import { shardOf } from '../../native/bulk.js';
import type { GetOptions, GetResult } from '../../native/get-options.js';
import { PRIMARY, type CopyPreference } from '../copy-preference.js';
import type { GetDocument } from '../operations/get-documents.js';
import { requireFromCopies, type ReadContext } from '../read-from-copies.js';
import type { ShardKey } from '../shard-client.js';
import { routingTarget, shardKey } from './write-target.js';

export interface DocumentAddress {
  /** Index or alias of one index. */
  readonly index: string;
  readonly id: string;
  readonly options: GetOptions;
}

/** What holds for all documents of one request. */
export interface ReadOptions {
  /** Refreshes the shard first. */
  readonly refresh: boolean;
  readonly copies: CopyPreference;
}

export interface FoundDocument {
  /** The concrete index. */
  readonly index: string;
  readonly result: GetResult;
}

export async function getDocument(
  address: DocumentAddress,
  options: ReadOptions,
  context: ReadContext,
): Promise<FoundDocument> {
  const { index, key, document } = locateDocument(context.clusterState(), address, context.clock.nowMs());
  const input = { documents: [document], refresh: options.refresh };
  const results = await requireFromCopies(context, key, copiesFor(address, options), 'get-documents', input);
  return { index: index.name, result: must(results[0], 'result of the get') };
}

/** Documents of one shard. */
interface Group {
  readonly key: ShardKey;
  readonly copies: CopyPreference;
  readonly places: number[];
  readonly documents: GetDocument[];
}

/** In the order of the addresses; one call for each shard. */
export async function getDocuments(
  addresses: readonly DocumentAddress[],
  options: ReadOptions,
  context: ReadContext,
): Promise<readonly (FoundDocument | QuarryError)[]> {
  const answers: (FoundDocument | QuarryError)[] = [];
  const { refresh } = options;
  const groups = new Map<string, Group>();
  for (const [place, address] of addresses.entries()) {
    try {
      const { key, document } = locateDocument(context.clusterState(), address, context.clock.nowMs());
      const id = `${key.indexUuid}/${key.shard}`;
      const group = groups.get(id) ?? { key, copies: copiesFor(address, options), places: [], documents: [] };
      groups.set(id, group);
      group.places.push(place);
      group.documents.push(document);
    } catch (error) {
      answers[place] = asQuarryError(error);
    }
  }
  await Promise.all(
    [...groups.values()].map(async ({ key, copies, places, documents }) => {
      const input = { documents, refresh };
      const outcome = await requireFromCopies(context, key, copies, 'get-documents', input).catch(asQuarryError);
      for (const [at, place] of places.entries()) {
        answers[place] =
          outcome instanceof QuarryError ? outcome : { index: key.index, result: must(outcome[at], 'result of a get') };
      }
    }),
  );
  return answers;
}

/** Only the primary knows what was not made searchable yet, and only its refresh makes it so. */
function copiesFor({ options }: DocumentAddress, { refresh, copies }: ReadOptions): CopyPreference {
  return refresh || options.realtime !== false ? PRIMARY : copies;
}

/** The shard that an address leads to, and the document there. */
export function locateDocument(
  state: ClusterState,
  address: DocumentAddress,
  nowMs: number,
): { index: IndexMetadata; key: ShardKey; document: GetDocument } {
  const { index, aliasRouting } = singleIndex(state, address.index, nowMs);
  const { id } = address;
  const routing = address.options.routing ?? aliasRouting;
  if (routing === undefined && index.mapping.routingRequired === true) throw routingMissing(index.name, id);
  const shard = shardOf(routingTarget(index), id, routing);
  const options = routing === undefined ? address.options : { ...address.options, routing };
  return { index, key: shardKey(index, shard), document: { id, options } };
}

/** The shard that holds the document, if there is one. */
export function documentShard(state: ClusterState, address: DocumentAddress, nowMs: number): ShardKey {
  return locateDocument(state, address, nowMs).key;
}

export function routingMissing(index: string, id: string): QuarryError {
  return new QuarryError('routing_missing_exception', `routing is required for [${index}]/[${id}]`, {
    details: { index_uuid: '_na_', index },
  });
}

function singleIndex(
  state: ClusterState,
  expression: string,
  nowMs: number,
): { index: IndexMetadata; aliasRouting: string | undefined } {
  const name = resolveDateMathName(expression, nowMs);
  requireNames(state, [name]);
  const named = state.indices.get(name);
  const targets = named === undefined ? (aliasTable(state).get(name) ?? []) : [];
  if (targets.length > 1) {
    const names = targets.map((target) => target.index.name).join(', ');
    throw illegalArgument(
      `alias [${name}] has more than one index associated with it [${names}], can't execute a single index op`,
    );
  }
  const index = named ?? targets[0]?.index;
  if (index === undefined) throw indexNotFound(name);
  if (index.state !== 'open') throw indexClosed(index);
  checkBlocks(index, 'read');
  return { index, aliasRouting: targets[0]?.metadata.searchRouting };
}
