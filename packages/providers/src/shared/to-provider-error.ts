import { ProviderError, type ProviderFailure, type ProviderReason } from '@countersign/core/ports';
import { classify, isOutOfCredit, isUnknownModel } from './classify-failure.js';
import { readFailure, type Failure } from './read-failure.js';
import { REDIRECT_CODE } from './patient-fetch.js';
import { redact } from './redact.js';
import { retryAfterMs } from './retry-after.js';

/** The called service, for the error message. */
export interface Callee {
  name: string;
  model: string;
  /** The base URL, if it was configured. */
  address: string | undefined;
  secrets: readonly string[];
}

const LONGEST_WORDS = 500;

/** Converts a vendor error (MODEL4). The SDK's error is not kept as the cause: it may contain the key. */
export function toProviderError(error: unknown, callee: Callee): ProviderError {
  if (error instanceof ProviderError) return error;
  const failure = readFailure(error);
  const kind = classify(failure);
  const wait = kind === 'rate-limited' || kind === 'overloaded' ? retryAfterMs(failure) : undefined;
  const words = redact(say(kind, failure, callee), callee.secrets);
  const reason = reasonOf(kind, failure);
  return new ProviderError(kind, words, {
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(reason === undefined ? {} : { reason }),
  });
}

function say(kind: ProviderFailure, failure: Failure, callee: Callee): string {
  const said = tidy(failure.message, callee);
  if (kind === 'network' && !failure.fromVendor) return sayConnection(failure, callee);
  if (kind === 'auth' && isOutOfCredit(failure)) return `the account has no credit left: ${said}`;
  if (kind !== 'bad-request') return said;
  if (isUnknownModel(failure)) return `${callee.name} has no model "${tidy(callee.model, callee)}": ${said}`;
  if (failure.status === 404) return `${placeOf(callee)} has no such API (404). Check the base URL.`;
  return said;
}

/** What a person has to check. */
function reasonOf(kind: ProviderFailure, failure: Failure): ProviderReason | undefined {
  if (kind === 'auth') return isOutOfCredit(failure) ? 'no-credit' : undefined;
  if (kind === 'bad-request' && isUnknownModel(failure)) return 'unknown-model';
  if (kind === 'bad-request') return failure.status === 404 || failure.status === 405 ? 'wrong-path' : undefined;
  if (kind !== 'network' || failure.fromVendor) return undefined;
  const has = (pattern: RegExp): boolean => failure.trail.some((words) => pattern.test(words));
  if (has(REDIRECTED)) return 'wrong-path';
  if (has(/ECONNREFUSED/)) return 'refused';
  if (has(/ENOTFOUND/)) return 'host-not-found';
  if (has(/EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ENETDOWN/)) return 'unreachable';
  return has(/tim(?:ed?|e) ?out|TIMEOUT|ETIMEDOUT/i) ? 'timeout' : undefined;
}

const REDIRECTED = new RegExp(`^${REDIRECT_CODE}$`);

function sayConnection(failure: Failure, callee: Callee): string {
  const place = placeOf(callee);
  const has = (pattern: RegExp): boolean => failure.trail.some((words) => pattern.test(words));
  if (has(/ECONNREFUSED/)) return `connection refused at ${place}. Check that the server is running.`;
  if (has(/ENOTFOUND|EAI_AGAIN/)) return `the host ${place} was not found. Check your network and the spelling.`;
  if (has(/tim(?:ed?|e) ?out|TIMEOUT|ETIMEDOUT/i)) return `the request to ${place} timed out`;
  if (has(/CERT|SSL|TLS/))
    return `${place} has an invalid TLS certificate: ${tidy(failure.trail.at(-1) ?? '', callee)}`;
  return `the connection to ${place} failed: ${tidy(failure.trail.at(-1) ?? failure.message, callee)}`;
}

/** Host and port only: the path or query may contain secrets. */
function placeOf({ address, name }: Callee): string {
  return address === undefined ? name : new URL(address).host;
}

/** Reduces text to one line, and an HTML error page to its text. Redacts first: truncating could leave part of a key. */
function tidy(text: string, { secrets }: Callee): string {
  const safe = redact(text, secrets);
  const words = /<(?:!doctype|html)\b/i.test(safe) ? safe.replaceAll(/<[^>]*>/g, ' ') : safe;
  const line = words.replaceAll(/\s+/g, ' ').trim();
  return line.length <= LONGEST_WORDS ? line : `${line.slice(0, LONGEST_WORDS)}…`;
}
