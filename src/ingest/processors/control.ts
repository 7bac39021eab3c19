/** Processors that steer: `drop`, `fail`, `foreach`, `pipeline`. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { castError } from '../document/ingest-document.js';
import { isObject, memberOf, putMember, type IngestObject, type IngestValue } from '../document/values.js';
import { defineProcessor } from '../processor.js';
import { templateOption } from '../templates.js';
import { valueAt } from './field-values.js';

export const drop = defineProcessor('drop', () => (document) => {
  document.drop();
});

export const fail = defineProcessor('fail', (options) => {
  const message = templateOption(options, 'message');
  return (document) => {
    throw new QuarryError('fail_processor_exception', message(document));
  };
});

export const pipeline = defineProcessor('pipeline', (options) => {
  const name = templateOption(options, 'name');
  const ignoreMissing = options.flag('ignore_missing_pipeline');
  return (document, run) => {
    const id = name(document);
    const called = run.find(id);
    if (called !== undefined) run.pipeline(called, document);
    else if (!ignoreMissing) {
      const reason = `Pipeline processor configured for non-existent pipeline [${id}]`;
      throw new QuarryError('illegal_state_exception', reason);
    }
  };
});

export const foreach = defineProcessor('foreach', (options, environment) => {
  const field = options.text('field');
  const ignoreMissing = options.flag('ignore_missing');
  const definition = options.object('processor');
  if (Object.keys(definition).length !== 1) {
    throw options.error('processor', 'Must specify exactly one processor type');
  }
  const step = environment.compileStep(definition);
  return (document, run) => {
    const values = valueAt(document, field, ignoreMissing);
    if (values === null) {
      if (ignoreMissing) return;
      throw illegalArgument(`field [${field}] is null, cannot loop over its elements.`);
    }
    const { ingest } = document;
    const before = [ingest['_key'], ingest['_value']] as const;
    const visit = (value: IngestValue): IngestValue => {
      ingest['_value'] = value;
      run.step(step, document);
      return memberOf(ingest, '_value') ?? null;
    };
    try {
      if (Array.isArray(values))
        document.set(
          field,
          eachOf(values, visit, () => document.isOver),
        );
      else if (isObject(values)) {
        const changed: IngestObject = {};
        for (const [key, value] of Object.entries(values)) {
          ingest['_key'] = key;
          const after = visit(value);
          if (document.isOver) return;
          const changedKey = memberOf(ingest, '_key');
          putMember(changed, typeof changedKey === 'string' ? changedKey : key, after);
        }
        document.set(field, changed);
      } else throw castError(field, values, 'java.util.List');
    } finally {
      restore(ingest, '_key', before[0]);
      restore(ingest, '_value', before[1]);
    }
  };
});

function eachOf(
  values: readonly IngestValue[],
  visit: (value: IngestValue) => IngestValue,
  isOver: () => boolean,
): IngestValue[] {
  const changed: IngestValue[] = [];
  for (const value of values) {
    changed.push(visit(value));
    if (isOver()) return [...values];
  }
  return changed;
}

function restore(ingest: IngestObject, name: '_key' | '_value', before: IngestValue | undefined): void {
  if (before === undefined) Reflect.deleteProperty(ingest, name);
  else ingest[name] = before;
}
