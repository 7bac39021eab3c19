/** `scripted_metric`: scripts that keep a state for each bucket, and make something of it in the end. */
import { illegalArgument } from '../../../base/errors.js';
import type { ScriptPlan } from '../../plan/query-plan.js';
import { readParameters, readScript } from '../../script/read-script.js';
import { readMembers, type AggregationParser } from '../aggregation-parser.js';

const SCRIPTS = ['init', 'map', 'combine', 'reduce'] as const;
type ScriptName = (typeof SCRIPTS)[number];

export const scriptedMetric: AggregationParser = {
  name: 'scripted_metric',
  takesChildren: false,
  parse(place, { name }) {
    const scripts: Partial<Record<ScriptName, ScriptPlan>> = {};
    let parameters = '{}';
    readMembers(place, 'scripted_metric', {
      ...Object.fromEntries(
        SCRIPTS.map((script) => [`${script}_script`, (value) => void (scripts[script] = readScript(value))] as const),
      ),
      params: (value) => void (parameters = readParameters(value)),
    });
    for (const script of ['map', 'combine', 'reduce'] as const) {
      if (scripts[script] === undefined) throw illegalArgument(`[${script}Script] must not be null: [${name}]`);
    }
    const own = Object.entries(scripts).map(([script, plan]) => [script, withParameters(plan, parameters)] as const);
    return { scripted_metric: Object.fromEntries(own) };
  },
};

/** Parameters of the aggregation are those of all its scripts. */
function withParameters(script: ScriptPlan, parameters: string): ScriptPlan {
  const { params = '{}' } = script;
  const both = [params, parameters].map((json) => json.slice(1, -1)).filter((members) => members !== '');
  const names = [params, parameters].map((json) => Object.keys(JSON.parse(json) as object));
  const twice = names[0]?.find((name) => names[1]?.includes(name));
  if (twice !== undefined) {
    throw illegalArgument(`Parameter name \"${twice}\" used in both aggregation and script parameters`);
  }
  return { ...script, params: `{${both.join(',')}}` };
}
