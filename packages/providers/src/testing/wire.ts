import type { ModelMessage, Provider, ProviderFailure } from '@countersign/core/ports';

/** A model's answer, independent of the vendor. */
export interface Reply {
  text?: string;
  /** Thinking as text, without a signature. */
  thinking?: string;
  calls?: readonly { id: string; name: string; arguments: string }[];
  /** The vendor's signed thinking, if any; each format puts it where the vendor does. */
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

/** A vendor's HTTP protocol, based on recorded responses. */
export interface Wire {
  vendor: string;
  model: string;
  connect(url: string, apiKey: string): Provider;
  /** Modes in which arguments arrive as text. As an object, they can't be invalid JSON. */
  textArguments: readonly Mode[];
  path(stream: boolean): string;
  whole(reply: Reply): unknown;
  frames(reply: Reply): string[];
  /** A response without an answer. */
  empty: { whole: unknown; frames: string[] };
  errors: Record<'auth' | 'rate-limited' | 'overloaded' | 'context-too-long' | 'unknown-model', VendorError>;
  /** The error that the vendor sends in the middle of a stream. */
  midStreamError: string;
  midStreamKind: ProviderFailure;
  /** The expected request body for `CONVERSATION`, without the streaming option. */
  conversation: Record<string, unknown>;
  /** A part of the request if the result `sun` has a PNG with the data `aW1hZ2U=`. */
  withImage: readonly unknown[];
  /** Whether a body contains the signed thinking in the right place. */
  sealedBack(body: unknown, sealed: string): boolean;
}

/** Two parallel calls with results and text, two consecutive speakers, and a call without a vendor id. */
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
