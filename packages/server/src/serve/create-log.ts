import { createRequire } from 'node:module';
import { maskSecrets, maskValue } from '@countersign/core';
import type * as Pino from 'pino';
import type { Log } from '../app/context.js';

export const LOG_LEVELS = ['error', 'warn', 'info', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogOptions {
  level: LogLevel;
  /** If true, writes readable lines instead of JSON. */
  isTerminal: boolean;
  write: (line: string) => void;
  now: () => number;
  /** Values that must never be written, even if they don't look like secrets. */
  secrets?: readonly string[];
}

const require = createRequire(import.meta.url);

/** The server's log: one JSON object per line, masked (SAFE6). No code derives state from it (TURN2). */
export function createLog({ level, isTerminal, write, now, secrets = [] }: LogOptions): Log {
  let logger: Pino.Logger | undefined;
  /** Loads pino with the first line: loading it takes longer than opening the store, and most terminal commands log nothing. */
  function loggerNow(): Pino.Logger {
    if (logger !== undefined) return logger;
    const { pino } = require('pino') as typeof Pino;
    logger = pino(
      {
        level,
        // Omit pid and hostname; log collectors add their own.
        base: null,
        timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
        formatters: { level: (label) => ({ level: label }) },
      },
      { write: (line) => write(isTerminal ? forPeople(line) : line) },
    );
    return logger;
  }

  const log = (of: Exclude<LogLevel, 'silent'>, message: string, fields: Record<string, unknown> = {}): void => {
    if (level === 'silent' || LOG_LEVELS.indexOf(of) > LOG_LEVELS.indexOf(level)) return;
    const { value } = maskValue(plain(fields), { alreadyKnown: secrets });
    loggerNow()[of](typeof value === 'object' && value !== null ? value : {}, maskSecrets(without(message, secrets)));
  };
  return {
    info: (message, fields) => log('info', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    error: (message, fields) => log('error', message, fields),
  };
}

/** Removes known secrets in any form; `maskSecrets` only finds text that looks like a secret. */
function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '‹masked›'), text);
}

function forPeople(line: string): string {
  const { time, level, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const more = Object.entries(fields).map(([name, value]) => {
    return `  ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg)}${more.join('')}\n`;
}

/** JSON.stringify omits all fields of an Error, so convert it to text. */
function plain(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? errorText(value) : value]),
  );
}

function errorText(error: Error): string {
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.stack ?? error.message}${cause}`;
}
