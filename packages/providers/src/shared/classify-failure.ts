import type { ProviderFailure } from '@countersign/core/ports';
import type { Failure } from './read-failure.js';

const TOO_LONG = [
  'context_length_exceeded',
  'exceed_context_size_error',
  'request_too_large',
  'string_above_max_length',
];
const TOO_LONG_WORDS = [
  /maximum context length/i,
  /prompt is too long/i,
  /exceed(?:s|ed)? (?:the )?(?:maximum|available|model'?s?)?\s*(?:context|number of tokens)/i,
  /token count .*exceeds/i,
  /context (?:length|window|limit|size).*(?:exceed|overflow|only)/i,
  /exceed.*context (?:length|window|limit|size)/i,
];
const AUTH = [
  'authentication_error',
  'permission_error',
  'permission_denied',
  'unauthenticated',
  'invalid_api_key',
  'api_key_invalid',
];
const NO_CREDIT = ['insufficient_quota', 'billing_error', 'billing_not_active'];
const RATE = ['rate_limit_error', 'rate_limit_exceeded', 'resource_exhausted'];
const OVERLOADED = ['overloaded_error', 'api_error', 'server_error', 'internal_error', 'unavailable', 'internal'];
const BAD_REQUEST = ['invalid_request_error', 'not_found_error', 'model_not_found', 'invalid_argument', 'not_found'];

/** The kind of failure (MODEL4). Codes take precedence over message texts, which vendors change. */
export function classify(failure: Failure): ProviderFailure {
  const { status, labels, message } = failure;
  const is = (known: readonly string[]): boolean => known.some((label) => labels.has(label));
  if (isTooLong(failure, is(TOO_LONG))) return 'context-too-long';
  if (status === 401 || status === 403 || is(AUTH) || /api key (?:not valid|expired)/i.test(message)) return 'auth';
  // Retrying doesn't help: a person has to check the account.
  if (isOutOfCredit(failure)) return 'auth';
  if (status === 429 || is(RATE)) return 'rate-limited';
  if (status === 408 || labels.has('timeout_error')) return 'network';
  if (status === 409 || status === 425 || (status ?? 0) >= 500 || is(OVERLOADED)) return 'overloaded';
  if (status !== undefined || is(BAD_REQUEST)) return 'bad-request';
  // An error event in a stream that started normally: treat it as a vendor outage, regardless of its code.
  if (failure.fromVendor) return 'overloaded';
  return isConnection(failure.trail) ? 'network' : 'bad-request';
}

/** Whether the key is valid but the account has no credit. */
export function isOutOfCredit({ status, labels, message }: Failure): boolean {
  return status === 402 || NO_CREDIT.some((label) => labels.has(label)) || /credit balance is too low/i.test(message);
}

function isTooLong({ status, message }: Failure, labelled: boolean): boolean {
  if (labelled || status === 413) return true;
  if (status === 401 || status === 403 || status === 429) return false;
  return TOO_LONG_WORDS.some((words) => words.test(message));
}

/** Whether the model is unknown or not available for this key. In both cases, a person has to check the model name. */
export function isUnknownModel({ status, labels, message }: Failure): boolean {
  if (labels.has('model_not_found')) return true;
  if (status !== 400 && status !== 404 && status !== 422) return false;
  if (labels.has('not_found_error') && /^model:/i.test(message)) return true;
  return (
    /model/i.test(message) &&
    /not found|not exist|not a valid|not supported|unknown|no such|invalid model/i.test(message)
  );
}

const CONNECTION = [
  /^(?:E[A-Z_]+|UND_ERR_\w+|\w*CERT\w*|UNABLE_TO_\w+)$/,
  /^(?:SyntaxError|AbortError|TimeoutError)$/,
  /fetch failed|terminated|socket hang up|other side closed|premature|connection error|timed out/i,
  /incomplete json segment|exception parsing stream|unexpected end/i,
];

function isConnection(trail: readonly string[]): boolean {
  return trail.some((words) => CONNECTION.some((pattern) => pattern.test(words)));
}
