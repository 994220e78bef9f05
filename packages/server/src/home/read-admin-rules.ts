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
  /** Commands that admins may run outside the sandbox without being able to sign calls (A21.10). */
  programs: string[][];
}

type Settings = Pick<AdminRules, 'limits' | 'lifetimes' | 'programs'>;

const HOUR_MS = 60 * 60 * 1000;
const LONGEST_HOURS = 9_999 * 24;

/** The lines that aren't rules. `N` stands for a number, `…` for the rest. Each returns whether it accepts that. */
const LINES: Readonly<Record<string, (settings: Settings, value: string) => boolean>> = {
  'limit external to N calls a minute': ({ limits }, n) => set(limits, 'callsPerMinute', Number(n)),
  'limit external to N MB an hour': ({ limits }, n) => set(limits, 'megabytesPerHour', Number(n)),
  'end sessions after N hours?': ({ lifetimes }, n) => setHours(lifetimes, 'mostMs', Number(n)),
  'end sessions after N days?': ({ lifetimes }, n) => setHours(lifetimes, 'mostMs', Number(n) * 24),
  'end sessions after N hours? without use': ({ lifetimes }, n) => setHours(lifetimes, 'idleMs', Number(n)),
  'end sessions after N days? without use': ({ lifetimes }, n) => setHours(lifetimes, 'idleMs', Number(n) * 24),
  'let admins run …': ({ programs }, command) => programs.push(command.split(/\s+/)) > 0,
};

function set<Name extends string>(settings: Record<Name, number>, name: Name, value: number): true {
  settings[name] = value;
  return true;
}

function setHours(lifetimes: SessionLifetimes, name: keyof SessionLifetimes, hours: number): boolean {
  return hours > 0 && hours <= LONGEST_HOURS && set(lifetimes, name, hours * HOUR_MS);
}

const READERS = Object.entries(LINES).map(([line, read]) => {
  const pattern = new RegExp(`^\\s*${line.replace('N', String.raw`(\d{1,9})`).replace('…', String.raw`(\S.*?)`)}\\s*$`);
  return (settings: Settings, text: string): boolean => {
    const value = pattern.exec(text)?.[1];
    return value !== undefined && read(settings, value);
  };
});

/**
 * The administrator's rules (A19.3), from `COUNTERSIGN_POLICY_FILE` or `admin.rules` in the home folder. Throws if the file is unreadable:
 * ignoring it would let denied calls run.
 */
export function readAdminRules(home: string, env: NodeJS.ProcessEnv = {}): AdminRules {
  const named = env['COUNTERSIGN_POLICY_FILE'];
  const file = named === undefined ? join(home, 'admin.rules') : resolve(named);
  const settings: Settings = { limits: { ...EXTERNAL_LIMITS }, lifetimes: { ...SESSION_LIFETIMES }, programs: [] };
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (missing && named === undefined) return { rules: [], ...settings };
    const advice = missing ? 'The file does not exist.' : 'Check its permissions.';
    throw new CountersignError('invalid', `The rules in ${file} can't be read. ${advice}`, { cause });
  }
  const isSetting = (line: string): boolean => READERS.some((read) => read(settings, line));
  const lines = text.split('\n').map((line) => (isSetting(line) ? '' : line));
  const read = readRules(lines.join('\n'));
  if (!read.ok) {
    const where = `line ${read.line}, character ${read.column}`;
    throw new CountersignError('invalid', `${file}, ${where}: ${read.error}. Correct the rule, then start again.`);
  }
  return { rules: read.rules, ...settings, ...(named === undefined ? {} : { file: realpathSync(file) }) };
}
