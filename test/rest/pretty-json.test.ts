import { describe, expect, it } from 'vitest';
import { prettyJson } from '../../src/rest/pretty-json.js';

describe('pretty JSON', () => {
  it('lays out nested values', () => {
    expect(prettyJson('{"a":[1,{"b":"x:,{"}],"c":{},"d":[ ]}')).toBe(
      '{\n  "a" : [\n    1,\n    {\n      "b" : "x:,{"\n    }\n  ],\n  "c" : { },\n  "d" : [ ]\n}\n',
    );
  });

  it('leaves the text of numbers and escapes alone', () => {
    expect(prettyJson('{"n":1.0e5,"s":"\\"\\\\"}')).toBe('{\n  "n" : 1.0e5,\n  "s" : "\\"\\\\"\n}\n');
  });
});
