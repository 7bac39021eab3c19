/**
 * The programs of `native-bindings` that measure, always as the release build: its kernels are there already, those of another profile
 * would have to be compiled for this alone.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';

const native = path.resolve('native-bindings');

/**
 * Builds one of them, and returns where it is. The crate is not named: for one crate alone the kernels would be compiled once more, with the
 * features that it asks for.
 */
export function buildProgram(name: string): string {
  execFileSync('cargo', ['build', '--quiet', '--locked', '--release', '--bin', name], {
    cwd: native,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return path.join(native, 'target/release', name);
}

/** What a program prints; throws where it fails. */
export function runProgram(
  program: string,
  args: readonly string[],
  { environment = {}, input = Buffer.alloc(0) }: { environment?: object; input?: Buffer } = {},
): Buffer {
  return execFileSync(program, args, {
    env: { ...process.env, ...environment },
    input,
    stdio: ['pipe', 'pipe', 'inherit'],
    maxBuffer: 1 << 28,
  });
}
