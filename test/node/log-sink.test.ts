import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseNodeSettings } from '../../src/base/node-settings.js';
import { logLevels } from '../../src/node/logging/log-level.js';
import { PendingLog, type LogSinkOptions } from '../../src/node/logging/log-sink.js';
import { clusterOfOneNode } from '../cluster/support.js';

const directory = mkdtempSync(path.join(tmpdir(), 'quarry-log-'));

function options(given: Partial<LogSinkOptions>): LogSinkOptions {
  const levels = new Map([['', 'info']] as const);
  const sizes = { fileBytesMax: 1 << 20, fileCountMax: 2, totalBytesMax: 1 << 30 };
  return { directory, levels, format: 'json', nodeName: 'n', ...sizes, ...given };
}

function linesIn(place: string): string[] {
  const files = readdirSync(place).filter((name) => name.startsWith('quarry'));
  const text = files.map((name) => readFileSync(path.join(place, name), 'utf8')).join('');
  return text.trim().split('\n');
}

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe('the log', () => {
  it('keeps lines until it is open, and changes its level while it is', async () => {
    const log = new PendingLog();
    log.setLevels(new Map([['', 'warn']]));
    log.log('warn', 'before it was open');
    await log.open(options({ directory }));
    log.log('info', 'too low');
    log.setLevels(new Map([['', 'debug']]));
    log.log('debug', 'wanted now');
    log.setLevels(new Map([['', 'error']]));
    log.log('warn', 'not wanted any longer');
    await log.close();
    const lines = linesIn(directory).map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(lines).toEqual(['before it was open', 'wanted now']);
  });

  it('has a level for each logger: its own, else that of the nearest above it', async () => {
    const place = path.join(directory, 'named');
    const levels = new Map([
      ['', 'error'],
      ['cluster', 'debug'],
      ['cluster.coordination', 'warn'],
    ] as const);
    const log = new PendingLog();
    await log.open(options({ directory: place, levels }));
    for (const name of ['node', 'cluster', 'cluster.coordination', 'cluster.routing.allocation'] as const) {
      for (const level of ['debug', 'warn', 'error'] as const) log.log(level, `${name} ${level}`, {}, name);
    }
    await log.close();
    expect(linesIn(place).map((line) => JSON.parse(line) as object)).toEqual(
      [
        ['node', 'error'],
        ['cluster', 'debug'],
        ['cluster', 'warn'],
        ['cluster', 'error'],
        ['cluster.coordination', 'warn'],
        ['cluster.coordination', 'error'],
        ['cluster.routing.allocation', 'debug'],
        ['cluster.routing.allocation', 'warn'],
        ['cluster.routing.allocation', 'error'],
      ].map(([logger, level]) => expect.objectContaining({ logger, msg: `${logger} ${level}` }) as object),
    );
  });

  it('has lines for people where they are wanted, each on one line', async () => {
    const place = path.join(directory, 'plain');
    const log = new PendingLog();
    await log.open(options({ directory: place, format: 'plain' }));
    log.log('warn', 'it went\nwrong', { file: '/a/b', reason: 'said "no"\nand ended', count: 2, absent: undefined });
    await log.close();
    expect(linesIn(place)).toEqual([
      expect.stringMatching(
        /^\[\d{4}-\d\d-\d\dT[\d:.]+Z\]\[WARN \]\[node\] \[n\] it went wrong file=\/a\/b reason="said \\"no\\"\\nand ended" count=2$/,
      ),
    ]);
  });

  it('names the directory in which no file can be opened', async () => {
    const file = path.join(directory, 'a-file');
    writeFileSync(file, '');
    await expect(new PendingLog().open(options({ directory: file }))).rejects.toThrow(file);
  });

  it('has the levels that the cluster says, else those of the configuration', () => {
    const settings = parseNodeSettings(
      new Map([
        ['logger.level', 'WARN'],
        ['logger.org.elasticsearch.discovery', 'trace'],
        ['logger.http', 'DEBUG'],
      ]),
    );
    const state = clusterOfOneNode();
    expect(Object.fromEntries(logLevels(state, settings))).toEqual({ '': 'warn', discovery: 'trace', http: 'debug' });
    const transient = new Map([
      ['logger._root', 'DEBUG'],
      ['logger.org.opensearch.http', 'error'],
    ]);
    const changed = { ...state, clusterSettings: { ...state.clusterSettings, transient } };
    expect(Object.fromEntries(logLevels(changed, settings))).toEqual({
      ...{ '': 'debug', discovery: 'trace', http: 'error' },
    });
  });

  it('refuses levels and loggers that there are not', () => {
    const read = (key: string, value: string): unknown => parseNodeSettings(new Map([[key, value]]));
    expect(() => read('logger.level', 'loud')).toThrow('expected is one of [trace, debug, info, warn, error]');
    expect(() => read('logger.http', 'loud')).toThrow('Unknown level constant [loud]');
    expect(() => read('logger.org.elasticsearch.http.netty', 'INFO')).toThrow(
      'setting [logger.org.elasticsearch.http.netty] names no logger: there are [_root, cluster, cluster.coordination,',
    );
  });
});
