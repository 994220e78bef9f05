import { passkeyWords } from '../words/passkeys.js';

/** Why the browser made no signature. */
export type PasskeyProblem = keyof typeof passkeyWords.problems;

/** The browser or the person refused. The message says what to do. */
export class PasskeyFailure extends Error {
  override readonly name = 'PasskeyFailure';
  readonly problem: PasskeyProblem;

  constructor(problem: PasskeyProblem, cause?: unknown) {
    super(passkeyWords.problems[problem], { cause });
    this.problem = problem;
  }
}

/** Browsers tell failures apart only by the name of the error. Most report a cancelled prompt and a missing passkey in the same way. */
export function problemOf(error: unknown): PasskeyProblem {
  switch (error instanceof Error ? error.name : '') {
    case 'NotAllowedError':
    case 'AbortError':
      return 'cancelled';
    case 'InvalidStateError':
      return 'known';
    case 'SecurityError':
      return 'host';
    case 'NotSupportedError':
    case 'ConstraintError':
      return 'unsupported';
    default:
      return 'failed';
  }
}
