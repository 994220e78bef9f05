import { ProviderError, type ProviderFailure } from '@countersign/core/ports';
import { classify, isUnknownModel } from './classify-failure.js';
import { readFailure, type Failure } from './read-failure.js';
import { redact } from './redact.js';
import { retryAfterMs } from './retry-after.js';

/** Who was called, for words a person can act on. */
export interface Callee {
  name: string;
  model: string;
  /** Where it lives, if a person chose that. */
  address: string | undefined;
  secrets: readonly string[];
}

const LONGEST_WORDS = 500;

/** A vendor's failure as one of ours (P4). The SDK's error is not kept as its cause: it may hold the key. */
export function toProviderError(error: unknown, callee: Callee): ProviderError {
  if (error instanceof ProviderError) return error;
  const failure = readFailure(error);
  const kind = classify(failure);
  const wait = kind === 'rate-limited' || kind === 'overloaded' ? retryAfterMs(failure) : undefined;
  const words = redact(say(kind, failure, callee), callee.secrets);
  return new ProviderError(kind, words, wait === undefined ? {} : { retryAfterMs: wait });
}

function say(kind: ProviderFailure, failure: Failure, callee: Callee): string {
  const said = tidy(failure.message);
  if (kind === 'network' && !failure.fromVendor) return sayConnection(failure, callee);
  if (kind === 'auth' && failure.status !== 401 && isOutOfCredit(failure))
    return `the account has no credit left: ${said}`;
  if (kind !== 'bad-request') return said;
  if (isUnknownModel(failure)) return `${callee.name} does not know the model "${tidy(callee.model)}": ${said}`;
  if (failure.status === 404) return `nothing answers under ${placeOf(callee)} (404). Check the base URL.`;
  return said;
}

function isOutOfCredit(failure: Failure): boolean {
  return failure.status === 402 || failure.status === 429 || failure.status === 400;
}

function sayConnection(failure: Failure, callee: Callee): string {
  const place = placeOf(callee);
  const has = (pattern: RegExp): boolean => failure.trail.some((words) => pattern.test(words));
  if (has(/ECONNREFUSED/)) return `nothing listens at ${place}: is it running?`;
  if (has(/ENOTFOUND|EAI_AGAIN/))
    return `the name of ${place} was not found: is there a network, and is it spelled right?`;
  if (has(/tim(?:ed?|e) ?out|TIMEOUT|ETIMEDOUT/i)) return `${place} did not answer in time`;
  if (has(/CERT|SSL|TLS/)) return `${place} could not prove who it is: ${tidy(failure.trail.at(-1) ?? '')}`;
  return `the connection to ${place} broke: ${tidy(failure.trail.at(-1) ?? failure.message)}`;
}

/** Host and port; a path or a query may hold what is nobody's business. */
function placeOf({ address, name }: Callee): string {
  return address === undefined ? name : new URL(address).host;
}

/** One line of words. A gateway's error page is cut down to what it says. */
function tidy(text: string): string {
  const words = /<(?:!doctype|html)\b/i.test(text) ? text.replaceAll(/<[^>]*>/g, ' ') : text;
  const line = words.replaceAll(/\s+/g, ' ').trim();
  return line.length <= LONGEST_WORDS ? line : `${line.slice(0, LONGEST_WORDS)}…`;
}
