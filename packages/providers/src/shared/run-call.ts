import { ProviderError, type GenerateRequest } from '@countersign/core/ports';
import { toProviderError, type Callee } from './to-provider-error.js';

/** Who hears the answer while it arrives. */
export type Arrival = Pick<GenerateRequest, 'onChunk' | 'onThinking'>;

/**
 * Runs one vendor call: converts its errors and always closes its socket. Uses its own signal, because the SDKs leak a listener on the signal
 * they get.
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
    // An aborted SDK stream ends as if it were complete.
    if (signal.aborted) throw stopped();
    return result;
  } catch (error) {
    // An abandoned stream would keep its socket open until the vendor closes it.
    own.abort();
    throw signal.aborted ? stopped() : toProviderError(error, callee);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function stopped(): ProviderError {
  return new ProviderError('aborted', 'stopped');
}

/** The stream ended early. A partial answer or call is discarded. */
export function cutShort(): ProviderError {
  return new ProviderError('network', 'the answer was truncated: the connection closed before the model finished');
}

/** An empty response. A retry usually helps. */
export function noAnswer(name: string): ProviderError {
  return new ProviderError('overloaded', `${name} sent an empty response`);
}

/** The vendor blocked the answer. A retry would be blocked too. */
export function withheld(name: string, why: string): ProviderError {
  return new ProviderError(
    'bad-request',
    `${name} blocked the answer (${why}). Rephrase the message or use another model.`,
  );
}
