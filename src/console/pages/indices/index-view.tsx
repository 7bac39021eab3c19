/** One index: what it is made of, what it does, and what can be done with it. */
import type { VNode } from 'preact';
import { indexDescription, type IndexDescription } from '../../api/answers.js';
import { usePolled } from '../../api/polling.js';
import { linkTo } from '../../routes.js';
import { Code } from '../../widgets/code.js';
import { Empty, Loaded, Panel } from '../../widgets/panel.js';
import { IndexActions } from './actions.js';
import { Segments } from './segments.js';
import { IndexFigures } from './statistics.js';

const TABS = ['summary', 'segments', 'mapping', 'settings', 'aliases'] as const;

interface IndexViewProps {
  readonly name: string;
  readonly tab: string;
}

export function IndexView({ name, tab }: IndexViewProps): VNode {
  const described = usePolled(indexDescription(name), 10_000);
  return (
    <>
      <p class="path">
        <a href={linkTo('indices')}>Indices</a> / {name}
      </p>
      <div class="title">
        <h1>{name}</h1>
        <IndexActions name={name} onDone={described.refresh} />
      </div>
      <nav class="tabs" aria-label="Views of the index">
        {TABS.map((each) => (
          <a key={each} href={linkTo('indices', name, each)} aria-current={each === tab ? 'page' : undefined}>
            {each}
          </a>
        ))}
      </nav>
      {tab === 'summary' && <IndexFigures name={name} />}
      {tab === 'segments' && <Segments name={name} />}
      {tab !== 'summary' && tab !== 'segments' && (
        <Loaded from={described}>{(answer) => <Described description={answer[name]} tab={tab} />}</Loaded>
      )}
    </>
  );
}

interface DescribedProps {
  readonly description: IndexDescription | undefined;
  readonly tab: string;
}

function Described({ description, tab }: DescribedProps): VNode {
  if (description === undefined) return <Empty>The name is an alias or a data stream: look at its indices.</Empty>;
  const [title, value] =
    tab === 'mapping'
      ? (['Mapping', description.mappings] as const)
      : tab === 'aliases'
        ? (['Aliases', description.aliases] as const)
        : (['Settings', description.settings] as const);
  return (
    <Panel title={title}>
      <Code value={value} label={title} />
    </Panel>
  );
}
