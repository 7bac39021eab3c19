/**
 * The programs of `native-bindings` that measure, always as the release build: its kernels are there already, those of another profile
 * would have to be compiled for this alone.
 */
import { execFile, execFileSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const native = path.resolve('native-bindings');
const OUTPUT_BYTES_MAX = 1 << 28;

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
    maxBuffer: OUTPUT_BYTES_MAX,
  });
}

/** As {@link runProgram}, while the event loop goes on: clients see meanwhile that a server has closed their idle connections. */
export async function runProgramMeanwhile(program: string, args: readonly string[], input: Buffer): Promise<Buffer> {
  const running = promisify(execFile)(program, args, { encoding: 'buffer', maxBuffer: OUTPUT_BYTES_MAX });
  running.child.stdin?.end(input);
  return (await running).stdout;
}
