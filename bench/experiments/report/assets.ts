/** What is embedded in reports: the library that draws, its styles, our script and the colours of the console. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

export interface Assets {
  readonly script: string;
  readonly styles: string;
  /** Of the library; it wants to be handed on. */
  readonly licence: string;
}

const SCRIPT = 'bench/experiments/report/browser/draw.ts';
const STYLES = [
  'node_modules/uplot/dist/uPlot.min.css',
  'src/console/styles/tokens.css',
  'bench/experiments/report/report.css',
];

let made: Promise<Assets> | undefined;

export function assets(): Promise<Assets> {
  made ??= make();
  return made;
}

async function make(): Promise<Assets> {
  const bundle = await rolldown({
    cwd: process.cwd(),
    input: SCRIPT,
    platform: 'browser',
    tsconfig: path.resolve('tsconfig.console.json'),
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  const { output } = await bundle.generate({ format: 'iife', minify: true });
  await bundle.close();
  return {
    script: output[0].code,
    styles: STYLES.map((file) => readFileSync(file, 'utf8')).join('\n'),
    licence: readFileSync('node_modules/uplot/LICENSE', 'utf8').trim(),
  };
}
