/**
 * Index names that hold a date expression: `<logs-{now/d{yyyy.MM.dd|+01:00}}>`.
 *
 * Static text, and in braces an expression (`now` with `+1d`, `-2h`, `/d` steps), then in inner braces the format and,
 * after a bar, the time zone. `\{` and `\}` are braces of the text.
 */
import { QuarryError } from '../../base/errors.js';
import { formatDate } from './date-format.js';
import { addUnits, roundDown } from './date-steps.js';

const DEFAULT_FORMAT = 'yyyy.MM.dd';

/** The name with its expressions evaluated; a name without angle brackets comes back as it is. */
export function resolveDateMathName(expression: string, nowMs: number): string {
  if (!expression.startsWith('<') || !expression.endsWith('>')) return expression;
  const inner = expression.slice(1, -1);
  let name = '';
  for (let at = 0; at < inner.length;) {
    const character = inner[at] ?? '';
    if (character === '\\' && /[{}]/.test(inner[at + 1] ?? '')) {
      name += inner[at + 1] ?? '';
      at += 2;
    } else if (character === '{') {
      const end = closingBrace(inner, at, expression);
      name += evaluatePlaceholder(inner.slice(at + 1, end), expression, nowMs);
      at = end + 1;
    } else if (character === '}') {
      throw invalid(
        expression,
        `invalid character at position [${at}]. \`{\` and \`}\` are reserved characters and should be escaped when used as ` +
          'part of the index name using `\\` (e.g. `\\{text\\}`)',
      );
    } else {
      name += character;
      at += 1;
    }
  }
  if (name === '') throw invalid(expression, 'nothing captured');
  return name;
}

function closingBrace(text: string, open: number, expression: string): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  throw invalid(expression, 'date math placeholder is open ended');
}

function evaluatePlaceholder(placeholder: string, expression: string, nowMs: number): string {
  const brace = placeholder.indexOf('{');
  if (brace < 0) return formatDate(evaluate(placeholder, expression, nowMs, 'UTC'), DEFAULT_FORMAT, 'UTC');
  if (!placeholder.endsWith('}')) throw invalid(expression, 'missing closing `}` for date math format');
  const [format = '', zone = 'UTC'] = placeholder.slice(brace + 1, -1).split('|');
  if (format === '') throw invalid(expression, 'missing date format');
  return formatDate(evaluate(placeholder.slice(0, brace), expression, nowMs, zone), format, zone);
}

/** `now` or an ISO date followed by `||`, then steps. Rounding is down, in the zone. */
function evaluate(math: string, expression: string, nowMs: number, zone: string): number {
  const anchored = /^(?:now|(\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?)\|\|)/.exec(math.trim());
  if (anchored === null) throw cannotParse(math);
  let millis =
    anchored[1] === undefined
      ? nowMs
      : Date.parse(anchored[1].includes('T') ? anchored[1] : `${anchored[1]}T00:00:00Z`);
  if (Number.isNaN(millis)) throw cannotParse(math);
  let rest = math.trim().slice(anchored[0].length);
  while (rest !== '') {
    const step = /^(?:([+-])(\d*)|\/)([yMwdhHms])/.exec(rest);
    if (step === null) throw cannotParse(math);
    const [whole, sign, amount, unit = ''] = step;
    millis =
      sign === undefined
        ? roundDown(millis, unit, zone)
        : addUnits(millis, (sign === '-' ? -1 : 1) * Number(amount === '' ? '1' : amount), unit, zone);
    rest = rest.slice(whole.length);
  }
  return millis;

  function cannotParse(text: string): QuarryError {
    return new QuarryError('parse_exception', `failed to parse date field [${text}] of [${expression}] as date math`);
  }
}

function invalid(expression: string, fault: string): QuarryError {
  return new QuarryError('parse_exception', `invalid dynamic name expression [${expression}]. ${fault}`);
}
