import { quote } from '../text/quote.js';
import type { Help } from './help.js';

const calls = (count: number): string => `${count} ${count === 1 ? 'call' : 'calls'}`;

export const replayHelp = {
  about: 'Show what other rules would have decided for past calls',
  notes: [
    'It judges the calls in the audit log again, from what was sealed when they were judged. Nothing runs, and no rule is saved.',
    'It needs an admin who may sign, and is recorded in the audit log.',
  ],
  examples: [
    'countersign policy replay -w harbour --add "allow shell_cmd(npm test)"',
    'countersign policy replay -w harbour --rules policy.txt --since 7d --json',
  ],
} satisfies Help;

export const replayWords = {
  rules: 'try the rules in this file instead of those of the world',
  add: 'try with this rule too; may be repeated',
  remove: 'try without this rule; may be repeated',
  since: 'how far back to go, such as 7d or 12h',
  summary: (count: number, then: number, now: number): string =>
    `${calls(count)} judged again. Questions: ${then} then, ${now} with these rules.`,
  wouldRun: (count: number): string => `${calls(count)} would have run although denied:`,
  wouldBeDenied: (count: number): string => `${calls(count)} would have been denied although approved:`,
  by: { person: 'by a person', rule: 'by a rule' },
  notJudged: {
    'no-evidence': (count: number): string =>
      `${calls(count)} can't be judged again: rules didn't decide about them, or nothing was kept for them.`,
    'other-key': (count: number): string =>
      `${calls(count)} can't be judged again: their evidence was sealed with another store's key.`,
    'agent-removed': (count: number): string => `${calls(count)} can't be judged again: their agent was removed.`,
    'not-rehearsed': (count: number): string =>
      `${calls(count)} can't be judged again: a rule about effects applies to them, and they were not rehearsed.`,
  },
  otherRules: (count: number): string =>
    `${calls(count)} were judged when their agent or the administrator had other rules. Today's were used.`,
  differs: (count: number): string => `${calls(count)} came out differently under the same rules. Please report this.`,
  more: 'There were more calls than one replay judges or lists. Choose a later time with --since.',
  limits: 'Another decision could have changed what came after, which a replay does not know.',
} as const;

export const usesHelp = {
  about: 'Show who added the rules of a world, and how many calls each has decided',
  notes: ['It counts from the audit log, which may say less about rules that are older than it.'],
  examples: ['countersign policy uses -w harbour'],
} satisfies Help;

export const suggestHelp = {
  about: 'Suggest allow rules, with the past calls that prove them',
  notes: [
    'A suggestion comes from calls that a person approved one by one, would have allowed no call that was denied, and covers nothing that removes files, uses the network or runs outside the sandbox. Nothing is added.',
  ],
  examples: ['countersign policy suggest -w harbour'],
} satisfies Help;

export const suggestWords = {
  none: 'No rule would have saved two questions or more in the last 30 days without allowing something that it should not.',
  saves: (count: number, later: number): string =>
    `  would have saved ${count} questions in 30 days, ${later} of them in the last 30 % of the calls, which it was not made from`,
  covers: (count: number): string => `  would have allowed ${calls(count)}, none of them denied:`,
  nearest: '  would still ask, for example:',
  /** People paste it, and a rule may contain what an agent wrote. */
  add: (rule: string, world: string): string => `  to add it: countersign policy add ${quote(rule)} -w ${world}`,
} as const;
