import { NotReported, onAbort, pauseFor, ToolFailure, type Clock, type ToolContext } from '@countersign/core/ports';
import type { AllowedCall, CallEnd, Prompt } from './prompt.js';

/** How often to check whether the agent waits for another decision too: it may not start the allowed call before it has both. */
const POLL_MS = 3_000;
/** After this many polls, a call that has started no longer keeps a new request from people. */
const MAX_POLLS = 20;

/** The result of a call that was allowed. Throws if it failed or isn't known. */
export async function finishCall(
  clock: Clock,
  prompt: Prompt,
  call: AllowedCall,
  { signal, openCalls }: Pick<ToolContext, 'signal' | 'openCalls'>,
): Promise<string> {
  const over = new AbortController();
  const forget = onAbort(signal, () => over.abort());
  const blocked = untilBlocked({ clock, prompt, call, openCalls, signal: over.signal });
  const end = await Promise.race([call.ended, blocked]).finally(() => {
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

interface Waiting {
  signal: AbortSignal;
  openCalls: ToolContext['openCalls'];
  clock: Clock;
  prompt: Prompt;
  call: AllowedCall;
}

/** Resolves when waiting for the result would keep a new request from people. Passes on denials of other calls meanwhile. */
async function untilBlocked({ clock, prompt, call, openCalls, signal }: Waiting): Promise<CallEnd> {
  for (let polls = 0; polls < MAX_POLLS;) {
    await pauseFor(clock, POLL_MS, signal);
    if (prompt.hasProposed()) {
      // If the store can't be read, nobody is known to have decided.
      const open = await openCalls?.().catch(() => undefined);
      // The call has ended meanwhile. The agent may have asked for calls that aren't in the list.
      if (signal.aborted) break;
      if (open !== undefined) prompt.rejectExcept(open);
    }
    // The new request can't be proposed while another call waits for a person.
    if (!prompt.hasNewRequests() || prompt.hasProposed()) polls = 0;
    else if (call.hasStarted()) polls += 1;
    else break;
  }
  return { kind: 'not-reported' };
}
