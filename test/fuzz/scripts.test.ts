/** Scripts by the million, run by the kernels as nodes have them: each is refused, fails or ends, and nothing ends the process. */
import { expect, test } from 'vitest';
import type { Chance } from '../../bench/compare/chance.js';
import { Cancellation } from '../../src/base/cancellation.js';
import { QuarryError } from '../../src/base/errors.js';
import {
  compileInlineScript,
  configureScripts,
  executeScript,
  runScript,
  scriptContexts,
} from '../../src/native/scripts.js';
import { damaged, fuzz, FUZZ_TIMEOUT_MS } from './fuzz.js';

const SCRIPTS = [
  'int total = 0; for (int i = 0; i < 10; ++i) { total += i * params.factor } return total',
  "def list = [1, 'two', 3.0, null]; list.add(params.x); list.sort((a, b) -> 0); return list.size()",
  "Map m = ['a': 1, 'b': [2, 3]]; m.computeIfAbsent('c', k -> k.length()); return m.entrySet().size()",
  "String s = 'banana'; return s.replace('a', 'o').substring(1, 4).toUpperCase().indexOf('N') + s.hashCode()",
  "if (params.x instanceof String) { return params.x.length() } else if (params.x > 3) { return 'big' } return null",
  "ZonedDateTime d = ZonedDateTime.parse('2020-02-29T12:30:00Z'); return d.plusYears(1).withDayOfMonth(3).toString()",
  'long f(int n) { return n < 2 ? 1 : n * f(n - 1) } return f(5)',
  "def m = /([a-z]+)(\\d*)/.matcher('abc123'); return m.find() ? m.group(1) : 'none'",
  'int[] a = new int[] {3, 1, 2}; Arrays.sort(a); a[0] <<= 2; return a[0] ^ a[a.length - 1]',
  "try { throw new IllegalArgumentException('no') } catch (Exception e) { return e.getMessage() }",
  "StringBuilder b = new StringBuilder(); for (x in ['a', 'b']) { b.append(x).append((char)65) } return b.toString()",
  'return params.list.stream().filter(x -> x > 1).map(x -> x * 2).collect(Collectors.toList())',
  'double x = Math.pow(2, 0.5) + Math.abs(-3) % 2; float y = (float)x; return Double.compare(x, y)',
  'def i = 0; while (true) { if (i++ > 5) break; do { i += 2 } while (i < 3); continue } return i',
  "Set s = new TreeSet(['b', 'a']); Iterator it = s.iterator(); it.next(); it.remove(); return s.contains('b') ?: 'x'",
  'Duration d = Duration.ofSeconds(90); return d.toMinutes() + Instant.ofEpochMilli(0L).getEpochSecond()',
  "ctx._source.n = ctx._source.n == null ? 1 : ctx._source.n + 1; ctx.op = 'none'; ctx._source.remove('gone')",
  "ctx.tags = ctx.tags?.splitOnToken(','); ctx['new field'] = ['a': ctx.n, 'b': [ctx.n, ctx.n]]; ctx.remove('n')",
  "return params['_source'] == null ? doc['n'].value : _score * doc['n'].size()",
  "emit(doc['n'].value + 1); emit('x')",
];
const EXPRESSIONS = [
  "doc['n'].value * 2 + _score",
  'sin(1) > 0 ? max(2, 3) : -1',
  "doc['d'].getYear() % 4 == 0 || !(1 << 3)",
];
const PIECES = [
  ...[
    'int ',
    'def ',
    'String ',
    'x',
    'params',
    'ctx',
    '.',
    '?.',
    '?:',
    '::',
    '->',
    '=~',
    '==~',
    '===',
    '>>>=',
    '++',
    ';',
  ],
  ...[
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    ',',
    ':',
    '?',
    '!',
    '~',
    '-',
    '*',
    '/',
    '%',
    '<',
    '&&',
    '||',
    '=',
    '"',
    "'",
    '\\',
    '//',
  ],
  ...[
    '2147483647',
    '-2147483648',
    '9223372036854775807L',
    '1e308',
    '0x7f',
    '1f',
    'null',
    'true',
    'new ',
    'return ',
    'this',
  ],
  ...[
    'while (true) {}',
    'for (;;)',
    'for (x in params.list)',
    'if (',
    'else ',
    'throw ',
    'try {',
    'catch (',
    'instanceof ',
  ],
  ...[
    '(a, b) -> a',
    'Math.abs',
    '.length()',
    '.add(',
    '.get(0)',
    '.sort(null)',
    '.repeat(1000)',
    '.toString()',
    '[:]',
    '[]',
  ],
  ...[
    'ArrayList',
    'HashMap()',
    'new int[9]',
    'List',
    'Collections',
    '/a+(b|c)*/',
    '_score',
    "doc['n']",
    'emit(',
    '/*',
    '*/',
  ],
];
const PARAMS = { factor: 3, x: 'text', list: [1, 2, 3], m: {}, nothing: null };
const DOCUMENT = '{"n":4,"tags":"a,b","list":[1,{"deep":null}],"_source":{"n":1,"gone":true},"op":"index"}';
const DOCUMENT_CONTEXTS = ['ingest', 'processor_conditional', 'reindex', 'update', 'update_by_query'] as const;
/** What scripts may be refused with, or fail with. */
const REFUSALS = new Set(['script_exception', 'illegal_argument_exception', 'general_script_exception']);

/** Halves of surrogate pairs come with no request. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

function check(error: unknown, source: string): void {
  const type = error instanceof QuarryError ? error.type : 'none of ours';
  if (!REFUSALS.has(type)) throw new Error(`${JSON.stringify(source)} ended with [${type}]: ${String(error)}`);
}

function survive(source: string, run: () => unknown): void {
  try {
    run();
  } catch (error) {
    check(error, source);
  }
}

function tryInContext(chance: Chance, source: string, contexts: readonly string[]): void {
  const params = JSON.stringify(PARAMS);
  survive(source, () =>
    chance.one<unknown>(
      () => executeScript(JSON.stringify({ source, params })),
      () => executeScript(JSON.stringify({ source, params })),
      () => compileInlineScript({ source }, chance.pick(contexts)),
      () => {
        const outcome = runScript({ source, params }, chance.pick(DOCUMENT_CONTEXTS), DOCUMENT, new Cancellation());
        if ('error' in outcome) check(outcome.error, source);
      },
    ),
  );
}

test(
  'scripts',
  async () => {
    configureScripts({
      max_size_in_bytes: 65_535,
      cache_max_size: 100,
      cache_expire_ms: 0,
      max_compilations: null,
      regex_limit_factor: 6,
      allowed_contexts: null,
      allows_inline: true,
      allows_stored: true,
    });
    const contexts = scriptContexts().map(({ name }) => name);
    const ofExpressions = scriptContexts().flatMap(({ name, expression }) => (expression ? [name] : []));
    expect(ofExpressions.length).toBeGreaterThan(0);
    await fuzz({ what: 'scripts' }, (chance) => {
      if (chance.yes(0.1)) {
        const source = wellFormed(damaged(chance.pick(EXPRESSIONS), chance, PIECES));
        survive(source, () => compileInlineScript({ lang: 'expression', source }, chance.pick(ofExpressions)));
      } else tryInContext(chance, wellFormed(damaged(chance.pick(SCRIPTS), chance, PIECES)), contexts);
    });
  },
  FUZZ_TIMEOUT_MS,
);
