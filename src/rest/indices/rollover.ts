/** `POST {alias}/_rollover/{new_index}`. */
import { rollover } from '../../actions/indices/rollover.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json-value.js';
import { parseConditions } from '../../cluster/data-streams/rollover-conditions.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { acknowledgedParameters, activeShardsParameter, booleanParameter } from '../parameters.js';
import { masterTimeoutMs } from './index-names.js';

const SECTIONS = ['settings', 'mappings', 'aliases', 'conditions'] as const;

export const rolloverEndpoint = defineEndpoint({
  name: 'indices.rollover',
  action: { name: 'indices:admin/rollover', names: ({ parts }) => [parts.index, parts.new_index] },
  methods: ['POST'],
  paths: ['/{index}/_rollover', '/{index}/_rollover/{new_index}'],
  parameters: {
    ...acknowledgedParameters,
    wait_for_active_shards: activeShardsParameter(),
    dry_run: booleanParameter(false),
    lazy: booleanParameter(false),
  },
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, body, sentParameters }, context) {
    const { conditions, ...sections } = readSections(body.object() ?? {});
    const { dry_run: dryRun, lazy } = parameters;
    if (lazy && conditions !== undefined) {
      throw illegalArgument('lazy rollover can be used only without any conditions');
    }
    const answer = await rollover(context, {
      target: parts.index,
      ...(parts.new_index === undefined ? {} : { newIndex: parts.new_index }),
      ...sections,
      conditions: parseConditions(conditions ?? {}),
      dryRun,
      lazy,
      waitForActiveShards: parameters.wait_for_active_shards,
      masterTimeoutMs: masterTimeoutMs(parameters, sentParameters),
      timeoutMs: parameters.timeout,
    });
    return answerValue({
      acknowledged: answer.acknowledged,
      shards_acknowledged: answer.shardsAcknowledged,
      old_index: answer.oldIndex,
      new_index: answer.newIndex,
      rolled_over: answer.rolledOver,
      dry_run: dryRun,
      lazy,
      conditions: answer.conditions,
    });
  },
});

function readSections(body: JsonObject): Partial<Record<(typeof SECTIONS)[number], JsonObject>> {
  const sections: Partial<Record<(typeof SECTIONS)[number], JsonObject>> = {};
  for (const [key, value] of Object.entries(body)) {
    const section = SECTIONS.find((name) => name === key);
    if (section === undefined) throw new QuarryError('x_content_parse_exception', `[rollover] unknown field [${key}]`);
    if (value === null) continue;
    if (!isJsonObject(value))
      throw new QuarryError('x_content_parse_exception', `[rollover] [${key}] must be an object`);
    sections[section] = value;
  }
  return sections;
}
