/** Scripts of pipelines: `script` processors and conditions, run by the kernels over the document as JSON. */
import { Cancellation } from '../base/cancellation.js';
import { compileInlineScript, runScript } from '../native/scripts.js';
import { Place } from '../search/body/place.js';
import { readScript } from '../search/script/read-script.js';
import { isObject, parseValue, putMember, writeValue } from './document/values.js';
import type { ScriptCompiler } from './processor.js';

/** Runs are bounded by the limits of the kernels, and never cancelled. */
const NEVER = new Cancellation();

export const nativeScripts: ScriptCompiler = {
  compile(given, context) {
    const script = readScript(Place.ofValue(given));
    // What a stored script is may change: it is looked up by each run.
    const { source, lang } = script;
    if (source !== undefined) compileInlineScript({ source, ...(lang === undefined ? {} : { lang }) }, context);
    return (document) => {
      const outcome = runScript(script, context, writeValue(document.root), NEVER);
      if ('error' in outcome) throw outcome.error;
      if ('answer' in outcome) return outcome.answer;
      const changed = parseValue(outcome.ctx);
      if (!isObject(changed)) return undefined;
      for (const name of Object.keys(document.root)) Reflect.deleteProperty(document.root, name);
      for (const [name, value] of Object.entries(changed)) putMember(document.root, name, value);
      return undefined;
    };
  },
};
