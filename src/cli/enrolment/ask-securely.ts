/** Requests to nodes that have to show a certificate of one authority. */
import { QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json-value.js';
import { askNode, type AnswerLimits } from '../ask-node.js';

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

const LIMITS: AnswerLimits = { timeoutMs: 30_000, bytes: 1 << 20 };
/** What the TLS library says of a certificate that somebody else signed. */
const FOREIGN =
  /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED|INVALID_CA|CERT_REJECTED/;
const NO_TLS = /EPROTO|WRONG_VERSION|PACKET_LENGTH|HTTP_REQUEST|SSL/;

/**
 * Any node with a certificate of the authority will do, under whatever name unless it is checked. Throws where nobody answers, where there is no TLS, and where the
 * certificate is of another authority: then nothing was sent.
 */
export async function askSecurely(asked: SecureRequest): Promise<SecureAnswer> {
  const { address, method, path, authorization, authority, body, checksName = false } = asked;
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const question = { method, authorization, authority, checksName, ...content };
  try {
    const { status, text, isCut } = await askNode(new URL(`https://${address}${path}`), question, LIMITS);
    if (isCut) throw new Error(`its answer has more than ${LIMITS.bytes} bytes`);
    return { status, body: objectIn(text) };
  } catch (error) {
    throw failure(address, error instanceof Error ? error : new Error(String(error)));
  }
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

function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
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
