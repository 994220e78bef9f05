import type {
  AcpSettings,
  Attachment,
  ImageType,
  MessageAttachment,
  ModelSettings,
  ToolCall,
  Usage,
} from '@countersign/protocol';

/** A message for a model: standard roles only. */
export type ModelMessage =
  | { role: 'system'; content: string }
  | {
      role: 'user';
      content: string;
      name?: string;
      /** The files of the message. `content` names the images, and contains the texts. */
      attachments?: readonly MessageAttachment[];
      images?: readonly ModelImage[];
    }
  | { role: 'assistant'; content: string; tool_calls?: readonly ModelToolCall[]; providerState?: unknown }
  | {
      role: 'tool';
      content: string;
      tool_call_id: string;
      vendorId?: string;
      /** The files that `content` describes. */
      attachments?: readonly Attachment[];
      /** Those of the files that the model gets as images. Empty or absent if it takes none. */
      images?: readonly ModelImage[];
    };

/** An image for a model. */
export interface ModelImage {
  /** The type of the image. */
  mimeType: ImageType;
  /** The content in base64. */
  data: string;
}

/** `id` is ours. `vendorId` is set only if the same provider and model made the call (MODEL5). */
export interface ModelToolCall extends ToolCall {
  /** The id that the vendor gave the call; used only in replies to that vendor. */
  vendorId?: string;
}

/** A tool as the model sees it. */
export interface ModelTool {
  /** The name of the tool. */
  name: string;
  /** What the tool does. */
  description: string;
  /** The JSON Schema of its arguments. */
  parameters: Record<string, unknown>;
}

/** Where an answer is wanted, for a provider that keeps a session with an agent (EXT3). */
export interface AgentSession {
  worldId: string;
  chatId: string;
  agentId: string;
  /** The turn that the answer belongs to. */
  turnId: string;
  /** The real path of the world's working folder. */
  workingDirectory: string;
  /** How the agent's program is started. */
  acp: AcpSettings;
  /** Whether these are still the agent's settings. A program takes a while to start. */
  isCurrent(): Promise<boolean>;
}

/** A request for one response from a model. */
export interface GenerateRequest extends Omit<ModelSettings, 'contextTokens'> {
  /** `title` requests a short title for the conversation instead of an answer (WORLD7). */
  purpose: 'answer' | 'title';
  /** The name of the model. */
  model: string;
  /** The conversation, with the system prompt first. */
  messages: readonly ModelMessage[];
  /** The tools that the model may call. */
  tools: readonly ModelTool[];
  /** Whether to pass on chunks while the answer arrives. */
  stream: boolean;
  /** Receives text as it arrives. Called only while `generate` is pending, and never if `stream` is false. */
  onChunk: (text: string) => void;
  /** Receives thinking as it arrives, under the same conditions. Absent if nobody reads it. */
  onThinking?: (text: string) => void;
  /** Aborts when the answer is no longer wanted. */
  signal: AbortSignal;
  /** Set only for an agent of the provider `acp`. */
  session?: AgentSession;
}

/**
 * A model's response (MODEL1). `thinking` is for people only. `providerState` is opaque: it is stored and returned only to the same
 * provider and model.
 */
export type LLMResponse =
  | { type: 'text'; content: string; thinking?: string; usage: Usage; providerState?: unknown }
  | {
      type: 'tool_calls';
      content: string;
      thinking?: string;
      /** Ids come from the vendor and are never trusted (MODEL5): they may be empty, repeated or already in use. */
      tool_calls: readonly ToolCall[];
      usage: Usage;
      providerState?: unknown;
    };

/**
 * Turns messages and tool schemas into one response and does nothing else: it runs no tools, emits no events, reads no storage and has no part
 * in approvals. Rejects with `ProviderError`; callers retry no other error.
 */
export interface Provider {
  /** The name by which agents choose this provider. */
  readonly name: string;
  /** The context window of this model in tokens. If absent or undefined, a conservative default applies. */
  contextTokens?(model: string): number | undefined;
  /** The list price of this model. Undefined if it is not known. */
  price?(model: string): ModelPrice | undefined;
  /**
   * Asks the server for the context window and the price, which `contextTokens` and `price` return from then on. Undefined if there is nothing to
   * ask at the moment. Called before each model call. Never rejects, and takes a few seconds at most.
   */
  learnModel?(model: string): Promise<void> | undefined;
  /** Whether this model accepts images. If absent or false, it gets only their descriptions (MODEL12). */
  takesImages?(model: string): boolean;
  /** Why this model can't be called with these settings. An agent with such settings is rejected with an error at the field. */
  checkSettings?(model: string, settings: ModelSettings): SettingProblem | undefined;
  /** Asks the model for one answer. Throws a `ProviderError` if that fails. */
  generate(request: GenerateRequest): Promise<LLMResponse>;
  /** Called after a turn has ended here or in another process, also if it was stopped while it waited. Must not throw. */
  endTurn?(turnId: string): void;
  /** The turns for which `endTurn` must still be called, because something works or waits for them. Must not throw. */
  openTurns?(): readonly string[];
  /** Ends everything that the provider started. */
  close?(): Promise<void>;
}

/** In US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
}

/** A setting that a vendor or model doesn't support, and what to do. */
export interface SettingProblem {
  field: keyof ModelSettings;
  detail: string;
}

/** Providers that can change while the process runs. `get`, `names` and `secrets` return cached values. */
export interface ProviderSource {
  get(name: string): Provider | undefined;
  names(): readonly string[];
  /** Keys to mask in tool results (TURN14). */
  secrets(): readonly string[];
  /** Loads changes made by other processes. */
  load(): Promise<void>;
}

/** What went wrong with a request to a model. */
export type ProviderFailure =
  | 'auth'
  /** The API key is missing; the message names the variable to set. */
  | 'no-key'
  | 'rate-limited'
  | 'overloaded'
  | 'context-too-long'
  | 'bad-request'
  /** The agent's program failed; the message says how, and what to do. */
  | 'agent-failed'
  | 'network'
  | 'aborted';

/** The specific cause of a failure, if the provider knows it. It tells a person what to check. */
export type ProviderReason =
  | 'no-credit'
  | 'unknown-model'
  /** The server has no such API, redirects, or returns something else. */
  | 'wrong-path'
  | 'refused'
  | 'host-not-found'
  | 'unreachable'
  | 'timeout';

const RETRYABLE: ReadonlySet<ProviderFailure> = new Set(['rate-limited', 'overloaded', 'network']);

/** A failed model call. `next` says who acts next (MODEL4.1): `retry` is retried automatically, `person` needs someone to change something. */
export class ProviderError extends Error {
  /** The name of the class. */
  override readonly name = 'ProviderError';
  /** What went wrong. */
  readonly kind: ProviderFailure;
  /** Who acts next: the runtime retries, a person has to act, or nobody does. */
  readonly next: 'retry' | 'person' | 'nobody';
  /** How long the vendor asked us to wait. */
  readonly retryAfterMs?: number;
  /** The cause as a code, if it is known. */
  readonly reason?: ProviderReason;

  constructor(
    kind: ProviderFailure,
    message: string,
    options: { retryAfterMs?: number; reason?: ProviderReason; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.next = RETRYABLE.has(kind) ? 'retry' : kind === 'aborted' ? 'nobody' : 'person';
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    if (options.reason !== undefined) this.reason = options.reason;
  }
}
