import type { ToolCall, Usage } from '@countersign/protocol';

/** What a model is shown: the standard roles and nothing of ours. */
export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string; name?: string }
  | { role: 'assistant'; content: string; tool_calls?: readonly ModelToolCall[]; providerState?: unknown }
  | { role: 'tool'; content: string; tool_call_id: string; vendorId?: string };

/** `id` is ours. `vendorId` is there only when the same provider and model made the call (P5). */
export interface ModelToolCall extends ToolCall {
  vendorId?: string;
}

export interface ModelTool {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

export interface GenerateRequest {
  /** `title` asks for a short title of the conversation instead of an answer (M7). */
  purpose: 'answer' | 'title';
  model: string;
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
  temperature?: number;
  maxTokens?: number;
  stream: boolean;
  /** Text as it arrives. Called only while `generate` is pending, and never when `stream` is false. */
  onChunk: (text: string) => void;
  signal: AbortSignal;
}

/** One answer of a model, a closed union (P1). `providerState` is opaque: stored, and given back only to the same provider and model. */
export type LLMResponse =
  | { type: 'text'; content: string; usage: Usage; providerState?: unknown }
  | {
      type: 'tool_calls';
      content: string;
      /** Ids are the vendor's and are never trusted (P5): they may be empty, repeated or somebody else's. */
      tool_calls: readonly ToolCall[];
      usage: Usage;
      providerState?: unknown;
    };

/**
 * Turns messages and tool schemas into one answer, and does nothing else: it runs no tool, emits no event, reads no storage
 * and knows of no approval. Rejects with `ProviderError`, and with nothing else that a caller should retry.
 */
export interface Provider {
  readonly name: string;
  /** How many tokens of conversation this model takes. Absent or undefined: a careful default. */
  contextTokens?(model: string): number | undefined;
  generate(request: GenerateRequest): Promise<LLMResponse>;
}

export type ProviderFailure =
  | 'auth'
  /** There is no key; the message says which variable sets it. */
  | 'no-key'
  | 'rate-limited'
  | 'overloaded'
  | 'context-too-long'
  | 'bad-request'
  | 'network'
  | 'aborted';

const RETRYABLE: ReadonlySet<ProviderFailure> = new Set(['rate-limited', 'overloaded', 'network']);

/** A failed model call that says who acts next (P4): `retry` is ours to repeat, `person` needs somebody to change something. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: ProviderFailure;
  readonly next: 'retry' | 'person' | 'nobody';
  /** How long the vendor asked us to wait. */
  readonly retryAfterMs?: number;

  constructor(kind: ProviderFailure, message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.next = RETRYABLE.has(kind) ? 'retry' : kind === 'aborted' ? 'nobody' : 'person';
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}
