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
  /** Whether the certificate has to name the host that is asked, which it has to where nobody says. */
  readonly checksName?: boolean;
  /** Ends the request. */
  readonly signal?: AbortSignal;
}

export interface NodeAnswer {
  readonly status: number;
  readonly text: string;
  /** It was longer than it may be, and nothing more of it was read. */
  readonly isCut: boolean;
}

export interface AnswerLimits {
  /** Until the answer is whole. */
  readonly timeoutMs: number;
  readonly bytes: number;
}

const LIMITS: AnswerLimits = { timeoutMs: 30_000, bytes: 20_000_000 };

/** Rejects where nobody answers in time, or with another certificate. */
export async function askNode(url: URL, question: Question = {}, limits = LIMITS): Promise<NodeAnswer> {
  const { method = 'GET', authorization, body, authority, checksName = true, signal } = question;
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  const trusted = {
    minVersion: 'TLSv1.2' as const,
    ...(authority === undefined ? {} : { ca: authority }),
    ...(checksName ? {} : { checkServerIdentity: () => undefined }),
  };
  const aborted = signal === undefined ? {} : { signal };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false, ...trusted, ...aborted }, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      const finish = (): void => {
        clearTimeout(deadline);
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, text, isCut: length > limits.bytes });
      };
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk.subarray(0, limits.bytes - length));
        length += chunk.length;
        if (length <= limits.bytes) return;
        finish();
        sent.destroy();
      });
      response.on('error', fail);
      response.on('end', finish);
    });
    const fail = (error: Error): void => {
      clearTimeout(deadline);
      reject(error);
    };
    const deadline = setTimeout(() => {
      fail(new Error(`no answer within ${limits.timeoutMs / 1_000} s`));
      sent.destroy();
    }, limits.timeoutMs);
    sent.on('error', fail);
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
