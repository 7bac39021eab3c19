/** `script_fields`: values that scripts compute for each hit. */
import { illegalArgument } from '../../base/errors.js';
import type { Place } from '../body/place.js';
import { readBoolean } from '../body/read.js';
import type { ScriptPlan } from '../plan/query-plan.js';
import type { ScriptFieldPlan } from '../plan/search-plan.js';
import { readScript } from '../script/read-script.js';
import type { SearchSettings } from '../settings.js';

export function readScriptFields(place: Place): readonly ScriptFieldPlan[] {
  if (!place.isObject) throw place.error(`Expected [START_OBJECT] in [script_fields] but found [${place.token}]`);
  return place.members().map(([name, value]) => readField(name, value));
}

function readField(name: string, place: Place): ScriptFieldPlan {
  if (!place.isObject) throw place.error(`Expected [START_OBJECT] in [${name}] but found [${place.token}]`);
  let script: ScriptPlan | undefined;
  let ignoreFailure = false;
  for (const [key, value] of place.members()) {
    if (key === 'script') script = readScript(value);
    else if (key === 'ignore_failure') ignoreFailure = readBoolean(value);
    else throw value.error(`Unknown key for a ${value.token} in [${key}].`);
  }
  if (script === undefined) throw place.error(`[script_fields] [${name}] requires a 'script' element`);
  return { name, script, ignore_failure: ignoreFailure };
}

export function checkScriptFields(fields: readonly ScriptFieldPlan[], settings: SearchSettings): void {
  const { maxScriptFields } = settings;
  if (fields.length <= maxScriptFields) return;
  throw illegalArgument(
    `Trying to retrieve too many script_fields. Must be less than or equal to: [${maxScriptFields}] but was ` +
      `[${fields.length}]. This limit can be set by changing the [index.max_script_fields] index level setting.`,
  );
}
