/** Packages that most nodes never use: each worker would load them at every start, and keep them. */
import { createRequire } from 'node:module';

interface Packages {
  readonly '@aws-sdk/client-s3': typeof import('@aws-sdk/client-s3');
  readonly '@node-rs/bcrypt': typeof import('@node-rs/bcrypt');
  readonly '@smithy/node-http-handler': typeof import('@smithy/node-http-handler');
  readonly croner: typeof import('croner');
  readonly hpagent: typeof import('hpagent');
  readonly 'html-entities': typeof import('html-entities');
  readonly mustache: typeof import('mustache').default;
  readonly re2js: typeof import('re2js');
  readonly tldts: typeof import('tldts');
  readonly yaml: typeof import('yaml');
}

const require = createRequire(import.meta.url);

/** Gives the package, loaded by the first call; without a promise, so that it can be used where nothing may wait. */
export function onDemand<Name extends keyof Packages>(name: Name): () => Packages[Name] {
  let loaded: Packages[Name] | undefined;
  return () => (loaded ??= require(name) as Packages[Name]);
}
