/** `quarry start`: a node in the foreground, until it is told to stop. */
import { QuarryError } from '../base/errors.js';
import { NodeKeystore } from '../node/node-keystore.js';
import { startNode } from '../node/node.js';
import { keystorePath } from '../store/keystore/keystore-file.js';
import { passwordOfEnvironment, PASSPHRASE_FILE } from './passphrase.js';
import { configFileOf, isPlainSetting, readNodeSettings, type SettingsSources } from './settings.js';

/** Rights of those who are neither the owner of a file nor in its group. */
const OTHERS = 0o007;

/** Resolves when the node runs; the process ends when it is stopped by a signal. */
export async function start(sources: SettingsSources): Promise<void> {
  keepFilesFromOthers();
  // A limit on the size of files is an error of the write that meets it, not the end of the node.
  process.on('SIGXFSZ', () => undefined);
  const settings = await readNodeSettings(sources);
  const bootstrapPassword = takeBootstrapPassword();
  const keystore = await NodeKeystore.open({
    path: keystorePath(configFileOf(sources.config)),
    password: passwordAtStart(),
    isPlain: isPlainSetting,
  });
  const onFatal = (reason: string): void => {
    process.stderr.write(`quarry: ${reason}\n`);
    process.exit(1);
  };
  const started = await startNode(settings, keystore, onFatal, bootstrapPassword);
  let isStopping = false;
  const stopOnce = (): void => {
    if (isStopping) return;
    isStopping = true;
    started
      .stop((what) => {
        process.stderr.write(`quarry: the stop waits for ${what}\n`);
      })
      .then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`quarry: cannot stop cleanly: ${String(error)}\n`);
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', stopOnce);
  process.on('SIGINT', stopOnce);
  // Started by another process, as a node of a local cluster: it does not outlive that.
  process.on('disconnect', stopOnce);
  const { version, name, httpAddress } = started.node;
  if (started.openAddresses.length > 0) {
    const where = started.openAddresses.join(' and ');
    process.stderr.write(
      `quarry: WARNING: this node has no security and can be reached at ${where}: ` +
        'whoever gets there can read, change and delete everything\n',
    );
  }
  const scheme = settings.values['http.ssl.enabled'] ? 'https' : 'http';
  process.stdout.write(`quarry ${version} [${name}] is ready at ${scheme}://${httpAddress}\n`);
}

/** What is logged and indexed is nobody else's business. Before any thread begins: it holds for kernels as well. */
function keepFilesFromOthers(): void {
  const given = process.umask(OTHERS);
  process.umask(given | OTHERS);
}

/** The environment is read, and emptied of it, before any thread begins. */
function passwordAtStart(): () => Promise<string> {
  const given = passwordOfEnvironment();
  return async () => {
    if (given !== undefined) return given;
    const { SecretInput } = await import('./secret-input.js');
    const input = new SecretInput();
    if (input.isTerminal) return input.line('Password of the keystore');
    const reason = `the keystore is protected by a password: the variable [${PASSPHRASE_FILE}] names a file that holds it`;
    throw new QuarryError('settings_exception', reason);
  };
}

/** Taken out of the environment, which threads and child processes would get as well. */
function takeBootstrapPassword(): string | undefined {
  const { QUARRY_BOOTSTRAP_PASSWORD: password } = process.env;
  delete process.env['QUARRY_BOOTSTRAP_PASSWORD'];
  return password === '' ? undefined : password;
}
