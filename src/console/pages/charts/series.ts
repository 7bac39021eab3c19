/** From samples to the lines of charts. */
import type { NodeStats, Sample } from './samples.js';

type Values = readonly (number | null)[];
type Counter = (stats: NodeStats) => number | undefined;

/** What all nodes together did a second. A counter that went back belongs to a node that was started again: nothing is known then. */
export function rate(samples: readonly Sample[], counter: Counter): Values {
  return differences(samples, counter).map(({ change, seconds }) =>
    change === undefined || seconds <= 0 ? null : change / seconds,
  );
}

/** Milliseconds that one of `count` took on average. Null where there was none. */
export function average(samples: readonly Sample[], milliseconds: Counter, count: Counter): Values {
  const times = differences(samples, milliseconds);
  return differences(samples, count).map(({ change }, at) => {
    const time = times[at]?.change;
    return change === undefined || time === undefined || change <= 0 ? null : time / change;
  });
}

/** What the node said at each time. */
export function ofNode(samples: readonly Sample[], id: string, value: Counter): Values {
  return samples.map(({ nodes }) => {
    const stats = nodes[id];
    return (stats === undefined ? undefined : value(stats)) ?? null;
  });
}

/** The sum over all nodes. */
export function total(samples: readonly Sample[], value: Counter): Values {
  return samples.map(({ nodes }) => Object.values(nodes).reduce((sum, stats) => sum + (value(stats) ?? 0), 0));
}

interface Difference {
  readonly change: number | undefined;
  readonly seconds: number;
}

function differences(samples: readonly Sample[], counter: Counter): readonly Difference[] {
  return samples.map((sample, at) => {
    const before = samples[at - 1];
    if (before === undefined) return { change: undefined, seconds: 0 };
    return { change: changeOf(before, sample, counter), seconds: sample.seconds - before.seconds };
  });
}

function changeOf(before: Sample, after: Sample, counter: Counter): number | undefined {
  let change = 0;
  for (const [id, stats] of Object.entries(after.nodes)) {
    const earlier = before.nodes[id];
    const [from, to] = [earlier === undefined ? undefined : counter(earlier), counter(stats)];
    if (from === undefined || to === undefined) continue;
    if (to < from) return undefined;
    change += to - from;
  }
  return change;
}
