/** `json`: the value that a text holds as JSON. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import {
  isObject,
  parseValue,
  printValue,
  putMember,
  typeName,
  type IngestObject,
  type IngestValue,
} from '../document/values.js';
import { defineProcessor } from '../processor.js';

export const json = defineProcessor('json', (options) => {
  const field = options.text('field');
  const givenTarget = options.optionalText('target_field');
  const target = givenTarget ?? field;
  const addToRoot = options.flag('add_to_root');
  const strategy = options.optionalText('add_to_root_conflict_strategy', 'replace').toLowerCase();
  const isStrict = options.flag('strict_json_parsing', true);
  if (options.flag('allow_duplicate_keys'))
    throw options.error('allow_duplicate_keys', 'cannot be true: keys are unique');
  if (addToRoot && givenTarget !== undefined) {
    throw options.error('target_field', 'Cannot set a target field while also setting `add_to_root` to true');
  }
  if (strategy !== 'replace' && strategy !== 'merge') {
    throw options.error(
      'add_to_root_conflict_strategy',
      `conflict strategy [${strategy}] not supported, cannot convert field.`,
    );
  }
  return (document) => {
    const value = parse(document.get(field), isStrict);
    if (!addToRoot) {
      document.set(target, value);
      return;
    }
    if (!isObject(value)) throw illegalArgument('cannot add non-map fields to root of document');
    if (strategy === 'merge') merge(document.root, value);
    else for (const [name, member] of Object.entries(value)) putMember(document.root, name, member);
  };
});

function parse(value: IngestValue, isStrict: boolean): IngestValue {
  if (typeof value === 'object' && value !== null)
    throw illegalArgument(`cannot parse a value of type [${typeName(value)}] as JSON`);
  const text = printValue(value);
  try {
    return parseValue(text);
  } catch (error) {
    const first = isStrict ? undefined : /^\s*(?:-?\d+(?:\.\d+)?|true|false|null)(?=[\s\d.a-zA-Z])/.exec(text)?.[0];
    if (first !== undefined) return parseValue(first);
    throw error instanceof QuarryError
      ? new QuarryError('illegal_argument_exception', error.message, { cause: error })
      : error;
  }
}

function merge(into: IngestObject, added: IngestObject): void {
  for (const [name, value] of Object.entries(added)) {
    const before = Object.hasOwn(into, name) ? into[name] : undefined;
    if (isObject(before) && isObject(value)) merge(before, value);
    else putMember(into, name, value);
  }
}
