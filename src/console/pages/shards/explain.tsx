/** Why is this shard unassigned, or a copy where it is: the explanation in plain words, what each node says, and requests that may mend it. */
import type { VNode } from 'preact';
import { indexDescription } from '../../api/answers.js';
import { LIVE_MS, usePolled } from '../../api/polling.js';
import type { Resource } from '../../api/resource.js';
import { linkTo } from '../../routes.js';
import { Code } from '../../widgets/code.js';
import { Mark } from '../../widgets/marks.js';
import { Empty, Loaded, Panel } from '../../widgets/panel.js';
import { openInEditor } from '../requests/draft.js';
import type { Explanation, NodeDecision } from './explanation.js';
import { fixesOf, type Fix } from './fixes.js';
import { headline, outlook, ruleInWords } from './plain-words.js';

interface ExplainProps {
  readonly index: string;
  readonly shard: string;
  readonly kind: string;
}

export function Explain({ index, shard, kind }: ExplainProps): VNode {
  const source = { index, shard: Number(shard), primary: kind === 'primary' };
  const polled = usePolled(explanationOf(source), LIVE_MS);
  const { data: described } = usePolled(indexDescription(index), undefined);
  const replicas = Number(described?.[index]?.settings.index['number_of_replicas'] ?? 0);
  return (
    <>
      <p class="path">
        <a href={linkTo('shards')}>Nodes and shards</a> / {index} / shard {shard} / {kind}
      </p>
      <h1>{question(polled.data)}</h1>
      <Loaded from={polled}>{(explanation) => <Explained explanation={explanation} replicas={replicas} />}</Loaded>
    </>
  );
}

function question(explanation: Explanation | undefined): string {
  if (explanation === undefined) return 'Where is this copy, and why?';
  return explanation.current_state === 'unassigned' ? 'Why is this shard unassigned?' : 'Why is this copy where it is?';
}

function Explained({ explanation, replicas }: { readonly explanation: Explanation; readonly replicas: number }): VNode {
  const { unassigned_info: info, node_allocation_decisions: nodes = [] } = explanation;
  return (
    <>
      <p class="lead">{headline(explanation)}</p>
      <p class="lead">{outlook(explanation)}</p>
      {info?.details !== undefined && <pre class="code">{info.details}</pre>}
      {explanation.current_state === 'unassigned' && <Fixes fixes={fixesOf(explanation, replicas)} />}
      {nodes.length > 0 && (
        <Panel title="What each node says">
          <ul class="nodes-say">
            {nodes.map((node) => (
              <NodeSays key={node.node_name} node={node} />
            ))}
          </ul>
        </Panel>
      )}
      <details>
        <summary>The whole answer of the API</summary>
        <Code value={explanation} label="Answer of the allocation explain API" />
      </details>
    </>
  );
}

function Fixes({ fixes }: { readonly fixes: readonly Fix[] }): VNode {
  return (
    <Panel title="What you can do">
      {fixes.length === 0 && <Empty>No request would help here; see what each node says.</Empty>}
      <ul class="fixes">
        {fixes.map((fix) => (
          <li key={fix.title}>
            <div>
              <strong>{fix.title}</strong>
              <span class="quiet">{fix.caution}</span>
              <code>
                {fix.method} {fix.path}
              </code>
            </div>
            <button type="button" onClick={() => openInEditor(fix.method, fix.path, fix.body)}>
              Open in the editor
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function NodeSays({ node }: { readonly node: NodeDecision }): VNode {
  const refusals = (node.deciders ?? []).filter(({ decision }) => decision !== 'YES' && decision !== 'ALWAYS');
  const tone = node.node_decision === 'yes' ? 'good' : node.node_decision === 'throttled' ? 'busy' : 'bad';
  return (
    <li>
      <p>
        <strong>{node.node_name}</strong> <Mark tone={tone} label={node.node_decision} />
      </p>
      <ul>
        {refusals.map(({ decider, explanation }) => (
          <li key={decider}>
            {ruleInWords(decider)}
            <span class="quiet">
              <code>{decider}</code> {explanation}
            </span>
          </li>
        ))}
      </ul>
    </li>
  );
}

/** The API takes its question in the query, too: so it can be read again and again. */
function explanationOf(copy: object): Resource<Explanation> {
  const source = encodeURIComponent(JSON.stringify(copy));
  return { path: `_cluster/allocation/explain?source_content_type=application/json&source=${source}` };
}
