import { readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readRules } from '@countersign/core';
import { CountersignError, listNames } from '@countersign/protocol';
import { SESSION_LIFETIMES, type SessionLifetimes } from '../people/credentials.js';
import { EXTERNAL_LIMITS, type ExternalLimits } from '../people/external-limiter.js';

export interface AdminRules {
  rules: readonly string[];
  /** The configured file, which must be hidden from agents. The default file is hidden together with the home folder. */
  file?: string;
  limits: ExternalLimits;
  lifetimes: SessionLifetimes;
  /** Commands that admins may run outside the sandbox without being able to sign calls (SAFE2.3). */
  programs: string[][];
  /** Push services besides the well-known ones, as `host:port`. They may be on a private network (PUSH2). */
  pushServices: readonly string[];
  /** Hosts that webhooks may reach over http or on a private network, as `host:port` (HOOK2). */
  webhookHosts: readonly string[];
  /** By group: how many milliseconds a call waits before its people get a notification (PUSH3.6). */
  tellAfter: Readonly<Record<string, number>>;
}

type Values = ExternalLimits & SessionLifetimes;

/** What the file sets. */
interface Settings {
  values: Partial<Values>;
  programs: string[][];
  pushServices: string[];
  webhookHosts: string[];
  tellAfter: Record<string, number>;
}

const DAY_HOURS = 24;
const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const MOST_MINUTES = 7 * DAY_HOURS * 60;

/** The lines that aren't rules. `N` stands for a number, `…` for the rest. Each returns what is wrong with that, if anything. */
const LINES: Readonly<Record<string, (settings: Settings, value: string, more: string) => string | undefined>> = {
  'limit external to N calls a minute': ({ values }, n) => set(values, 'callsPerMinute', Number(n)),
  'limit external to N MB an hour': ({ values }, n) => set(values, 'megabytesPerHour', Number(n)),
  'end sessions after N hours?': ({ values }, n) => setHours(values, 'mostMs', Number(n)),
  'end sessions after N days?': ({ values }, n) => setHours(values, 'mostMs', Number(n) * DAY_HOURS),
  'end sessions after N hours? without use': ({ values }, n) => setHours(values, 'idleMs', Number(n)),
  'end sessions after N days? without use': ({ values }, n) => setHours(values, 'idleMs', Number(n) * DAY_HOURS),
  'send pushes to HOST:PORT': ({ pushServices }, service) => void pushServices.push(service.toLowerCase()),
  'send webhooks to HOST:PORT': ({ webhookHosts }, host) => void webhookHosts.push(host.toLowerCase()),
  'tell @GROUP after N minutes?': ({ tellAfter }, group, n) => setMinutes(tellAfter, group, Number(n)),
  'let admins run …': ({ programs }, command) => void programs.push(command.split(/\s+/)),
};

function set<Name extends string>(
  values: Partial<Record<Name, number>>,
  name: Name,
  value: number,
): string | undefined {
  // A group can be called `constructor`.
  if (Object.hasOwn(values, name) && values[name] !== value) return 'an earlier line has another value for this';
  values[name] = value;
  return undefined;
}

function setHours(values: Partial<Values>, name: keyof SessionLifetimes, hours: number): string | undefined {
  const most = SESSION_LIFETIMES[name] / HOUR_MS;
  if (hours > 0 && hours <= most) return set(values, name, hours * HOUR_MS);
  return `the time must be from 1 hour to ${most / DAY_HOURS} days, because this file can only make sessions shorter`;
}

function setMinutes(values: Record<string, number>, group: string, minutes: number): string | undefined {
  if (minutes > 0 && minutes <= MOST_MINUTES) return set(values, group, minutes * MINUTE_MS);
  return 'the time must be from 1 minute to 7 days';
}

const READERS = Object.entries(LINES).map(([line, read]) => ({
  form: line.replace('?', '').replace('…', 'COMMAND'),
  pattern: new RegExp(
    `^\\s*${line
      .replace('N', String.raw`(\d{1,9})`)
      .replace('…', String.raw`(\S.*?)`)
      .replace('HOST:PORT', String.raw`([\w.-]+:\d{1,5})`)
      .replace('GROUP', String.raw`([\p{Ll}\p{Lo}\p{N}-]{1,64})`)}\\s*$`,
    'u',
  ),
  read,
}));

/** Reads a line that starts like a setting, and returns what is wrong with it. `rule`: it doesn't start like one. */
function readSetting(settings: Settings, line: string): { problem: string | undefined } | 'rule' {
  const [first = ''] = line.trim().split(/\s/);
  const alike = READERS.filter(({ form }) => form.startsWith(`${first} `));
  if (alike.length === 0) return 'rule';
  for (const { pattern, read } of alike) {
    const [, value, more = ''] = pattern.exec(line) ?? [];
    if (value !== undefined) return { problem: read(settings, value, more) };
  }
  const forms = alike.map(({ form }) => `"${form}"`);
  return { problem: `a line that starts with "${first}" must have the form ${listNames(forms, 'or')}` };
}

/**
 * The administrator's rules (RULE1.3), from `COUNTERSIGN_POLICY_FILE` or `admin.rules` in the home folder. Throws if the file is unreadable:
 * ignoring it would let denied calls run.
 */
export function readAdminRules(home: string, env: NodeJS.ProcessEnv = {}): AdminRules {
  const named = env['COUNTERSIGN_POLICY_FILE'];
  const file = named === undefined ? join(home, 'admin.rules') : resolve(named);
  const settings: Settings = { values: {}, programs: [], pushServices: [], webhookHosts: [], tellAfter: {} };
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (!missing || named !== undefined) {
      const advice = missing ? 'The file does not exist.' : 'Check its permissions.';
      throw new CountersignError('invalid', `The rules in ${file} can't be read. ${advice}`, { cause });
    }
  }
  const refusal = (line: number, column: number, problem: string): CountersignError => {
    const where = `${file}, line ${line}, character ${column}`;
    return new CountersignError('invalid', `${where}: ${problem}. Correct the line, then start again.`);
  };
  const lines = text.split('\n').map((line, index) => {
    const setting = readSetting(settings, line);
    if (setting === 'rule') return line;
    if (setting.problem !== undefined) throw refusal(index + 1, line.search(/\S/) + 1, setting.problem);
    return '';
  });
  const read = readRules(lines.join('\n'));
  if (!read.ok) throw refusal(read.line, read.column, read.error);
  const { callsPerMinute, megabytesPerHour, idleMs, mostMs } = {
    ...EXTERNAL_LIMITS,
    ...SESSION_LIFETIMES,
    ...settings.values,
  };
  return {
    rules: read.rules,
    limits: { callsPerMinute, megabytesPerHour },
    lifetimes: { idleMs, mostMs },
    programs: settings.programs,
    pushServices: settings.pushServices,
    webhookHosts: settings.webhookHosts,
    tellAfter: settings.tellAfter,
    ...(named === undefined ? {} : { file: realpathSync(file) }),
  };
}
