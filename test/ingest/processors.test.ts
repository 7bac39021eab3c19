import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json-value.js';
import type { IngestDocument } from '../../src/ingest/document/ingest-document.js';
import { documentOf, compile, process, run } from './support.js';

/** Type, properties, document, what the document has afterwards. */
type Case = readonly [type: string, properties: JsonObject, source: JsonObject, expected: JsonObject];

const CHANGES: readonly Case[] = [
  ['append', { field: 'a', value: ['x', '{{b}}'] }, { a: 'w', b: 'y' }, { a: ['w', 'x', 'y'] }],
  ['append', { field: 'a', value: ['x'], allow_duplicates: false }, { a: ['x'] }, { a: ['x'] }],
  ['bytes', { field: 'a', target_field: 'b' }, { a: '1kb' }, { a: '1kb', b: 1024 }],
  ['convert', { field: 'a', type: 'integer' }, { a: ['127', '0x10', '-1'] }, { a: [127, 16, -1] }],
  ['convert', { field: 'a', type: 'double' }, { a: ['1', '1.', '.5', '-2.5e1'] }, { a: [1, 1, 0.5, -25] }],
  ['convert', { field: 'a', type: 'boolean' }, { a: 'TRUE' }, { a: true }],
  ['convert', { field: 'a', type: 'auto' }, { a: '1.5' }, { a: 1.5 }],
  ['convert', { field: 'a', type: 'string' }, { a: 5 }, { a: '5' }],
  ['convert', { field: 'a', type: 'ip' }, { a: '::1' }, { a: '::1' }],
  ['csv', { field: 'a', target_fields: ['x', 'y', 'z'] }, { a: 'a1,"b ""q"", c",' }, { x: 'a1', y: 'b "q", c' }],
  [
    'csv',
    { field: 'a', target_fields: ['x', 'y'], trim: true, separator: ';', empty_value: '-' },
    { a: ' ; b ' },
    { x: '-', y: 'b' },
  ],
  [
    'date',
    { field: 'a', formats: ['dd/MM/yyyy'], timezone: 'Europe/Amsterdam' },
    { a: '12/06/2010' },
    { '@timestamp': '2010-06-12T00:00:00.000+02:00' },
  ],
  [
    'date',
    { field: 'a', formats: ['ISO8601'], timezone: '+01:00' },
    { a: '2010-06-01T00:00:00.000Z' },
    { '@timestamp': '2010-06-01T01:00:00.000+01:00' },
  ],
  [
    'date',
    { field: 'a', formats: ["yyyy-MM-dd'T'HH:mm:ss.SSSZZ"] },
    { a: '2018-02-05T13:44:56.657+0100' },
    { '@timestamp': '2018-02-05T12:44:56.657Z' },
  ],
  [
    'date',
    { field: 'a', formats: ['dd/MMM/yyyy:H:m:s Z'] },
    { a: '10/Aug/2018:09:45:56 +0200' },
    { '@timestamp': '2018-08-10T07:45:56.000Z' },
  ],
  [
    'date',
    { field: 'a', formats: ['TAI64N'] },
    { a: '4000000050d506482dbdf024' },
    { '@timestamp': '2012-12-22T01:00:46.767Z' },
  ],
  ['date', { field: 'a', formats: ['UNIX'], target_field: 'b' }, { a: 1 }, { b: '1970-01-01T00:00:01.000Z' }],
  [
    'date',
    { field: 'a', formats: ['epoch_second'] },
    { a: '1688548995.987654321' },
    { '@timestamp': '2023-07-05T09:23:15.987Z' },
  ],
  ['date', { field: 'a', formats: ['YYYY-ww'] }, { a: '2020-33' }, { '@timestamp': '2020-08-10T00:00:00.000Z' }],
  [
    'date',
    { field: 'a', formats: ['yyyyMMddHHmmss'], output_format: 'yyyy/MM/dd HH:mm' },
    { a: '20240229235958' },
    { '@timestamp': '2024/02/29 23:59' },
  ],
  [
    'date',
    { field: 'a', formats: ['EEE MMM dd HH:mm:ss'] },
    { a: 'Mon May 06 01:02:03' },
    { '@timestamp': '2024-05-06T01:02:03.000Z' },
  ],
  [
    'dissect',
    { field: 'a', pattern: '%{x} - %{+y} %{+y} [%{?skip}] %{*k}=%{&k}' },
    { a: '1.2 - a b [q] n=v' },
    { x: '1.2', y: 'ab', n: 'v' },
  ],
  [
    'dissect',
    { field: 'a', pattern: '%{+x/2} %{+x/1->} %{z}', append_separator: ',' },
    { a: '1 2   3' },
    { x: '2,1', z: '3' },
  ],
  ['dot_expander', { field: 'a.b' }, { 'a.b': 1 }, { a: { b: 1 } }],
  ['dot_expander', { field: 'a.b', override: true }, { 'a.b': 2, a: { b: 1 } }, { a: { b: 2 } }],
  ['dot_expander', { field: 'a.b.c', override: true }, { 'a.b.c': 2, a: { b: 1 } }, { a: { b: { c: 2 } } }],
  ['dot_expander', { field: 'b.c', path: 'a' }, { a: { 'b.c': 1, b: { c: 2 } } }, { a: { b: { c: [2, 1] } } }],
  [
    'foreach',
    { field: 'a', processor: { uppercase: { field: '_ingest._value' } } },
    { a: ['x', 'y'] },
    { a: ['X', 'Y'] },
  ],
  ['foreach', { field: 'a', processor: { uppercase: { field: '_ingest._key' } } }, { a: { x: 1 } }, { a: { X: 1 } }],
  [
    'grok',
    { field: 'a', patterns: ['%{NUMBER:v:float} %{NUMBER:s:int} <%{WORD:m}>'] },
    { a: '123.42 400 <foo>' },
    { v: 123.42, s: 400, m: 'foo' },
  ],
  [
    'grok',
    { field: 'a', patterns: ['%{ONE:one}', '%{TWO:two}'], pattern_definitions: { ONE: '1', TWO: '2' } },
    { a: 'abc2' },
    { two: '2' },
  ],
  ['gsub', { field: 'a', pattern: '(\\d)-', replacement: '$1.' }, { a: '1-2-x' }, { a: '1.2.x' }],
  [
    'html_strip',
    { field: 'a' },
    { a: '<p>this <title>is</title> a <b>test</b> &amp; <!-- x --><script>no</script>' },
    { a: '\nthis \nis\n a test & \n' },
  ],
  ['join', { field: 'a', separator: '-' }, { a: ['127', 0, '1'] }, { a: '127-0-1' }],
  ['json', { field: 'a' }, { a: '{"b":1.0}' }, { a: { b: 1 } }],
  ['json', { field: 'a', add_to_root: true }, { a: '{"b":[1]}' }, { b: [1] }],
  ['kv', { field: 'a', field_split: '&', value_split: '=' }, { a: 'x=1&y=2&x=3' }, { x: ['1', '3'], y: '2' }],
  [
    'kv',
    {
      field: 'a',
      field_split: ' ',
      value_split: '=',
      target_field: 't',
      prefix: 'p_',
      strip_brackets: true,
      trim_value: ',',
    },
    { a: 'x=(1), y="2",' },
    { t: { p_x: '1', p_y: '2' } },
  ],
  ['lowercase', { field: 'a' }, { a: ['ABC', 'D'] }, { a: ['abc', 'd'] }],
  [
    'network_direction',
    { internal_networks: ['private'] },
    { source: { ip: '10.0.0.1' }, destination: { ip: '8.8.8.8' } },
    { network: { direction: 'outbound' } },
  ],
  [
    'network_direction',
    { internal_networks_field: 'n' },
    { n: ['1.2.3.0/24'], source: { ip: '8.8.8.8' }, destination: { ip: '1.2.3.4' } },
    { network: { direction: 'inbound' } },
  ],
  [
    'registered_domain',
    { field: 'a', target_field: 'u' },
    { a: 'www.books.amazon.co.uk' },
    {
      u: {
        domain: 'www.books.amazon.co.uk',
        registered_domain: 'amazon.co.uk',
        top_level_domain: 'co.uk',
        subdomain: 'www.books',
      },
    },
  ],
  ['rename', { field: 'a', target_field: 'b.c' }, { a: 1 }, { b: { c: 1 } }],
  ['set', { field: 'a', value: { b: '{{x}}' } }, { x: 1 }, { a: { b: '1' } }],
  ['set', { field: 'a', copy_from: 'x' }, { x: { y: [1] } }, { a: { y: [1] } }],
  ['set', { field: 'a', value: 'new', override: false }, { a: 'old' }, { a: 'old' }],
  ['set', { field: 'a', value: '{{none}}', ignore_empty_value: true }, { a: 'old' }, { a: 'old' }],
  ['sort', { field: 'a', order: 'desc' }, { a: [3, 20, 1] }, { a: [20, 3, 1] }],
  ['split', { field: 'a', separator: '-' }, { a: '127-0-0-1--' }, { a: ['127', '0', '0', '1'] }],
  ['split', { field: 'a', separator: '\\s+', preserve_trailing: true }, { a: 'x  y ' }, { a: ['x', 'y', ''] }],
  ['trim', { field: 'a' }, { a: '   b c   ' }, { a: 'b c' }],
  ['uppercase', { field: 'a' }, { a: 'abc' }, { a: 'ABC' }],
  ['urldecode', { field: 'a' }, { a: 'a%20b+c' }, { a: 'a b c' }],
  [
    'uri_parts',
    { field: 'a' },
    { a: 'http://u:p@ex.com:80/d/f.gz?q=1#z' },
    {
      url: {
        domain: 'ex.com',
        fragment: 'z',
        path: '/d/f.gz',
        extension: 'gz',
        port: 80,
        query: 'q=1',
        scheme: 'http',
        user_info: 'u:p',
        username: 'u',
        password: 'p',
        original: 'http://u:p@ex.com:80/d/f.gz?q=1#z',
      },
    },
  ],
];

describe('processors', () => {
  it.each(CHANGES)('%s %o', (type, properties, source, expected) => {
    expect(process([{ [type]: properties }], source)).toMatchObject(expected);
  });

  it('that are named for fields that are missing fail, or do nothing where that is allowed', () => {
    for (const type of [
      'bytes',
      'grok',
      'lowercase',
      'gsub',
      'split',
      'csv',
      'convert',
      'kv',
      'dissect',
      'uri_parts',
      'user_agent',
    ]) {
      const needed: Readonly<Record<string, JsonObject>> = {
        grok: { patterns: ['%{WORD:w}'] },
        gsub: { pattern: 'a', replacement: 'b' },
        split: { separator: ',' },
        csv: { target_fields: ['x'] },
        convert: { type: 'long' },
        kv: { field_split: ' ', value_split: '=' },
        dissect: { pattern: '%{a}' },
      };
      const properties = { field: 'no.such', ...needed[type] };
      expect(() => process([{ [type]: properties }], {}), type).toThrow(
        /field \[no\] not present as part of path \[no.such\]/,
      );
      expect(process([{ [type]: { ...properties, ignore_missing: true } }], { a: 1 })).toEqual({ a: 1 });
    }
  });

  it('take out of a text what patterns with names find, longer findings before shorter ones', () => {
    const redact = (text: string, patterns: readonly string[], more: JsonObject = {}): unknown =>
      process([{ redact: { field: 'a', patterns, ...more } }], { a: text })['a'];
    expect(redact('from 10.0.0.1 and 10.0.0.2, é', ['%{IP:client}'])).toBe('from <client> and <client>, é');
    expect(redact('a@b.org', ['%{WORD:word}', '%{EMAILADDRESS:mail}'], { prefix: '*', suffix: '' })).toBe('*mail');
    expect(redact('nothing', ['%{IP:client}'])).toBe('nothing');
    expect(process([{ redact: { field: 'b', patterns: ['%{IP:x}'] } }], { a: 1 })).toEqual({ a: 1 });
    expect(() => redact('x', [])).toThrow('List of patterns must not be empty');
    expect(() => process([{ redact: { field: 'a', patterns: ['%{IP:x}'] } }], { a: 1 })).toThrow('cannot be cast');
  });

  it('send a document to another data stream, and are the last to see it', () => {
    const rerouted = (index: string, properties: JsonObject, source: JsonObject = {}): IngestDocument => {
      const document = documentOf(source);
      document.set('_index', index);
      return run(document, compile({ processors: [{ reroute: properties }, { set: { field: 'late', value: 1 } }] }));
    };
    expect(rerouted('any', { destination: 'other' }).root).toEqual({ _index: 'other', _id: 'id' });
    const { root } = rerouted(
      'logs-generic-default',
      { dataset: ['{{service.name}}', 'fallback'], namespace: 'prod' },
      { service: { name: 'My-App' }, event: { dataset: 'x' } },
    );
    expect(root).toMatchObject({
      _index: 'logs-my_app-prod',
      data_stream: { type: 'logs', dataset: 'my_app', namespace: 'prod' },
      event: { dataset: 'my_app' },
    });
    expect(rerouted('logs-generic-default', { dataset: ['{{no}}', 'fallback'] }).root['_index']).toBe(
      'logs-fallback-default',
    );
    expect(rerouted('logs-generic-a-b', {}).root['_index']).toBe('logs-generic-a-b');
    expect(() => rerouted('plain', {})).toThrow('must follow naming scheme <type>-<dataset>-<namespace>');
    expect(() => compile({ processors: [{ reroute: { dataset: 'a-b' } }] })).toThrow('contains disallowed characters');
    expect(() => compile({ processors: [{ reroute: { destination: 'a', type: 'b' } }] })).toThrow('can only be set if');
  });

  it('tell a browser from what it says of itself', () => {
    const agent =
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_5) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/51.0.2704.103 Safari/537.36';
    const found = process([{ user_agent: { field: 'agent' } }], { agent });
    expect(found['user_agent']).toEqual({
      name: 'Chrome',
      original: agent,
      version: '51.0.2704.103',
      os: { name: 'Mac OS X', version: '10.10.5', full: 'Mac OS X 10.10.5' },
      device: { name: 'Mac' },
    });
    expect(process([{ user_agent: { field: 'agent', properties: ['name'] } }], { agent })['user_agent']).toEqual({
      name: 'Chrome',
    });
  });

  it('name network flows the same in both directions', () => {
    const flows: readonly (readonly [JsonObject, string])[] = [
      [
        { source: '66.35.250.204', dest: '128.232.110.120', protocol: 'tcp', from: 80, to: 34855 },
        '1:LQU9qZlK+B5F3KDmev6m5PMibrg=',
      ],
      [
        { source: '128.232.110.120', dest: '66.35.250.204', protocol: 'tcp', from: 34855, to: 80 },
        '1:LQU9qZlK+B5F3KDmev6m5PMibrg=',
      ],
      [
        { source: '8.8.8.8', dest: '192.168.1.52', protocol: 'udp', from: 53, to: 54585 },
        '1:d/FP5EW3wiY1vCndhwleRRKHowQ=',
      ],
      [
        { source: '192.168.170.8', dest: '192.168.170.56', protocol: 'sctp', from: 7, to: 7 },
        '1:MP2EtRCAUIZvTw6MxJHLV7N7JDs=',
      ],
      [
        { source: '192.168.0.89', dest: '192.168.0.1', protocol: 'icmp', type: 8, code: 0 },
        '1:X0snYXpgwiv9TZtqg64sgzUn6Dk=',
      ],
      [
        { source: 'fe80::260:97ff:fe07:69ea', dest: 'ff02::1', protocol: 'ipv6-icmp', type: 134, code: 0 },
        '1:pkvHqCL88/tg1k4cPigmZXUtL00=',
      ],
    ];
    const open = {
      ...{
        source_ip_field: 'source',
        destination_ip_field: 'dest',
        source_port_field: 'from',
        destination_port_field: 'to',
      },
      ...{ protocol_field: 'protocol', icmp_type_field: 'type', icmp_code_field: 'code' },
    };
    const elastic = {
      ...{ source_ip: 'source', destination_ip: 'dest', source_port: 'from', destination_port: 'to' },
      ...{ transport: 'protocol', icmp_type: 'type', icmp_code: 'code', target_field: 'community_id' },
    };
    for (const [flow, id] of flows) {
      expect(process([{ community_id: open }], flow, 'opensearch')['community_id']).toBe(id);
      expect(process([{ community_id: elastic }], flow)['community_id']).toBe(id);
    }
    expect(() => process([{ community_id: open }], { dest: '1.1.1.1', protocol: 'tcp' }, 'opensearch')).toThrow(
      'ip address in the field [source] is null or empty',
    );
  });

  it('hash fields as either distribution does', () => {
    const user = { last_name: 'Smith', first_name: 'John', date_of_birth: '1980-01-15', is_active: true };
    expect(process([{ fingerprint: { fields: ['user'] } }], { user })['fingerprint']).toBe(
      'WbSUPW4zY1PBPehh2AA/sSxiRjw=',
    );
    const hashed = process([{ fingerprint: { fields: ['foo'] } }], { foo: 'foo' }, 'opensearch')['fingerprint'];
    expect(hashed).toMatch(/^SHA-1@2\.16\.0:[A-Za-z0-9+/]{27}=$/);
    expect(process([{ fingerprint: {} }], { foo: 'foo' }, 'opensearch')['fingerprint']).toBe(hashed);
    expect(() => process([{ fingerprint: { fields: ['no'] } }], {}, 'opensearch')).toThrow("field [no] doesn't exist");
  });

  it('name the index by a date', () => {
    const processors = [
      { date_index_name: { field: 'd', date_formats: ['ISO8601'], index_name_prefix: 'x-', date_rounding: 'M' } },
    ];
    const { root } = run(documentOf({ d: '2016-04-22T16:32:14.968Z' }), compile({ processors }));
    expect(root['_index']).toBe('<x-{2016-04-22||/M{yyyy-MM-dd|UTC}}>');
  });

  it('remove fields, all but some, or those of a pattern', () => {
    const source = { a: 1, b: { c: 2, d: 3 }, e: 4 };
    expect(process([{ remove: { field: ['a', 'b.c'] } }], source)).toEqual({ b: { d: 3 }, e: 4 });
    expect(process([{ remove: { keep: ['b.c'] } }], source)).toEqual({ b: { c: 2 } });
    expect(process([{ remove_by_pattern: { field_pattern: ['a*', 'e'] } }], source, 'opensearch')).toEqual({
      b: { c: 2, d: 3 },
    });
    expect(() => process([{ remove: { field: '_index' } }], source)).toThrow('cannot remove metadata field [_index]');
    expect(() => process([{ remove: { field: '{{none}}' } }], source)).toThrow('field path cannot be null nor empty');
  });

  it('keep numbers as they were written', () => {
    const document = documentOf('{"a":1.0,"b":12345678901234567890,"c":1.5e3}');
    run(document, compile({ processors: [{ set: { field: 't', value: '{{a}} {{b}} {{c}}' } }] }));
    expect(document.root['t']).toBe('1.0 12345678901234567890 1500.0');
  });

  it('take no longer for long texts than reading them does', () => {
    const startedMs = performance.now();
    const digits = `${'1'.repeat(200_000)}x`;
    for (const type of ['double', 'float', 'long']) {
      const processors = [{ convert: { field: 'a', type } }];
      expect(() => process(processors, { a: digits })).toThrow(/unable to convert/);
    }
    expect(process([{ convert: { field: 'a', type: 'auto' } }], { a: digits })).toEqual({ a: digits });
    const expander = [{ dot_expander: { field: '*' } }];
    expect(() => process(expander, { [`${'a.'.repeat(20_000)}b`]: 1 })).toThrow(/at most \[1000\] parts/);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });

  it('refuse what cannot be', () => {
    const refused: readonly (readonly [JsonValue[], JsonObject, RegExp])[] = [
      [[{ convert: { field: 'a', type: 'integer' } }], { a: 'x' }, /unable to convert \[x\] to integer/],
      [
        [{ lowercase: { field: 'a' } }],
        { a: 1 },
        /field \[a\] of type \[java.lang.Integer\] cannot be cast to \[java.lang.String\]/,
      ],
      [[{ date: { field: 'a', formats: ['yyyy'] } }], { a: 'x' }, /unable to parse date \[x\]/],
      [[{ date: { field: 'a', formats: ['dd/MM/yyyy'] } }], { a: '31/02/2024' }, /unable to parse date/],
      [
        [{ grok: { field: 'a', patterns: ['%{INT:x}'] } }],
        { a: 'b' },
        /Provided Grok expressions do not match field value: \[b\]/,
      ],
      [[{ kv: { field: 'a', field_split: ' ', value_split: '=' } }], { a: 'b' }, /does not contain value_split \[=\]/],
      [[{ rename: { field: 'no', target_field: 'b' } }], {}, /field \[no\] doesn't exist/],
      [[{ rename: { field: 'a', target_field: 'b' } }], { a: 1, b: 2 }, /field \[b\] already exists/],
      [
        [{ set: { field: 'a.b', value: 1 } }],
        { a: 'x' },
        /cannot set \[b\] with parent object of type \[java.lang.String\]/,
      ],
      [[{ uri_parts: { field: 'a' } }], { a: 'not a uri' }, /unable to parse URI/],
      [[{ json: { field: 'a' } }], { a: '{' }, /Unexpected end-of-input/],
      [[{ fail: { message: 'no: {{a}}' } }], { a: 1 }, /no: 1/],
      [
        [{ dot_expander: { field: 'a.b.c' } }],
        { 'a.b.c': 1, a: { b: 2 } },
        /cannot expand \[a\.b\.c\], because \[a\.b\] is not an object field, but a value field/,
      ],
    ];
    for (const [processors, source, why] of refused) expect(() => process(processors, source)).toThrow(why);
  });
});
