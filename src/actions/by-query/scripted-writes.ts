/** Writes that a script decides on: it gets each document as `ctx`, and what it leaves of that is written. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { newId, type Random } from '../../base/random.js';
import type { PlacedAction } from '../../native/describe-items.js';
import type { DocumentAction } from '../../native/descriptor.js';
import { runScripts, type DocumentScriptContext, type NativeScript } from '../../native/scripts.js';
import type { ActionContext } from '../context.js';
import type { MadeWrites } from './job.js';
import { membersOf, readString, readText, type Span } from './json-members.js';
import { IndexNames, sourceOf } from './make-writes.js';
import { readBytes, type Hit, type Page } from './page.js';

export interface ScriptRules {
  readonly script: NativeScript;
  readonly context: DocumentScriptContext;
  /** Whether scripts may send documents elsewhere: names, ids, routing and versions of their own. */
  readonly mayMove: boolean;
  /** The write of a document as it would be without a script. */
  plain(hit: Hit): DocumentAction;
  /** The same, as a deletion. */
  deletion(hit: Hit): DocumentAction;
  /** Where it would go without a script. */
  indexOf(hit: Hit): string;
}

export async function scriptedWrites(
  page: Page,
  hits: readonly Hit[],
  rules: ScriptRules,
  context: ActionContext,
): Promise<MadeWrites> {
  const given = hits.map((hit) => ctxOf(page, hit, rules));
  const outcomes = await runScripts(rules.script, rules.context, given, context.cancellation);
  const indices = new IndexNames();
  const actions: PlacedAction[] = [];
  const sources: Buffer[] = [];
  let end = 0;
  let noops = 0;
  for (const [at, outcome] of outcomes.entries()) {
    const hit = hits[at];
    if (hit === undefined) continue;
    if ('error' in outcome) throw outcome.error;
    if (!('ctx' in outcome)) continue;
    const left = readCtx(outcome.ctx, hit, rules, context.random);
    if (left.op === 'noop') {
      noops++;
      continue;
    }
    const length = left.op === 'delete' ? 0 : left.source.length;
    actions.push({ ...left.action, index: indices.placeOf(left.index), start: end, length });
    if (length > 0) sources.push(left.source);
    end += length;
  }
  return { writes: { body: Buffer.concat(sources), indexNames: indices.names, actions }, noops };
}

function ctxOf(page: Page, hit: Hit, rules: ScriptRules): string {
  const { start, length } = sourceOf(hit);
  const source = readText(page.bytes, { start, end: start + length });
  const { id, routing } = rules.plain(hit);
  const head = { _index: rules.indexOf(hit), _id: id, _routing: routing ?? null, op: 'index' };
  return `${JSON.stringify(head).slice(0, -1)},"_version":${hit.version},"_source":${source}}`;
}

interface Left {
  readonly op: 'index' | 'delete' | 'noop';
  readonly index: string;
  readonly action: DocumentAction;
  readonly source: Buffer;
}

const KNOWN: ReadonlySet<string> = new Set(['_index', '_id', '_version', '_routing', '_source', 'op', '_now']);
const NOTHING = Buffer.alloc(0);

function readCtx(text: string, hit: Hit, rules: ScriptRules, random: Random): Left {
  const bytes = Buffer.from(text, 'utf8');
  const members = membersOf(bytes, 0);
  for (const name of members.keys()) {
    if (!KNOWN.has(name)) throw illegalArgument(`Invalid fields added to context [${name}]`);
  }
  const given = rules.plain(hit);
  const op = readOp(scalar(bytes, members.get('op')));
  const index = scalar(bytes, members.get('_index'));
  const id = scalar(bytes, members.get('_id'));
  const routing = scalar(bytes, members.get('_routing')) ?? undefined;
  if (!rules.mayMove) {
    refuseChange('_index', index !== rules.indexOf(hit));
    refuseChange('_id', id !== given.id);
    refuseChange('_routing', routing !== given.routing);
  }
  const version = scalar(bytes, members.get('_version'));
  const isSameVersion = version === String(hit.version);
  if (!rules.mayMove) refuseChange('_version', !isSameVersion);
  const source = members.get('_source');
  const { routing: _former, ...asked } = op === 'delete' ? rules.deletion(hit) : given;
  const action = isSameVersion ? asked : versioned(asked, version);
  return {
    op,
    index: index ?? rules.indexOf(hit),
    action: { ...action, ...(id === null ? newOne(random) : { id }), ...(routing === undefined ? {} : { routing }) },
    source: source === undefined ? NOTHING : readBytes(bytes, source),
  };
}

/** The version that a script chose; without one the write does not look at versions. */
function versioned(action: DocumentAction, version: string | null): DocumentAction {
  const { version: _former, versionType, ...rest } = action;
  if (version === null) return rest;
  if (!/^-?\d{1,19}$/.test(version)) throw illegalArgument(`Expected [_version] to be a long but was [${version}]`);
  if (versionType !== undefined) return { ...rest, version: BigInt(version), versionType };
  throw new QuarryError(
    'action_request_validation_exception',
    'Validation Failed: 1: internal versioning can not be used for optimistic concurrency control. Please use ' +
      '`if_seq_no` and `if_primary_term` instead;',
  );
}

/** A document without an id gets one of its own. */
function newOne(random: Random): Pick<DocumentAction, 'id' | 'autoId'> {
  return { id: newId(random), autoId: true };
}

function readOp(op: string | null): Left['op'] {
  if (op === 'index' || op === 'delete') return op;
  if (op === 'noop' || op === 'none') return 'noop';
  throw illegalArgument(`Operation type [${op}] not allowed, only [noop, index, delete] are allowed`);
}

function refuseChange(name: string, isChanged: boolean): void {
  if (isChanged) throw illegalArgument(`Modifying [${name}] not allowed`);
}

function scalar(bytes: Uint8Array, span: Span | undefined): string | null {
  if (span === undefined) return null;
  const text = readText(bytes, span);
  if (text === 'null') return null;
  return text.startsWith('"') ? readString(bytes, span) : text;
}
