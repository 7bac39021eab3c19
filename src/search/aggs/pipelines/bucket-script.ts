/** `bucket_script` and `bucket_selector`: a script over values of each bucket. */
import type { Place } from '../../body/place.js';
import { readText } from '../../body/read.js';
import type { ScriptPlan } from '../../plan/query-plan.js';
import { readScript } from '../../script/read-script.js';
import { readMembers, type AggregationParser } from '../aggregation-parser.js';
import { flatPath } from './buckets-path.js';
import { readGapPolicy, type GapPolicyPlan } from './pipeline-options.js';

/** Name of the value of a `buckets_path` that names none. */
const ONLY_VALUE = '_value';

export function bucketScript(kind: 'bucket_script' | 'bucket_selector'): AggregationParser {
  return {
    name: kind,
    takesChildren: false,
    pipeline: 'parent',
    parse(place, context) {
      let paths: readonly (readonly [string, string])[] | undefined;
      let script: ScriptPlan | undefined;
      let gaps: GapPolicyPlan = 'skip';
      let format: string | undefined;
      readMembers(place, kind, {
        buckets_path: (value) => void (paths = readPaths(value)),
        script: (value) => void (script = readScript(value)),
        gap_policy: (value) => void (gaps = readGapPolicy(value)),
        ...(kind === 'bucket_script' ? { format: (value: Place) => void (format = readText(value)) } : {}),
      });
      if (paths === undefined) {
        throw place.error(`Missing required field [buckets_path] for ${kind} aggregation [${context.name}]`);
      }
      if (script === undefined) {
        throw place.error(`Missing required field [script] for ${kind} aggregation [${context.name}]`);
      }
      paths.forEach(([, path]) => {
        context.noteInput(path);
      });
      const inputs = paths.map(([name, path]) => ({ name, path: flatPath(path) }));
      return { pipeline: { [kind]: { inputs, gaps, script, ...(format === undefined ? {} : { format }) } } };
    },
  };
}

/** An object of paths by name, a list of paths that are called `_value0` and so on, or one path. */
function readPaths(place: Place): readonly (readonly [string, string])[] {
  if (place.isObject) return place.members().map(([name, path]) => [name, readText(path)] as const);
  if (place.isArray) return place.items().map((path, at) => [`${ONLY_VALUE}${at}`, readText(path)] as const);
  return [[ONLY_VALUE, readText(place)]];
}
