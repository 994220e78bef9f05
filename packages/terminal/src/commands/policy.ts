import { text } from 'node:stream/consumers';
import { describeReason, isRule, type MatchedCall, policyLines, type ShownPolicy } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../command-error.js';
import { confirm } from '../confirm.js';
import type { CommandContext } from '../context.js';
import { editText } from '../edit-text.js';
import { EXIT } from '../exit-codes.js';
import { findAgent, findChat, findWorld } from '../find-things.js';
import { callLine, ClientError, coveredWords, ruleMissWords, ruleWarningWords, type Client } from '@countersign/client';
import { plainLine } from '../text/plain-text.js';
import { suggestion } from '../text/suggest.js';
import { readText } from './agents.js';
import { readRecord } from './read-flags.js';
import type { Register } from './register.js';
import { showCovered } from './show-covered.js';
import { showDone, showList } from './show-list.js';

interface PolicyFlags {
  world?: string;
  file?: string;
  agent?: string;
  chat?: string;
  yes?: boolean;
}

/** `countersign policy` (X3, A19). */
export function addPolicy(program: Command, register: Register): void {
  const policy = program.command('policy').description('Show, edit and test the rules of a world.');
  const inWorld = (command: Command): Command => command.option('-w, --world <world>', 'the world');
  register<PolicyFlags>(
    inWorld(policy.command('show', { isDefault: true }))
      .description('Print the rules, one per line.')
      .addHelpText('after', '\nExample:\n  countersign policy show -w harbour'),
    async (context, { options }) => {
      const client = await context.client();
      const { id } = await findWorld(client, options.world);
      const { value } = await client.policy(id);
      if (context.options.json) return context.json(value);
      if (!value.rules.some(isRule)) context.note(`"${id}" has no rules: every tool that needs approval asks you.`);
      for (const rule of value.rules) context.say(plainLine(rule));
      showWarnings(context, value);
      for (const rule of value.proposed) context.note(`proposed by an import, not in force: ${plainLine(rule)}`);
    },
  );
  register<PolicyFlags>(
    inWorld(policy.command('edit'))
      .description('Edit the rules in your editor, or read them from a file.')
      .option('--file <file>', 'read the rules from this file, one per line; - for standard input')
      .option('--yes', 'skip the confirmation, even if waiting calls run because of a new rule')
      .addHelpText('after', '\nExample:\n  EDITOR=nano countersign policy edit -w harbour'),
    async (context, { options }) => {
      await editPolicy(context, options);
    },
  );
  for (const verb of ['add', 'remove'] as const) {
    register<PolicyFlags>(
      inWorld(policy.command(verb).argument('<rule>'))
        .description(verb === 'add' ? 'Add a rule, or accept one that an import proposed.' : 'Remove a rule.')
        .option('--yes', 'skip the confirmation, even if waiting calls run because of the rule')
        .addHelpText('after', `\nExample:\n  countersign policy ${verb} "deny write_file(path=secrets/*)" -w harbour`),
      async (context, { args, options }) => {
        await changePolicy(context, verb, args[0] ?? '', options);
      },
    );
  }
  register<PolicyFlags>(
    inWorld(policy.command('check').argument('<tool>').argument('[arguments]', 'as JSON', '{}'))
      .description('Say whether a call would run. Nothing runs and nothing is stored.')
      .option('--agent <agent>', 'the agent that makes the call')
      .addHelpText('after', `\nExit codes: 0 it would run, 3 it would need approval or be refused.`)
      .addHelpText('after', `\nExample:\n  countersign policy check shell_cmd '{"command":"rm -rf build"}' -w harbour`),
    async (context, { args, options }) => {
      const client = await context.client();
      const { id } = await findWorld(client, options.world);
      const agent = options.agent === undefined ? undefined : await findAgent(client, id, options.agent);
      const call = { tool: args[0] ?? '', arguments: readRecord(args[1] ?? '{}', 'The arguments') };
      const verdict = await client.checkPolicy(id, agent === undefined ? call : { ...call, agentId: agent.id });
      if (context.options.json) context.json(verdict);
      else {
        const words = { run: 'would run', ask: 'would need approval', refuse: 'would be refused' };
        context.say(`${call.tool} ${words[verdict.outcome]}: ${plainLine(describeReason(verdict.reason))}`);
        if (verdict.rule !== undefined) context.say(`  rule: ${plainLine(verdict.rule)}`);
        for (const miss of verdict.notApplied ?? [])
          context.say(`  did not apply: ${plainLine(miss.rule)}: ${plainLine(ruleMissWords(miss))}`);
      }
      return verdict.outcome === 'run' ? EXIT.ok : EXIT.denied;
    },
  );
  register<PolicyFlags>(
    inWorld(policy.command('matches').argument('<rule>'))
      .description('List the calls of a chat that a rule matches. Nothing is stored.')
      .option('-c, --chat <chat>', 'the chat: its id, or "last"', 'last')
      .addHelpText('after', '\nExample:\n  countersign policy matches "allow shell_cmd(wc *)" -w harbour -c last'),
    async (context, { args, options }) => {
      const client = await context.client();
      const { id } = await findWorld(client, options.world);
      const chat = await findChat(client, id, options.chat ?? 'last');
      const { items, more } = await client.policyMatches(id, { chatId: chat.id, rule: args[0] ?? '' });
      const columns = [
        { title: 'agent', of: ({ agentId }: MatchedCall) => agentId },
        { title: 'tool', of: ({ toolName }: MatchedCall) => toolName },
        { title: 'what', of: ({ toolName, arguments: given }: MatchedCall) => callLine(toolName, given) },
      ];
      showList(context, items, columns, 'It matches none of them.');
      if (more) context.note('There are more, further back.');
    },
  );
}

function showWarnings(context: CommandContext, { warnings = [] }: ShownPolicy): void {
  for (const warning of warnings) context.note(`Warning: ${plainLine(ruleWarningWords(warning))}`);
}

/** Shown below the rules in the editor, so that line numbers are those of the rules, and not stored. */
const HEADER = [
  '# One rule per line: allow, ask or deny, then a tool and its arguments. deny beats ask beats allow.',
  '# Your comments are kept; these lines are not. Remove the # before a proposed rule to put it in force.',
];

async function readRules({ console: { stdin } }: CommandContext, file: string): Promise<string> {
  return file === '-' ? await text(stdin) : await readText(file);
}

async function changePolicy(
  context: CommandContext,
  verb: 'add' | 'remove',
  rule: string,
  { world, yes }: PolicyFlags,
): Promise<void> {
  const client = await context.client();
  const { id } = await findWorld(client, world);
  const { value, etag } = await client.policy(id);
  if (etag === undefined)
    throw new CommandError('The server did not say which rules these are; nothing was changed.', 1);
  const wanted = rule.trim();
  if (!isRule(wanted)) throw new CommandError('That is not a rule. A rule starts with allow, ask or deny.');
  const isThere = value.rules.includes(wanted);
  if (verb === 'remove' && !isThere)
    throw new CommandError(`"${id}" has no such rule. ${suggestion(wanted, value.rules.filter(isRule))}`);
  const others = value.rules.filter((each) => each !== wanted);
  const rules = verb === 'add' ? (isThere ? value.rules : [...value.rules, wanted]) : others;
  await confirmCovered(context, client, id, verb === 'add' && !isThere ? [wanted] : [], yes);
  const { value: changed } = await client.setPolicy(id, { rules: [...rules] }, { ifMatch: etag });
  showDone(context, sayRules(id, changed.rules), changed);
  showWarnings(context, changed);
}

/** A new rule runs the waiting calls it covers (A5), so its author sees them first. */
async function confirmCovered(
  context: CommandContext,
  client: Client,
  world: string,
  added: readonly string[],
  yes: boolean | undefined,
): Promise<void> {
  if (added.length === 0) return;
  const covered = await showCovered(context, client, world, { rule: added.join('\n') }).catch((error: unknown) => {
    // Saving reports an invalid rule with its line.
    if (error instanceof ClientError && error.status === 422) return [];
    throw error;
  });
  if (covered.length === 0) return;
  const calls = covered.map(({ count, when }) => coveredWords(count, when)).join(' and ');
  await confirm(context, { yes, what: `This also runs ${calls}.` });
}

function sayRules(id: string, lines: readonly string[]): string {
  const count = lines.filter(isRule).length;
  return `"${id}" has ${count} ${count === 1 ? 'rule' : 'rules'} now.`;
}

async function editPolicy(context: CommandContext, { world, file, yes }: PolicyFlags): Promise<void> {
  const client = await context.client();
  const { id } = await findWorld(client, world);
  const { value, etag } = await client.policy(id);
  if (etag === undefined)
    throw new CommandError('The server did not say which rules these are; nothing was changed.', 1);
  const proposed = value.proposed.map((rule) => `# ${rule}`);
  const shown = `${[...value.rules, ...HEADER, ...proposed].join('\n')}\n`;
  const ours = new Set(file === undefined ? [...HEADER, ...proposed] : []);
  const save = async (written: string): Promise<ShownPolicy> => {
    const rules = policyLines(written).filter((line) => !ours.has(line));
    const added = rules.filter((line) => isRule(line) && !value.rules.includes(line));
    await confirmCovered(context, client, id, added, yes);
    // Replaces only the rules that were shown: somebody may have added one meanwhile (W6).
    return (await client.setPolicy(id, { rules }, { ifMatch: etag })).value;
  };
  const changed =
    file === undefined
      ? await editText(context, shown, 'policy.txt', save)
      : await save(await readRules(context, file));
  if (changed === undefined) return context.note('Nothing was changed.');
  showDone(context, sayRules(id, changed.rules), changed);
  showWarnings(context, changed);
}
