/** The endpoints of the tasks family. */
import type { Endpoint } from '../endpoint.js';
import { cancelTasksEndpoint } from './cancel.js';
import { getTaskEndpoint } from './get.js';
import { listTasksEndpoint } from './list.js';

export const TASK_ENDPOINTS: readonly Endpoint[] = [cancelTasksEndpoint, getTaskEndpoint, listTasksEndpoint];
