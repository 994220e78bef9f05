import { costText, nameOf } from '@countersign/client';
import type { Cost, QuestionStats, Stats } from '@countersign/protocol';
import type { Command } from 'commander';
import type { CommandContext } from '../../context.js';
import { clientIn } from '../../find-things.js';
import { findPerson } from './find-person.js';
import { plainLine } from '../../text/plain-text.js';
import { table } from '../../text/table.js';
import type { Register } from '../register.js';
import { withHelp, WORLD } from '../../words/help.js';
import { statsHelp } from '../../words/help-server.js';
import { results } from '../../words/results.js';

/** `countersign stats`: a world's counts, tokens and times. */
export function addStats(program: Command, register: Register): void {
  const command = withHelp(program.command('stats'), statsHelp)
    .option('-w, --world <world>', WORLD)
    .option('--person <person>', statsHelp.person)
    .option('--questions', statsHelp.questions);
  register<{ world?: string; person?: string; questions?: boolean }>(command, async (context, { options }) => {
    const { client, world: id } = await clientIn(context, options.world);
    const { person } = options;
    const of = person === undefined ? {} : { person: (await findPerson(client, person)).id };
    if (options.questions === true) {
      const found = await client.questionStats(id, of);
      if (context.options.json) context.json(found);
      else showQuestions(context, found);
      return;
    }
    const stats = await client.stats(id, of);
    if (context.options.json) context.json(stats);
    else {
      show(context, stats);
      showCosts(context, (await client.costs(id)).items);
    }
  });
}

function show(
  context: CommandContext,
  { chats, messages, turns, tokens, tools, approvals, signers, waiting, pendingApprovals }: Stats,
): void {
  const width = context.columns();
  context.say(results.totals(messages, chats, pendingApprovals));
  const states = Object.entries(turns).map(([state, count]) => `${count} ${state}`);
  if (states.length > 0) context.say(plainLine(results.turns(states)));
  if (waiting.count > 0) context.say(results.decided(waiting.count, took(waiting)));
  type Tool = Stats['tools'][number];
  if (tools.length > 0)
    context.say(
      `\n${table(
        tools,
        [
          { title: 'tool', of: ({ tool }: Tool) => tool },
          { title: 'succeeded', of: ({ succeeded }: Tool) => String(succeeded) },
          { title: 'failed', of: ({ failed }: Tool) => String(failed) },
          { title: 'denied', of: ({ denied }: Tool) => String(denied) },
          { title: 'latency', of: ({ running }: Tool) => took(running) },
        ],
        width,
      )}`,
    );
  type Decided = Stats['approvals'][number];
  if (approvals.length > 0)
    context.say(
      `\n${table(
        approvals,
        [
          { title: 'tool', of: ({ tool }: Decided) => tool },
          { title: 'decision', of: ({ decision, scope }: Decided) => [decision, scope].filter(Boolean).join(' ') },
          { title: 'count', of: ({ count }: Decided) => String(count) },
        ],
        width,
      )}`,
    );
  type Person = Stats['signers'][number];
  if (signers.length > 0)
    context.say(
      `\n${table(
        signers,
        [
          { title: 'signed by', of: ({ who }: Person) => nameOf(who) },
          { title: 'approved', of: ({ approved }: Person) => String(approved) },
          { title: 'denied', of: ({ denied }: Person) => String(denied) },
        ],
        width,
      )}`,
    );
  type Used = Stats['tokens'][number];
  if (tokens.length > 0)
    context.say(
      `\n${table(
        tokens,
        [
          { title: 'agent', of: ({ agentId }: Used) => agentId },
          { title: 'tokens in', of: ({ inputTokens }: Used) => String(inputTokens) },
          { title: 'tokens out', of: ({ outputTokens }: Used) => String(outputTokens) },
        ],
        width,
      )}`,
    );
}

function took({ count, median, p95 }: Stats['waiting']): string {
  return count === 0 ? '' : results.latency(median, p95);
}

function showQuestions(context: CommandContext, stats: QuestionStats): void {
  const { questions, perDay, perHundred, waiting, onCard, hasty, saveable, tools, agents, rules } = stats;
  context.say(results.questions(questions, perDay, perHundred));
  if (waiting.count > 0) context.say(results.decided(waiting.count, took(waiting)));
  if (onCard.count > 0) context.say(results.onCard(took(onCard)));
  context.say(results.hasty(hasty));
  if (saveable !== undefined && saveable > 0) context.say(results.saveable(saveable));
  for (const [title, all] of Object.entries({ tool: tools, agent: agents, rule: rules })) {
    type Group = (typeof all)[number];
    const asked = all.filter((group) => group.questions > 0);
    const columns = [
      { title, of: ({ name }: Group) => (name === '' ? results.noRule : name) },
      { title: 'questions', of: (group: Group) => String(group.questions) },
      { title: 'within 2 s', of: (group: Group) => String(group.hasty) },
      { title: 'wait', of: (group: Group) => took(group.waiting) },
      { title: results.onTheCard, of: (group: Group) => took(group.onCard) },
    ];
    if (asked.length > 0) context.say(`\n${table(asked, columns, context.columns())}`);
  }
}

function showCosts(context: CommandContext, costs: readonly Cost[]): void {
  if (costs.length === 0) return;
  const columns = [
    { title: 'day', of: ({ day }: Cost) => day },
    { title: 'agent', of: ({ agentId }: Cost) => agentId },
    { title: 'tokens in', of: ({ inputTokens }: Cost) => String(inputTokens) },
    { title: 'tokens out', of: ({ outputTokens }: Cost) => String(outputTokens) },
    { title: 'cost', of: costText },
  ];
  context.say(`\n${table(costs, columns, context.columns())}`);
}
