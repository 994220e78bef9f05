import type { IncomingHttpHeaders } from 'node:http';
import type { Conversation, WireName } from './wire.js';

/** Which requests a reply is for. All given conditions must hold. Text matches where it occurs; `/…/` is a regular expression. */
export interface ReplyConditions {
  /** The last message of the user. */
  user?: string;
  /** A tool result in this request, after the model's last answer. */
  toolResult?: string;
  /** The system prompt. */
  system?: string;
  /** The name of the model. */
  model?: string;
  /** The exact name of a tool that the request offers. */
  tool?: string;
  /** 1 for the first answer to a message of the user, 2 for the next one, after tool results, and so on. */
  turn?: number;
}

/** An answer of the scripted model. */
export interface ScriptedModelReply {
  /** Without it, the reply is for every request. */
  when?: ReplyConditions;
  text?: string;
  thinking?: string;
  /** Tool calls, all in one answer. Arguments that are a string are sent unchanged, so that they can be invalid JSON. */
  calls?: readonly { name: string; arguments?: Readonly<Record<string, unknown>> | string }[];
  /** Tokens; estimated from the length by default. */
  usage?: { input: number; output: number };
  /** An HTTP error instead of an answer. `code` is the vendor's, by default the usual one; `retryAfter` is in seconds. */
  error?: { status: number; code?: string; message?: string; retryAfter?: number };
  /** Wait before the first byte. */
  delayMs?: number;
  /** Wait between the chunks of a streamed answer. */
  chunkDelayMs?: number;
  /** Stop in the middle of the answer, or before the first byte if there is no answer: `hang` stays silent, `drop` disconnects. */
  connection?: 'hang' | 'drop';
}

/** A script: the first reply whose conditions hold is the answer. A reply that is only text can be written as a string. */
export interface ModelScript {
  /** The names in the model list; requests may use any other name too. Default: `scripted`. */
  models?: readonly string[];
  replies: readonly (ScriptedModelReply | string)[];
}

/** A request for an answer, in the same form for every vendor. */
export interface ScriptedModelRequest extends Conversation {
  wire: WireName;
  /** The last message of the user. */
  user: string;
  /** The tool results since the model's last answer. */
  toolResults: readonly string[];
  /** 1 for the first answer to a message of the user, 2 for the next one, and so on. */
  turn: number;
  headers: IncomingHttpHeaders;
  /** The body as the client sent it. */
  body: unknown;
}

/** A function instead of a list of replies. Undefined: the script has no reply, and the client gets an error. */
export type ReplyFunction = (
  request: ScriptedModelRequest,
) => ScriptedModelReply | string | undefined | Promise<ScriptedModelReply | string | undefined>;

/** One request of any kind and its result, for a log. */
export interface ServedRequest {
  method: string;
  path: string;
  /** HTTP status; undefined if the script leaves the request without a response. */
  status?: number;
  /** Which reply of the script was sent, counted from 0. */
  reply?: number;
  /** What the model was asked. */
  request?: ScriptedModelRequest;
}

export interface ScriptedModelOptions {
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
  /** Without a path, such as `http://127.0.0.1:41234`. */
  url: string;
  /** The variables with which the vendors' SDKs and most agents use this model instead of a real one. */
  env: Readonly<Record<string, string>>;
  /** The last thousand requests for an answer, oldest first. */
  requests: readonly ScriptedModelRequest[];
  /** Closes all connections, also those that hang. */
  close(): Promise<void>;
}
