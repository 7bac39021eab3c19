/** What a store of the S3 protocol says, as errors of ours. */
import { QuarryError } from '../../base/errors.js';

export type FailedAction = 'list' | 'read' | 'remove' | 'write';

interface LibraryError {
  readonly name: string;
  readonly message: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

export function hasStatus(error: unknown, status: number): boolean {
  return (error as Partial<LibraryError>).$metadata?.httpStatusCode === status;
}

/** `shown` names the blob, the bucket and the client. The error of the library is not kept: it may tell of credentials. */
export function s3Error(
  action: FailedAction,
  shown: string,
  error: unknown,
  redact: (text: string) => string,
): QuarryError {
  if (error instanceof QuarryError) return error;
  const { name, message } = error as LibraryError;
  if (action === 'read' && (name === 'NoSuchKey' || name === 'NotFound')) {
    return new QuarryError('no_such_file_exception', `${shown} is not there`);
  }
  if (action === 'read' && name === 'InvalidRange') {
    return new QuarryError('corrupt_index_exception', `${shown} ends before what is read of it`);
  }
  const what = name === 'Error' || message.includes(name) ? message : `${name}: ${message}`;
  return new QuarryError('i_o_exception', redact(`cannot ${action} ${shown}: ${what}`));
}
