import { describe, expect, it } from 'vitest';
import { takePipelines } from '../../src/actions/ingest/action-line-pipelines.js';
import { pipelinesOfIndex } from '../../src/actions/ingest/index-pipelines.js';
import { documentOf as documentOfItem } from '../../src/actions/ingest/run-pipelines.js';
import { QuarryError } from '../../src/base/errors.js';
import type { JsonObject, JsonValue } from '../../src/base/json-value.js';
import { createDataStream } from '../../src/cluster/changes/indices/data-streams.js';
import { deletePipelines, putPipeline } from '../../src/cluster/changes/put-pipeline.js';
import { putIndexTemplate } from '../../src/cluster/changes/put-templates.js';
import { markRollover } from '../../src/cluster/changes/indices/rollover.js';
import type { ClusterState } from '../../src/cluster/state.js';
import { parseIndexTemplate } from '../../src/cluster/templates/parse-template.js';
import { Grok, namedPatterns } from '../../src/ingest/patterns/grok.js';
import { clusterOfOneNode, clusterWith, environment, NOW_MS } from '../cluster/support.js';
import { compile, documentOf, process, run } from './support.js';

function refusal(definition: JsonObject): QuarryError {
  try {
    compile(definition);
  } catch (error) {
    if (error instanceof QuarryError) return error;
  }
  throw new Error('the definition was not refused');
}

const SET = { set: { field: 'ran', value: true } };

describe('definitions of pipelines', () => {
  it('are refused by processor, tag and property', () => {
    const { message, details, type } = refusal({ processors: [{ set: { tag: 'fritag' } }] });
    expect([type, message]).toEqual(['parse_exception', '[field] required property is missing']);
    expect(details).toEqual({ property_name: 'field', processor_type: 'set', processor_tag: 'fritag' });
  });

  it('tell everything that is wrong at once', () => {
    const { message, details } = refusal({ processors: [{ set: {} }, { foo: {} }, SET] });
    expect(message).toBe('[field] required property is missing');
    expect(details['suppressed']).toEqual([
      { type: 'parse_exception', reason: 'No processor type exists with name [foo]', processor_type: 'foo' },
    ]);
  });

  it.each<readonly [JsonObject, string]>([
    [{}, '[processors] required property is missing'],
    [{ processors: [], on_failure: [] }, 'pipeline [test] cannot have an empty on_failure option defined'],
    [
      { processors: [], other: 1 },
      "pipeline [test] doesn't support one or more provided configuration parameters [other]",
    ],
    [
      { processors: [{ drop: { x: 1 } }] },
      "processor [drop] doesn't support one or more provided configuration parameters [x]",
    ],
    [{ processors: [{ fail: { message: 'm', on_failure: [] } }] }, '[on_failure] processors list cannot be empty'],
    [
      { processors: [{ set: { field: 1, value: 1 } }] },
      "[field] property isn't a string, but of type [java.lang.Integer]",
    ],
    [{ processors: [{ convert: { field: 'a', type: 'x' } }] }, '[type] type [x] not supported, cannot convert field.'],
    [
      { processors: [{ foreach: { field: 'a', processor: {} } }] },
      '[processor] Must specify exactly one processor type',
    ],
    [
      { processors: [{ grok: { field: 'a', patterns: ['%{NOPE:x}'] } }] },
      "[patterns] Invalid regex pattern found in: [%{NOPE:x}]. Unable to find pattern [NOPE] in Grok's pattern dictionary",
    ],
  ])('%o', (definition, message) => {
    expect(refusal(definition).message).toBe(message);
  });

  it('have bounds: nesting, patterns that grow, patterns that would take long', () => {
    let nested: JsonValue = SET;
    for (let depth = 0; depth < 60; depth++) nested = { foreach: { field: 'a', processor: nested } };
    expect(refusal({ processors: [nested] }).message).toMatch(/nested at most/);
    const definitions = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`P${at}`, `%{P${at + 1}}%{P${at + 1}}`]),
    );
    const grok = { field: 'a', patterns: ['%{P0}'], pattern_definitions: { ...definitions, P30: 'x' } };
    expect(refusal({ processors: [{ grok }] }).message).toMatch(/more than \[65536\] characters/);
    const circle = { field: 'a', patterns: ['%{A}'], pattern_definitions: { A: '%{B}', B: '%{A}' } };
    expect(refusal({ processors: [{ grok: circle }] }).message).toMatch(/circular reference/);
    expect(refusal({ processors: [{ gsub: { field: 'a', pattern: '(?=x)', replacement: '' } }] }).message).toMatch(
      /unsupported pattern/,
    );
    const slow = 'a'.repeat(2_000);
    expect(process([{ gsub: { field: 'a', pattern: '(a+)+$', replacement: '' } }], { a: `${slow}b` })).toEqual({
      a: `${slow}b`,
    });
  });
});

describe('runs of pipelines', () => {
  it('go on after a failure that is ignored, and end with one that is not', () => {
    expect(process([{ fail: { message: 'm', ignore_failure: true } }, SET], {})).toEqual({ ran: true });
    expect(() => process([{ fail: { message: 'm' } }, SET], {})).toThrow('m');
  });

  it('tell handlers what failed, and forget it behind them', () => {
    const told =
      '{{_ingest.on_failure_message}}|{{_ingest.on_failure_processor_type}}|{{_ingest.on_failure_processor_tag}}|{{_ingest.on_failure_pipeline}}';
    const handler = { set: { field: 'told', value: told } };
    const document = run(
      documentOf({}),
      compile({ processors: [{ fail: { tag: 't', message: 'm', on_failure: [handler] } }, SET] }),
    );
    expect(document.root).toMatchObject({ told: 'm|fail|t|test', ran: true });
    expect(Object.keys(document.ingest)).toEqual(['timestamp']);
    const whole = compile({ processors: [{ rename: { field: 'x', target_field: 'y' } }, SET], on_failure: [handler] });
    const { root } = run(documentOf({}), whole);
    expect([root['told'], root['ran']]).toEqual(["field [x] doesn't exist|rename||test", undefined]);
  });

  it('follow conditions', () => {
    const processors = [
      { set: { if: 'kind=a', field: 'r', value: 1 } },
      { set: { if: 'kind=b', field: 'r', value: 2 } },
    ];
    expect(process(processors, { kind: 'a' })).toEqual({ kind: 'a', r: 1 });
    expect(() => process([{ drop: { if: 'throw' } }], {})).toThrow('a script failed');
  });

  it('drop documents, from handlers and called pipelines too', () => {
    const inner = compile({ processors: [{ fail: { message: 'm', on_failure: [{ drop: {} }, SET] } }, SET] }, 'inner');
    const document = run(documentOf({}), compile({ processors: [{ pipeline: { name: 'inner' } }, SET] }), [inner]);
    expect([document.isDropped, document.root['ran']]).toEqual([true, undefined]);
  });

  it('call other pipelines by templates, and refuse circles and what is missing', () => {
    const name = { append: { field: 'names', value: '{{_ingest.pipeline}}' } };
    const inner = compile({ processors: [name] }, 'a-inner');
    const outer = compile({ processors: [name, { pipeline: { name: '{{org}}-inner' } }, name] }, 'outer');
    expect(run(documentOf({ org: 'a' }), outer, [inner]).root['names']).toEqual(['outer', 'a-inner', 'outer']);
    expect(() => run(documentOf({ org: 'b' }), outer, [inner])).toThrow(
      'Pipeline processor configured for non-existent pipeline [b-inner]',
    );
    const circle = compile({ processors: [{ pipeline: { name: 'outer' } }] }, 'a-inner');
    expect(() => run(documentOf({ org: 'a' }), outer, [circle])).toThrow('Cycle detected for pipeline: outer');
  });

  it('do not let a document grow without end', () => {
    const processors = Array.from({ length: 40 }, (_, at) => at).map((at) => ({
      set: { field: `x.f${at}`, copy_from: 'x' },
    }));
    expect(() => process(processors, { x: { a: 'y' } })).toThrow(/may not put more than/);
  });
});

describe('grok patterns', () => {
  it('all compile', () => {
    for (const name of Object.keys(namedPatterns())) expect(() => new Grok(`%{${name}:x}`, {}), name).not.toThrow();
  });

  it.each([
    [
      '%{COMBINEDAPACHELOG}',
      '127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326 "http://x/y" "Mozilla/4.08"',
      { clientip: '127.0.0.1', auth: 'frank', verb: 'GET', response: '200', referrer: '"http://x/y"' },
    ],
    [
      '%{SYSLOGLINE}',
      'Mar  6 07:34:27 host1 su[1234]: session opened',
      { logsource: 'host1', program: 'su', pid: '1234', message: 'session opened' },
    ],
    [
      '%{TIMESTAMP_ISO8601:t} %{LOGLEVEL:l}',
      '2024-01-02T03:04:05.678+01:00 WARN',
      { t: '2024-01-02T03:04:05.678+01:00', l: 'WARN' },
    ],
    ['^%{IP:ip}$', '2001:db8::ff00:42:8329', { ip: '2001:db8::ff00:42:8329' }],
    ['%{URI:u}', 'see http://ex.com:80/a?b=c', { port: '80', u: 'http://ex.com:80/a?b=c' }],
    ['(?<own.name>[a-z]+)', '12ab', { 'own.name': 'ab' }],
  ])('%s', (pattern, text, expected) => {
    const captured = new Grok(pattern, {}).captures(text) ?? [];
    expect(Object.fromEntries(captured.map(({ field, value }) => [field, value]))).toMatchObject(expected);
  });
});

describe('pipelines that action lines name', () => {
  const bodyOf = (...lines: readonly string[]): Buffer => Buffer.from(`${lines.join('\n')}\n`);

  it('are told from documents, however a deletion before them is written', () => {
    const named = '{"index":{"_id":"2","pipeline":"p"}}';
    const document = '{"index":{"pipeline":"no"}}';
    for (const deletion of [
      '{"delete":{"_id":"1"}}',
      '{"\\u0064elet\\u0065":{"_id":"1"}}',
      `${' '.repeat(80)}{${'\t'.repeat(80)}"delete":{"_id":"1"}}`,
    ]) {
      const { body, pipelines } = takePipelines(bodyOf(deletion, named, document));
      expect([...pipelines], deletion).toEqual([[1, 'p']]);
      expect(Buffer.from(body).toString()).toBe(bodyOf(deletion, '{"index":{"_id":"2"}}', document).toString());
    }
  });
});

describe('sources of documents', () => {
  it.each(['_id', '_index', '_op_type', '_if_seq_no', '_version_type'])('have no member %s', (name) => {
    const source = Buffer.from(JSON.stringify({ [name]: '1', a: 2 }));
    expect(() => documentOfItem({ index: 'i', action: 'index', source }, NOW_MS)).toThrow(
      `unexpected metadata [${name}:1] in source`,
    );
  });
});

describe('pipelines of indices', () => {
  function withTemplate(state: ClusterState, pipeline: string): ClusterState {
    const template = parseIndexTemplate({
      index_patterns: 'logs*',
      data_stream: {},
      template: { settings: { default_pipeline: pipeline } },
    });
    return putIndexTemplate(state, { name: 'logs', template, create: false }, environment()).state;
  }

  it('are those of the next index of a data stream where the write makes that', () => {
    const made = withTemplate(clusterOfOneNode(), 'old');
    const stream = createDataStream(made, { name: 'logs', backingNames: 'plain' }, environment()).state;
    const changed = withTemplate(stream, 'new');
    expect(pipelinesOfIndex(changed, 'logs', NOW_MS).default).toBe('old');
    const marked = markRollover(changed, { stream: 'logs' }, environment()).state;
    expect(pipelinesOfIndex(marked, 'logs', NOW_MS).default).toBe('new');
  });

  it('stay as long as the indices name them', () => {
    const settings = { default_pipeline: 'p', final_pipeline: 'p' };
    const cluster = clusterWith({ name: 'b', settings }, { name: 'a', settings }, { name: 'c' });
    const put = { definition: { processors: [] } };
    const withOne = putPipeline(cluster, { id: 'p', ...put }, environment()).state;
    const state = putPipeline(withOne, { id: 'q', ...put }, environment()).state;
    for (const id of ['p', '*']) {
      expect(() => deletePipelines(state, { id }, environment())).toThrow(
        'pipeline [p] cannot be deleted because it is the default pipeline for 2 index(es) including [a,b]' +
          ', and the final pipeline for 2 index(es) including [a,b]',
      );
    }
    expect([...deletePipelines(state, { id: 'q' }, environment()).state.pipelines.keys()]).toEqual(['p']);
  });
});
