import { ProviderError, type GenerateRequest, type LLMResponse, type Provider } from '@countersign/core/ports';

/** Sends a request with defaults for everything else. */
export function ask(provider: Provider, more: Partial<GenerateRequest> = {}): Promise<LLMResponse> {
  return provider.generate({
    purpose: 'answer',
    model: 'some-model',
    messages: [{ role: 'user', content: 'hello' }],
    tools: [],
    stream: false,
    onChunk: () => undefined,
    signal: new AbortController().signal,
    ...more,
  });
}

/** The error from a call that must fail. */
export async function failureOf(asking: Promise<LLMResponse>): Promise<ProviderError> {
  try {
    await asking;
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
  throw new Error('the call did not fail');
}
