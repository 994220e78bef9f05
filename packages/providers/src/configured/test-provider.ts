import { ProviderError, type ProviderFailure } from '@countersign/core/ports';
import { nearest, providerKindFacts, type ProviderAnswer, type ProviderTest } from '@countersign/protocol';
import { checkOpenRouterKey, listModels, timedOut } from './list-models.js';
import { makeProvider } from './make-provider.js';
import type { ProviderConfig } from './provider-config.js';

/** How long a test may take. A local server may have to load the model first. */
const TEST_MS = 30_000;

/**
 * Tests a provider with a real request: asks the model for a word or, without a model, requests the list of models. Never rejects if the
 * provider fails; the result explains the failure.
 */
export async function testProvider(
  config: ProviderConfig,
  { model, timeoutMs = TEST_MS }: { model?: string; timeoutMs?: number } = {},
): Promise<ProviderTest> {
  const began = performance.now();
  const signal = AbortSignal.timeout(timeoutMs);
  const result = (answer: Omit<ProviderTest, 'ms' | 'ok'>): ProviderTest => ({
    ok: answer.code === 'ok',
    ...answer,
    ms: Math.round(performance.now() - began),
  });
  try {
    const detail = model === undefined ? await tryList(config, signal) : await tryModel(config, model, signal);
    return result(detail);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const failure = explainFailure(config, signal.aborted ? timedOut(config) : error, timeoutMs);
    const closest = failure.code === 'unknown-model' ? await closestTo(config, model ?? '') : undefined;
    return result(closest === undefined ? failure : { ...failure, closest });
  }
}

async function tryModel(
  config: ProviderConfig,
  model: string,
  signal: AbortSignal,
): Promise<{ code: 'ok'; detail: string }> {
  await (config.provider ?? makeProvider(config)).generate({
    purpose: 'answer',
    model,
    messages: [{ role: 'user', content: 'Reply with the word OK.' }],
    tools: [],
    stream: false,
    onChunk: () => undefined,
    signal,
  });
  return { code: 'ok', detail: `The model ${model} answered.` };
}

async function tryList(config: ProviderConfig, signal: AbortSignal): Promise<{ code: ProviderAnswer; detail: string }> {
  if (config.apiKey === undefined && providerKindFacts(config.kind).key === 'required') {
    throw new ProviderError('no-key', 'no key is set');
  }
  const listed = await listModels(config, signal);
  if (config.kind === 'openrouter') await checkOpenRouterKey(config, signal);
  if (listed.kind === 'no-list') {
    const { host } = new URL(config.baseUrl);
    const { label, baseUrl, example } = providerKindFacts(config.kind);
    // All other kinds list their models if the address is right.
    if (config.kind !== 'openai-compatible') {
      const detail = `${host} has no list of models at this path. Check the base URL; for ${label} it looks like ${baseUrl ?? example}.`;
      return { code: 'wrong-address', detail };
    }
    return {
      code: 'model-needed',
      detail: `${host} answers, but does not list its models. Check the base URL, or test it with a model.`,
    };
  }
  const count = listed.models.length;
  return { code: 'ok', detail: `It answers and lists ${count} ${count === 1 ? 'model' : 'models'}.` };
}

/** The most similar model, to correct a misspelled name. Undefined if there is no list. */
async function closestTo(config: ProviderConfig, model: string): Promise<string | undefined> {
  const listed = await listModels(config, AbortSignal.timeout(LIST_MS)).catch(() => undefined);
  if (listed?.kind !== 'models') return undefined;
  return nearest(
    model,
    listed.models.map(({ id }) => id),
  );
}

const LIST_MS = 5_000;

/** Explains a failure with a code and a sentence that says what to do. */
export function explainFailure(
  config: ProviderConfig,
  error: ProviderError,
  timeoutMs: number,
): { code: ProviderAnswer; detail: string } {
  const { host } = new URL(config.baseUrl);
  const said = error.message.replace(/\.$/, '');
  const code = codeOf(config, error);
  switch (code) {
    case 'no-key':
      return { code, detail: 'No API key is set. Enter one.' };
    case 'wrong-key':
      return { code, detail: `${host} rejected the API key: ${said}. Check the key or create a new one.` };
    case 'no-credit':
      return { code, detail: `${host} accepts the key, but ${said}. Add credit to the account.` };
    case 'wrong-address':
      return { code, detail: addressWords(host, error, said) };
    case 'no-network':
      return { code, detail: `Can't reach ${host}: ${said}. Check the network connection of this machine.` };
    case 'unknown-model':
      return { code, detail: `${said}. Choose a model from the list.` };
    case 'rate-limited':
      return { code, detail: `${host} is rate limiting requests: ${said}. The key works; wait a moment.` };
    case 'overloaded':
      return { code, detail: `${host} is overloaded or has an error: ${said}. Try again later.` };
    case 'timeout':
      return {
        code,
        detail: `${host} did not answer within ${timeoutMs / 1000} seconds. It may be loading the model; test again, or check the address.`,
      };
    case 'ok':
    case 'model-needed':
    case 'failed':
      return { code: 'failed', detail: `${host} rejected the request: ${said}.` };
  }
}

function addressWords(host: string, { reason }: ProviderError, said: string): string {
  if (reason === 'refused') return `Connection refused at ${host}. Start the server, or correct the base URL.`;
  if (reason === 'host-not-found') return `The host ${host} was not found. Check the spelling of the base URL.`;
  return `${said}.`;
}

function codeOf({ baseUrl, kind }: ProviderConfig, { kind: failure, reason }: ProviderError): ProviderAnswer {
  const usual = providerKindFacts(kind);
  if (reason === undefined) return CODES[failure];
  switch (reason) {
    case 'no-credit':
    case 'unknown-model':
    case 'timeout':
      return reason;
    case 'wrong-path':
    case 'refused':
      return 'wrong-address';
    case 'host-not-found':
      // The vendor's host exists, so this machine has no network.
      return baseUrl === usual.baseUrl ? 'no-network' : 'wrong-address';
    case 'unreachable':
      return 'no-network';
  }
}

const CODES: Readonly<Record<ProviderFailure, ProviderAnswer>> = {
  auth: 'wrong-key',
  'no-key': 'no-key',
  'rate-limited': 'rate-limited',
  overloaded: 'overloaded',
  'context-too-long': 'failed',
  'bad-request': 'failed',
  'agent-failed': 'failed',
  network: 'no-network',
  aborted: 'timeout',
};
