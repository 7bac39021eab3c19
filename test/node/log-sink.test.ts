import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseNodeSettings } from '../../src/base/node-settings.js';
import { logLevel } from '../../src/node/logging/log-level.js';
import { PendingLog } from '../../src/node/logging/log-sink.js';
import { clusterOfOneNode } from '../cluster/support.js';

const directory = mkdtempSync(path.join(tmpdir(), 'quarry-log-'));

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe('the log', () => {
  it('keeps lines until it is open, and changes its level while it is', async () => {
    const log = new PendingLog();
    log.setLevel('warn');
    log.log('warn', 'before it was open');
    await log.open({ directory, level: 'info', nodeName: 'n', fileBytesMax: 1 << 20, fileCountMax: 2 });
    log.log('info', 'too low');
    log.setLevel('debug');
    log.log('debug', 'wanted now');
    log.setLevel('error');
    log.log('warn', 'not wanted any longer');
    await log.close();
    const files = readdirSync(directory).filter((name) => name.startsWith('quarry'));
    const text = files.map((name) => readFileSync(path.join(directory, name), 'utf8')).join('');
    const lines = text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(lines).toEqual(['before it was open', 'wanted now']);
  });

  it('names the directory in which no file can be opened', async () => {
    const file = path.join(directory, 'a-file');
    writeFileSync(file, '');
    const options = { directory: file, level: 'info', nodeName: 'n', fileBytesMax: 1 << 20, fileCountMax: 2 } as const;
    await expect(new PendingLog().open(options)).rejects.toThrow(file);
  });

  it('has the level that the cluster says, else that of the configuration', () => {
    const settings = parseNodeSettings(new Map([['logger.level', 'warn']]));
    const state = clusterOfOneNode();
    expect(logLevel(state, settings)).toBe('warn');
    const transient = new Map([['logger._root', 'DEBUG']]);
    expect(logLevel({ ...state, clusterSettings: { ...state.clusterSettings, transient } }, settings)).toBe('debug');
  });
});
