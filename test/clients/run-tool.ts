/** Runs tools that are not part of the project: their tests are left out where they are not installed. */
import { execFile, spawnSync } from 'node:child_process';

const TOOL_MS_MAX = 120_000;

export function isInstalled(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore', timeout: TOOL_MS_MAX }).status === 0;
}

/** What it wrote to its output. Rejects with what it said when it fails. `environment` goes beside that of this process. */
export function runTool(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: TOOL_MS_MAX, env: { ...process.env, ...environment } };
    execFile(command, [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command} ${args.join(' ')}: ${error.message}\n${stdout}\n${stderr}`));
    });
  });
}
