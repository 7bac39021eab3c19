/** How long changes of the cluster state took on the node. */
import type { UpdateFigures } from '../../coordinator/update-figures.js';
import { defineNodeAction } from './node-action.js';

export const updateFigures = defineNodeAction(
  'update-figures',
  ({ coordinator }, _input: null): Promise<UpdateFigures> => coordinator.updateFigures(),
);
