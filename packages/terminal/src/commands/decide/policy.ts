import { text } from 'node:stream/consumers';
import {
  describeReason,
  isRule,
  type MatchedCall,
  policyLines,
  type PolicyVerdict,
  type ShownPolicy,
} from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { confirm } from '../../input/confirm.js';
import type { CommandContext } from '../../context.js';
import { editText } from '../../input/edit-text.js';
import { EXIT } from '../../exit-codes.js';
import { clientIn, findAgent, findChat } from '../../find-things.js';
import {
  callLine,
  ClientError,
  coveredText,
  effectText,
  ruleMissText,
  ruleWarningText,
  type Client,
} from '@countersign/client';
import { plainLine } from '../../text/plain-text.js';
import { suggestion } from '../../text/suggest.js';
import { readText } from '../worlds/agents.js';
import { readRecord } from '../read-flags.js';
import type { Register } from '../register.js';
import { addReplay } from './replay-policy.js';
import { addUses } from './rule-uses.js';
import { showCovered } from './show-covered.js';
import { addSuggest } from './suggest-rules.js';
import { showDone, showList } from '../show-list.js';
import { errors } from '../../words/errors.js';
import { CHAT, withHelp, WORLD } from '../../words/help.js';
import { policyHelp as help } from '../../words/help-decide.js';
import { results } from '../../words/results.js';

interface PolicyFlags {
  world?: string;
  file?: string;
  agent?: string;
  chat?: string;
  yes?: boolean;
  rehearse?: boolean;
}

/** `countersign policy` (TERM3, RULE1). */
export function addPolicy(program: Command, register: Register): void {
  const policy = program.command('policy').description(help.about);
  const inWorld = (command: Command): Command => command.option('-w, --world <world>', WORLD);
  register<PolicyFlags>(
    withHelp(inWorld(policy.command('show', { isDefault: true })), help.show),
    async (context, { options }) => {
      const { client, world: id } = await clientIn(context, options.world);
      const { value } = await client.policy(id);
      if (context.options.json) return context.json(value);
      if (!value.rules.some(isRule)) context.note(results.noRules(id));
      for (const rule of value.rules) context.say(plainLine(rule));
      showWarnings(context, value);
      for (const rule of value.proposed) context.note(results.importedRule(plainLine(rule)));
    },
  );
  register<PolicyFlags>(
    withHelp(inWorld(policy.command('edit')), help.edit)
      .option('--file <file>', help.file)
      .option('--yes', help.yes),
    async (context, { options }) => {
      await editPolicy(context, options);
    },
  );
  for (const verb of ['add', 'remove'] as const) {
    register<PolicyFlags>(
      withHelp(inWorld(policy.command(verb).argument('<rule>')), help[verb]).option(
        '--yes',
        verb === 'add' ? help.yes : help.removeYes,
      ),
      async (context, { args, options }) => {
        await changePolicy(context, verb, args[0] ?? '', options);
      },
    );
  }
  register<PolicyFlags>(
    withHelp(
      inWorld(policy.command('check').argument('<tool>').argument('[arguments]', help.arguments, '{}')),
      help.check,
    )
      .option('--agent <agent>', help.agent)
      .option('--rehearse', help.rehearse),
    async (context, { args, options }) => {
      const { client, world: id } = await clientIn(context, options.world);
      const agent = options.agent === undefined ? undefined : await findAgent(client, id, options.agent);
      const call = { tool: args[0] ?? '', arguments: readRecord(args[1] ?? '{}', 'The arguments') };
      const verdict = await client.checkPolicy(id, {
        ...call,
        ...(agent === undefined ? {} : { agentId: agent.id }),
        ...(options.rehearse === true ? { rehearse: true } : {}),
      });
      if (context.options.json) context.json(verdict);
      else {
        context.say(results.verdict(call.tool, verdict.outcome, plainLine(describeReason(verdict.reason))));
        if (verdict.rule !== undefined) context.say(results.verdictRule(plainLine(verdict.rule)));
        for (const line of effectLines(verdict)) context.say(line);
        for (const miss of verdict.notApplied ?? [])
          context.say(results.notApplied(plainLine(miss.rule), plainLine(ruleMissText(miss))));
      }
      return verdict.outcome === 'run' ? EXIT.ok : EXIT.denied;
    },
  );
  register<PolicyFlags>(
    withHelp(inWorld(policy.command('matches').argument('<rule>')), help.matches).option(
      '-c, --chat <chat>',
      CHAT,
      'last',
    ),
    async (context, { args, options }) => {
      const { client, world: id } = await clientIn(context, options.world);
      const chat = await findChat(client, id, options.chat ?? 'last');
      const { items, more } = await client.policyMatches(id, { chatId: chat.id, rule: args[0] ?? '' });
      const columns = [
        { title: 'agent', of: ({ agentId }: MatchedCall) => agentId },
        { title: 'tool', of: ({ toolName }: MatchedCall) => toolName },
        { title: 'what', of: ({ toolName, arguments: given }: MatchedCall) => callLine(toolName, given) },
      ];
      showList(context, items, columns, results.noMatches);
      if (more) context.note(results.moreMatches);
    },
  );
  addReplay(policy, register);
  addSuggest(policy, register);
  addUses(policy, register);
}

/** Paths that are listed; `--json` has all of them. */
const MAX_PATHS = 20;

function effectLines(verdict: PolicyVerdict): string[] {
  const text = effectText(verdict);
  if (text === undefined) return [];
  const paths = text.files.slice(0, MAX_PATHS).map(({ sign, path }) => results.verdictPath(sign, plainLine(path)));
  const rest = text.files.length - paths.length;
  const more = rest > 0 ? [results.verdictMorePaths(rest)] : [];
  const notes = text.notes.map((note) => results.verdictNote(plainLine(note)));
  return [results.verdictEffect(plainLine(text.sentence)), ...paths, ...more, ...notes];
}

function showWarnings(context: CommandContext, { warnings = [] }: ShownPolicy): void {
  for (const warning of warnings) context.note(results.warning(plainLine(ruleWarningText(warning))));
}

/** Shown below the rules in the editor, so that line numbers match; not stored. */
const HEADER = results.policyHeader;

async function readRules({ console: { stdin } }: CommandContext, file: string): Promise<string> {
  return file === '-' ? await text(stdin) : await readText(file);
}

async function changePolicy(
  context: CommandContext,
  verb: 'add' | 'remove',
  rule: string,
  { world, yes }: PolicyFlags,
): Promise<void> {
  const { client, world: id } = await clientIn(context, world);
  const { value, etag } = await client.policy(id);
  if (etag === undefined) throw new CommandError(errors.noEtag, 1);
  const wanted = rule.trim();
  if (!isRule(wanted)) throw new CommandError(errors.notARule);
  const isThere = value.rules.includes(wanted);
  if (verb === 'remove' && !isThere)
    throw new CommandError(errors.noSuchRule(id, suggestion(wanted, value.rules.filter(isRule))));
  const others = value.rules.filter((each) => each !== wanted);
  const rules = verb === 'add' ? (isThere ? value.rules : [...value.rules, wanted]) : others;
  await confirmCovered(context, client, id, verb === 'add' && !isThere ? [wanted] : [], yes);
  const { value: changed } = await client.setPolicy(id, { rules: [...rules] }, { ifMatch: etag });
  showDone(context, sayRules(id, changed.rules), changed);
  showWarnings(context, changed);
}

/** A new rule runs the waiting calls that it covers (CALL5), so show them to its author first. */
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
  const calls = covered.map(({ count, when }) => coveredText(count, when)).join(' and ');
  await confirm(context, { yes, what: results.alsoRuns(calls) });
}

function sayRules(id: string, lines: readonly string[]): string {
  return results.ruleCount(id, lines.filter(isRule).length);
}

async function editPolicy(context: CommandContext, { world, file, yes }: PolicyFlags): Promise<void> {
  const { client, world: id } = await clientIn(context, world);
  const { value, etag } = await client.policy(id);
  if (etag === undefined) throw new CommandError(errors.noEtag, 1);
  const proposed = value.proposed.map((rule) => `# ${rule}`);
  const shown = `${[...value.rules, ...HEADER, ...proposed].join('\n')}\n`;
  const ours = new Set(file === undefined ? [...HEADER, ...proposed] : []);
  const save = async (written: string): Promise<ShownPolicy> => {
    const rules = policyLines(written).filter((line) => !ours.has(line));
    const added = rules.filter((line) => isRule(line) && !value.rules.includes(line));
    await confirmCovered(context, client, id, added, yes);
    // Replaces only the rules that were shown: someone may have added one in the meantime (HTTP15).
    return (await client.setPolicy(id, { rules }, { ifMatch: etag })).value;
  };
  const changed =
    file === undefined
      ? await editText(context, shown, 'policy.txt', save)
      : await save(await readRules(context, file));
  if (changed === undefined) return context.note(results.nothingChanged);
  showDone(context, sayRules(id, changed.rules), changed);
  showWarnings(context, changed);
}
