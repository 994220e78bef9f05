import { isDeepStrictEqual } from 'node:util';
import { listApprovals, decideCall, showsOriginal, type Engine } from '@countersign/core';
import { createStop, onAbort, untilAborted } from '@countersign/core/ports';
import { CountersignError, type Approval, type ToolEvent } from '@countersign/protocol';
import { isObject } from './options/check-input.js';
import type { Decision } from './decision.js';
import { PROGRAM } from './signer.js';

/** The second argument of an `approve` function. */
export interface ApproveContext {
  /** The id of the world in which the call waits. */
  readonly worldId: string;
  /** Aborts when the answer no longer matters: someone else has decided, the time is up, or the store is closing. */
  readonly signal: AbortSignal;
}

/** Decides one approval. `undefined` leaves the decision to a person. */
export type Approve<A extends Approval = Approval> = (
  approval: A,
  context: ApproveContext,
) => Decision | undefined | Promise<Decision | undefined>;

export interface Approver {
  /** From now on, calls the function for each approval requested in this world. */
  watch(worldId: string): void;
  /** Calls the function for approvals that an earlier process left waiting. */
  askPending(worldId: string): Promise<void>;
  /** Resolves when no call to `approve` is running, in one chat or in all. Undefined if none is running. */
  busy(chatId?: string): Promise<unknown> | undefined;
}

/** Enough for all approvals that can arrive while the first ones are listed. */
const MAX_ASKED = 10_000;

/**
 * Calls `approve` for each new approval, and sends its decision the same way as a person's (CALL4). Without an answer, or after an error, an
 * invalid decision or a timeout, the call keeps waiting: nothing approves by default.
 */
export function createApprover(
  engine: Engine,
  {
    approve,
    timeoutMs,
    report,
  }: { approve: Approve; timeoutMs: number; report: (error: unknown, what: string) => void },
): Approver {
  const { runtime, closing } = engine;
  const asked = new Set<string>();
  const running = new Map<Promise<void>, string>();
  const waiting = new Map<string, (reason: Error) => void>();

  function track(chatId: string, work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => report(error, 'failed to call `approve`'))
      .finally(() => running.delete(tracked));
    running.set(tracked, chatId);
  }

  function heard(worldId: string, chatId: string, { type, invocation_id: callId }: ToolEvent): void {
    waiting.get(callId)?.(new Error('the call was decided or has changed'));
    if (type === 'TOOL_APPROVAL_REQUESTED') track(chatId, askAbout(worldId, chatId, callId));
  }

  async function askAbout(worldId: string, chatId: string, callId: string): Promise<void> {
    const pending = await listApprovals(runtime, worldId, { status: 'pending', chatId });
    await Promise.all(
      pending.filter(({ toolCallId }) => toolCallId === callId).map((approval) => ask(worldId, approval)),
    );
  }

  /** An approval can be both listed at the start and received as an event. */
  function remember(approvalId: string): void {
    asked.add(approvalId);
    if (asked.size > MAX_ASKED) for (const oldest of asked) return void asked.delete(oldest);
  }

  async function ask(worldId: string, approval: Approval): Promise<void> {
    const { approvalId, toolCallId, toolName } = approval;
    // A question needs an answer instead, and a rule must not judge arguments that it can't see.
    if (approval.question !== undefined || !showsOriginal(approval.arguments) || asked.has(approvalId)) return;
    remember(approvalId);
    const stopping = createStop();
    const { signal } = stopping;
    const stop = (reason: Error): void => stopping.stop(reason);
    const end = onAbort(closing, () => stop(new Error('the store was closed')));
    let isLate = false;
    const cancel = runtime.clock.after(timeoutMs, () => {
      isLate = true;
      stop(new Error('`approve` took too long'));
    });
    waiting.set(toolCallId, stop);
    // The function may change what it gets.
    const shown = structuredClone(approval);
    try {
      const decision = await untilAborted(async () => await approve(approval, { worldId, signal }), signal);
      if (decision !== undefined) await send(worldId, shown, decision);
    } catch (error) {
      if (isLate) report(signal.reason, `the call to ${toolName} is still waiting for a decision`);
      else if (!signal.aborted) report(error, `\`approve\` failed, so the call to ${toolName} is still waiting`);
    } finally {
      end();
      cancel();
      if (waiting.get(toolCallId) === stop) waiting.delete(toolCallId);
    }
  }

  /** The hash is set last: a decision is valid only for the call that was shown (CALL7). */
  async function send(
    worldId: string,
    { approvalId, callHash, arguments: shown }: Approval,
    decision: unknown,
  ): Promise<void> {
    if (!isObject(decision)) {
      throw new CountersignError('invalid', 'it must return a decision, such as { decision: "deny" }, or undefined');
    }
    const { arguments: wanted, ...given } = decision as Decision;
    // A function that returns the arguments it wants gets the edited call, and then wants what it sees.
    const edited = wanted === undefined || isDeepStrictEqual(wanted, shown) ? {} : { arguments: wanted };
    const bound = { ...given, ...edited, tool_call_id: approvalId, callHash };
    const outcome = await decideCall(runtime, worldId, undefined, bound, PROGRAM);
    // If the call changed, it gets a new approval; if it is settled, someone else was faster.
    if (outcome.kind === 'refused' && (outcome.code === 'invalid' || outcome.code === 'foreign')) {
      throw new CountersignError('invalid', outcome.detail);
    }
  }

  return {
    watch(worldId) {
      runtime.bus.subscribe(
        worldId,
        (event) => {
          if (event.event === 'tool' && event.chatId !== undefined) heard(worldId, event.chatId, event.data);
        },
        'tool',
      );
    },
    async askPending(worldId) {
      for (const approval of await listApprovals(runtime, worldId, { status: 'pending' })) {
        track(approval.chatId, ask(worldId, approval));
      }
    },
    busy(chatId) {
      const here = [...running].filter(([, chat]) => chatId === undefined || chat === chatId).map(([work]) => work);
      return here.length === 0 ? undefined : Promise.all(here);
    },
  };
}
