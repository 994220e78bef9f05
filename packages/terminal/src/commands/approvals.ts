import { ClientError, grantMatch, readAll, viewOfApproval, type Client } from '@countersign/client';
import type { ApprovalStatus, ApprovalWithContext, QueuedApproval, ToolDecision } from '@countersign/protocol';
import type { Command } from 'commander';
import { describeApproval, describeQuestion } from '../approvals/describe-approval.js';
import { checkDetach, followDecision } from '../approvals/follow-decision.js';
import { watchWorlds } from '../approvals/watch-worlds.js';
import { CommandError } from '../command-error.js';
import { confirm } from '../confirm.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { findWorlds } from '../find-things.js';
import { proseBehindBar } from '../text/behind-bar.js';
import { secondWords } from '../text/clock-words.js';
import { plainLine } from '../text/plain-text.js';
import { suggestion } from '../text/suggest.js';
import { readChoice, readRecord } from './read-flags.js';
import type { Register } from './register.js';
import { showCovered } from './show-covered.js';
import { showList } from './show-list.js';

interface ApprovalFlags {
  world?: string;
  status?: string;
  chat?: string;
  yes?: boolean;
  scope?: string;
  rule?: string;
  reason?: string;
  arguments?: string;
  pattern?: string;
  detach?: boolean;
  reveal?: boolean;
}

type Listed = QueuedApproval & { readonly world: string };

/** `countersign approvals` (X3). */
export function addApprovals(program: Command, register: Register): void {
  const approvals = program.command('approvals').description('List, show and decide waiting calls.');
  const inWorld = (command: Command): Command => command.option('-w, --world <world>', 'only this world');
  register<ApprovalFlags>(
    inWorld(approvals.command('list', { isDefault: true }))
      .description('List waiting calls of every world, oldest first.')
      .option('--status <status>', 'pending, approved, denied, expired or superseded', 'pending')
      .option('--chat <chat>', 'only this chat')
      .addHelpText('after', '\nExample:\n  countersign approvals list --json'),
    async (context, { options }) => {
      const status = readChoice(options.status ?? 'pending', '--status', STATUSES);
      const listed = await listAll(await context.client(), options, status);
      const columns = [
        { title: 'id', of: ({ approvalId }: Listed) => approvalId },
        { title: 'world', of: ({ world }: Listed) => world },
        { title: 'agent', of: ({ agentName }: Listed) => agentName },
        { title: 'tool', of: ({ toolName }: Listed) => toolName },
        { title: 'asked', of: ({ requestedAt }: Listed) => secondWords(requestedAt) },
        { title: 'what', of: ({ arguments: args, question }: Listed) => question?.text ?? JSON.stringify(args) },
      ];
      showList(context, listed, columns, 'Nothing waits for you.');
    },
  );
  register<ApprovalFlags>(
    inWorld(approvals.command('show').argument('<id>'))
      .description('Show a call as you would sign it, and the messages before it.')
      .option('--reveal', 'show masked secrets; recorded in the audit log')
      .addHelpText('after', '\nExample:\n  countersign approvals show approval_…'),
    async (context, { args, options }) => {
      const client = await context.client();
      const found = await find(client, args[0] ?? '', options.world);
      const approval = options.reveal === true ? await revealed(client, found) : found.approval;
      if (context.options.json) return context.json(approval);
      showCard(context, approval);
      for (const { sender, content, role } of approval.context) {
        if (content !== '' && role !== 'tool')
          context.say(proseBehindBar(`${plainLine(sender)}: ${content}`, context.columns() ?? 100));
      }
    },
  );
  register<ApprovalFlags>(
    inWorld(approvals.command('watch'))
      .description('Ask you about each call as it arrives, until you leave. For a second terminal.')
      .addHelpText(
        'after',
        '\nWithout a terminal it only lists what arrives; with --json as JSON Lines.\nExample:\n  countersign approvals watch',
      ),
    async (context, { options }) => {
      const client = await context.client('take-up');
      context.leave();
      const worlds = await findWorlds(client, options.world);
      if (worlds.length === 0) throw new CommandError('There is no world to watch yet.');
      return await watchWorlds(context, client, worlds);
    },
  );
  register<ApprovalFlags>(
    inWorld(approvals.command('approve').argument('<id>'))
      .description('Approve exactly the call that is shown, and stay until the chat has settled.')
      .option('--scope <scope>', 'once, session (this chat) or always', 'once')
      .option('--rule <rule>', 'with --scope always: the rule to write, if not the proposed one')
      .option('--pattern <pattern>', 'with --scope session: only calls like this, such as "rm *.tmp"')
      .option('--arguments <json>', 'approve with these arguments instead; with --scope once')
      .option('--reason <text>', 'reason, for the audit log')
      .option('--yes', 'skip the confirmation')
      .option('--detach', 'return at once; the running server continues the chat')
      .addHelpText(
        'after',
        '\nExit codes: 0 the call succeeded (with --detach: it was approved), 1 it failed, 130 Ctrl-C.',
      )
      .addHelpText('after', '\nExample:\n  countersign approvals approve approval_… --scope once --yes'),
    async (context, { args, options }) => {
      const client = await context.client();
      await checkDetach(context, options.detach === true);
      const scope = readChoice(options.scope ?? 'once', '--scope', ['once', 'session', 'always']);
      refuseMixed(scope, options);
      const edited = options.arguments === undefined ? undefined : readRecord(options.arguments, '--arguments');
      const { approval, world } = await find(client, args[0] ?? '', options.world);
      refuseSettled(approval);
      if (approval.question !== undefined)
        throw new CommandError('That is a question. Answer it with countersign approvals answer.');
      const rule = options.rule ?? approval.proposedRule;
      if (!context.options.json) {
        showCard(context, approval, edited);
        if (scope === 'always') context.say(`  Rule: ${plainLine(rule ?? 'none')}`);
      }
      const { chatId, toolCallId: invocationId } = approval;
      if (scope === 'session')
        await showCovered(context, client, world, grantMatch(approval, options.pattern), { invocationId, chatId });
      if (scope === 'always' && rule !== undefined)
        await showCovered(context, client, world, { chatId, rule }, { invocationId, chatId });
      await confirm(context, { yes: options.yes, what: `This approves it ${SCOPES[scope]}.`, word: 'approve' });
      const decision: Omit<ToolDecision, 'tool_call_id' | 'callHash'> = {
        decision: 'approve',
        scope,
        ...(options.reason === undefined ? {} : { reason: options.reason }),
        ...(options.rule === undefined ? {} : { rule: options.rule }),
        ...(options.pattern === undefined ? {} : { pattern: options.pattern }),
        ...(edited === undefined ? {} : { arguments: edited }),
      };
      return await followDecision(context, {
        client,
        world,
        approval,
        isDetached: options.detach === true,
        sentence: `Approved ${SCOPES[scope]}.`,
        decide: () => client.decide(world, approval, decision),
      });
    },
  );
  register<ApprovalFlags>(
    inWorld(approvals.command('answer').argument('<id>').argument('<words...>', 'your answer'))
      .description('Answer an agent’s question, and stay until the chat has settled. Approves nothing.')
      .option('--detach', 'return at once; the running server continues the chat')
      .addHelpText('after', '\nExample:\n  countersign approvals answer approval_… "the north quay"'),
    async (context, { args: [id = '', ...words], options }) => {
      const client = await context.client();
      await checkDetach(context, options.detach === true);
      const { approval, world } = await find(client, id, options.world);
      refuseSettled(approval);
      if (approval.question === undefined)
        throw new CommandError('That is not a question. Use approvals approve or approvals deny.');
      return await followDecision(context, {
        client,
        world,
        approval,
        isDetached: options.detach === true,
        sentence: 'Answered.',
        decide: () => client.answer(world, { toolCallId: approval.approvalId, content: words.join(' ') }),
      });
    },
  );
  register<ApprovalFlags>(
    inWorld(approvals.command('deny').argument('<id>'))
      .description('Deny a call, tell the agent why, and stay until the chat has settled.')
      .option('--reason <text>', 'reason, which the agent is told')
      .option('--detach', 'return at once; the running server continues the chat')
      .addHelpText('after', '\nExample:\n  countersign approvals deny approval_… --reason "not in production"'),
    async (context, { args, options }) => {
      const client = await context.client();
      await checkDetach(context, options.detach === true);
      const { approval, world } = await find(client, args[0] ?? '', options.world);
      refuseSettled(approval);
      return await followDecision(context, {
        client,
        world,
        approval,
        isDetached: options.detach === true,
        sentence: 'Denied.',
        decide: () => client.decide(world, approval, { decision: 'deny', reason: options.reason ?? 'not this one' }),
      });
    },
  );
}

const STATUSES: readonly ApprovalStatus[] = ['pending', 'approved', 'denied', 'expired', 'superseded'];
const SCOPES = { once: 'once', session: 'for its chat', always: 'always, by a rule' } as const;

async function listAll(client: Client, { world, chat }: ApprovalFlags, status: ApprovalStatus): Promise<Listed[]> {
  const all: Listed[] = [];
  for (const { id } of await findWorlds(client, world)) {
    const filter = { status, ...(chat === undefined ? {} : { chat }) };
    const listed = await readAll((page) => client.approvals(id, { ...filter, ...page }));
    all.push(...listed.map((approval) => ({ ...approval, world: id })));
  }
  return all.toSorted((a, b) => (a.requestedAt < b.requestedAt ? -1 : 1));
}

async function find(
  client: Client,
  id: string,
  world: string | undefined,
): Promise<{ approval: ApprovalWithContext; world: string }> {
  const known: string[] = [];
  for (const { id: where } of await findWorlds(client, world)) {
    try {
      return { approval: await client.approval(where, id), world: where };
    } catch (error) {
      if (!(error instanceof ClientError) || error.status !== 404) throw error;
      known.push(...(await client.approvals(where)).items.map(({ approvalId }) => approvalId));
    }
  }
  const hint = known.length === 0 ? 'Nothing waits for you.' : suggestion(id, known);
  throw new CommandError(`There is no approval "${id}". ${hint}`);
}

/** A preview is masked for good, so the arguments are shown instead of it. */
async function revealed(
  client: Client,
  { approval, world }: { approval: ApprovalWithContext; world: string },
): Promise<ApprovalWithContext> {
  const { arguments: args } = await client.reveal(world, approval.approvalId);
  const { preview: _masked, ...rest } = approval;
  return { ...rest, arguments: args };
}

function refuseSettled({ status }: ApprovalWithContext): void {
  if (status !== 'pending') throw new CommandError(`It no longer waits: it is ${status}.`, EXIT.failed);
}

/** A flag that would not count must not be thought to. */
function refuseMixed(scope: 'once' | 'session' | 'always', { rule, pattern, arguments: edited }: ApprovalFlags): void {
  if (rule !== undefined && scope !== 'always') throw new CommandError('--rule goes with --scope always.');
  if (pattern !== undefined && scope !== 'session') throw new CommandError('--pattern goes with --scope session.');
  if (edited !== undefined && scope !== 'once') throw new CommandError('--arguments goes with --scope once.');
}

function showCard(context: CommandContext, approval: ApprovalWithContext, edited?: unknown): void {
  const view = viewOfApproval(approval);
  const { position, total } = approval;
  const look = {
    agentName: approval.agentName,
    paint: context.paint,
    columns: context.columns() ?? 100,
    whole: true,
    ...(edited === undefined ? {} : { edited }),
    ...(position === undefined || total === undefined ? {} : { place: { position, total } }),
  };
  context.say(approval.question === undefined ? describeApproval(view, look).text : describeQuestion(view, look));
}
