/** What the requests of all three kinds of templates have in common. */
import type { PutTemplateResult } from '../../cluster/changes/put-templates.js';
import { isPattern, matchesAny } from '../../cluster/names/wildcard.js';
import { answerAcknowledged, warningHeader, type RestAnswer } from '../answer.js';
import { acknowledgedParameters, booleanParameter, splitList, stringParameter } from '../parameters.js';
import { stateReadParameters } from '../indices/index-names.js';

/** `cause` is for the log of the server that does the work; it changes nothing. */
export const putTemplateParameters = {
  ...acknowledgedParameters,
  cause: stringParameter(),
  create: booleanParameter(false),
} as const;

export const getTemplateParameters = { ...stateReadParameters, flat_settings: booleanParameter(false) } as const;

/** What was put may come with a word to the user, in a header, beside those that the request is answered with anyway. */
export function answerPut({ warning }: PutTemplateResult, warnings: readonly string[] = []): RestAnswer {
  return answerAcknowledged(true, warningHeader(...warnings, ...(warning === undefined ? [] : [warning])));
}

/** The templates that a part of a path names; no name means all. Undefined where a plain name is missing. */
export function namedTemplates<Template>(
  templates: ReadonlyMap<string, Template>,
  part: string | undefined,
): readonly (readonly [string, Template])[] | undefined {
  const names = part === undefined ? [] : splitList(part);
  const sorted = [...templates].sort(([left], [right]) => (left < right ? -1 : 1));
  if (names.length === 0) return sorted;
  if (names.some((name) => !isPattern(name) && !templates.has(name))) return undefined;
  return sorted.filter(([name]) => matchesAny(names, name));
}
