import { isRecord } from './records.js';

/** The known details of a failed call, for any SDK. */
export interface Failure {
  status: number | undefined;
  /** Codes, types and statuses at every depth, in lowercase. */
  labels: ReadonlySet<string>;
  /** The vendor's message. */
  message: string;
  headers: Headers | undefined;
  /** `retryDelay` from Google's error details, such as `30s`. */
  retryDelay: string | undefined;
  /** Whether the vendor reported the error, as opposed to a broken connection. */
  fromVendor: boolean;
  /** Codes and messages from the error and all its causes. */
  trail: readonly string[];
}

const DEEPEST = 6;

export function readFailure(error: unknown): Failure {
  const thrown = isRecord(error) ? error : {};
  const words = error instanceof Error ? error.message : String(error);
  const body = isRecord(thrown['error']) || typeof thrown['error'] === 'string' ? thrown['error'] : jsonIn(words);
  const found = { labels: new Set<string>(), message: '', status: undefined as number | undefined, retryDelay: '' };
  readBody(body, found, 0);
  for (const label of [thrown['code'], thrown['type']]) addLabel(found.labels, label);
  return {
    status: statusOf(thrown['status']) ?? found.status,
    labels: found.labels,
    message: found.message === '' ? words : found.message,
    headers: thrown['headers'] instanceof Headers ? thrown['headers'] : undefined,
    retryDelay: found.retryDelay === '' ? undefined : found.retryDelay,
    fromVendor: body !== undefined || statusOf(thrown['status']) !== undefined,
    trail: trailOf(error),
  };
}

interface FailureParts {
  labels: Set<string>;
  message: string;
  status: number | undefined;
  retryDelay: string;
}

/** Vendors nest errors in one or two `error` fields, or send only text. The innermost message is the clearest. */
function readBody(body: unknown, found: FailureParts, depth: number): void {
  if (typeof body === 'string') found.message = body;
  if (!isRecord(body) || depth > DEEPEST) return;
  for (const label of [body['code'], body['type'], body['status'], body['reason']]) addLabel(found.labels, label);
  found.status ??= statusOf(body['code']);
  if (typeof body['message'] === 'string' && body['message'] !== '') found.message = body['message'];
  if (typeof body['retryDelay'] === 'string') found.retryDelay = body['retryDelay'];
  if (Array.isArray(body['details'])) {
    for (const detail of body['details'].filter(isRecord)) {
      addLabel(found.labels, detail['reason']);
      if (typeof detail['retryDelay'] === 'string') found.retryDelay = detail['retryDelay'];
    }
  }
  readBody(body['error'], found, depth + 1);
}

function addLabel(labels: Set<string>, label: unknown): void {
  if (typeof label === 'string') labels.add(label.toLowerCase());
}

function statusOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 400 && value < 600 ? value : undefined;
}

/** Google's SDK puts the whole body into the message, after its own text. */
function jsonIn(text: string): unknown {
  const start = text.indexOf('{');
  if (start < 0) return undefined;
  try {
    const parsed: unknown = JSON.parse(text.slice(start));
    return isRecord(parsed) && parsed['error'] !== undefined ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function trailOf(error: unknown): string[] {
  const trail: string[] = [];
  let at = error;
  for (let depth = 0; depth < DEEPEST && at instanceof Error; depth += 1) {
    if ('code' in at && typeof at.code === 'string') trail.push(at.code);
    trail.push(at.name, at.message);
    // For a host with several addresses, there is one error per address.
    at = at instanceof AggregateError ? at.errors[0] : at.cause;
  }
  return trail;
}
