import type { GenerateRequest, LLMResponse, Provider } from '@countersign/core/ports';
import { ProviderError } from '@countersign/core/ports';
import { openTestWorld, tool, type TestWorld } from './fixture.js';

export const usage = { inputTokens: 0, outputTokens: 0 };
export const text = (content: string): LLMResponse => ({ type: 'text', content, usage });

/** A world whose only agent uses a misbehaving provider. */
export async function openWith(generate: (request: GenerateRequest, call: number) => unknown): Promise<TestWorld> {
  let calls = 0;
  const foreign: Provider = {
    name: 'foreign',
    generate: ((request: GenerateRequest) => {
      if (request.purpose === 'title') return Promise.reject(new ProviderError('bad-request', 'no titles'));
      calls += 1;
      return generate(request, calls);
    }) as Provider['generate'],
  };
  return openTestWorld({
    providers: [foreign],
    agents: [{ name: 'Ada', provider: 'foreign' }],
    tools: [tool('look', () => 'sea')],
  });
}

export const sse = (opened: TestWorld) => opened.events.flatMap((event) => (event.event === 'sse' ? [event.data] : []));
/** Errors and notices. */
export const systemEvents = (opened: TestWorld) =>
  opened.events.flatMap((event) => (event.event === 'system' && event.data.type !== 'title' ? [event.data] : []));
export async function lastMessage({ chat }: TestWorld) {
  const message = (await chat.messages()).at(-1);
  if (message === undefined) throw new Error('nothing was said');
  return message;
}

/** Runs everything that can run now, without advancing time. */
export async function breathe(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
