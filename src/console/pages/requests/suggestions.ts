/** What may be meant by what was typed so far: paths of endpoints with names of indices in them, and words of bodies. */

/** As `/_console/endpoints.json` lists them. */
export interface Endpoint {
  /** Of the operation, which several routes may lead to. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Names of its own parameters, or `name=value|value`, with commas between them. */
  readonly parameters: string;
}

/** Of all endpoints. */
const COMMON_PARAMETERS = ['error_trace=true|false', 'filter_path', 'human=true|false', 'pretty=true|false'];
const SUGGESTIONS_MAX = 12;

/** Paths that go on from what was typed. Parts in braces are filled with names of indices where they are meant, and stay as they are where not. */
export function suggestPaths(
  typed: string,
  method: string,
  endpoints: readonly Endpoint[],
  indices: readonly string[],
): readonly string[] {
  const [path = '', query] = typed.split('?');
  if (query !== undefined) return suggestParameters(typed, path, method, endpoints);
  const words = path.replace(/^\/+/, '').split('/');
  const found = new Set<string>();
  for (const endpoint of endpoints) {
    if (endpoint.method !== method && !(method === 'GET' && endpoint.method === 'POST')) continue;
    for (const each of fill(segmentsOf(endpoint.path), words, indices)) {
      if (each !== path) found.add(each);
    }
  }
  return [...found].sort(byLength).slice(0, SUGGESTIONS_MAX);
}

/** What the last parameter of the query may become, with all that stands before it. */
function suggestParameters(
  typed: string,
  path: string,
  method: string,
  endpoints: readonly Endpoint[],
): readonly string[] {
  const begin = Math.max(typed.lastIndexOf('?'), typed.lastIndexOf('&')) + 1;
  const before = typed.slice(0, begin);
  const [word = '', value] = typed.slice(begin).split('=', 2);
  const hints = parametersOf(path, method, endpoints);
  if (value !== undefined) {
    const values = hints.get(word) ?? [];
    return values.filter((each) => each.startsWith(value) && each !== value).map((each) => `${before}${word}=${each}`);
  }
  const given = new Set(before.split(/[?&]/).map((part) => part.split('=', 1)[0]));
  const names = [...hints.keys()].filter((name) => name.startsWith(word) && !given.has(name));
  return names
    .sort()
    .slice(0, SUGGESTIONS_MAX)
    .map((name) => `${before}${name}=`);
}

/** Of all endpoints that the path leads to: names with what each may be, none where that is open. */
function parametersOf(
  path: string,
  method: string,
  endpoints: readonly Endpoint[],
): ReadonlyMap<string, readonly string[]> {
  const found = endpoints.filter((each) => each.method === method && leadsTo(each.path, path));
  if (found.length === 0) return new Map();
  const hints = [...found.flatMap(({ parameters }) => parameters.split(',')), ...COMMON_PARAMETERS];
  return new Map(
    hints.flatMap((hint) => {
      const [name = '', values] = hint.split('=', 2);
      return name === '' ? [] : [[name, values?.split('|') ?? []] as const];
    }),
  );
}

/** Whether a request for the path is one of the template. */
export function leadsTo(template: string, path: string): boolean {
  const [wanted, given] = [segmentsOf(template), segmentsOf(path)];
  return (
    wanted.length === given.length &&
    wanted.every((segment, at) => (segment.startsWith('{') ? isName(given[at]) : segment === given[at]))
  );
}

function isName(segment: string | undefined): boolean {
  return segment === '_all' || segment?.startsWith('_') === false;
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** The paths that the template can become; none where it cannot go on from what was typed. */
function fill(template: readonly string[], words: readonly string[], indices: readonly string[]): readonly string[] {
  if (template.length < words.length) return [];
  let paths: readonly string[] = [''];
  for (const [at, segment] of template.entries()) {
    const word = words[at];
    const isLast = at === words.length - 1;
    const choices = choicesOf(segment, word, isLast, indices);
    paths = paths.flatMap((path) => choices.map((choice) => (path === '' ? choice : `${path}/${choice}`)));
    if (paths.length === 0) return [];
  }
  return paths;
}

function choicesOf(
  segment: string,
  word: string | undefined,
  isLast: boolean,
  indices: readonly string[],
): readonly string[] {
  const isPart = segment.startsWith('{');
  if (word === undefined) return [segment];
  if (!isPart) return (isLast ? segment.startsWith(word) : segment === word) ? [segment] : [];
  if (word.startsWith('_') || (word === '' && isLast && segment !== '{index}')) return [];
  if (isLast && segment === '{index}') {
    const names = indices.filter((name) => name.startsWith(word));
    return names.length > 0 ? names.slice(0, SUGGESTIONS_MAX) : word === '' ? [] : [word];
  }
  return word === '' ? [] : [word];
}

function byLength(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

/** Members of search bodies and queries that are typed most. */
const BODY_WORDS = [
  ...['query', 'size', 'from', 'sort', 'aggs', '_source', 'fields', 'highlight', 'track_total_hits', 'search_after'],
  ...[
    'bool',
    'must',
    'filter',
    'should',
    'must_not',
    'match',
    'match_all',
    'match_phrase',
    'multi_match',
    'term',
    'terms',
  ],
  ...['range', 'gte', 'lte', 'exists', 'prefix', 'wildcard', 'nested', 'knn', 'query_string', 'function_score', 'ids'],
  ...['field', 'date_histogram', 'histogram', 'avg', 'sum', 'min', 'max', 'cardinality', 'percentiles', 'top_hits'],
  ...['settings', 'mappings', 'aliases', 'properties', 'type', 'number_of_shards', 'number_of_replicas'],
  ...['persistent', 'transient', 'commands', 'doc', 'script'],
];

/** The word that is being typed inside quotes, and what it may become: fields of the index first. */
export function suggestWords(before: string, fields: readonly string[]): { word: string; words: readonly string[] } {
  const word = /"([\w.@-]*)$/.exec(before)?.[1];
  if (word === undefined) return { word: '', words: [] };
  const words = [...fields, ...BODY_WORDS].filter((each) => each.startsWith(word) && each !== word);
  return { word, words: [...new Set(words)].slice(0, SUGGESTIONS_MAX) };
}

interface Properties {
  readonly [name: string]: { readonly properties?: Properties; readonly fields?: Properties };
}

/** By the name of the index. */
export type MappingAnswer = Readonly<Record<string, { readonly mappings?: { readonly properties?: Properties } }>>;

/** Names of all fields of mappings, as `_mapping` answers. */
export function fieldNames(answer: MappingAnswer): readonly string[] {
  const names = new Set<string>();
  const walk = (properties: Properties | undefined, prefix: string): void => {
    for (const [name, field] of Object.entries(properties ?? {})) {
      names.add(prefix + name);
      walk(field.properties, `${prefix}${name}.`);
      walk(field.fields, `${prefix}${name}.`);
    }
  };
  for (const { mappings } of Object.values(answer)) walk(mappings?.properties, '');
  return [...names].sort();
}
