import { setImmediate } from 'node:timers/promises';
import { NoAnswer, ToolFailure, wordsOf, type Clock, type ToolContext } from '@countersign/core/ports';
import { type Client, ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { capText } from './cap-text.js';
import type { HideValues } from './hide-values.js';
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
  /** The server may be gone, or know us no more. */
  doubt: () => void;
}

/** However often a server says that it goes on. */
const LONGEST_CALL_MS = 60 * 60 * 1000;
/** In one call, one after the other. */
const MOST_QUESTIONS = 20;
/** Shown of one call while it runs: nobody reads more, and every client would have to take it. */
const LIVE_CHARACTERS = 64 * 1024;

/**
 * One call to a server. Ends with its answer, with the signal, or when nothing was heard of it for too long; a question to a person
 * stops the clock. What ended in the dark is said to be unknown, so that it is not simply done again (S3).
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
    // Parsing a long answer took its time; what follows takes some too.
    await setImmediate();
    return toResult(result, hide);
  } catch (error) {
    if (!(error instanceof ToolFailure || error instanceof ProtocolError)) options.doubt();
    throw watch.isLate() ? silent(options.server, callMs) : explain(error, options.server, hide);
  } finally {
    watch.end();
    calls.delete(underWay);
  }
}

interface Watch {
  /** Fires when the call is stopped, or when it is late. */
  readonly signal: AbortSignal;
  isLate(): boolean;
  restart(): void;
  pause(): void;
  end(): void;
}

/** By hand: on Node 20 what only `AbortSignal.any` knows of may be collected before it fires, and a silent server be waited for without end. */
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
  let left = MOST_QUESTIONS;
  return async (question) => {
    // A queue full of a server's questions is one in which nobody finds what they have to sign.
    if (open || left === 0) throw new NoAnswer('declined', 'one question at a time, and not too many');
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
    const shown = capText(hide.inWords(text), 4_000);
    left -= shown.length;
    context.output(left > 0 ? shown : '[There is more; it is not shown while the call runs.]\n');
  };
}

function silent(server: string, ms: number): ToolFailure {
  const words = `the MCP server "${server}" did not answer within ${ms / 1000} seconds, outcome unknown`;
  return new ToolFailure(words, undefined, { outcomeUnknown: true });
}

function explain(error: unknown, server: string, hide: HideValues): unknown {
  if (error instanceof ToolFailure) return error;
  const said = hide.inWords(capText(wordsOf(error), 2_000));
  if (error instanceof ProtocolError) return new ToolFailure(`the MCP server "${server}" refused the call: ${said}`);
  if (error instanceof SdkHttpError && (error.status ?? 500) < 500)
    return new ToolFailure(`the MCP server "${server}" refused the call: ${said}`);
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
    return new ToolFailure(`the MCP server "${server}" answered with something that can't be read: ${said}`);
  const ended = error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
  const what = ended ? 'ended in the middle of the call' : `could not be heard to the end (${said})`;
  return new ToolFailure(`the MCP server "${server}" ${what}, outcome unknown`, undefined, { outcomeUnknown: true });
}
