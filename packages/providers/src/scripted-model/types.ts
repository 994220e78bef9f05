import type { IncomingHttpHeaders } from 'node:http';
import type { Conversation, WireName } from './wire.js';

/** Selects the requests that a reply is for. All given conditions must be met. Text matches as a substring; `/…/` is a regular expression. */
export interface ReplyConditions {
  /** The last user message. */
  user?: string;
  /** A tool result in this request, after the model's last answer. */
  toolResult?: string;
  /** The system prompt. */
  system?: string;
  /** The name of the model. */
  model?: string;
  /** The exact name of a tool that the request offers. */
  tool?: string;
  /** 1 for the first answer to a user message, 2 for the next one, after tool results, and so on. */
  turn?: number;
}

/** An answer from the scripted model. */
export interface ScriptedModelReply {
  /** If absent, the reply matches every request. */
  when?: ReplyConditions;
  /** The text of the answer. */
  text?: string;
  /** The thinking before the answer. */
  thinking?: string;
  /** Tool calls, all in one answer. Arguments given as a string are sent unchanged, so that they can be invalid JSON. */
  calls?: readonly { name: string; arguments?: Readonly<Record<string, unknown>> | string }[];
  /** Token counts; by default, estimated from the length. */
  usage?: { input: number; output: number };
  /**
   * An HTTP error instead of an answer. `code`: the vendor's error code; by default, the usual one for the status. `retryAfter` is in seconds.
   */
  error?: { status: number; code?: string; message?: string; retryAfter?: number };
  /** Delay before the first byte. */
  delayMs?: number;
  /** Delay between the chunks of a streamed answer. */
  chunkDelayMs?: number;
  /** Interrupts the answer in the middle, or before the first byte if there is no answer: `hang` stays silent, `drop` disconnects. */
  connection?: 'hang' | 'drop';
}

/** A script: the first reply whose conditions are met is the answer. A reply that is only text can be written as a string. */
export interface ModelScript {
  /** The names in the model list; requests may also use other names. Default: `scripted`. */
  models?: readonly string[];
  /** The only API key that is accepted; all requests with another one get 401. Default: any key. */
  apiKey?: string;
  /** The replies; the first one whose conditions are met is the answer. */
  replies: readonly (ScriptedModelReply | string)[];
}

/** A request for an answer, in the same form for every vendor. */
export interface ScriptedModelRequest extends Conversation {
  /** The API that the request uses. */
  wire: WireName;
  /** The last user message. */
  user: string;
  /** The tool results since the model's last answer. */
  toolResults: readonly string[];
  /** 1 for the first answer to a user message, 2 for the next one, and so on. */
  turn: number;
  /** The request headers. */
  headers: IncomingHttpHeaders;
  /** The request body as sent by the client. */
  body: unknown;
}

/** A function instead of a list of replies. If it returns undefined, the client gets an error. */
export type ReplyFunction = (
  request: ScriptedModelRequest,
) => ScriptedModelReply | string | undefined | Promise<ScriptedModelReply | string | undefined>;

/** One request of any kind with its result, for a log. */
export interface ServedRequest {
  /** The HTTP method. */
  method: string;
  /** The request path. */
  path: string;
  /** HTTP status; undefined if the script leaves the request without a response. */
  status?: number;
  /** The index of the reply that was sent, from 0. */
  reply?: number;
  /** The model request, if this was one. */
  request?: ScriptedModelRequest;
}

/** Options for `startScriptedModel`. */
export interface ScriptedModelOptions {
  /** The replies, or a function that returns a reply to a request. */
  script: ModelScript | ReplyFunction;
  /** Default: any free port. */
  port?: number;
  /** Default: 127.0.0.1. Any other address accepts connections from other machines. */
  host?: string;
  /** The name of the script in error messages, such as its file name. Default: `script`. */
  name?: string;
  /** Called after every request. */
  onRequest?: (served: ServedRequest) => void;
}

/** A running scripted model. */
export interface ScriptedModel {
  /** The base URL without a path, such as `http://127.0.0.1:41234`. */
  url: string;
  /** Environment variables that make the vendors' SDKs and most agents use this model instead of a real one. */
  env: Readonly<Record<string, string>>;
  /** The last thousand requests for an answer, oldest first. */
  requests: readonly ScriptedModelRequest[];
  /** Closes all connections, including hanging ones. */
  close(): Promise<void>;
}
