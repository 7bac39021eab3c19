/** What a simulated run looks like in the answer. */
import type { QuarryError } from '../../base/errors.js';
import { METADATA } from '../../ingest/document/metadata.js';
import type { IngestDocument } from '../../ingest/document/ingest-document.js';
import { fromJson, printValue, putMember, type IngestObject, type IngestValue } from '../../ingest/document/values.js';
import type { Simulated, SimulatedStep } from '../../ingest/simulate.js';
import { errorBody } from '../error-body.js';

/** A document that was dropped is null. */
export function renderSimulated(simulated: Simulated): IngestValue {
  if ('steps' in simulated) return { processor_results: simulated.steps.map(renderStep) };
  if ('error' in simulated) return { error: renderError(simulated.error) };
  if ('dropped' in simulated) return null;
  return { doc: renderDocument(simulated.document) };
}

function renderStep({ step, outcome, document }: SimulatedStep): IngestObject {
  const rendered: IngestObject = {
    processor_type: step.type,
    status: outcome.kind === 'called' ? 'success' : outcome.kind,
  };
  if (step.description !== undefined) rendered['description'] = step.description;
  if (step.tag !== undefined) rendered['tag'] = step.tag;
  if (step.condition !== undefined && outcome.held !== undefined) {
    rendered['if'] = { condition: step.condition, result: outcome.held };
  }
  if (outcome.kind === 'error_ignored') rendered['ignored_error'] = { error: renderError(outcome.failure.error) };
  if (outcome.kind === 'error') rendered['error'] = renderError(outcome.failure.error);
  if (document !== undefined) rendered['doc'] = renderDocument(document);
  return rendered;
}

function renderError(error: QuarryError): IngestValue {
  return fromJson(errorBody(error, { errorTrace: false }).body['error'] ?? null);
}

/** Metadata as texts beside the source. */
function renderDocument(document: IngestDocument): IngestObject {
  const rendered: IngestObject = {};
  const source: IngestObject = {};
  for (const name of METADATA) {
    const value = Object.hasOwn(document.root, name) ? document.root[name] : undefined;
    if (value !== undefined && value !== null) rendered[name] = printValue(value);
  }
  for (const [name, value] of Object.entries(document.root)) {
    if (!(METADATA as readonly string[]).includes(name)) putMember(source, name, value);
  }
  return { ...rendered, _source: source, _ingest: { ...document.ingest } };
}
