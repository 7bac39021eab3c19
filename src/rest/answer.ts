/** What an endpoint answers with. Pretty printing, `filter_path`, YAML and CBOR are applied to it afterwards. */
export type AnswerHeaders = Readonly<Record<string, string>>;

export type RestAnswer =
  /** A value to be written as JSON (or YAML, CBOR). Members that are `undefined` are left out. */
  | { readonly kind: 'value'; readonly status: number; readonly value: unknown; readonly headers?: AnswerHeaders }
  /** JSON that is already written, in pieces that are concatenated. */
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly chunks: readonly Uint8Array[];
      readonly headers?: AnswerHeaders;
    }
  /** Plain text, unless `contentType` says more of it. */
  | {
      readonly kind: 'text';
      readonly status: number;
      readonly text: string;
      readonly contentType?: string;
      readonly headers?: AnswerHeaders;
    }
  /** A status alone, as for HEAD. */
  | { readonly kind: 'empty'; readonly status: number; readonly headers?: AnswerHeaders };

/** The header in which a request that is carried out comes with words to the user. Without any there is none. */
export function warningHeader(...warnings: readonly string[]): AnswerHeaders {
  if (warnings.length === 0) return {};
  const values = warnings.map((warning) => `299 Quarry "${warning.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
  return { Warning: values.join(', ') };
}

/** The texts of such a header. */
export function warningsIn({ Warning: header = '' }: AnswerHeaders): readonly string[] {
  const quoted = header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/gs);
  return [...quoted].map(([, text = '']) => text.replaceAll(/\\(.)/gs, '$1'));
}

export function answerValue(value: unknown, status = 200, headers: AnswerHeaders = {}): RestAnswer {
  return { kind: 'value', status, value, headers };
}

export function answerJson(chunks: readonly Uint8Array[], status = 200): RestAnswer {
  return { kind: 'json', status, chunks };
}

export function answerText(text: string, status = 200): RestAnswer {
  return { kind: 'text', status, text };
}

export function answerEmpty(status: number): RestAnswer {
  return { kind: 'empty', status };
}

/** The answer of most changes of the cluster state. */
export function answerAcknowledged(acknowledged = true, headers: AnswerHeaders = {}): RestAnswer {
  return answerValue({ acknowledged }, 200, headers);
}
