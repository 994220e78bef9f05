import { readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readRules } from '@countersign/core';
import { CountersignError } from '@countersign/protocol';
import { SESSION_LIFETIMES, type SessionLifetimes } from '../people/credentials.js';
import { EXTERNAL_LIMITS, type ExternalLimits } from '../people/external-limiter.js';

export interface AdminRules {
  rules: readonly string[];
  /** The configured file, which must be hidden from agents. The default file is hidden together with the home folder. */
  file?: string;
  limits: ExternalLimits;
  lifetimes: SessionLifetimes;
}

/** `limit external to 120 calls a minute` and `limit external to 50 MB an hour`. */
const LIMIT = /^[^\S\n]*limit external to (?:(\d{1,9}) calls a minute|(\d{1,9}) MB an hour)[^\S\n]*$/gm;

/** `end sessions after 8 hours without use` and `end sessions after 30 days`. */
const SESSIONS = /^[^\S\n]*end sessions after ([1-9]\d{0,3}) (hours?|days?)( without use)?[^\S\n]*$/gm;
const HOUR_MS = 60 * 60 * 1000;

/**
 * The administrator's rules (A19.3), from `COUNTERSIGN_POLICY_FILE` or `admin.rules` in the home folder. Throws if the file is unreadable:
 * ignoring it would let denied calls run.
 */
export function readAdminRules(home: string, env: NodeJS.ProcessEnv = {}): AdminRules {
  const named = env['COUNTERSIGN_POLICY_FILE'];
  const file = named === undefined ? join(home, 'admin.rules') : resolve(named);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (missing && named === undefined) return { rules: [], limits: EXTERNAL_LIMITS, lifetimes: SESSION_LIFETIMES };
    const advice = missing ? 'The file does not exist.' : 'Check its permissions.';
    throw new CountersignError('invalid', `The rules in ${file} can't be read. ${advice}`, { cause });
  }
  const limits = { ...EXTERNAL_LIMITS };
  const lifetimes = { ...SESSION_LIFETIMES };
  const rest = text.replaceAll(SESSIONS, (_, count: string, unit: string, isIdle?: string) => {
    const ms = Number(count) * (unit.startsWith('day') ? 24 : 1) * HOUR_MS;
    lifetimes[isIdle === undefined ? 'mostMs' : 'idleMs'] = ms;
    return '';
  });
  const others = rest.replaceAll(LIMIT, (_, calls?: string, megabytes?: string) => {
    if (calls !== undefined) limits.callsPerMinute = Number(calls);
    if (megabytes !== undefined) limits.megabytesPerHour = Number(megabytes);
    return '';
  });
  const read = readRules(others);
  if (!read.ok) {
    const where = `line ${read.line}, character ${read.column}`;
    throw new CountersignError('invalid', `${file}, ${where}: ${read.error}. Correct the rule, then start again.`);
  }
  return { rules: read.rules, limits, lifetimes, ...(named === undefined ? {} : { file: realpathSync(file) }) };
}
