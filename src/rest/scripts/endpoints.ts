/** The endpoints of stored scripts and of the scripting languages. */
import type { Endpoint } from '../endpoint.js';
import { scriptContextEndpoint } from './contexts.js';
import { deleteScriptEndpoint } from './delete-script.js';
import { executeScriptEndpoint } from './execute.js';
import { getScriptEndpoint } from './get-script.js';
import { scriptLanguageEndpoint } from './languages.js';
import { putScriptEndpoint } from './put-script.js';

export const SCRIPT_ENDPOINTS: readonly Endpoint[] = [
  deleteScriptEndpoint,
  executeScriptEndpoint,
  getScriptEndpoint,
  putScriptEndpoint,
  scriptContextEndpoint,
  scriptLanguageEndpoint,
];
