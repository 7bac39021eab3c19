/** `date` and `date_index_name`: dates that a text holds, and indices named by them. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { DatePattern } from '../dates/date-pattern.js';
import { dateReader, type ReadDate } from '../dates/date-format.js';
import type { Moment } from '../dates/moment.js';
import { msOf } from '../dates/moment.js';
import type { IngestDocument } from '../document/ingest-document.js';
import { printValue } from '../document/values.js';
import { defineProcessor } from '../processor.js';
import { textTemplate, type TextTemplate } from '../templates.js';

const OUTPUT = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX";

export const date = defineProcessor('date', (options) => {
  const field = options.text('field');
  const target = options.optionalText('target_field', '@timestamp');
  const zone = optionalTemplate(options.optionalText('timezone'), 'UTC');
  const locale = options.optionalText('locale', 'en');
  const formats = options.texts('formats');
  const output = options.optionalText('output_format', OUTPUT);
  const isTemplate = locale.includes('{{');
  const localeOf = textTemplate(locale);
  let writer: DatePattern;
  try {
    writer = new DatePattern(output);
  } catch {
    throw options.error('output_format', `invalid output format [${output}]`);
  }
  const fixed = isTemplate ? undefined : formats.map((format) => dateReader(format, locale));
  return (document) => {
    const text = document.get(field);
    if (text === null) throw illegalArgument(`unable to parse date [null]`);
    const readers = fixed ?? formats.map((format) => dateReader(format, localeOf(document)));
    const place = normalZone(zone(document));
    const moment = readFirst(readers, printValue(text), place, document);
    document.set(target, writer.format(moment, place));
  };
});

const ROUNDING = ['y', 'M', 'w', 'd', 'h', 'm', 's'];
const INPUT = ["yyyy-MM-dd'T'HH:mm:ss.SSSXX"];

export const dateIndexName = defineProcessor('date_index_name', (options) => {
  const field = options.text('field');
  const prefix = optionalTemplate(options.optionalText('index_name_prefix'), '');
  const rounding = optionalTemplate(options.text('date_rounding'), '');
  const locale = options.optionalText('locale', 'en');
  const zone = normalZone(options.optionalText('timezone', 'UTC'));
  const readers = (options.optionalTexts('date_formats') ?? INPUT).map((format) => dateReader(format, locale));
  const nameFormat = optionalTemplate(options.optionalText('index_name_format'), 'yyyy-MM-dd');
  return (document) => {
    const text = document.get(field);
    if (text === null) throw illegalArgument('unable to parse date [null]');
    const moment = readFirst(readers, printValue(text), zone, document);
    const step = rounding(document);
    if (!ROUNDING.includes(step)) throw illegalArgument(`unsupported date rounding [${step}]`);
    const format = nameFormat(document);
    const written = new DatePattern(format).format(moment, zone);
    document.set('_index', `<${prefix(document)}{${written}||/${step}{${format}|${zone}}}>`);
  };
});

function optionalTemplate(text: string | undefined, fallback: string): TextTemplate {
  return textTemplate(text ?? fallback);
}

function normalZone(zone: string): string {
  return zone === 'Z' || zone === 'GMT' || zone === '' ? 'UTC' : zone;
}

function readFirst(readers: readonly ReadDate[], text: string, zone: string, document: IngestDocument): Moment {
  let cause: unknown;
  const nowMs = nowOf(document);
  for (const read of readers) {
    try {
      const moment = read(text, { zone, nowMs });
      if (!Number.isFinite(msOf(moment))) throw illegalArgument('it is out of range');
      return moment;
    } catch (error) {
      cause = error;
    }
  }
  throw new QuarryError('illegal_argument_exception', `unable to parse date [${text}]`, { cause });
}

/** The moment at which the pipelines began. */
function nowOf(document: IngestDocument): number {
  const timestamp = document.ingest['timestamp'];
  return typeof timestamp === 'string' ? Date.parse(timestamp) : 0;
}
