import type { ModelMessage, Provider, ProviderFailure } from '@countersign/core/ports';

/** What a model answers, in no vendor's words. */
export interface Reply {
  text?: string;
  calls?: readonly { id: string; name: string; arguments: string }[];
  /** The vendor's sealed thinking, if it has any; each wire puts it where the vendor does. */
  sealed?: string;
  usage?: { input: number; output: number };
}

export interface Mode {
  how: string;
  stream: boolean;
}

export const STREAMING: Mode = { how: 'streaming', stream: true };
export const WHOLE: Mode = { how: 'not streaming', stream: false };

export interface VendorError {
  status: number;
  body: unknown;
}

/** How a vendor speaks over HTTP, after replies that were really seen. */
export interface Wire {
  vendor: string;
  model: string;
  connect(url: string, apiKey: string): Provider;
  /** How arguments arrive as text. Where they arrive as an object, they can't be broken. */
  textArguments: readonly Mode[];
  path(stream: boolean): string;
  whole(reply: Reply): unknown;
  frames(reply: Reply): string[];
  /** A reply that holds no answer. */
  empty: { whole: unknown; frames: string[] };
  errors: Record<'auth' | 'rate-limited' | 'overloaded' | 'context-too-long' | 'unknown-model', VendorError>;
  /** What it sends when it breaks down in the middle of a stream. */
  midStreamError: string;
  midStreamKind: ProviderFailure;
  /** The body it should get for `CONVERSATION`, apart from what asks for a stream. */
  conversation: Record<string, unknown>;
  /** Where in a body the sealed thinking of `sealed` is given back. */
  sealedBack(body: unknown, sealed: string): boolean;
}

/** Two parallel calls with their results, text beside them, two speakers in a row, and a call that has no id of the vendor's. */
export const CONVERSATION: readonly ModelMessage[] = [
  { role: 'system', content: 'You are Ada.' },
  { role: 'user', content: 'What is the weather in Paris and Bern?' },
  { role: 'user', name: 'Bob', content: 'and hurry' },
  {
    role: 'assistant',
    content: 'I will look.',
    tool_calls: [
      {
        id: 'call_ours1',
        vendorId: 'theirs_1',
        type: 'function',
        function: { name: 'weather', arguments: '{"city":"Paris"}' },
      },
      {
        id: 'call_ours2',
        vendorId: 'theirs_2',
        type: 'function',
        function: { name: 'weather', arguments: '{"city":"Bern"}' },
      },
    ],
  },
  { role: 'tool', tool_call_id: 'call_ours1', vendorId: 'theirs_1', content: 'sun' },
  { role: 'tool', tool_call_id: 'call_ours2', vendorId: 'theirs_2', content: 'rain' },
  {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'call_ours3', type: 'function', function: { name: 'weather', arguments: '{"city": broken' } }],
  },
  { role: 'tool', tool_call_id: 'call_ours3', content: 'not valid JSON' },
];

export const WEATHER = {
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

/** Cuts a text as a stream would. */
export function pieces(text: string, count = 3): string[] {
  const size = Math.max(1, Math.ceil(text.length / count));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}
