import { ClientError } from '@countersign/client';
import { CountersignError } from '@countersign/protocol';
import { CommanderError } from 'commander';
import { CommandError } from './command-error.js';
import { findUnproven } from './connection/find-unproven.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { errors } from './words/errors.js';

/** The error as one sentence, and its exit code. */
export function describeFailure(error: unknown): { message: string; code: ExitCode } {
  if (error instanceof CommandError) return { message: error.message, code: error.exitCode };
  if (error instanceof CommanderError) return { message: usage(error.message), code: EXIT.usage };
  const unproven = findUnproven(error);
  if (unproven !== undefined) return { message: errors.unproven(unproven.at), code: EXIT.failed };
  if (error instanceof ClientError) return { message: describeClientError(error), code: codeOf(error) };
  if (error instanceof CountersignError) {
    return { message: error.message, code: error.code === 'invalid' ? EXIT.usage : EXIT.failed };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { message: errors.unexpected(message), code: EXIT.failed };
}

/** Turns Commander's message into a sentence: `error: unknown option '--x'\n(Did you mean --y?)`. */
function usage(text: string): string {
  const [said = '', hint] = text.replace(/^error: /, '').split('\n');
  const more = hint === undefined || hint === '' ? '' : ` ${hint.replace(/^\((.*)\)$/, '$1')}`;
  const first = said.charAt(0).toUpperCase() + said.slice(1);
  return errors.badUsage(first.replace(/\.$/, ''), more);
}

function describeClientError({ kind, detail, status }: ClientError): string {
  if (kind === 'network') return errors.isItUp(detail);
  if (status === 401) return errors.setToken(detail);
  return detail;
}

/** Errors that different input would fix are usage errors. */
function codeOf({ status }: ClientError): ExitCode {
  return status === 400 || status === 404 || status === 422 ? EXIT.usage : EXIT.failed;
}
