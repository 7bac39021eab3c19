/** The tour of the README, command by command: each prints what the README shows. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestNode } from './node-harness.js';

const README = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');
const COMMAND = /^(?:curl|npm) /u;
const COMMAND_MS_MAX = 60_000;

/** A block of commands and what the block behind it shows; undefined where no output is shown. */
interface Step {
  readonly commands: string;
  readonly shown: string | undefined;
}

const steps = stepsOf(sectionOf('A tour with real data'));
/** The data set comes from npm's cache alone: tests ask no registry. */
const isCached = spawnSync('npm', ['cache', 'ls', 'vega-datasets@3.2.1'], { encoding: 'utf8' }).stdout.includes(
  'vega-datasets',
);

describe.skipIf(!isCached)(`the README's tour${isCached ? '' : ' (npm cache add vega-datasets@3.2.1)'}`, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'quarry-tour-'));
  let node: TestNode;

  beforeAll(async () => {
    node = await TestNode.start();
  });

  afterAll(async () => {
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('has steps, and most of them show what they print', () => {
    expect(steps.filter(({ shown }) => shown !== undefined).length).toBeGreaterThanOrEqual(4);
  });

  test.each(steps)(
    '$commands',
    ({ commands, shown }) => {
      const here = commands.replaceAll('localhost:9200', new URL(node.url).host);
      const options = {
        cwd: folder,
        encoding: 'utf8',
        timeout: COMMAND_MS_MAX,
        env: { ...process.env, npm_config_offline: 'true' },
      } as const;
      const printed = execFileSync('bash', ['-c', here], options);
      // Two answers of one line each are shown below each other.
      if (shown !== undefined) expect(printed.replaceAll('}{', '}\n{').trim()).toBe(shown);
    },
    COMMAND_MS_MAX,
  );
});

function sectionOf(heading: string): string {
  const [, behind = ''] = README.split(`\n## ${heading}\n`);
  return behind.split('\n## ')[0] ?? '';
}

function stepsOf(section: string): readonly Step[] {
  const blocks = [...section.matchAll(/^```\n([\s\S]*?)\n```$/gmu)].map(([, block]) => block ?? '');
  return blocks.flatMap((commands, at) => {
    if (!COMMAND.test(commands)) return [];
    const next = blocks[at + 1];
    return [{ commands, shown: next === undefined || COMMAND.test(next) ? undefined : next }];
  });
}
