/** `buckets_path`: names of aggregations from level to level, with keys of buckets and at the end the name of a value. */
import { illegalArgument } from '../../../base/errors.js';

/** One step of a path: an aggregation, and a key or a value of it. */
export interface PathElement {
  readonly name: string;
  readonly key?: string;
}

/** `a['key']>b.value` or `a>b[value]`. */
export function parsePath(path: string): readonly PathElement[] {
  const steps = path.split('>').filter((step) => step !== '');
  if (steps.length === 0) throw invalid(path);
  return steps.map((step, place) => element(step.trim(), place === steps.length - 1, path));
}

function element(step: string, isLast: boolean, path: string): PathElement {
  const bracket = step.lastIndexOf('[');
  if (bracket >= 0) {
    if (bracket === 0 || bracket > step.length - 3 || !step.endsWith(']')) throw invalid(path);
    return { name: step.slice(0, bracket), key: step.slice(bracket + 1, -1) };
  }
  const dot = isLast ? step.lastIndexOf('.') : -1;
  if (dot < 0) return { name: step };
  if (dot === 0 || dot > step.length - 2) throw invalid(path);
  return { name: step.slice(0, dot), key: step.slice(dot + 1) };
}

function invalid(path: string): Error {
  return illegalArgument(`Invalid path element [${path}] in path [${path}]`);
}

/** Names and keys one after another, as the kernels follow them. */
export function flatPath(path: string): readonly string[] {
  return parsePath(path).flatMap(({ name, key }) => (key === undefined ? [name] : [name, key]));
}
