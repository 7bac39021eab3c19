/** An enrolment token that is not an argument of the command: others on the machine see those. */
import { illegalArgument } from '../../base/errors.js';
import { readSecretFile } from '../../store/secret-file.js';
import { SecretInput } from '../secret-input.js';
import { TOKEN_LENGTH_MAX } from './enrolment-token.js';

const STANDARD_INPUT = '-';

/** Of a file that only its owner may read, or a line of the standard input. */
export async function readEnrolmentToken(file: string): Promise<string> {
  if (file === STANDARD_INPUT) return new SecretInput().line('Enrolment token');
  const text = readSecretFile(file, TOKEN_LENGTH_MAX);
  if (text === undefined) throw illegalArgument(`[--enrollment-token-file ${file}]: the file does not exist`);
  return text;
}
