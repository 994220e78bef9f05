import { STATUS_CODES } from 'node:http';
import { CountersignError, type ErrorCode, type Problem } from '@countersign/protocol';
import { HttpProblem } from './http-problem.js';
import { problemTexts } from './problem-texts.js';

export const PROBLEM_TYPE = 'application/problem+json';

const STATUS: Record<ErrorCode, number> = {
  invalid: 422,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  stale: 412,
  'too-many': 429,
  closed: 503,
  'store-foreign': 503,
  'store-newer': 503,
  'store-unreleased': 503,
  'store-readonly': 503,
  'store-locked': 503,
  'store-unavailable': 503,
};

/** The problem document for an error (HTTP1). The text of an unexpected error may contain secrets, so it is never sent. */
export function toProblem(error: unknown): { problem: Problem; headers: Readonly<Record<string, string>> } {
  if (error instanceof HttpProblem) {
    return { problem: problem(error.status, error.message, error.more), headers: error.headers };
  }
  if (error instanceof CountersignError) {
    const { field, errors } = error;
    const more = {
      ...(field === undefined ? {} : { field }),
      ...(errors === undefined ? {} : { errors: [...errors] }),
    };
    const status = STATUS[error.code];
    const retryAfter = status === 503 ? '5' : status === 429 ? '60' : undefined;
    const headers: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': retryAfter };
    return { problem: problem(status, error.message, more), headers };
  }
  return { problem: problem(500, problemTexts.internal), headers: {} };
}

function problem(status: number, detail: string, more: Pick<Problem, 'field' | 'state' | 'errors'> = {}): Problem {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail, ...more };
}
