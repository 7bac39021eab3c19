/** Figures of several fronts, put together. */
import type { PoolFigures } from '../../actions/context.js';
import type { SecurityFigures } from '../../actions/front-figures.js';
import type { BreakerFigures } from '../../base/breakers.js';
import { sumOfRows } from '../../rest/route-figures.js';
import type { HttpFigures } from './figures.js';

export function sumOfHttp(one: HttpFigures, other: HttpFigures): HttpFigures {
  const { inflight_requests: bodies, in_flight_answers: answers } = one.breakers;
  const { security } = one;
  return {
    ...(security === undefined ? {} : { security: sumOfSecurity(security, other.security) }),
    requests: sumByName(one.requests, other.requests, (left, right) => left + right),
    routes: sumByName(one.routes ?? {}, other.routes ?? {}, sumOfRows),
    pools: sumByName(one.pools, other.pools, sumOfPools),
    connections: sumOfMembers(one.connections, other.connections),
    breakers: {
      inflight_requests: sumOfBreakers(bodies, other.breakers.inflight_requests),
      in_flight_answers: sumOfBreakers(answers, other.breakers.in_flight_answers),
    },
  };
}

/** All fronts have the same limits, and see what runs in the node. */
function sumOfPools(one: PoolFigures, other: PoolFigures): PoolFigures {
  const { size, queueSize, largest } = one;
  return { ...sumOfMembers(one, other), size, queueSize, largest: Math.max(largest, other.largest) };
}

/** The first front alone has the audit log. */
function sumOfSecurity(one: SecurityFigures, other: SecurityFigures | undefined): SecurityFigures {
  if (other === undefined) return one;
  return {
    ...one,
    authentication: {
      cache: sumOfMembers(one.authentication.cache, other.authentication.cache),
      hashes: sumOfMembers(one.authentication.hashes, other.authentication.hashes),
    },
    keptOut: sumOfMembers(one.keptOut, other.keptOut),
  };
}

/** All fronts see what they use together, and have the same limit. */
function sumOfBreakers(one: BreakerFigures, other: BreakerFigures): BreakerFigures {
  const { takenBytes } = one;
  return {
    ...one,
    refused: one.refused + other.refused,
    ...(takenBytes === undefined ? {} : { takenBytes: takenBytes + (other.takenBytes ?? 0) }),
  };
}

function sumByName<Figures>(
  one: Readonly<Record<string, Figures>>,
  other: Readonly<Record<string, Figures>>,
  sum: (left: Figures, right: Figures) => Figures,
): Record<string, Figures> {
  const sums: Record<string, Figures> = { ...one };
  for (const [name, figures] of Object.entries(other)) {
    const own = one[name];
    sums[name] = own === undefined ? figures : sum(own, figures);
  }
  return sums;
}

function sumOfMembers<Figures extends { readonly [Name in keyof Figures]: number }>(
  one: Figures,
  other: Figures,
): Figures {
  const names = Object.keys(one) as (keyof Figures)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as unknown as Figures;
}
