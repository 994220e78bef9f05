import { setImmediate } from 'node:timers/promises';
import { NoAnswer, ToolFailure, errorMessage, type Clock, type ToolContext } from '@countersign/core/ports';
import { type Client, ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { capText } from '../cap-text.js';
import type { HideValues } from '../hide-values.js';
import { toResult } from './to-result.js';

interface CallUnderWay {
  ask: ToolContext['ask'];
}
export type CallsUnderWay = Set<CallUnderWay>;

export interface CallOptions {
  server: string;
  client: Client;
  calls: CallsUnderWay;
  clock: Clock;
  hide: HideValues;
  callMs: number;
  /** Called if the server may have died or lost our session. */
  doubt: () => void;
}

/** Upper limit, regardless of progress reports. */
const LONGEST_CALL_MS = 60 * 60 * 1000;
/** The limit per call. Only one question at a time is allowed. */
const MAX_QUESTIONS = 20;
/** The maximum number of output characters shown while a call runs: nobody reads more, and every client has to receive them. */
const LIVE_CHARACTERS = 64 * 1024;

/**
 * Runs one call until it gets a response, is stopped, or is silent for too long; a question to a person pauses the timeout. If the connection
 * breaks, the outcome is unknown, so that the call isn't simply repeated (STORE3).
 */
export async function runCall(
  options: CallOptions,
  name: string,
  args: Record<string, unknown>,
  context: ToolContext,
): Promise<unknown> {
  const { client, calls, callMs, hide } = options;
  const watch = createWatch(options.clock, callMs, context.signal);
  const underWay: CallUnderWay = { ask: askPausing(context, watch) };
  const show = shower(context, hide);
  calls.add(underWay);
  try {
    const result = await client.callTool(
      { name, arguments: args },
      {
        signal: watch.signal,
        timeout: LONGEST_CALL_MS,
        onprogress: ({ progress, total, message }) => {
          watch.restart();
          const far = total === undefined ? String(progress) : `${progress}/${total}`;
          show(message === undefined ? `${far}\n` : `${far} ${message}\n`);
        },
      },
    );
    // Parsing a long response has blocked the event loop; yield before processing it.
    await setImmediate();
    return toResult(result, hide, context.attach);
  } catch (error) {
    if (!(error instanceof ToolFailure || error instanceof ProtocolError)) options.doubt();
    throw watch.isLate() ? silent(options.server, callMs) : explain(error, options.server, hide);
  } finally {
    watch.end();
    calls.delete(underWay);
  }
}

interface Watch {
  /** Aborted when the call is stopped or times out. */
  readonly signal: AbortSignal;
  isLate(): boolean;
  restart(): void;
  pause(): void;
  end(): void;
}

/**
 * Doesn't use `AbortSignal.any`: on Node 20, its sources may be garbage-collected before they fire, and a silent server would never time out.
 */
function createWatch(clock: Clock, ms: number, stopped: AbortSignal): Watch {
  const controller = new AbortController();
  let late = false;
  let cancel = (): void => undefined;
  const pause = (): void => cancel();
  const restart = (): void => {
    cancel();
    cancel = clock.after(ms, () => {
      late = true;
      controller.abort(new Error('too long'));
    });
  };
  const stop = (): void => controller.abort(stopped.reason);
  stopped.addEventListener('abort', stop);
  if (stopped.aborted) stop();
  restart();
  return {
    signal: controller.signal,
    isLate: () => late,
    restart,
    pause,
    end() {
      pause();
      stopped.removeEventListener('abort', stop);
    },
  };
}

function askPausing(context: ToolContext, watch: Watch): ToolContext['ask'] {
  const { ask } = context;
  if (ask === undefined) return undefined;
  let open = false;
  let left = MAX_QUESTIONS;
  return async (question) => {
    // If the queue were full of a server's questions, they would hide the calls that need approval.
    if (open || left === 0) throw new NoAnswer('declined', 'too many questions; ask one at a time');
    open = true;
    left -= 1;
    watch.pause();
    try {
      return await ask(question);
    } finally {
      open = false;
      watch.restart();
    }
  };
}

function shower(context: ToolContext, hide: HideValues): (text: string) => void {
  let left = LIVE_CHARACTERS;
  return (text) => {
    if (left <= 0) return;
    const shown = capText(hide.inText(text), 4_000);
    left -= shown.length;
    context.output(left > 0 ? shown : '[More output is not shown while the call runs.]\n');
  };
}

function silent(server: string, ms: number): ToolFailure {
  const words = `the MCP server "${server}" did not answer within ${ms / 1000} seconds, outcome unknown`;
  return new ToolFailure(words, undefined, { outcomeUnknown: true });
}

function explain(error: unknown, server: string, hide: HideValues): unknown {
  if (error instanceof ToolFailure) return error;
  const said = hide.inText(capText(errorMessage(error), 2_000));
  if (error instanceof ProtocolError) return new ToolFailure(`the MCP server "${server}" refused the call: ${said}`);
  if (error instanceof SdkHttpError && (error.status ?? 500) < 500)
    return new ToolFailure(`the MCP server "${server}" refused the call: ${said}`);
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
    return new ToolFailure(`the MCP server "${server}" sent an invalid answer: ${said}`);
  const ended = error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
  const what = ended ? 'exited during the call' : `lost the connection (${said})`;
  return new ToolFailure(`the MCP server "${server}" ${what}, outcome unknown`, undefined, { outcomeUnknown: true });
}
