/**
 * What a subject who may not read everything may ask of the shards of an index. Each operation is listed with what it may tell: one that is new does
 * not compile until it is.
 */
import { QuarryError } from '../../../base/errors.js';
import { effectiveClusterSettings } from '../../../cluster/settings/effective-cluster-settings.js';
import { searchSettings } from '../../../cluster/settings/index-values.js';
import type { FieldView } from '../../../cluster/security/field-view.js';
import type { SearchResult } from '../../../native/searcher.js';
import type { LimitsPlan } from '../../../search/plan/search-plan.js';
import { limitsPlan } from '../../../search/request/parse-search-request.js';
import { DEFAULT_SEARCH_SETTINGS } from '../../../search/settings.js';
import type { CopyPlace } from '../../shard-client.js';
import type { ShardOperationInput, ShardOperationName, ShardOperationOutput } from '../../shard-operations.js';
import type { AskCopy, Reader } from './guarded-shards.js';
import { withoutIgnored, withoutIgnoredInTexts } from './mask-ignored.js';
import type { ReadRestriction } from './read-restrictions.js';
import { resolvedRestriction, type Readable } from './readable.js';
import { withoutScriptTrace } from './refuse-scripts.js';
import { ofVisible, visibleDocuments, type RestrictedCopy } from './restricted-copy.js';
import { asAsked } from './restrict-fields.js';
import { checkedPlan, restrictedInput, restrictedSuggestions, restrictedTermVectors } from './restricted-input.js';

/**
 * `as it is` is for three kinds of operations: those whose answers hold nothing of documents, those on a view that was opened with the restriction,
 * and those that nodes carry out on their own account.
 */
type Guard<Name extends ShardOperationName> =
  | 'as it is'
  | {
      /** The operation as it may be put to the shard; throws for what may not be asked. */
      input?(input: ShardOperationInput<Name>, readable: Readable): ShardOperationInput<Name>;
      /** What of the answer may be told. */
      output?(output: ShardOperationOutput<Name>, view: FieldView): ShardOperationOutput<Name>;
      /** In the place of the operation. */
      run?(input: ShardOperationInput<Name>, copy: RestrictedCopy): Promise<ShardOperationOutput<Name>>;
    };

const NOTHING = new Uint8Array(0);

const GUARDS: { readonly [Name in ShardOperationName]: Guard<Name> } = {
  'can-match': { input: restrictedInput },
  checkpoints: 'as it is',
  'clear-field-data': 'as it is',
  'clear-remote-files': 'as it is',
  'clear-request-cache': 'as it is',
  'content-checksum': 'as it is',
  count: { input: restrictedInput },
  'describe-query': { input: (input, readable) => ({ ...input, plan: checkedPlan(input.plan, readable) }) },
  'disk-usage': {
    run: async (input, { readable, ask }) => {
      const usage = await ask('disk-usage', input);
      const fields = Object.entries(usage.fields).filter(([name]) => readable.view?.grants(name) !== false);
      return { ...usage, fields: Object.fromEntries(fields) };
    },
  },
  'explain-document': {
    run: (input, copy) => {
      const { id } = JSON.parse(Buffer.from(input.plan).toString('utf8')) as { readonly id: string };
      const plan = checkedPlan(input.plan, copy.readable);
      return ofVisible(id, copy, null, () => copy.ask('explain-document', { ...input, plan }));
    },
  },
  'fetch-phase': { input: restrictedInput, output: withoutIgnored },
  flush: 'as it is',
  'force-merge': 'as it is',
  'get-documents': { run: visibleDocuments },
  // Of all documents, also those that were deleted.
  'greatest-value': {
    run: (input, { readable, ask }) => {
      const isRead = readable.documents === undefined && readable.view?.grants(input.field) !== false;
      return isRead ? ask('greatest-value', input) : Promise.resolve(null);
    },
  },
  'lend-files': 'as it is',
  'list-pits': 'as it is',
  'name-pit': 'as it is',
  'open-pit': 'as it is',
  'prepare-lending': 'as it is',
  'query-phase': {
    input: restrictedInput,
    output: (output, view) => ({ ...output, result: withoutIgnored(output.result, view) }),
  },
  refresh: 'as it is',
  'release-scrolls': 'as it is',
  'release-searcher': 'as it is',
  'remote-files': 'as it is',
  'replica-align': 'as it is',
  'replica-append': 'as it is',
  'replica-files': 'as it is',
  'replica-finalize': 'as it is',
  'replica-install': 'as it is',
  'replica-retain': 'as it is',
  'replica-write-file': 'as it is',
  // The scroll was begun with a restriction: see `sealOf` for what happens when another one holds.
  'scroll-page': 'as it is',
  search: { input: restrictedInput, output: maskedSearch },
  'snapshot-progress': 'as it is',
  'snapshot-shard': 'as it is',
  statistics: {
    output: ({ stats, ...others }, view) => {
      const named = (bytes: Readonly<Record<string, number>>): Record<string, number> =>
        Object.fromEntries(Object.entries(bytes).filter(([name]) => view.grants(name)));
      const { fielddataBytes, completionBytes } = stats;
      const shown = { fielddataBytes: named(fielddataBytes), completionBytes: named(completionBytes) };
      return { ...others, stats: { ...stats, ...shown } };
    },
  },
  'statistics-phase': { input: restrictedInput },
  suggest: { input: restrictedSuggestions, output: withoutIgnoredInTexts },
  'term-vectors': {
    run: (given, copy) => {
      const input = restrictedTermVectors(given, copy.readable);
      const { document } = input;
      if ('source' in document) return copy.ask('term-vectors', input);
      const absent = { found: false, version: 0, vectors: NOTHING };
      return ofVisible(document.id, copy, absent, () => copy.ask('term-vectors', input));
    },
  },
  'write-items': 'as it is',
  'write-time': 'as it is',
};

function maskedSearch(result: SearchResult, view: FieldView): SearchResult {
  const { hits, aggregations } = result;
  return {
    ...result,
    hits: withoutIgnored(hits, view),
    ...(aggregations === undefined ? {} : { aggregations: withoutIgnored(aggregations, view) }),
  };
}

interface RestrictedAsk {
  readonly index: string;
  readonly reader: Reader;
  readonly restriction: ReadRestriction;
  readonly ask: AskCopy;
}

/** The operation as the subject may ask for it. */
export async function restrictedCall<Name extends ShardOperationName>(
  asked: RestrictedAsk,
  name: Name,
  input: ShardOperationInput<Name>,
): Promise<{ readonly place: CopyPlace; readonly output: ShardOperationOutput<Name> }> {
  try {
    return await guarded(asked, name, input);
  } catch (error) {
    throw error instanceof QuarryError ? asTold(error, asked) : error;
  }
}

function asTold(error: QuarryError, { index, reader, restriction }: RestrictedAsk): QuarryError {
  const told = restriction.fields === undefined ? error : asAsked(error);
  if (restriction.documents === undefined) return told;
  return withoutScriptTrace(told, reader.wholeState().indices.get(index)?.mapping);
}

async function guarded<Name extends ShardOperationName>(
  { index, reader, restriction, ask }: RestrictedAsk,
  name: Name,
  input: ShardOperationInput<Name>,
): Promise<{ readonly place: CopyPlace; readonly output: ShardOperationOutput<Name> }> {
  const guard = GUARDS[name];
  if (guard === 'as it is') return ask(name, input);
  const state = reader.wholeState();
  const readable = resolvedRestriction(restriction, state.indices.get(index)?.mapping);
  const { view } = readable;
  if (guard.run === undefined) {
    const answer = await ask(name, guard.input?.(input, readable) ?? input);
    if (view === undefined || guard.output === undefined) return answer;
    return { ...answer, output: guard.output(answer.output, view) };
  }
  let place: CopyPlace | undefined;
  const copy: RestrictedCopy = {
    index,
    readable,
    nowMs: reader.nowMs,
    limits: () => limitsOf(index, reader),
    ask: async (asked, content) => {
      const answer = await ask(asked, content);
      place = answer.place;
      return answer.output;
    },
  };
  const output = await guard.run(input, copy);
  return { place: place ?? { nodeId: '', workerSlot: 0 }, output };
}

function limitsOf(index: string, reader: Reader): LimitsPlan {
  const state = reader.wholeState();
  const found = state.indices.get(index);
  return limitsPlan(
    found === undefined ? DEFAULT_SEARCH_SETTINGS : searchSettings(found, effectiveClusterSettings(state)),
  );
}
