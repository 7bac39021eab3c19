/** How fields that follow the Elastic Common Schema are mapped by their names, whoever sends them. */
import type { JsonObject } from '../../base/json-value.js';

interface Rule {
  readonly name: string;
  readonly mapping: JsonObject;
  /** Of whole paths. */
  readonly paths?: readonly string[];
  /** Of last names. */
  readonly names?: readonly string[];
  /** Kind of JSON value; any but objects where absent. */
  readonly of?: string;
  /** Objects too: they are values of such fields. */
  readonly takesObjects?: boolean;
  readonly except?: string;
}

const TEXT_TOO: JsonObject = { fields: { text: { type: 'match_only_text' } } };
const THOUSANDTHS: JsonObject = { type: 'scaled_float', scaling_factor: 1000 };

/** The first that matches counts. */
const RULES: readonly Rule[] = [
  { name: 'ecs_timestamp', mapping: { type: 'date', ignore_malformed: false }, names: ['@timestamp'] },
  { name: 'ecs_message', mapping: { type: 'match_only_text' }, paths: ['message', '*.message'] },
  { name: 'ecs_non_indexed', mapping: { type: 'keyword', index: false, doc_values: false }, paths: ['event.original'] },
  { name: 'ecs_ip', mapping: { type: 'ip' }, paths: ['ip', '*.ip', '*_ip'], of: 'string' },
  {
    name: 'ecs_wildcard',
    mapping: { type: 'wildcard' },
    paths: ['*.io.text', '*.message_id', '*registry.data.strings', '*url.path'],
  },
  {
    name: 'ecs_wildcard_and_text_by_path',
    mapping: { type: 'wildcard', ...TEXT_TOO },
    paths: ['*.body.content', '*url.full', '*url.original'],
  },
  {
    name: 'ecs_wildcard_and_text_by_name',
    mapping: { type: 'wildcard', ...TEXT_TOO },
    names: ['*command_line', '*stack_trace'],
  },
  {
    name: 'ecs_keyword_and_text',
    mapping: { type: 'keyword', ...TEXT_TOO },
    paths: [
      ...['*.title', '*.executable', '*.name', '*.working_directory', '*.full_name', '*file.path', '*file.target_path'],
      ...['*os.full', 'email.subject', 'vulnerability.description', 'user_agent.original'],
    ],
  },
  {
    name: 'ecs_date',
    mapping: { type: 'date' },
    paths: [
      ...['*.timestamp', '*_timestamp', '*.not_after', '*.not_before', '*.accessed', 'created', '*.created'],
      ...['*.installed', '*.creation_date', '*.ctime', '*.mtime', 'ingested', '*.ingested', '*.start', '*.end'],
    ],
  },
  { name: 'ecs_float', mapping: { type: 'float' }, paths: ['*.score.*', '*_score*'], except: '*.version' },
  { name: 'ecs_usage_fraction', mapping: THOUSANDTHS, paths: ['*.usage'], of: 'double' },
  { name: 'ecs_usage_whole', mapping: THOUSANDTHS, paths: ['*.usage'], of: 'long' },
  { name: 'ecs_geo_point', mapping: { type: 'geo_point' }, paths: ['location', '*.location'], takesObjects: true },
  {
    name: 'ecs_flattened',
    mapping: { type: 'flattened' },
    paths: ['*structured_data', '*exports', '*imports'],
    of: 'object',
  },
  { name: 'strings_to_keywords', mapping: { type: 'keyword', ignore_above: 1024 }, of: 'string' },
];

export const ECS_DYNAMIC_TEMPLATES: readonly JsonObject[] = RULES.map((rule) => ({ [rule.name]: conditions(rule) }));

function conditions({ mapping, paths, names, of, takesObjects, except }: Rule): JsonObject {
  return {
    ...(paths === undefined ? {} : { path_match: paths }),
    ...(names === undefined ? {} : { match: names }),
    ...(except === undefined ? {} : { path_unmatch: except }),
    ...(of === undefined ? {} : { match_mapping_type: of }),
    ...(of === undefined && takesObjects !== true ? { unmatch_mapping_type: 'object' } : {}),
    mapping,
  };
}
