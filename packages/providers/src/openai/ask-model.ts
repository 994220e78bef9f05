import type { ProviderModel } from '@countersign/protocol';
import type OpenAI from 'openai';
import { readModels } from '../configured/read-models.js';
import { isRecord, tokensOf } from '../shared/records.js';

/**
 * The context window and price of a model, from the server's list (OpenRouter, vLLM, Groq, Mistral). The window can also come from the own API of
 * Ollama or LM Studio, whose lists don't contain it.
 */
export async function askModel(client: OpenAI, model: string, signal: AbortSignal): Promise<ProviderModel | undefined> {
  const list = await client.get<unknown>('/models', { signal });
  const listed = readModels('openai', list, undefined).find(({ id }) => id === model);
  if (listed?.contextTokens !== undefined) return listed;
  const contextTokens = await askWindow(client, list, model, signal);
  return contextTokens === undefined ? listed : { id: model, ...listed, contextTokens };
}

async function askWindow(
  client: OpenAI,
  list: unknown,
  model: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const root = client.baseURL.replace(/\/v1\/?$/, '');
  switch (itemOf(list, 'data', model)?.['owned_by']) {
    case 'library':
      return await askOllama(client, root, model, signal);
    case 'organization_owner': {
      const models = await client.get<unknown>(`${root}/api/v0/models`, { signal });
      return readModels('openai', models, undefined).find(({ id }) => id === model)?.contextTokens;
    }
    default:
      return undefined;
  }
}

/** More than the core's default: a model that could do more may have been loaded with less. */
const UNSURE_FROM = 32_000;

/** The window with which Ollama has loaded the model, or loads it. It silently drops the beginning of longer conversations. */
async function askOllama(
  client: OpenAI,
  root: string,
  model: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const running = itemOf(await client.get<unknown>(`${root}/api/ps`, { signal }), 'models', model);
  const loaded = tokensOf(running?.['context_length']);
  if (loaded !== undefined) return loaded;
  const shown = await client.post<unknown>(`${root}/api/show`, { body: { model }, signal });
  if (!isRecord(shown)) return undefined;
  const { parameters, model_info: info } = shown;
  const set = typeof parameters === 'string' ? /^num_ctx\s+(\d+)\s*$/m.exec(parameters)?.[1] : undefined;
  if (set !== undefined) return tokensOf(Number(set));
  const [, most] = Object.entries(isRecord(info) ? info : {}).find(([key]) => key.endsWith('.context_length')) ?? [];
  const tokens = tokensOf(most);
  return tokens !== undefined && tokens < UNSURE_FROM ? tokens : undefined;
}

/** Ollama names a model with its tag, also if it was asked for without one. */
function itemOf(body: unknown, list: string, model: string): Readonly<Record<string, unknown>> | undefined {
  const items = isRecord(body) ? body[list] : undefined;
  if (!Array.isArray(items)) return undefined;
  return items
    .filter(isRecord)
    .find(({ id, name }) => [id, name].some((it) => it === model || it === `${model}:latest`));
}
