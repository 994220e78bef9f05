import { maskSecrets, maskValue } from '@countersign/core';
import type { Log } from '../app/context.js';

export const LOG_LEVELS = ['error', 'warn', 'info', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogOptions {
  level: LogLevel;
  /** True: lines for a person instead of JSON. */
  isTerminal: boolean;
  write: (line: string) => void;
  now: () => number;
  /** Values that must never be written, whatever they look like. */
  secrets?: readonly string[];
}

/** What happened, for whoever runs the server: one JSON object a line, masked (A15). Nobody infers state from it (T2). */
export function createLog({ level, isTerminal, write, now, secrets = [] }: LogOptions): Log {
  const log = (of: Exclude<LogLevel, 'silent'>, message: string, fields: Record<string, unknown> = {}): void => {
    if (level === 'silent' || LOG_LEVELS.indexOf(of) > LOG_LEVELS.indexOf(level)) return;
    const time = new Date(now()).toISOString();
    const msg = maskSecrets(message);
    const { value } = maskValue(plain(fields), { alreadyKnown: secrets });
    const said = typeof value === 'object' && value !== null ? value : {};
    write(isTerminal ? forPeople(time, of, msg, said) : `${JSON.stringify({ time, level: of, msg, ...said })}\n`);
  };
  return {
    info: (message, fields) => log('info', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    error: (message, fields) => log('error', message, fields),
  };
}

function forPeople(time: string, level: string, message: string, fields: object): string {
  const more = Object.entries(fields).map(([name, value]) => {
    return `  ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  return `${time.slice(11, 19)} ${level.padEnd(5)} ${message}${more.join('')}\n`;
}

/** An error has no fields of its own that JSON would show. */
function plain(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? inWords(value) : value]),
  );
}

function inWords(error: Error): string {
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.stack ?? error.message}${cause}`;
}
