/** `PUT _scripts/{id}`: stores a script, compiled for its context where one is named. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions } from '../../cluster/settings/cluster-settings.js';
import { valueOf } from '../../cluster/settings/registry.js';
import type { ClusterState, StoredScript } from '../../cluster/state.js';
import { compileStoredScript } from '../../native/scripts.js';
import { answerAcknowledged } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters, stringParameter } from '../parameters.js';

const ID_BYTES_MAX = 512;
/** Languages that stored scripts may have; templates are checked where they are used. */
const LANGUAGES = ['painless', 'expression', 'mustache'];

export const putScriptEndpoint = defineEndpoint({
  name: 'put_script',
  action: 'cluster:admin/script/put',
  methods: ['PUT', 'POST'],
  paths: ['/_scripts/{id}', '/_scripts/{id}/{context}'],
  parameters: { ...acknowledgedParameters, context: stringParameter() },
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { id } = request.parts;
    if (Buffer.byteLength(id) > ID_BYTES_MAX || id.includes('#')) {
      const reason = `Validation Failed: 1: id cannot contain '#' for stored script and has at most ${ID_BYTES_MAX} bytes;`;
      throw new QuarryError('action_request_validation_exception', reason);
    }
    const script = readStored(request.body.requireObject());
    const named = request.parts.context ?? request.parameters.context;
    checkSize(id, script, context.clusterState());
    if (named !== undefined && script.lang !== 'mustache') compileStoredScript(script.lang, script.source, named);
    const timeoutMs = masterTimeoutMs(request.parameters, request.sentParameters);
    await context.coordinator.submit('put-stored-script', { id, script }, { timeoutMs });
    return answerAcknowledged();
  },
});

/** Every node keeps it. */
function checkSize(id: string, script: StoredScript, state: ClusterState): void {
  const bytesMax = valueOf(ClusterSettingDefinitions.scriptMaxSize, effectiveClusterSettings(state)) ?? 0;
  const bytes = Buffer.byteLength(script.source);
  if (bytes <= bytesMax) return;
  const reason = `exceeded max allowed stored script size in bytes [${bytesMax}] with size [${bytes}] for script`;
  throw illegalArgument(`${reason} [${id}]`);
}

function readStored(body: JsonObject): StoredScript {
  const { script, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new QuarryError('parsing_exception', `unexpected field [${unknown}], expected [script]`);
  if (!isJsonObject(script)) throw new QuarryError('parsing_exception', 'must specify <script> as an object');
  // Sample values beside a template are for its readers.
  const { lang, source, options, params: _, ...rest } = script;
  const [wrong] = Object.keys(rest);
  if (wrong !== undefined) {
    throw new QuarryError('x_content_parse_exception', `[stored script source] unknown field [${wrong}]`);
  }
  if (typeof lang !== 'string' || lang === '') throw illegalArgument('must specify lang for stored script');
  if (!LANGUAGES.includes(lang)) throw illegalArgument(`unable to put stored script with unsupported lang [${lang}]`);
  const text = sourceText(source, lang);
  if (text === '') throw illegalArgument('must specify source for stored script');
  return { lang, source: text, ...(isJsonObject(options) ? { options: textsOf(options) } : {}) };
}

/** A template may be written as the object that it makes. */
function sourceText(source: JsonValue | undefined, lang: string): string {
  if (typeof source === 'string') return source;
  return lang === 'mustache' && isJsonObject(source) ? JSON.stringify(source) : '';
}

function textsOf(options: JsonObject): Readonly<Record<string, string>> {
  const texts = Object.entries(options).map(([name, value]) => {
    if (typeof value === 'string') return [name, value] as const;
    throw illegalArgument(`[options] [${name}] of a stored script must be a string`);
  });
  return Object.fromEntries(texts);
}
