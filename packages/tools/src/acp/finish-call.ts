import { NotReported, onAbort, pauseFor, ToolFailure, type Clock } from '@countersign/core/ports';
import type { AllowedCall, CallEnd, Prompt } from './prompt.js';

/** If the agent waits for another decision too, it may not start the allowed call before it has both. */
const BLOCKED_MS = 3_000;
/** How often that time passes before a call that has started no longer keeps a new request from people. */
const MOST_PAUSES = 20;

/** The result of a call that was allowed. Throws if it failed or isn't known. */
export async function finishCall(
  clock: Clock,
  prompt: Prompt,
  call: AllowedCall,
  signal: AbortSignal,
): Promise<string> {
  const over = new AbortController();
  const forget = onAbort(signal, () => over.abort());
  const end = await Promise.race([call.ended, untilBlocked(clock, prompt, call, over.signal)]).finally(() => {
    forget();
    over.abort();
  });
  switch (end.kind) {
    case 'completed':
      return end.text;
    case 'failed':
      throw new ToolFailure(end.text === '' ? 'The agent reports that the call failed.' : end.text);
    case 'not-reported':
      throw new NotReported('the agent did not report how the call ended');
    case 'lost':
      throw new ToolFailure('The agent ended while it ran the call. Check what it did.', undefined, {
        outcomeUnknown: true,
      });
  }
}

/** Resolves when waiting for the result would block the decision that the agent waits for. */
async function untilBlocked(clock: Clock, prompt: Prompt, call: AllowedCall, signal: AbortSignal): Promise<CallEnd> {
  for (let pauses = 0; pauses < MOST_PAUSES;) {
    await pauseFor(clock, BLOCKED_MS, signal);
    if (prompt.isBlocked() && !call.hasStarted()) break;
    // A call that asks for others, such as one of a subagent, ends only after them.
    pauses = prompt.hasNewRequests() ? pauses + 1 : 0;
  }
  return { kind: 'not-reported' };
}
