import { callLine } from '@countersign/client';
import type { RuleSuggestion } from '@countersign/protocol';
import type { Command } from 'commander';
import type { CommandContext } from '../../context.js';
import { clientIn } from '../../find-things.js';
import { plainLine } from '../../text/plain-text.js';
import { withHelp, WORLD } from '../../words/help.js';
import { suggestHelp as help, suggestWords as words } from '../../words/replay.js';
import type { Register } from '../register.js';

/** Calls that are listed; `--json` has all of them. */
const MOST_SHOWN = 5;

/** `countersign policy suggest` (RULE13). */
export function addSuggest(policy: Command, register: Register): void {
  register<{ world?: string }>(
    withHelp(policy.command('suggest').option('-w, --world <world>', WORLD), help),
    async (context, { options }) => {
      const { client, world: id } = await clientIn(context, options.world);
      const { items } = await client.suggestRules(id);
      if (context.options.json) context.json({ items });
      else if (items.length === 0) context.note(words.none);
      else for (const item of items) show(context, id, item);
    },
  );
}

function show(
  context: CommandContext,
  world: string,
  { rule, saves, savesLater, covers, covered, nearest }: RuleSuggestion,
): void {
  const line = (tool: string, args: unknown): string => `    ${plainLine(callLine(tool, args))}`;
  const tool = /^allow ([^\s(]+)/.exec(rule)?.[1] ?? '';
  context.say(plainLine(rule));
  context.say(words.saves(saves, savesLater));
  context.say(words.covers(covered));
  for (const text of new Set(covers.map((call) => line(tool, call.arguments)).slice(0, MOST_SHOWN))) context.say(text);
  if (nearest.length > 0) context.say(words.nearest);
  for (const call of nearest) context.say(line(tool, call.arguments));
  context.note(words.add(plainLine(rule), world));
}
