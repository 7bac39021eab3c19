/** `wait_for_nodes`: `3`, `>=3`, `<=3`, `>3`, `<3`, or the same in words such as `ge(3)`. */
import { illegalArgument } from '../../../base/errors.js';

export function parseNodeCount(text: string): (nodes: number) => boolean {
  const symbolic = /^(>=|<=|>|<)?\s*(\d+)$/.exec(text.trim());
  const worded = /^(ge|le|gt|lt)\((\d+)\)$/.exec(text.trim());
  const match = symbolic ?? worded;
  if (match === null) throw illegalArgument(`Failed to parse [wait_for_nodes] with value [${text}]`);
  const [, operator = '=', digits = ''] = match;
  const wanted = Number(digits);
  switch (operator) {
    case '>=':
    case 'ge':
      return (nodes) => nodes >= wanted;
    case '<=':
    case 'le':
      return (nodes) => nodes <= wanted;
    case '>':
    case 'gt':
      return (nodes) => nodes > wanted;
    case '<':
    case 'lt':
      return (nodes) => nodes < wanted;
    default:
      return (nodes) => nodes === wanted;
  }
}
