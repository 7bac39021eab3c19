/** Asks clusters that are not this one, over the HTTP that their clients use. Nothing that they answer is trusted. */
import { QuarryError } from '../base/errors.js';
import { stringifyJson } from '../base/json.js';
import { REMOTE_ANSWER_BYTES_MAX } from '../base/limits.js';
import { formatTime } from '../base/units.js';

export interface RemoteCluster {
  /** `http` or `https`, host, port, and perhaps a path. */
  readonly url: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** For one answer. */
  readonly timeoutMs: number;
}

/** Longer delays are none: the timer would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** What of an answer that is an error is told on. */
const SHOWN_LENGTH_MAX = 1_000;

/** The bytes of an answer whose status is a success; redirections are not followed. `given` ends the request early. */
export async function askRemote(
  cluster: RemoteCluster,
  method: 'POST' | 'DELETE',
  path: string,
  body: unknown,
  given?: AbortSignal,
): Promise<Uint8Array> {
  const { url, timeoutMs } = cluster;
  const overdue = AbortSignal.timeout(Math.min(timeoutMs, TIMER_MS_MAX));
  let answer: { readonly status: number; readonly bytes: Uint8Array };
  try {
    const response = await fetch(url + path, {
      method,
      headers: headersFor(cluster),
      body: stringifyJson(body),
      redirect: 'error',
      signal: given === undefined ? overdue : AbortSignal.any([overdue, given]),
    });
    answer = { status: response.status, bytes: await readLimited(response) };
  } catch (cause) {
    if (cause instanceof QuarryError) throw cause;
    const { name, message } = cause as Error;
    const why = name === 'TimeoutError' ? `it did not answer within [${formatTime(timeoutMs)}]` : message;
    throw new QuarryError('i_o_exception', `cannot ask the remote cluster [${url}]: ${why}`, { cause });
  }
  const { status, bytes } = answer;
  if (status < 300) return bytes;
  const shown = Buffer.from(bytes).toString('utf8').slice(0, SHOWN_LENGTH_MAX);
  throw new QuarryError('i_o_exception', `the remote cluster [${url}] answered [${status}]: ${shown}`, { status });
}

function headersFor({ username, password, headers }: RemoteCluster): Record<string, string> {
  const secret = Buffer.from(`${username ?? ''}:${password ?? ''}`, 'utf8').toString('base64');
  return {
    ...headers,
    'content-type': 'application/json',
    accept: 'application/json',
    ...(username === undefined ? {} : { authorization: `Basic ${secret}` }),
  };
}

async function readLimited(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > REMOTE_ANSWER_BYTES_MAX) {
      const reason = `Remote responded with a chunk that was too large. Use a smaller batch size. [${REMOTE_ANSWER_BYTES_MAX}] bytes are allowed`;
      throw new QuarryError('illegal_argument_exception', reason);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
