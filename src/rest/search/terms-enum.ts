/** `POST {index}/_terms_enum`: terms of a field that begin with a text, for suggestions while somebody types. */
import { searchTargets } from '../../actions/searches/shards/search-targets.js';
import { renderShards } from '../../actions/searches/shards/shard-failures.js';
import { termsEnum, type TermsEnumRequest } from '../../actions/searches/terms-enum.js';
import { parseTimeMs } from '../../base/units.js';
import { Place } from '../../search/body/place.js';
import { readBoolean, readInt, readText } from '../../search/body/read.js';
import { validationFailure } from '../../search/request/combinations.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { indicesOptionsParameters } from '../parameters.js';
import { searchScope } from './search-parameters.js';

const SIZE = 10;
const SIZE_MAX = 10_000;
const TIMEOUT_MS = 1_000;
const TIMEOUT_MS_MAX = 60_000;

export const termsEnumEndpoint = defineEndpoint({
  name: 'terms_enum',
  action: 'indices:data/read/xpack/termsenum/list',
  methods: ['GET', 'POST'],
  paths: ['/{index}/_terms_enum'],
  parameters: indicesOptionsParameters,
  body: 'json',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters, body }, context) {
    const asked = readTermsEnum(Place.ofBody(body.isEmpty ? undefined : body));
    const scope = searchScope(parts.index, { ...parameters, preference: undefined, routing: undefined });
    const targets = searchTargets(context.clusterState(), scope, context.clock.nowMs());
    const { terms, isComplete, shards } = await termsEnum({ ...asked, targets }, context);
    const { skipped: _, ...counts } = renderShards(shards);
    return answerValue({ _shards: counts, terms, complete: isComplete });
  },
});

type Asked = Omit<TermsEnumRequest, 'targets'>;
type Draft = { -readonly [Member in keyof Asked]: Asked[Member] };
type Reader = (draft: Draft, value: Place) => void;

const READERS: Readonly<Record<string, Reader>> = {
  field: (draft, value) => {
    draft.field = readText(value);
  },
  string: (draft, value) => {
    draft.text = readText(value);
  },
  size: (draft, value) => {
    draft.size = readInt(value);
  },
  case_insensitive: (draft, value) => {
    draft.caseInsensitive = readBoolean(value);
  },
  search_after: (draft, value) => {
    draft.after = readText(value);
  },
  index_filter: (draft, value) => {
    draft.filter = value;
  },
  timeout: (draft, value) => {
    draft.timeoutMs = parseTimeMs(readText(value), 'timeout');
  },
};

function readTermsEnum(body: Place): Asked {
  const draft: Draft = {
    field: '',
    text: '',
    size: SIZE,
    caseInsensitive: false,
    after: undefined,
    filter: undefined,
    timeoutMs: TIMEOUT_MS,
  };
  for (const [name, value] of body.members()) {
    const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    if (read === undefined) throw value.errorWithPlace(`[terms_enum_request] unknown field [${name}]`);
    read(draft, value);
  }
  const problems: string[] = [];
  if (draft.field === '') problems.push('field cannot be null');
  if (draft.size <= 0 || draft.size > SIZE_MAX) problems.push(`size must be between 1 and ${SIZE_MAX}`);
  if (draft.timeoutMs > TIMEOUT_MS_MAX) problems.push('Timeout cannot be > 1 minute');
  if (problems.length > 0) throw validationFailure(problems);
  return draft;
}
