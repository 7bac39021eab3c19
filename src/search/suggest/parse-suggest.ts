/** `suggest` of a search: suggestions by name, each with a text and one suggester. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { Place } from '../body/place.js';
import { readText } from '../body/read.js';
import type { SearchSettings } from '../settings.js';
import { parseCompletion } from './parse-completion.js';
import { parsePhrase } from './parse-phrase.js';
import {
  commonOf,
  readCommon,
  readSpell,
  spellOf,
  textOf,
  type CommonDraft,
  type SpellDraft,
  type SuggestTexts,
} from './suggest-options.js';
import type { Suggestion } from './suggest-plan.js';

/** Suggestions of one request: each is work for every shard. */
const SUGGESTIONS_MAX = 100;

type ParseSuggester = (name: string, place: Place, texts: SuggestTexts, settings: SearchSettings) => Suggestion;

const SUGGESTERS: Readonly<Record<string, ParseSuggester>> = {
  term: parseTerm,
  phrase: parsePhrase,
  completion: parseCompletion,
};

/** In the order of their names, as they are answered. */
export function parseSuggest(place: Place, settings: SearchSettings): readonly Suggestion[] {
  if (!place.isObject) throw place.error(`Expected [START_OBJECT] in [suggest] but found [${place.token}]`);
  const members = place.members();
  const global = members.find(([name, value]) => name === 'text' && value.isScalar);
  const text = global === undefined ? undefined : readText(global[1]);
  const suggestions: Suggestion[] = [];
  for (const [name, value] of members) {
    if (value === global?.[1]) continue;
    if (value.isScalar) throw value.error(`[suggest] does not support [${name}]`);
    if (!value.isObject) throw value.error(`unexpected token [${value.token}] after [${name}]`);
    suggestions.push(parseSuggestion(name, value, text, settings));
  }
  if (suggestions.length > SUGGESTIONS_MAX) {
    throw illegalArgument(`[suggest] has at most [${SUGGESTIONS_MAX}] suggestions, but found [${suggestions.length}]`);
  }
  return suggestions.sort(({ name: left }, { name: right }) => (left < right ? -1 : 1));
}

function parseSuggestion(name: string, place: Place, text: string | undefined, settings: SearchSettings): Suggestion {
  const texts: SuggestTexts = {};
  let found: { readonly parse: ParseSuggester; readonly value: Place } | undefined;
  for (const [key, value] of place.members()) {
    if (value.isScalar) {
      if (key !== 'text' && key !== 'prefix' && key !== 'regex') {
        throw value.error(`suggestion does not support [${key}]`);
      }
      texts[key] = readText(value);
      continue;
    }
    const parse = Object.hasOwn(SUGGESTERS, key) ? SUGGESTERS[key] : undefined;
    if (parse === undefined || !value.isObject) throw value.error(`Unknown suggester [${key}]`);
    if (found !== undefined) throw value.error(`suggestion [${name}] has more than one suggester`);
    found = { parse, value };
  }
  if (found === undefined) throw new QuarryError('parse_exception', 'missing suggestion object');
  const isOwn = texts.text !== undefined || texts.prefix !== undefined || texts.regex !== undefined;
  return found.parse(name, found.value, isOwn || text === undefined ? texts : { text }, settings);
}

function parseTerm(name: string, place: Place, texts: SuggestTexts): Suggestion {
  const common: CommonDraft = {};
  const spell: SpellDraft = {};
  for (const [option, value] of place.members()) {
    if (!value.isScalar) throw value.error(`suggester[term] parsing failed on [${option}]`);
    if (readCommon(common, option, value) || readSpell(spell, option, value)) continue;
    throw value.error(`suggester[term] doesn't support field [${option}]`);
  }
  const { size, shardSize, field, analyzer } = commonOf(common);
  const plan = {
    text: textOf(texts),
    field,
    ...(analyzer === undefined ? {} : { analyzer }),
    shard_size: shardSize,
    spell: spellOf(spell),
  };
  return { name, plan: { term: plan }, size };
}
