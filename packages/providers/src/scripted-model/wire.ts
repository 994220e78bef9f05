/** The HTTP APIs that the scripted model implements. */
export type WireName = 'anthropic' | 'openai-chat' | 'openai-responses' | 'google';

/** One model answer, independent of the vendor. */
export interface WireReply {
  text?: string;
  thinking?: string;
  /** The vendor's signature for the thinking. */
  signature?: string;
  calls?: readonly WireCall[];
  usage: { input: number; output: number };
}

export interface WireCall {
  id: string;
  name: string;
  /** JSON, or any text if the model sends invalid arguments. */
  arguments: string;
}

/** Fields that an answer repeats from its request. */
export interface WireHead {
  /** The id without the vendor's prefix. */
  id: string;
  model: string;
  /** Unix time in seconds. */
  created: number;
  /** The request body: some options change the format of the answer. */
  body: unknown;
}

export interface WireError {
  status: number;
  /** The vendor's error code, such as `rate_limit_error`; by default, the usual one for this status. */
  code?: string;
  message: string;
  /** In seconds. */
  retryAfter?: number;
}

export type RequestMessage =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls: readonly { name: string; arguments: string }[] }
  | { role: 'tool'; text: string };

/** The parts of a request that a script can depend on. */
export interface Conversation {
  model: string;
  stream: boolean;
  system: string;
  messages: readonly RequestMessage[];
  /** Names of the offered tools. */
  tools: readonly string[];
}

/** One vendor's HTTP API: parses its requests, and formats its answers and errors. */
export interface Wire {
  readonly name: WireName;
  /** The prefix of the vendor's call ids. */
  readonly callPrefix: string;
  /** Throws a CountersignError that names the invalid field. `inPath`: the model and the streaming flag from the URL. */
  read(body: unknown, inPath: { model: string; stream: boolean }): Conversation;
  whole: (reply: WireReply, head: WireHead) => unknown;
  /** The server-sent events for a streamed answer. */
  frames: (reply: WireReply, head: WireHead) => string[];
  error: (error: WireError) => unknown;
}

/** Splits text into words, as models stream it. */
export function words(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

/** Splits JSON into three chunks, at any character. */
export function pieces(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / 3));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

/** Arguments for APIs that expect an object. Invalid JSON is sent as a JSON string. */
export function argumentsValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
