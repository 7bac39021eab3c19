/** Processors of lists: `append`, `join`, `sort`, `split`. */
import { illegalArgument } from '../../base/errors.js';
import { numberOf, printValue, typeName, type IngestValue } from '../document/values.js';
import { LinearRegex } from '../../base/linear-regex.js';
import { defineProcessor } from '../processor.js';
import { templateOption, valueTemplate } from '../templates.js';
import { listField, textField } from './field-values.js';

export const append = defineProcessor('append', (options) => {
  const field = templateOption(options, 'field');
  const copyFrom = options.optionalText('copy_from');
  const value = copyFrom === undefined ? valueTemplate(options.required('value')) : undefined;
  const allowDuplicates = options.flag('allow_duplicates', true);
  const ignoreEmpty = options.flag('ignore_empty_values');
  if (copyFrom !== undefined && options.has('value')) {
    throw options.error('copy_from', 'cannot set both `copy_from` and `value` in the same processor');
  }
  return (document) => {
    const added = value === undefined ? document.copyOf(document.get(copyFrom ?? '')) : value(document);
    const isKept = (item: IngestValue): boolean => !ignoreEmpty || (item !== null && item !== '');
    const kept = (Array.isArray(added) ? added : [added]).filter(isKept);
    if (kept.length > 0 || !ignoreEmpty) document.append(field(document), kept, allowDuplicates);
  };
});

export const join = defineProcessor('join', (options) => {
  const field = options.text('field');
  const separator = options.text('separator');
  const target = options.optionalText('target_field', field);
  return (document) => {
    const items = listField(document, field, 'cannot join.');
    document.set(target, items.map(printValue).join(separator));
  };
});

export const sort = defineProcessor('sort', (options) => {
  const field = options.text('field');
  const target = options.optionalText('target_field', field);
  const order = options.optionalText('order', 'asc').toLowerCase();
  if (order !== 'asc' && order !== 'desc')
    throw options.error('order', `Sort direction [${order}] not recognized. Valid values are: [asc, desc]`);
  const sign = order === 'asc' ? 1 : -1;
  return (document) => {
    const items = listField(document, field, 'cannot sort.');
    document.set(
      target,
      [...items].sort((left, right) => sign * compare(left, right)),
    );
  };
});

export const split = defineProcessor('split', (options) => {
  const field = options.text('field');
  const separator = new LinearRegex(options.text('separator'));
  const ignoreMissing = options.flag('ignore_missing');
  const preserveTrailing = options.flag('preserve_trailing');
  const target = options.optionalText('target_field', field);
  return (document) => {
    const text = textField(document, field, ignoreMissing, 'cannot split.');
    if (text !== undefined) document.set(target, splitText(text, separator, preserveTrailing));
  };
});

/** Empty parts at the end are left out unless they are asked for. */
export function splitText(text: string, separator: LinearRegex, preserveTrailing: boolean, limit = Infinity): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of separator.matches(text)) {
    if (parts.length + 1 >= limit) break;
    // A match of nothing at the beginning separates nothing.
    if (end === 0 || (end === start && start >= text.length)) continue;
    parts.push(text.slice(from, start));
    from = end;
  }
  parts.push(text.slice(from));
  if (!preserveTrailing) while (parts.length > 1 && parts.at(-1) === '') parts.pop();
  return parts;
}

function compare(left: IngestValue, right: IngestValue): number {
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  const [first, second] = [numberOf(left), numberOf(right)];
  if (first !== undefined && second !== undefined) return first - second;
  throw illegalArgument(`class ${typeName(left)} cannot be cast to class ${typeName(right)}`);
}
