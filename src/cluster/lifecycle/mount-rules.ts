/** What a lifecycle policy may do beside mounting an index from a snapshot. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { ActionName, Phase } from './policy.js';

/** What holds of the mounts of all phases together. */
export function checkMounts(phases: readonly Phase[]): void {
  const [hot] = phases.filter(({ name }) => name === 'hot');
  const actionsOf = (phase: Phase | undefined): readonly string[] => phase?.actions.map(({ name }) => name) ?? [];
  if (actionsOf(hot).includes('searchable_snapshot')) {
    if (!actionsOf(hot).includes('rollover')) {
      throw illegalArgument(
        'the [searchable_snapshot] action(s) may not be used in the [hot] phase without an accompanying [rollover] action',
      );
    }
    const late = phases.find(({ name, actions }) => name === 'warm' && actions.some((each) => CHANGES.has(each.name)));
    if (late !== undefined) {
      throw illegalArgument(
        `phases [${late.name}] define one or more of [${[...CHANGES].join(', ')}] actions which are not allowed after a ` +
          'managed index is mounted as a searchable snapshot',
      );
    }
  }
  const frozen = phases.find(({ name }) => name === 'frozen');
  if (frozen !== undefined && !actionsOf(frozen).includes('searchable_snapshot')) {
    throw illegalArgument(
      'policy specifies the [frozen] phase without a corresponding [searchable_snapshot] action, but a searchable snapshot ' +
        'action is required in the frozen phase',
    );
  }
  const repositories = mountRepositories(phases);
  if (repositories.length < 2) return;
  throw illegalArgument(
    `policy specifies [searchable_snapshot] action multiple times with differing repositories [${repositories.join(', ')}], ` +
      'the same repository must be used for all searchable snapshot actions',
  );
}

const CHANGES: ReadonlySet<ActionName> = new Set(['forcemerge', 'shrink']);

/** The repositories that the phases mount from, each once. */
export function mountRepositories(phases: readonly Phase[]): readonly string[] {
  const mounts = phases.flatMap(({ actions }) => actions.filter(({ name }) => name === 'searchable_snapshot'));
  return [...new Set(mounts.map(({ body }) => repositoryOf(body)))].sort();
}

/** From which the `searchable_snapshot` action of this body mounts; checked to be a text. */
export function repositoryOf(body: JsonObject): string {
  const { snapshot_repository: repository } = body;
  return typeof repository === 'string' ? repository : '';
}
