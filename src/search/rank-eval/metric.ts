/** Measures of how well a list of hits agrees with what people said of the documents. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { Place } from '../body/place.js';
import { readBoolean, readInt } from '../body/read.js';

/** Of each hit in its order; undefined: nobody rated it. */
export type Ratings = readonly (number | undefined)[];

export interface Measured {
  readonly score: number;
  readonly details: JsonObject;
}

export interface Metric {
  readonly name: string;
  /** How many hits are looked at. */
  readonly size: number;
  /** `all` are the ratings of every rated document, whether it was found or not. */
  measure(hits: Ratings, all: readonly number[]): Measured;
}

const DEFAULT_K = 10;
const DEFAULT_THRESHOLD = 1;

interface Options {
  k: number;
  threshold: number;
  ignoreUnlabeled: boolean;
  normalize: boolean;
  unknownRating: number | undefined;
  maximumRelevance: number | undefined;
}

type OptionReader = (options: Options, value: Place) => void;

const OPTION_READERS: Readonly<Record<string, OptionReader>> = {
  k: (options, value) => {
    options.k = readInt(value);
    if (options.k <= 0) throw illegalArgument('Window size k must be positive.');
  },
  relevant_rating_threshold: (options, value) => {
    options.threshold = readInt(value);
    if (options.threshold < 0) {
      throw illegalArgument('Relevant rating threshold for precision must be positive integer.');
    }
  },
  ignore_unlabeled: (options, value) => {
    options.ignoreUnlabeled = readBoolean(value);
  },
  normalize: (options, value) => {
    options.normalize = readBoolean(value);
  },
  unknown_doc_rating: (options, value) => {
    options.unknownRating = value.value === null ? undefined : readInt(value);
  },
  maximum_relevance: (options, value) => {
    options.maximumRelevance = readInt(value);
  },
};

type Measure = Metric['measure'];

interface Kind {
  readonly options: readonly string[];
  make(options: Options): Measure;
}

const KINDS: Readonly<Record<string, Kind>> = {
  precision: { options: ['k', 'relevant_rating_threshold', 'ignore_unlabeled'], make: precision },
  recall: { options: ['k', 'relevant_rating_threshold'], make: recall },
  mean_reciprocal_rank: { options: ['k', 'relevant_rating_threshold'], make: meanReciprocalRank },
  dcg: { options: ['k', 'normalize', 'unknown_doc_rating'], make: discountedCumulativeGain },
  expected_reciprocal_rank: { options: ['k', 'maximum_relevance', 'unknown_doc_rating'], make: expectedReciprocalRank },
};

/** An object with the name of the metric as its only member. */
export function readMetric(place: Place): Metric {
  const [only, another] = place.members();
  if (only === undefined || another !== undefined) throw place.error('[metric] must name exactly one metric');
  const [name, body] = only;
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (kind === undefined) throw body.errorWithPlace(`unknown field [${name}]`, 'named_object_not_found_exception');
  const options: Options = {
    k: DEFAULT_K,
    threshold: DEFAULT_THRESHOLD,
    ignoreUnlabeled: false,
    normalize: false,
    unknownRating: undefined,
    maximumRelevance: undefined,
  };
  for (const [option, value] of body.members()) {
    const read = kind.options.includes(option) ? OPTION_READERS[option] : undefined;
    if (read === undefined) throw value.errorWithPlace(`[${name}] unknown field [${option}]`);
    read(options, value);
  }
  if (kind.options.includes('maximum_relevance') && options.maximumRelevance === undefined) {
    throw illegalArgument('Required [maximum_relevance]');
  }
  return { name, size: options.k, measure: kind.make(options) };
}

function precision({ threshold, ignoreUnlabeled }: Options): Measure {
  return (hits) => {
    const relevant = hits.filter((rating) => rating !== undefined && rating >= threshold).length;
    const counted = ignoreUnlabeled ? hits.filter((rating) => rating !== undefined).length : hits.length;
    return {
      score: counted === 0 ? 0 : relevant / counted,
      details: { relevant_docs_retrieved: relevant, docs_retrieved: counted },
    };
  };
}

function recall({ threshold }: Options): Measure {
  return (hits, all) => {
    const found = hits.filter((rating) => rating !== undefined && rating >= threshold).length;
    const relevant = all.filter((rating) => rating >= threshold).length;
    return {
      score: relevant === 0 ? 0 : found / relevant,
      details: { relevant_docs_retrieved: found, relevant_docs: relevant },
    };
  };
}

function meanReciprocalRank({ threshold }: Options): Measure {
  return (hits) => {
    const at = hits.findIndex((rating) => rating !== undefined && rating >= threshold);
    return { score: at === -1 ? 0 : 1 / (at + 1), details: { first_relevant: at === -1 ? -1 : at + 1 } };
  };
}

function discountedCumulativeGain({ normalize, unknownRating }: Options): Measure {
  return (hits, all) => {
    const dcg = gain(hits.map((rating) => rating ?? unknownRating));
    const best = [...all].sort((left, right) => right - left).slice(0, hits.length);
    const ideal = normalize ? gain(best) : 0;
    const normalized = ideal === 0 ? 0 : dcg / ideal;
    return {
      score: normalize ? normalized : dcg,
      details: {
        dcg,
        ...(ideal === 0 ? {} : { ideal_dcg: ideal, normalized_dcg: normalized }),
        unrated_docs: unrated(hits),
      },
    };
  };
}

function gain(ratings: Ratings): number {
  return ratings.reduce<number>(
    (sum, rating, at) => (rating === undefined ? sum : sum + (2 ** rating - 1) / Math.log2(at + 2)),
    0,
  );
}

/** Chapelle, Metzler, Zhang, Grinspan: Expected reciprocal rank for graded relevance (2009). */
function expectedReciprocalRank({ unknownRating, maximumRelevance = 0 }: Options): Measure {
  return (hits) => {
    let [score, isStillLooking] = [0, 1];
    for (const [at, given] of hits.entries()) {
      const rating = given ?? unknownRating;
      if (rating === undefined) continue;
      const satisfies = (2 ** rating - 1) / 2 ** maximumRelevance;
      score += (isStillLooking * satisfies) / (at + 1);
      isStillLooking *= 1 - satisfies;
    }
    return { score, details: { unrated_docs: unrated(hits) } };
  };
}

function unrated(hits: Ratings): number {
  return hits.filter((rating) => rating === undefined).length;
}
