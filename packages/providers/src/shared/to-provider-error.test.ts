import { describe, expect, it } from 'vitest';
import { redact } from './redact.js';
import { retryAfterMs } from './retry-after.js';
import { toProviderError } from './to-provider-error.js';

const KEY = 'my-own-key/with+signs';
const callee = { name: 'acme', model: 'm1', address: 'https://api.acme.test/v1', secrets: [KEY] };

function caused(...codes: readonly string[]): Error {
  return codes.reduceRight<Error>(
    (cause, code) => Object.assign(new Error(`it was ${code}`, { cause }), { code }),
    new Error('at the bottom'),
  );
}

describe('vendor errors', () => {
  it.each([
    ['ECONNREFUSED', 'connection refused at api.acme.test'],
    ['ENOTFOUND', 'host api.acme.test was not found'],
    ['ETIMEDOUT', 'timed out'],
    ['UND_ERR_HEADERS_TIMEOUT', 'timed out'],
    ['CERT_HAS_EXPIRED', 'has an invalid TLS certificate'],
    ['ECONNRESET', 'connection to api.acme.test failed'],
    ['UND_ERR_SOCKET', 'connection to api.acme.test failed'],
  ])('[MODEL4] %s is a network error with an explanation', (code, words) => {
    const error = toProviderError(new TypeError('fetch failed', { cause: caused(code) }), callee);
    expect(error).toMatchObject({ kind: 'network', next: 'retry' });
    expect(error.message).toContain(words);
  });

  it('[MODEL4] finds the cause if a host has several addresses', () => {
    const cause = new AggregateError([caused('ECONNREFUSED'), caused('ECONNREFUSED')]);
    expect(toProviderError(new TypeError('fetch failed', { cause }), callee).message).toContain('connection refused');
  });

  it('[MODEL4] unknown errors are not retryable', () => {
    expect(toProviderError(new TypeError('x is not a function'), callee)).toMatchObject({
      kind: 'bad-request',
      next: 'person',
      message: 'x is not a function',
    });
    expect(toProviderError('a string', callee)).toMatchObject({ kind: 'bad-request', message: 'a string' });
  });

  it('[MODEL4] contain no keys, and no cause that could contain one', () => {
    const leaking = Object.assign(new Error(`401 bad key ${KEY} or ${encodeURIComponent(KEY)}`), { status: 401 });
    const error = toProviderError(leaking, callee);
    expect(error.message).toBe('401 bad key [key] or [key]');
    expect(error.cause).toBeUndefined();
  });

  it.each([KEY, encodeURIComponent(KEY), `sk-${'a'.repeat(40)}`])(
    '[MODEL4] are redacted before they are truncated: %s',
    (key) => {
      for (let before = 480; before <= 500; before += 1) {
        const error = toProviderError(new Error(`${'.'.repeat(before - 1)} ${key} rejected`), callee);
        expect(error.message).not.toContain(key.slice(0, 3));
        const trail = new TypeError('fetch failed', { cause: new Error(`${'.'.repeat(before - 1)} ${key}`) });
        expect(toProviderError(trail, callee).message).not.toContain(key.slice(0, 3));
      }
    },
  );

  it('[MODEL4] are short and on one line, and an error page is reduced to its text', () => {
    expect(toProviderError(new Error(`a\n\n${'b'.repeat(10_000)}`), callee).message.length).toBeLessThan(510);
    const page = Object.assign(new Error('502 <html><body><h1>Bad gateway</h1></body></html>'), { status: 502 });
    expect(toProviderError(page, callee).message).toBe('502 Bad gateway');
  });
});

describe('redacting', () => {
  it('[MODEL4] masks partly masked keys, bearer tokens and passwords in URLs', () => {
    expect(redact('Incorrect API key provided: sk-proj-********abcd. See', [])).toBe(
      'Incorrect API key provided: [key] See',
    );
    expect(redact('header Bearer abc.def failed', [])).toBe('header Bearer [key] failed');
    expect(redact('get https://me:pw@host/x', [])).toBe('get https://[key]@host/x');
    expect(redact('the model gpt-4o is task-specific', [])).toBe('the model gpt-4o is task-specific');
  });
});

describe('retry delays', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const after = (headers: Record<string, string>, retryDelay?: string) =>
    retryAfterMs({ headers: new Headers(headers), retryDelay }, now);

  it('[MODEL4] are read from every header', () => {
    expect(after({ 'retry-after': '2' })).toBe(2_000);
    expect(after({ 'retry-after': '0.25' })).toBe(250);
    expect(after({ 'retry-after-ms': '15', 'retry-after': '2' })).toBe(15);
    expect(after({ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' })).toBe(30_000);
    expect(after({ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' })).toBe(0);
    expect(after({}, '41s')).toBe(41_000);
  });

  it('[MODEL4] are undefined if invalid', () => {
    expect(after({ 'retry-after': 'soon' })).toBeUndefined();
    expect(after({ 'retry-after': '' }, 'P1D')).toBeUndefined();
    expect(after({ 'retry-after-ms': '-5' })).toBeUndefined();
  });
});
