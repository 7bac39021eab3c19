/** Boxes: by two corners, by four edges, or as `BBOX (west, east, north, south)`. */
import { illegalArgument } from '../../base/errors.js';
import { geohashCell, type GeoBox } from '../../mapping/geo-point.js';
import type { Place } from '../body/place.js';
import { readNumber, readText } from '../body/read.js';
import { asDouble, readPoint } from './points.js';

const EDGES = ['top', 'bottom', 'left', 'right'] as const;
type Edge = (typeof EDGES)[number];
const CORNERS: Readonly<Record<string, readonly [vertical: 'top' | 'bottom', horizontal: 'left' | 'right']>> = {
  top_left: ['top', 'left'],
  topLeft: ['top', 'left'],
  top_right: ['top', 'right'],
  topRight: ['top', 'right'],
  bottom_left: ['bottom', 'left'],
  bottomLeft: ['bottom', 'left'],
  bottom_right: ['bottom', 'right'],
  bottomRight: ['bottom', 'right'],
};

/** Degrees may be out of bounds. `left` may be east of `right`: the box then crosses the date line. */
export function readBoundingBox(place: Place): GeoBox {
  if (!place.isObject) throw place.error(`failed to parse bounding box: an object is expected`, 'parse_exception');
  const edges: Partial<Record<Edge, number>> = {};
  for (const [name, value] of place.members()) {
    const corner = Object.hasOwn(CORNERS, name) ? CORNERS[name] : undefined;
    if (name === 'wkt') Object.assign(edges, readWellKnownText(value));
    else if (corner !== undefined) readCorner(value, corner, edges);
    else if (isEdge(name)) edges[name] = readNumber(value);
    else throw value.error(`failed to parse bounding box. unexpected field [${name}]`, 'parse_exception');
  }
  const { top, bottom, left, right } = edges;
  if (top === undefined || bottom === undefined || left === undefined || right === undefined) {
    const missing = EDGES.filter((edge) => edges[edge] === undefined).join(', ');
    throw place.error(`failed to parse bounding box. [${missing}] missing`, 'parse_exception');
  }
  return { top, bottom, left, right };
}

function isEdge(name: string): name is Edge {
  return (EDGES as readonly string[]).includes(name);
}

/** A geohash stands for its cell: the corner of the box is that corner of the cell. */
function readCorner(
  place: Place,
  [vertical, horizontal]: readonly ['top' | 'bottom', 'left' | 'right'],
  edges: Partial<Record<Edge, number>>,
): void {
  const hash = geohashOf(place);
  if (hash !== undefined) {
    const cell = geohashCell(hash);
    edges[vertical] = cell[vertical];
    edges[horizontal] = cell[horizontal];
    return;
  }
  const point = readPoint(place);
  edges[vertical] = point.lat;
  edges[horizontal] = point.lon;
}

function geohashOf(place: Place): string | undefined {
  const inner = place.members().find(([name]) => name === 'geohash')?.[1];
  const text = (inner ?? place).value;
  return typeof text === 'string' && /^[0-9a-z]+$/.test(text) ? text : undefined;
}

function readWellKnownText(place: Place): GeoBox {
  const text = readText(place);
  const found = /^\s*(?:bbox|envelope)\s*\(([^()]*)\)\s*$/i
    .exec(text)?.[1]
    ?.split(',')
    .map((part) => Number(part.trim()));
  const [left, right, top, bottom] = found ?? [];
  const isBox = found?.length === 4 && found.every(Number.isFinite);
  if (!isBox || left === undefined || right === undefined || top === undefined || bottom === undefined) {
    throw place.error(
      `failed to parse WKT bounding box [${text}]: BBOX (left, right, top, bottom) is expected`,
      'parse_exception',
    );
  }
  return { top, bottom, left, right };
}

/** Refuses a box that is none. */
export function checkBox({ top, bottom, left, right }: GeoBox): void {
  if (top < bottom) throw illegalArgument(`top is below bottom corner: ${asDouble(top)} vs. ${asDouble(bottom)}`);
  if (top === bottom) {
    throw illegalArgument(`top cannot be the same as bottom: ${asDouble(top)} == ${asDouble(bottom)}`);
  }
  if (left === right) {
    throw illegalArgument(`left cannot be the same as right: ${asDouble(left)} == ${asDouble(right)}`);
  }
}
