/** The left side: which cluster this is, the pages, and switches for the whole console. */
import type { VNode } from 'preact';
import { CLUSTER_HEALTH, NODE_INFO } from '../api/answers.js';
import { credentials, signOut } from '../api/credentials.js';
import { isConnected } from '../api/client.js';
import { usePolled } from '../api/polling.js';
import { linkTo, PAGES, place } from '../routes.js';
import { useStore } from '../store.js';
import { theme, toggleTheme } from '../theme.js';
import { healthTone, Mark } from '../widgets/marks.js';

const HEALTH_MS = 5_000;

export function Navigation(): VNode {
  const { page } = useStore(place);
  const { data: info } = usePolled(NODE_INFO, 60_000);
  const { data: health } = usePolled(CLUSTER_HEALTH, HEALTH_MS);
  return (
    <nav class="side" aria-label="Pages">
      <div class="brand">
        <img src="icon.svg" alt="" width="22" height="22" />
        <div>
          <strong>{info?.cluster_name ?? 'Quarry'}</strong>
          <span class="quiet">{info === undefined ? '' : `Quarry ${info.software?.version ?? ''}`}</span>
        </div>
      </div>
      <p class="cluster-health">
        <Connection />
        {health !== undefined && <Mark tone={healthTone(health.status)} label={health.status} />}
      </p>
      <ul>
        {PAGES.map(({ name, title }, at) => (
          <li key={name}>
            <a href={linkTo(name)} aria-current={name === page ? 'page' : undefined}>
              {title}
              <kbd aria-hidden="true">{at + 1}</kbd>
            </a>
          </li>
        ))}
      </ul>
      <Switches />
    </nav>
  );
}

function Connection(): VNode | null {
  return useStore(isConnected) ? null : <Mark tone="bad" label="no connection" />;
}

function Switches(): VNode {
  const who = useStore(credentials);
  const shade = useStore(theme);
  return (
    <div class="switches">
      {who !== undefined && (
        <button type="button" class="plain" onClick={signOut}>
          Sign out {who.label}
        </button>
      )}
      <button type="button" class="plain" onClick={toggleTheme}>
        {shade === 'dark' ? 'Light' : 'Dark'} theme
      </button>
    </div>
  );
}
