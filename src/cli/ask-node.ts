/** Requests of commands to a node. */
import { QuarryError } from '../base/errors.js';
import { readTextIfPresent } from '../store/files.js';

export interface Question {
  readonly method?: 'GET' | 'POST';
  readonly authorization?: string | undefined;
  /** JSON. */
  readonly body?: string;
  /** Authorities that the node's certificate may be of, as PEM; undefined: those that the system trusts. */
  readonly authority?: string | undefined;
}

export interface NodeAnswer {
  readonly status: number;
  /** Longer ones are cut. */
  readonly text: string;
}

const ANSWER_MS_MAX = 30_000;
const ANSWER_BYTES_MAX = 20_000_000;

/** Rejects where nobody answers, or with another certificate. */
export async function askNode(url: URL, question: Question = {}): Promise<NodeAnswer> {
  const { method = 'GET', authorization, body, authority } = question;
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  const trusted = authority === undefined ? {} : { ca: authority };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false, timeout: ANSWER_MS_MAX, ...trusted }, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        if (length < ANSWER_BYTES_MAX) chunks.push(chunk.subarray(0, ANSWER_BYTES_MAX - length));
        length += chunk.length;
      });
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${ANSWER_MS_MAX / 1_000} s`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The file that `--ca` names. */
export function readAuthorities(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const text = readTextIfPresent(file);
  if (text?.includes('-----BEGIN CERTIFICATE-----') === true) return text;
  const reason = text === undefined ? 'the file does not exist' : 'the file holds no certificate as PEM';
  throw new QuarryError('settings_exception', `[--ca ${file}]: ${reason}`);
}

/** What is wrong with a request that got no answer, and what may help. */
export function whyNoAnswer(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '' } = error as NodeJS.ErrnoException;
  const isForeign = /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code);
  return isForeign ? `${error.message} (${code}): name the authority of the cluster with --ca` : error.message;
}
