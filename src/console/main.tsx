/** The web console: reads and changes the cluster by the API of the node that serves it, as any client does. */
import { render, type VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { listenToKeys } from './frame/keyboard.js';
import { Navigation } from './frame/navigation.js';
import { SignIn } from './frame/sign-in.js';
import { ChartsPage } from './pages/charts/page.js';
import { IndicesPage } from './pages/indices/page.js';
import { OverviewPage } from './pages/overview/page.js';
import { RequestsPage } from './pages/requests/page.js';
import { ShardsPage } from './pages/shards/page.js';
import { SnapshotsPage } from './pages/snapshots/page.js';
import { TasksPage } from './pages/tasks/page.js';
import { PAGES, place, type PageName } from './routes.js';
import { useStore } from './store.js';
import { Notices } from './widgets/notices.js';

const VIEWS: Readonly<Record<PageName, (props: { readonly parts: readonly string[] }) => VNode>> = {
  overview: OverviewPage,
  shards: ShardsPage,
  indices: IndicesPage,
  snapshots: SnapshotsPage,
  tasks: TasksPage,
  charts: ChartsPage,
  requests: RequestsPage,
};

function Console(): VNode {
  const { page, parts } = useStore(place);
  const main = useRef<HTMLElement>(null);
  const View = VIEWS[page];
  const title = PAGES.find(({ name }) => name === page)?.title ?? '';
  useEffect(() => {
    document.title = `${title} · Quarry console`;
    main.current?.scrollTo(0, 0);
  }, [title]);
  const skip = (): void => {
    main.current?.focus();
  };
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        To the content
      </button>
      <Navigation />
      <main ref={main} tabIndex={-1} data-page={page}>
        <View parts={parts} />
      </main>
      <Notices />
      <SignIn />
    </>
  );
}

const root = document.getElementById('console');
if (root !== null) {
  render(<Console />, root);
  listenToKeys();
}
