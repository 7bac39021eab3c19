/** A script in a request: a text, or an object with `source` or `id`, `lang`, `params` and `options`. */
import { QuarryError } from '../../base/errors.js';
import type { JsonValue } from '../../base/json-value.js';
import type { Place } from '../body/place.js';
import { readText } from '../body/read.js';
import type { ScriptPlan } from '../plan/query-plan.js';
import type { Draft } from '../query/query-parser.js';

export function readScript(place: Place): ScriptPlan {
  if (typeof place.value === 'string') return { source: place.value };
  if (!place.isObject) throw place.error(`[script] must be an object or a string but was [${place.token}]`);
  const script: Draft<ScriptPlan> = {};
  for (const [name, value] of place.members()) readMember(script, name, value);
  if ((script.source === undefined) === (script.stored_id === undefined)) {
    const reason = 'must specify either [source] for an inline script or [id] for a stored script';
    throw new QuarryError('illegal_argument_exception', reason);
  }
  if (script.stored_id !== undefined && script.lang !== undefined) {
    throw new QuarryError('illegal_argument_exception', 'illegally specified <lang> for a stored script');
  }
  return script;
}

function readMember(script: Draft<ScriptPlan>, name: string, value: Place): void {
  switch (name) {
    case 'source':
    case 'inline':
      script.source = value.isObject ? JSON.stringify(value.value) : readText(value);
      return;
    case 'id':
    case 'stored':
      script.stored_id = readText(value);
      return;
    case 'lang':
      script.lang = readText(value);
      return;
    case 'params':
      script.params = readParameters(value);
      return;
    case 'options':
      checkOptions(value);
      return;
    default:
      throw value.errorWithPlace(`[script] unknown field [${name}]`);
  }
}

/** JSON of an object. */
export function readParameters(place: Place): string {
  if (!place.isObject) throw place.error(`[script] unknown token [${place.token}] after [params]`);
  return jsonText(place);
}

function checkOptions(options: Place): void {
  for (const [name, value] of options.members()) {
    if (name !== 'content_type') throw value.errorWithPlace(`[script] illegal compiler options [${name}]`);
  }
}

/** JSON with numbers as they were written: `1.0` is no whole number for a script. */
function jsonText(place: Place): string {
  if (place.isArray) return `[${place.items().map(jsonText).join(',')}]`;
  if (place.isObject) {
    return `{${place
      .members()
      .map(([name, value]) => `${JSON.stringify(name)}:${jsonText(value)}`)
      .join(',')}}`;
  }
  if (typeof place.value === 'number') return String(place.exactScalar());
  return JSON.stringify(place.value satisfies JsonValue);
}
