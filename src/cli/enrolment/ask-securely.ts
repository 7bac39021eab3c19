/** Requests to nodes that have to show a certificate of one authority. */
import { request } from 'node:https';
import { QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json-value.js';

export interface SecureRequest {
  /** `host:port`. */
  readonly address: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly authorization: string;
  readonly body?: JsonObject;
  /** As PEM. */
  readonly authority: string;
  /** Whether the certificate has to name the host that is asked: what is sent could be used anywhere. */
  readonly checksName?: boolean;
}

export interface SecureAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

const ANSWER_MS_MAX = 30_000;
const ANSWER_BYTES_MAX = 1 << 20;
/** What the TLS library says of a certificate that somebody else signed. */
const FOREIGN =
  /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED|INVALID_CA|CERT_REJECTED/;
const NO_TLS = /EPROTO|WRONG_VERSION|PACKET_LENGTH|HTTP_REQUEST|SSL/;

/**
 * Any node with a certificate of the authority will do, under whatever name unless it is checked. Throws where nobody answers, where there is no TLS, and where the
 * certificate is of another authority: then nothing was sent.
 */
export function askSecurely(asked: SecureRequest): Promise<SecureAnswer> {
  const { address, method, path, authorization, authority, body, checksName = false } = asked;
  const url = new URL(`https://${address}${path}`);
  const content = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      reject(failure(address, error));
    };
    const sent = request(
      url,
      {
        method,
        ca: authority,
        ...(checksName ? {} : { checkServerIdentity: () => undefined }),
        minVersion: 'TLSv1.2',
        timeout: ANSWER_MS_MAX,
        headers: {
          authorization,
          ...(content === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length > ANSWER_BYTES_MAX)
            response.destroy(new Error(`its answer has more than ${ANSWER_BYTES_MAX} bytes`));
          else chunks.push(chunk);
        });
        response.on('error', fail);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, body: objectIn(Buffer.concat(chunks)) });
        });
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${ANSWER_MS_MAX / 1_000} s`)));
    sent.on('error', fail);
    sent.end(content);
  });
}

/** Nobody answered: another address may do. */
export class Unreachable extends QuarryError {}

function failure(address: string, error: Error & { readonly code?: string }): QuarryError {
  const { code = '', message } = error;
  if (FOREIGN.test(code)) {
    return new QuarryError(
      'security_exception',
      `[${address}] shows a certificate that the authority of the cluster did not sign (${code}): it is no node of ` +
        'the cluster, and somebody may stand between. Nothing was sent',
    );
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return new QuarryError(
      'security_exception',
      `the certificate of [${address}] is not for that name: ${message}. Nothing was sent`,
    );
  }
  if (/^CERT_/.test(code)) {
    return new QuarryError('security_exception', `the certificate of [${address}] cannot be used: ${message}`);
  }
  if (NO_TLS.test(code)) {
    const reason = `[${address}] does not speak TLS (${code}): nodes are enrolled by TLS only, see [http.ssl.enabled]`;
    return new QuarryError('security_exception', reason);
  }
  if (code === 'ECONNRESET') {
    const why = 'it is starting or stopping, or does not speak TLS: nodes are enrolled by TLS only';
    return new Unreachable('connect_transport_exception', `[${address}] ended the connection: ${why}`);
  }
  return new Unreachable('connect_transport_exception', `[${address}] does not answer: ${message}`);
}

function objectIn(bytes: Buffer): JsonObject {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The reason of an error in the API's shape. */
export function reasonOf({ status, body }: SecureAnswer): string {
  const { error } = body;
  const { reason, additional_unsuccessful_credentials: more } = isJsonObject(error) ? error : {};
  const texts = [reason, more].filter((text) => typeof text === 'string');
  return texts.length === 0 ? `status ${status}` : texts.join('; ');
}
