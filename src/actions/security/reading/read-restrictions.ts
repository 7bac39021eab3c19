/** What a subject may read of an index, ready to be put into plans: queries made for him, by the newest roles. */
import { CacheCounter } from '../../../base/cache-counters.js';
import { QuarryError } from '../../../base/errors.js';
import { Memo } from '../../../base/memo.js';
import { PairMemo } from '../../../base/pair-memo.js';
import { parentStream } from '../../../cluster/data-streams/data-streams.js';
import type { FieldRules } from '../../../cluster/security/field-view.js';
import type { NameAccess } from '../../../cluster/security/permissions.js';
import type { IndexNames, Restriction } from '../../../cluster/security/restriction.js';
import { roleQueryFor } from '../../../cluster/security/role-query.js';
import type { Subject } from '../../../cluster/security/subject.js';
import type { ClusterState } from '../../../cluster/state.js';
import type { QueryPlan } from '../../../search/plan/query-plan.js';

export interface ReadRestriction {
  /** Documents that do not match are as if they were not there. Undefined: all may be read. */
  readonly documents: QueryPlan | undefined;
  /** Fields that the rules do not let through are as if they were not mapped. Undefined: all may be read. */
  readonly fields: FieldRules | undefined;
}

/** Indices of one subject, and how long their names may be together. */
const KEPT_NAMES = { counter: new CacheCounter('read_restrictions'), valuesMax: 512, textMax: 4_096 };

const kept = new PairMemo<NameAccess, Subject, Memo<ReadRestriction | null>>();

/** Undefined: the subject may read everything of the index. */
export function readRestriction(access: NameAccess, subject: Subject, names: IndexNames): ReadRestriction | undefined {
  if (!access.isRestricting) return undefined;
  const byNames = kept.get(access, subject, () => new Memo(KEPT_NAMES));
  return byNames.get(JSON.stringify(names), () => compile(access.restrictionOn(names), subject) ?? null) ?? undefined;
}

/** All names of an index, also of one that is not there. */
export function namesOfIndex(state: ClusterState, name: string): IndexNames {
  const stream = parentStream(state, name);
  const own = stream === undefined ? [name] : [name, stream.name];
  const aliases = [...(state.indices.get(name)?.aliases.keys() ?? []), ...(stream?.aliases?.keys() ?? [])];
  return { own, aliases: [...new Set(aliases)].sort() };
}

function compile(restriction: Restriction | undefined, subject: Subject): ReadRestriction | undefined {
  if (restriction === undefined) return undefined;
  const { queries, fields } = restriction;
  return {
    documents: queries.length === 0 ? undefined : allOf(queries.map((either) => anyOf(either, subject))),
    fields: fields.length === 0 ? undefined : fields,
  };
}

function allOf(queries: readonly QueryPlan[]): QueryPlan {
  const [only, ...others] = queries;
  return only !== undefined && others.length === 0 ? only : { bool: { filter: queries } };
}

function anyOf(texts: readonly string[], subject: Subject): QueryPlan {
  const queries = texts.map((text) => queryOf(text, subject));
  const [only, ...others] = queries;
  if (only === undefined) return { match_none: {} };
  return others.length === 0 ? only : { bool: { should: queries, minimum_should_match: '1' } };
}

/** A template that makes no query for the user lets nothing through, and says so. */
function queryOf(text: string, subject: Subject): QueryPlan {
  try {
    return roleQueryFor(text, subject);
  } catch (cause) {
    const why = cause instanceof QuarryError ? cause.message : 'it cannot be evaluated';
    throw new QuarryError('security_exception', `a role query of user [${subject.username}] is not valid: ${why}`, {
      cause,
    });
  }
}
