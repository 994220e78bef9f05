import { callLine } from '@countersign/client';
import { policyLines, type Replayed, type ReplayedCall } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { clientIn } from '../../find-things.js';
import { plainLine } from '../../text/plain-text.js';
import { suggestion } from '../../text/suggest.js';
import { table } from '../../text/table.js';
import { errors } from '../../words/errors.js';
import { withHelp, WORLD } from '../../words/help.js';
import { replayHelp as help, replayWords as words } from '../../words/replay.js';
import { again } from '../read-flags.js';
import type { Register } from '../register.js';
import { readText } from '../worlds/agents.js';

interface ReplayFlags {
  world?: string;
  rules?: string;
  add?: string[];
  remove?: string[];
  since: string;
}

/** `countersign policy replay` (RULE12). */
export function addReplay(policy: Command, register: Register): void {
  register<ReplayFlags>(
    withHelp(policy.command('replay').option('-w, --world <world>', WORLD), help)
      .option('--rules <file>', words.rules)
      .option('--add <rule>', words.add, again)
      .option('--remove <rule>', words.remove, again)
      .option('--since <time>', words.since, '30d'),
    async (context, { options }) => {
      const { client, world: id } = await clientIn(context, options.world);
      const since = readSince(options.since);
      const stored = (await client.policy(id)).value.rules;
      const rules = await rulesFrom(stored, options);
      const found = await client.replayPolicy(id, { rules, since });
      if (context.options.json) context.json(found);
      else show(context, found);
    },
  );
}

async function rulesFrom(stored: readonly string[], { rules, add = [], remove = [] }: ReplayFlags): Promise<string[]> {
  const start = rules === undefined ? stored : policyLines(await readText(rules));
  for (const rule of remove)
    if (!start.includes(rule)) throw new CommandError(errors.noSuchLine(rule, suggestion(rule, start)));
  return [...start.filter((line) => !remove.includes(line)), ...add];
}

/** `30d` or `12h`, as the time at which it began. */
function readSince(text: string): string {
  const [, count, unit] = /^(\d{1,4})([dh])$/.exec(text.trim()) ?? [];
  if (count === undefined) throw new CommandError(errors.notASince(text));
  return new Date(Date.now() - Number(count) * (unit === 'd' ? 86_400_000 : 3_600_000)).toISOString();
}

function show(context: CommandContext, found: Replayed): void {
  const { calls, asked, wouldRunAlthoughDenied, wouldBeDeniedAlthoughApproved, notJudged, otherRules } = found;
  context.say(words.summary(calls, asked.then, asked.now));
  showCalls(context, words.wouldRun, wouldRunAlthoughDenied);
  showCalls(context, words.wouldBeDenied, wouldBeDeniedAlthoughApproved);
  for (const missed of notJudged) context.note(words.notJudged[missed.code](missed.calls));
  if (otherRules > 0) context.note(words.otherRules(otherRules));
  if (found.differs > 0) context.note(words.differs(found.differs));
  if (found.more) context.note(words.more);
  context.note(words.limits);
}

function showCalls(context: CommandContext, title: (count: number) => string, calls: readonly ReplayedCall[]): void {
  if (calls.length === 0) return;
  context.say(title(calls.length));
  const columns = [
    { title: 'when', of: ({ at }: ReplayedCall) => at.slice(0, 16) },
    { title: 'agent', of: ({ agentId }: ReplayedCall) => agentId },
    { title: 'tool', of: ({ toolName }: ReplayedCall) => toolName },
    { title: 'what', of: (call: ReplayedCall) => plainLine(callLine(call.toolName, call.arguments)) },
    { title: 'then', of: ({ decidedBy }: ReplayedCall) => words.by[decidedBy] },
    { title: 'rule', of: ({ rule = '' }: ReplayedCall) => plainLine(rule) },
  ];
  context.say(table(calls, columns, context.columns()));
}
