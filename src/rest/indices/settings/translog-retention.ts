/** Settings of how long the translog is kept: one of the references refuses them, the other ignores them with a warning. */
import type { ActionContext } from '../../../actions/context.js';
import { illegalArgument } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { flattenSettings, withIndexPrefix, type SettingValue } from '../../../cluster/settings/flat-settings.js';
import { warningHeader, type AnswerHeaders } from '../../answer.js';

/** By key; a null takes one back. */
type NamedSettings = ReadonlyMap<string, SettingValue | null>;

const NAMES = ['index.translog.retention.age', 'index.translog.retention.size'] as const;
const SUBJECT = `Translog retention settings [${NAMES[0]}] and [${NAMES[1]}] are`;

/** Refuses them, where they are not known any more, in the settings of a request. */
export function refuseTranslogRetention(settings: JsonObject, context: ActionContext): void {
  const isRefused = context.settings.values['compatibility.distribution'] === 'elasticsearch';
  if (!isRefused || !namesAny(withIndexPrefix(flattenSettings(settings)))) return;
  throw illegalArgument(`${SUBJECT} no longer supported. Please do not specify values for these settings`);
}

/** What the user is told who sets them, or whose index has them of a template. */
export function translogRetentionWarning(settings: NamedSettings): AnswerHeaders {
  if (!namesAny(settings)) return {};
  return warningHeader(`${SUBJECT} deprecated and effectively ignored. They will be removed in a future version.`);
}

function namesAny(settings: NamedSettings): boolean {
  return NAMES.some((name) => (settings.get(name) ?? null) !== null);
}
