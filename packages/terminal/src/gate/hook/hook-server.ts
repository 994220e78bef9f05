import type {
  CallContext,
  ExternalCall,
  ExternalResult,
  NewExternalCall,
  SentenceForSession,
} from '@countersign/protocol';
import { ChannelError } from '@countersign/server/channel';
import { gateHook as texts } from '../../words/gate.js';
import { isObject } from '../json-text.js';
import { requestInChannel, requestWith, type HookRequest, type HookResponse } from './hook-request.js';

/** The server rejected the request, or couldn't be reached (status 0). */
export class HookServerError extends Error {
  readonly status: number;
  /** Why it couldn't be reached, such as `ECONNREFUSED`. */
  readonly code: string | undefined;

  constructor(status: number, message: string, code?: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The part of the API that a hook uses. Each hook is a new process, and loading the whole client would take longer than the request. */
export interface HookServer {
  propose(call: NewExternalCall): Promise<ExternalCall>;
  /** Waits up to 50 seconds for a decision. */
  wait(id: string, seconds: number): Promise<ExternalCall>;
  /** Gets a call to run it, once. */
  fetch(id: string): Promise<ExternalCall>;
  report(id: string, result: ExternalResult): Promise<void>;
  /** Reports a step, and gets what a person told the agent, if there is a delivery. The same one gets the same sentence again. */
  reportSession(
    session: string,
    report: { delivery?: string; context?: CallContext },
  ): Promise<SentenceForSession | undefined>;
  endSession(session: string): Promise<void>;
}

/** The agent waits for its hook, also if nobody has told it anything. */
const SENTENCE_MS = 10_000;

export function hookServer(
  { url, token, world, pass }: { url: string; token: string; world: string; pass: string },
  onSent: () => void,
): HookServer {
  const path = (...parts: readonly string[]): URL => {
    const base = url.endsWith('/') ? url : `${url}/`;
    return new URL(['api', 'worlds', world, 'external', ...parts].map(encodeURIComponent).join('/'), base);
  };
  const post = async (to: URL, body: unknown): Promise<unknown> =>
    await send(to, { method: 'POST', token, text: JSON.stringify(body), onSent });
  // A copy of the token on another machine can't claim or report the calls of this installation.
  const claim = pass;
  return {
    propose: async (call) => toCall(await post(path('calls'), { ...call, claim })),
    async wait(id, seconds) {
      const to = path('calls', id);
      to.searchParams.set('wait', String(seconds));
      to.searchParams.set('claim', claim);
      return toCall(await send(to, { method: 'GET', token, text: '', onSent }));
    },
    fetch: async (id) => toCall(await post(path('calls', id, 'fetch'), { claim })),
    async report(id, result) {
      await post(path('calls', id, 'result'), { ...result, claim });
    },
    async reportSession(session, report) {
      const text = JSON.stringify({ ...report, claim });
      const to = path('sessions', session, 'context');
      const answer = await send(to, { method: 'POST', token, text, onSent, timeoutMs: SENTENCE_MS });
      const told = isObject(answer) && isObject(answer['sentence']) ? answer['sentence'] : {};
      const { from, text: said } = told;
      return typeof from === 'string' && typeof said === 'string' ? { from, text: said } : undefined;
    },
    async endSession(session) {
      await post(path('sessions', session, 'end'), {});
    },
  };
}

async function send(to: URL, sent: HookRequest): Promise<unknown> {
  const { status, text } = await request(to, sent);
  if (status === 204) return undefined;
  const value = parse(text, status);
  if (status >= 200 && status < 300) return value;
  const detail = isObject(value) ? value['detail'] : undefined;
  throw new HookServerError(status, typeof detail === 'string' ? detail : texts.answered(status));
}

async function request(to: URL, sent: HookRequest): Promise<HookResponse> {
  try {
    if (to.protocol !== 'https:') return await requestInChannel(to, sent);
    return await requestWith((await import('node:https')).request, to, sent);
  } catch (error) {
    if (codeOf(error)?.startsWith('ERR_SSL_') === true) throw new Error(texts.changed(to.origin), { cause: error });
    if (!(error instanceof ChannelError)) return fail(to, error);
    const reason = texts.unproven(to.origin);
    // A server that is being restarted closes connections, too, so that is worth another try.
    throw error.kind === 'closed' ? new HookServerError(0, reason) : new Error(reason, { cause: error });
  }
}

function fail(to: URL, error: unknown): never {
  const message = error instanceof Error ? error.message : String(error);
  throw new HookServerError(0, texts.unreachable(to.origin, message), codeOf(error));
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function parse(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HookServerError(status < 500 ? status : 0, texts.noJson(status));
  }
}

const STATES = ['pending', 'allowed', 'answered', 'denied', 'ended'] as const;

/** Strict: anything else is no yes. */
function toCall(value: unknown): ExternalCall {
  const state = isObject(value) ? STATES.find((known) => known === value['state']) : undefined;
  if (!isObject(value) || state === undefined || typeof value['id'] !== 'string')
    throw new HookServerError(200, texts.notACall);
  const { id, arguments: args, edited, cwd, reason } = value;
  return {
    id,
    state,
    ...(isObject(args) ? { arguments: args } : {}),
    ...(typeof edited === 'boolean' ? { edited } : {}),
    ...(typeof cwd === 'string' ? { cwd } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
  };
}
