import type { providerKindFacts, ProviderModel } from '@countersign/protocol';
import { isRecord, tokensOf } from '../shared/records.js';

type Wire = ReturnType<typeof providerKindFacts>['wire'];

const MOST_MODELS = 1_000;
const LONGEST = 200;

/** Parses a vendor's list of models. Ignores items that it can't parse, and those that echo the key. */
export function readModels(wire: Wire, body: unknown, apiKey: string | undefined): ProviderModel[] {
  const list = isRecord(body) ? (body['data'] ?? body['models']) : body;
  const items = Array.isArray(list) ? list.filter(isRecord) : [];
  const models = items.flatMap((item) => (wire === 'google' ? fromGoogle(item) : fromList(item)));
  const safe = models.filter(({ id, name = '' }) => !echoes(id, apiKey) && !echoes(name, apiKey));
  const unique = new Map(safe.map((model) => [model.id, model]));
  return [...unique.values()].slice(0, MOST_MODELS);
}

/** A shorter key, such as `local`, is often a placeholder that also occurs in model names. */
const SHORTEST_KEY = 8;

function echoes(text: string, apiKey: string | undefined): boolean {
  if (apiKey === undefined || apiKey.length < SHORTEST_KEY) return text === apiKey;
  return text.includes(apiKey) || text.includes(encodeURIComponent(apiKey));
}

type Item = Readonly<Record<string, unknown>>;

/** The field for the context size in each server's list: OpenRouter, vLLM, Groq, LM Studio (as loaded), Mistral and LM Studio, Anthropic. */
const CONTEXT = [
  'context_length',
  'max_model_len',
  'context_window',
  'loaded_context_length',
  'max_context_length',
  'max_input_tokens',
];

function fromList(item: Item): ProviderModel[] {
  const id = textOf(item['id']) ?? textOf(item['name']);
  if (id === undefined) return [];
  const name = textOf(item['display_name']) ?? textOf(item['name']);
  const context = CONTEXT.map((field) => tokensOf(item[field])).find((tokens) => tokens !== undefined);
  const pricing = isRecord(item['pricing']) ? item['pricing'] : {};
  return [model(id, name, context, priceOf(pricing['prompt']), priceOf(pricing['completion']))];
}

/** Includes only models that generate text: the list also contains embedding models. */
function fromGoogle(item: Item): ProviderModel[] {
  const id = textOf(item['name'])?.replace(/^models\//, '');
  const methods = item['supportedGenerationMethods'];
  if (id === undefined || (Array.isArray(methods) && !methods.includes('generateContent'))) return [];
  return [model(id, textOf(item['displayName']), tokensOf(item['inputTokenLimit']), undefined, undefined)];
}

function model(
  id: string,
  name: string | undefined,
  contextTokens: number | undefined,
  inputPrice: number | undefined,
  outputPrice: number | undefined,
): ProviderModel {
  return {
    id,
    ...(name === undefined || name === id ? {} : { name }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(inputPrice === undefined ? {} : { inputPrice }),
    ...(outputPrice === undefined ? {} : { outputPrice }),
  };
}

/** One printable line: ids and names come from another server and are shown to people. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > LONGEST) return undefined;
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value) ? undefined : value;
}

/** OpenRouter's prices are strings, in dollars per token; -1 means that the price varies. */
function priceOf(value: unknown): number | undefined {
  const price = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof price !== 'number' || !Number.isFinite(price) || price < 0) return undefined;
  return Number((price * 1_000_000).toPrecision(6));
}
