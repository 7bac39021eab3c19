/** Tells the kernels what the cluster state says of scripts, whenever it says something else. */
import type { NodeSettings } from '../../base/node-settings.js';
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import { scriptSettings } from '../../cluster/scripts/script-settings.js';
import type { ClusterState } from '../../cluster/state.js';
import { configureScripts, setStoredScripts } from '../../native/scripts.js';

export class ScriptServices {
  readonly #settings: NodeSettings['values'];
  #followed: ClusterState | undefined;

  constructor(settings: NodeSettings['values']) {
    this.#settings = settings;
  }

  follow(state: ClusterState): void {
    const before = this.#followed;
    this.#followed = state;
    if (before?.clusterSettings !== state.clusterSettings) {
      configureScripts(scriptSettings(this.#settings, effectiveClusterSettings(state)));
    }
    if (before?.storedScripts === state.storedScripts) return;
    const scripts = [...state.storedScripts].map(([id, { lang, source }]) => [id, { lang, source }] as const);
    setStoredScripts(Object.fromEntries(scripts));
  }
}
