import { ProviderError } from '@countersign/core/ports';
import { toProviderError, type Callee } from './to-provider-error.js';

/**
 * One call of a vendor: its failures become ours, and its socket is closed however it ends. The SDKs add a listener to the signal
 * they get and leave it there, so each call has a signal of its own.
 */
export async function runCall<T>(
  callee: Callee,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw stopped();
  const own = new AbortController();
  const abort = (): void => own.abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const result = await work(own.signal);
    // An aborted stream of an SDK ends as if it were complete.
    if (signal.aborted) throw stopped();
    return result;
  } catch (error) {
    // A stream that was left in mid-air would keep its socket until the vendor gives up.
    own.abort();
    throw signal.aborted ? stopped() : toProviderError(error, callee);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function stopped(): ProviderError {
  return new ProviderError('aborted', 'stopped');
}

/** The stream ended before the model did. What came may be half a sentence or half a call, so it counts as nothing. */
export function cutShort(): ProviderError {
  return new ProviderError('network', 'the answer was cut short: the connection ended before the model did');
}

/** A reply without an answer. It is nobody's mistake here, and the next try is usually answered. */
export function noAnswer(name: string): ProviderError {
  return new ProviderError('overloaded', `${name} sent a reply without an answer in it`);
}

/** The vendor would not let the model answer. The same question would meet the same end. */
export function withheld(name: string, why: string): ProviderError {
  return new ProviderError(
    'bad-request',
    `${name} held the answer back (${why}). Put it differently or ask another model.`,
  );
}
