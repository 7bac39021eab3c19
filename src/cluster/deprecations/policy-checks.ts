/** Lifecycle policies that wait for what is not there. */
import { mountRepositories } from '../lifecycle/mount-rules.js';
import { parsePhases } from '../lifecycle/policy.js';
import type { ClusterState } from '../state.js';
import { listed, warning, type Deprecation } from './entry.js';

const WAIT = 'wait_for_snapshot';

/** By the name of the policy; only those with something to tell. */
export function policyDeprecations(state: ClusterState): ReadonlyMap<string, readonly Deprecation[]> {
  const found = new Map<string, readonly Deprecation[]>();
  for (const [name, { policy }] of state.lifecyclePolicies) {
    const url = `/_ilm/policy/${name}`;
    const phases = parsePhases(policy);
    const awaited = phases.flatMap(({ actions }) =>
      actions.flatMap(({ name: action, body: { policy: waited } }) =>
        action === WAIT && typeof waited === 'string' ? [waited] : [],
      ),
    );
    const missing = awaited.filter((snapshots) => !state.slmPolicies.has(snapshots));
    const entries: Deprecation[] = [];
    if (missing.length > 0) {
      const details = `Indices are never deleted: put the snapshot policies ${listed(missing)}, or take out [${WAIT}]`;
      entries.push(warning('Policy waits for snapshots of policies that do not exist', url, details));
    }
    const absent = mountRepositories(phases).filter((repository) => !state.repositories.has(repository));
    if (absent.length > 0) {
      const details = `Indices stay as they are: register the repositories ${listed(absent)}`;
      entries.push(warning('Policy mounts from repositories that do not exist', url, details));
    }
    if (phases.length === 0) {
      entries.push(warning('Policy has no phase', url, `Indices with the policy [${name}] stay as they are for ever`));
    }
    if (entries.length > 0) found.set(name, entries);
  }
  return found;
}
