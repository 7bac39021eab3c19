/** Indices by nodes: each copy of each shard where it is, with its role and state as shape and text. */
import type { VNode } from 'preact';
import type { RoutingState, ShardCopy } from '../../api/answers.js';
import { formatCount } from '../../format/numbers.js';
import { linkTo } from '../../routes.js';
import { Empty } from '../../widgets/panel.js';

interface GridProps {
  readonly state: RoutingState;
  /** Names of indices to be shown, in order. */
  readonly names: readonly string[];
}

/** More make the page slow. */
const INDICES_MAX = 200;
const COPIES_MAX = 5_000;

export function ShardGrid({ state, names }: GridProps): VNode {
  const nodes = Object.entries(state.nodes ?? {}).sort(([, a], [, b]) => (a.name < b.name ? -1 : 1));
  const nodeNames = new Map(nodes.map(([id, { name }]) => [id, name]));
  const rows = boundedRows(state, names);
  if (rows.length === 0) return <Empty>No index has this name.</Empty>;
  return (
    <>
      <div class="scroll">
        <table class="grid" aria-label="Shards by index and node">
          <thead>
            <tr>
              <th scope="col">Index</th>
              {nodes.map(([id, { name }]) => (
                <th key={id} scope="col">
                  {name}
                </th>
              ))}
              <th scope="col">unassigned</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, copies }) => (
              <tr key={name}>
                <th scope="row">
                  <a href={linkTo('indices', name)}>{name}</a>
                </th>
                {nodes.map(([id]) => (
                  <td key={id}>
                    <Copies copies={copies.filter(({ node }) => node === id)} nodeNames={nodeNames} />
                  </td>
                ))}
                <td>
                  <Copies copies={copies.filter(({ node }) => node === null)} nodeNames={nodeNames} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length < names.length && (
        <Empty>
          The first {formatCount(rows.length)} of {formatCount(names.length)} indices: filter to see others.
        </Empty>
      )}
    </>
  );
}

interface Row {
  readonly name: string;
  readonly copies: readonly ShardCopy[];
}

function boundedRows({ routing_table: table }: RoutingState, names: readonly string[]): readonly Row[] {
  const rows: Row[] = [];
  let count = 0;
  for (const name of names.slice(0, INDICES_MAX)) {
    const copies = Object.values(table?.indices?.[name]?.shards ?? {}).flat();
    count += copies.length;
    if (count > COPIES_MAX && rows.length > 0) break;
    rows.push({ name, copies: [...copies].sort(inOrder) });
  }
  return rows;
}

function inOrder(a: ShardCopy, b: ShardCopy): number {
  return a.shard - b.shard || Number(b.primary) - Number(a.primary);
}

interface CopiesProps {
  readonly copies: readonly ShardCopy[];
  readonly nodeNames: ReadonlyMap<string, string>;
}

function Copies({ copies, nodeNames }: CopiesProps): VNode {
  return (
    <div class="copies">
      {copies.map((copy, at) => (
        <Copy key={at} copy={copy} nodeNames={nodeNames} />
      ))}
    </div>
  );
}

function Copy({ copy, nodeNames }: { readonly copy: ShardCopy; readonly nodeNames: CopiesProps['nodeNames'] }): VNode {
  const role = copy.primary ? 'primary' : 'replica';
  const state = copy.state.toLowerCase();
  const to = copy.state === 'RELOCATING' ? nodeNames.get(copy.relocating_node ?? '') : undefined;
  const words = `shard ${copy.shard}, ${role}, ${state}${to === undefined ? '' : ` to ${to}`}`;
  return (
    <a
      class={`copy ${role} ${state}`}
      href={linkTo('shards', 'explain', copy.index, String(copy.shard), role)}
      title={`${words}: explain`}
      aria-label={words}
    >
      {copy.shard}
      <small>{copy.primary ? 'p' : 'r'}</small>
      {SIGNS[copy.state]}
    </a>
  );
}

const SIGNS: Readonly<Record<ShardCopy['state'], string>> = {
  STARTED: '',
  INITIALIZING: '…',
  RELOCATING: '→',
  UNASSIGNED: '!',
};
