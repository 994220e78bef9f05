import { z } from 'zod';
import { api, field, text } from '../input/field.js';
import { isLinkLocal } from './is-link-local.js';
import { nearest } from '../text/nearest.js';

interface ProviderKindFacts {
  /** Display name. */
  readonly label: string;
  /** The vendor whose API it implements. */
  readonly wire: 'openai' | 'anthropic' | 'google';
  /** If absent, the person has to enter it. */
  readonly baseUrl?: string;
  /** An example base URL, if there is no default. */
  readonly example?: string;
  /** Added to a base URL that has no path, such as `http://127.0.0.1:11434`. */
  readonly path?: string;
  readonly key: 'required' | 'optional';
  /** The URL of the page that issues keys. */
  readonly keyPage?: string;
}

/** Every kind of provider that can be added (MODEL7.6). */
export const PROVIDER_KINDS = {
  openai: {
    label: 'OpenAI',
    wire: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    path: '/v1',
    key: 'required',
    keyPage: 'https://platform.openai.com/api-keys',
  },
  anthropic: {
    label: 'Anthropic',
    wire: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    key: 'required',
    keyPage: 'https://console.anthropic.com/settings/keys',
  },
  google: {
    label: 'Google Gemini',
    wire: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com',
    key: 'required',
    keyPage: 'https://aistudio.google.com/apikey',
  },
  azure: {
    label: 'Azure OpenAI',
    wire: 'openai',
    example: 'https://NAME.openai.azure.com/openai/v1',
    path: '/openai/v1',
    key: 'required',
    keyPage: 'https://ai.azure.com',
  },
  openrouter: {
    label: 'OpenRouter',
    wire: 'openai',
    baseUrl: 'https://openrouter.ai/api/v1',
    path: '/api/v1',
    key: 'required',
    keyPage: 'https://openrouter.ai/settings/keys',
  },
  mistral: {
    label: 'Mistral',
    wire: 'openai',
    baseUrl: 'https://api.mistral.ai/v1',
    path: '/v1',
    key: 'required',
    keyPage: 'https://console.mistral.ai/api-keys',
  },
  groq: {
    label: 'Groq',
    wire: 'openai',
    baseUrl: 'https://api.groq.com/openai/v1',
    path: '/openai/v1',
    key: 'required',
    keyPage: 'https://console.groq.com/keys',
  },
  xai: {
    label: 'xAI',
    wire: 'openai',
    baseUrl: 'https://api.x.ai/v1',
    path: '/v1',
    key: 'required',
    keyPage: 'https://console.x.ai',
  },
  vllm: { label: 'vLLM', wire: 'openai', baseUrl: 'http://127.0.0.1:8000/v1', path: '/v1', key: 'optional' },
  lmstudio: { label: 'LM Studio', wire: 'openai', baseUrl: 'http://127.0.0.1:1234/v1', path: '/v1', key: 'optional' },
  ollama: { label: 'Ollama', wire: 'openai', baseUrl: 'http://127.0.0.1:11434/v1', path: '/v1', key: 'optional' },
  'openai-compatible': {
    label: 'OpenAI-compatible',
    wire: 'openai',
    example: 'https://models.example.com/v1',
    path: '/v1',
    key: 'optional',
  },
} as const satisfies Readonly<Record<string, ProviderKindFacts>>;
export type ProviderKind = keyof typeof PROVIDER_KINDS;

const KINDS = Object.keys(PROVIDER_KINDS) as [ProviderKind, ...ProviderKind[]];

export function providerKindFacts(kind: ProviderKind): ProviderKindFacts {
  return PROVIDER_KINDS[kind];
}

export const providerKindSchema = z.enum(KINDS, {
  error: ({ input }) => (typeof input === 'string' ? unknownKind(input) : undefined),
});

function unknownKind(kind: string): string {
  const closest = nearest(kind, KINDS);
  const meant = closest === undefined ? '' : ` Did you mean ${closest}?`;
  return `unknown provider kind "${kind.slice(0, 40)}".${meant} Use one of ${KINDS.join(', ')}`;
}

const name = z
  .string()
  .min(1)
  .max(64, 'a name can have at most 64 characters')
  .regex(
    /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._()-]*[\p{L}\p{M}\p{N}.)])?$/u,
    'a name consists of letters, digits, spaces and . _ - ( ), and starts with a letter or digit',
  );

/** Error messages never quote the URL: it may contain a pasted key. */
const baseUrl = z
  .string()
  .min(1)
  .max(2000)
  .superRefine((text, context) => {
    const problem = urlProblem(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

function urlProblem(text: string): string | undefined {
  if (/[\s\p{Cc}]/u.test(text)) return 'must not contain spaces or line breaks';
  // As `fetch` reads it: `169%2e254.169.254` is an address too.
  const { data: read } = z.url({ normalize: true }).safeParse(text);
  if (read === undefined) return 'not a valid URL. Enter something like http://127.0.0.1:8000/v1';
  const [, host = '', rest = ''] = /^https?:\/\/([^/?#\\]+)([^\\]*)$/i.exec(text) ?? [];
  if (host === '') return 'must begin with http:// or https://';
  if (host.includes('@')) return 'must not contain a user name or password. Enter it as the API key';
  if (isLinkLocal(/^https?:\/\/([^/?#]+)/.exec(read)?.[1] ?? ''))
    return 'must not be a link-local address: cloud machines have their metadata service there. Enter the address of a model server';
  if (rest.includes('#')) return 'must not contain a fragment (#…)';
  // A key in the query string would be shown in clear text: URLs are not secret.
  const [, query = ''] = /\?(.*)$/.exec(rest) ?? [];
  if (query !== '' && !/^api-version=[\w.-]*$/.test(query))
    return 'must not contain parameters other than api-version. Enter a key as the API key';
  return undefined;
}

/** Whether others on the network can read what is sent to this URL: true for plain HTTP to another machine. */
export function isUnencrypted(baseUrl: string): boolean {
  const [, host] = /^http:\/\/(\[[^\]]*\]|[^/:?#]+)/i.exec(baseUrl.trim()) ?? [];
  return host !== undefined && !/^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])\.?$/i.test(host);
}

/** Visible ASCII only, because the key is sent in an HTTP header. Error messages never quote it. */
const apiKey = z
  .string()
  .min(1)
  .max(4096, 'is too long for a key')
  .regex(
    /^[\x21-\x7e]*$/,
    'must be one word of visible ASCII characters, without spaces or line breaks. Copy it again',
  );

/** A provider to add. The key is write-only. */
export const newProviderSchema = z
  .strictObject({
    kind: field(providerKindSchema.clone(), 'Kind of provider.'),
    name: field(name.clone(), 'Name of the provider.'),
    baseUrl: field(baseUrl.exactOptional(), "Base URL of the provider. Absent: the vendor's default."),
    apiKey: field(apiKey.exactOptional(), 'API key. Write-only: it is encrypted and never returned.'),
  })
  .superRefine((given, context) => {
    const { label, example, baseUrl: usual, key } = providerKindFacts(given.kind);
    if (given.baseUrl === undefined && usual === undefined) {
      const message = `${label} has no default URL; enter yours, such as ${example}`;
      context.addIssue({ code: 'custom', path: ['baseUrl'], message });
    }
    if (given.apiKey === undefined && key === 'required') {
      context.addIssue({ code: 'custom', path: ['apiKey'], message: `${label} needs an API key` });
    }
  });
export type NewProvider = z.infer<typeof newProviderSchema>;

/** Omitted fields stay unchanged. Null resets the base URL to the kind's default, or removes the key. */
export const providerChangeSchema = z.strictObject({
  kind: field(providerKindSchema.exactOptional(), 'Kind of provider.'),
  name: field(name.exactOptional(), 'Name of the provider.'),
  baseUrl: field(baseUrl.nullable().exactOptional(), "Base URL of the provider. Absent: the vendor's default."),
  apiKey: field(apiKey.nullable().exactOptional(), 'API key. Write-only: it is encrypted and never returned.'),
});
export type ProviderChange = z.infer<typeof providerChangeSchema>;

export const removeProviderQuerySchema = z.strictObject({
  force: field(z.enum(['true', 'false']).exactOptional(), 'Remove it even if agents use it.'),
});

/** A provider as shown to clients. Never contains a key. */
export const providerStatusSchema = z.object({
  id: text('Id that agents refer to. It never changes.'),
  kind: field(providerKindSchema.exactOptional(), 'Kind of provider. Absent for a built-in model.'),
  name: text('Name of the provider.'),
  /** `stored`: added here. `environment`: from variables, or found on this machine. `built-in`: part of the server. */
  source: field(z.enum(['stored', 'environment', 'built-in']), 'Where the provider comes from.'),
  variable: text('Name of the environment variable with its key, never the key itself.').exactOptional(),
  baseUrl: text("Base URL of the provider. Absent: the vendor's default.").exactOptional(),
  hasKey: field(z.boolean(), 'Whether it has an API key.'),
  /** Whether the provider is configured: it has a key or needs none. Among the providers from the environment, only Ollama is contacted. */
  available: field(z.boolean(), 'Whether it is configured: it has a key, or needs none.'),
  problem: text("Why it can't be used, other than a missing key.").exactOptional(),
  models: field(z.array(z.string()).exactOptional(), 'Models that are known without a request to the provider.'),
});
api.add(providerStatusSchema, { id: 'Provider' });
export type ProviderStatus = z.infer<typeof providerStatusSchema>;

/** Whether the provider can be used and is not the demo's. */
export function isRealProvider({ source, available }: ProviderStatus): boolean {
  return source !== 'built-in' && available;
}

/** The result of a provider test, as a code for programs. */
const providerAnswerSchema = z.enum([
  'ok',
  'no-key',
  'wrong-key',
  'no-credit',
  'wrong-address',
  'no-network',
  'unknown-model',
  'model-needed',
  'rate-limited',
  'overloaded',
  'timeout',
  'failed',
]);
export type ProviderAnswer = z.infer<typeof providerAnswerSchema>;

/** With a model, the test requests a short answer from it. Without one, it requests the list of models. */
export const providerTestRequestSchema = z.strictObject({
  model: field(z.string().min(1).max(200).exactOptional(), 'Name of the model.'),
});
export type ProviderTestRequest = z.infer<typeof providerTestRequestSchema>;

export const providerTestSchema = z.object({
  ok: field(z.boolean(), 'Whether the provider works.'),
  code: field(providerAnswerSchema.clone(), 'Stable code for programs.'),
  detail: text('What happened and what to do next.'),
  ms: field(z.number().int(), 'Duration in milliseconds.'),
  closest: text('The most similar model, if the tested one is unknown.').exactOptional(),
});
api.add(providerTestSchema, { id: 'ProviderTest' });
export type ProviderTest = z.infer<typeof providerTestSchema>;

/** A model in a provider's own list. Prices are in US dollars per million tokens. */
export const providerModelSchema = z.object({
  id: text('Name of the model, as agents use it.'),
  name: text('Name of the model, for people.').exactOptional(),
  contextTokens: field(z.number().int().exactOptional(), 'Context size in tokens.'),
  inputPrice: field(z.number().exactOptional(), 'US dollars per million input tokens.'),
  outputPrice: field(z.number().exactOptional(), 'US dollars per million output tokens.'),
});
api.add(providerModelSchema, { id: 'ProviderModel' });
export type ProviderModel = z.infer<typeof providerModelSchema>;

/** At most 1,000 models. If there is no list, `problem` says why. */
export const providerModelsSchema = z.object({
  items: field(z.array(providerModelSchema), 'Items on this page.'),
  problem: field(
    z
      .object({
        code: field(providerAnswerSchema.clone(), 'Stable code for programs.'),
        detail: text('What happened and what to do next.'),
      })
      .exactOptional(),
    'Why the list could not be read.',
  ),
});
export type ProviderModels = z.infer<typeof providerModelsSchema>;

/** Whether a model is missing from a provider's list, and the most similar one (MODEL9.2). */
export function unlistedModel(
  models: readonly Pick<ProviderModel, 'id'>[],
  model: string,
): { closest?: string } | undefined {
  const ids = models.map(({ id }) => id);
  const wanted = model.trim();
  if (wanted === '' || ids.length === 0 || ids.includes(wanted)) return undefined;
  const closest = nearest(wanted, ids);
  return closest === undefined ? {} : { closest };
}
