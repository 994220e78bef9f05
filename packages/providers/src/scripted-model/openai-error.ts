import type { WireError } from './wire.js';

const CODES: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  404: 'model_not_found',
  429: 'rate_limit_exceeded',
};

/** The error format of chat completions and responses. */
export function openaiError({ status, code, message }: WireError): unknown {
  const type = status === 429 ? 'requests' : status < 500 ? 'invalid_request_error' : 'server_error';
  return { error: { message, type, param: null, code: code ?? CODES[status] ?? null } };
}
