import {
  argumentsWithHosts,
  callLine,
  changesReason,
  chatScopeText,
  ClientError,
  grantMatch,
  needsPasskey,
  readAll,
  readerIn,
  viewOfApproval,
  yourPart,
  type Client,
} from '@countersign/client';
import type {
  ApprovalStatus,
  ApprovalWithContext,
  Me,
  QueuedApproval,
  ToolDecision,
  WaitingCall,
} from '@countersign/protocol';
import { Option, type Command } from 'commander';
import { openAlerts } from '../../alerts/alerts.js';
import { editCall } from '../../approvals/edit-call.js';
import { describeApproval, describeQuestion } from '../../card/describe-approval.js';
import { approveInBrowser } from '../../approvals/sign-in-browser.js';
import { checkAgentCanAsk, checkDetach, followDecision } from '../../approvals/follow-decision.js';
import { watchWorlds } from '../../approvals/watch-worlds.js';
import { CommandError } from '../../command-error.js';
import { confirm } from '../../input/confirm.js';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { findThing, findWorlds } from '../../find-things.js';
import { proseBehindBar } from '../../text/behind-bar.js';
import { secondText } from '../../text/clock-text.js';
import { plainLine } from '../../text/plain-text.js';
import { readChoice, readRecord } from '../read-flags.js';
import type { Register } from '../register.js';
import { approveSeveral } from './approve-several.js';
import { approveTogether } from './approve-together.js';
import { showCovered } from './show-covered.js';
import { showList } from '../show-list.js';
import { cardWords } from '../../words/cards.js';
import { errors } from '../../words/errors.js';
import { withHelp, WORLD_OR_ALL, YES } from '../../words/help.js';
import { approvalsHelp as help } from '../../words/help-decide.js';

interface ApprovalFlags {
  world?: string;
  who?: string;
  status?: string;
  chat?: string;
  yes?: boolean;
  scope?: string;
  rule?: string;
  reason?: string;
  changes?: string;
  arguments?: string;
  host?: readonly string[];
  pattern?: string;
  detach?: boolean;
  notify?: boolean;
  reveal?: boolean;
  all?: boolean;
  approveLast?: boolean;
}

type Listed = QueuedApproval & { readonly world: string };

/** `countersign approvals` (TERM3). */
export function addApprovals(program: Command, register: Register): void {
  const approvals = program.command('approvals').description(help.about);
  const inWorld = (command: Command): Command => command.option('-w, --world <world>', WORLD_OR_ALL);
  register<ApprovalFlags>(
    withHelp(inWorld(approvals.command('list', { isDefault: true })), help.list)
      .option('--status <status>', help.status, 'pending')
      .option('--chat <chat>', help.chat)
      .option('--who <person>', help.who),
    async (context, { options }) => {
      const status = readChoice(options.status ?? 'pending', '--status', STATUSES);
      const client = await context.client();
      const me = await readMe(client);
      const who = options.who === 'me' ? (me?.id ?? 'me') : options.who;
      const listed = (await listAll(client, options, status)).filter(
        (approval) => who === undefined || concerns(approval, who),
      );
      const titles = context.options.json ? new Map<string, string>() : await chatTitles(client, listed);
      const columns = [
        { title: 'id', of: ({ approvalId }: Listed) => approvalId },
        { title: 'world', of: ({ world }: Listed) => world },
        { title: 'agent', of: ({ agentName }: Listed) => agentName },
        { title: 'tool', of: ({ toolName }: Listed) => toolName },
        { title: 'requested', of: ({ requestedAt }: Listed) => secondText(requestedAt) },
        ...(status === 'pending' ? [{ title: 'waits for', of: (approval: Listed) => waitsFor(approval, me) }] : []),
        { title: 'chat', of: ({ chatId }: Listed) => titles.get(chatId) ?? chatId },
        {
          title: 'what',
          of: ({ toolName, arguments: args, question }: Listed) => question?.text ?? callLine(toolName, args),
        },
      ];
      showList(context, listed, columns, cardWords.noneWaiting);
    },
  );
  register<ApprovalFlags>(
    withHelp(inWorld(approvals.command('show').argument('<id>')), help.show)
      .option('--reveal', help.reveal)
      .option('--all', help.all),
    async (context, { args, options }) => {
      const client = await context.client();
      const found = await find(client, args[0] ?? '', options.world);
      const masked = options.reveal === true ? await revealed(client, found) : found.approval;
      const approval = options.all === true ? await withWholeEffect(client, masked, found.world) : masked;
      if (context.options.json) return context.json(approval);
      showCard(context, approval);
      for (const { sender, content, role } of approval.context) {
        if (content !== '' && role !== 'tool')
          context.say(proseBehindBar(`${plainLine(sender)}: ${content}`, context.columns() ?? 100));
      }
    },
  );
  register<ApprovalFlags>(
    withHelp(inWorld(approvals.command('watch')), help.watch).option('--notify', help.watch.notify),
    async (context, { options }) => {
      if (options.notify === true && !context.isPerson) throw new CommandError(errors.notifyNeedsTerminal);
      const client = await context.client('resume');
      context.leave();
      const worlds = await findWorlds(client, options.world);
      if (worlds.length === 0) throw new CommandError(errors.noWorldToWatch);
      const alerts = options.notify === true ? openAlerts(context.console) : undefined;
      return await watchWorlds(context, client, { worlds, alerts });
    },
  );
  register<ApprovalFlags>(
    withHelp(inWorld(approvals.command('approve').argument('[ids...]')), help.approve)
      .option('--all', help.approveAll)
      .option('--scope <scope>', help.scope, 'once')
      .option('--rule <rule>', help.rule)
      .option('--pattern <pattern>', help.pattern)
      .option('--arguments <json>', help.arguments)
      .option('--host <host...>', help.host)
      .option('--reason <text>', help.reason)
      .option('--yes', YES)
      .option('--detach', help.detach),
    async (context, { args, options }) => {
      const isAll = options.all === true;
      if (isAll === args.length > 0) throw new CommandError(errors.allOrIds, EXIT.usage);
      const client = await context.client();
      if (isAll || args.length > 1) {
        const { world, reason, yes, scope = 'once', rule, pattern, arguments: edited, host } = options;
        if (scope !== 'once' || [rule, pattern, edited, host].some((each) => each !== undefined))
          throw new CommandError(errors.severalOnlyOnce, EXIT.usage);
        const show = (approval: WaitingCall): void => showCard(context, approval);
        const me = await readMe(client);
        return await approveSeveral(context, client, { ids: args, world, reason, isAll, yes, me, show });
      }
      await checkDetach(context, options.detach === true);
      const scope = readChoice(options.scope ?? 'once', '--scope', ['once', 'session', 'always']);
      refuseMixed(scope, options);
      const changed = options.arguments === undefined ? undefined : readRecord(options.arguments, '--arguments');
      const { approval, world } = await find(client, args[0] ?? '', options.world);
      const edited =
        options.host === undefined ? changed : argumentsWithHosts(changed ?? approval.arguments, options.host);
      refuseSettled(approval);
      if (approval.question !== undefined) throw new CommandError(errors.isQuestion);
      if (edited !== undefined) {
        const shown = await editCall(client, world, approval, edited);
        const { approvalId } = shown.approval;
        if (context.options.json) context.json({ approvalId, state: 'asked', approval: shown.approval });
        else showCard(context, await client.approval(world, approvalId));
        context.note(shown.detail);
        context.note(cardWords.editShown(approvalId));
        return EXIT.failed;
      }
      const rule = options.rule ?? approval.proposedRule;
      if (!context.options.json) {
        showCard(context, approval);
        if (scope === 'always') context.say(cardWords.rule(rule === undefined ? undefined : plainLine(rule)));
      }
      const { chatId, toolCallId: invocationId } = approval;
      const pattern = options.pattern ?? (scope === 'session' ? approval.session?.pattern : undefined);
      if (pattern !== undefined) {
        const covers = chatScopeText(approval.toolName, pattern, approval.session?.folder);
        if (!context.options.json) context.say(cardWords.covers(plainLine(covers)));
        await showCovered(context, client, world, grantMatch(approval, pattern), { invocationId, chatId });
      }
      if (scope === 'always' && rule !== undefined)
        await showCovered(context, client, world, { chatId, rule }, { invocationId, chatId });
      await checkAgentCanAsk(context, { client, world, approval });
      await confirm(context, { yes: options.yes, what: cardWords.approving(cardWords.scope[scope]), word: 'approve' });
      if (needsPasskey(approval.needs))
        return await approveInBrowser(context, client, { world, approval, isDetached: options.detach === true });
      const decision: Omit<ToolDecision, 'tool_call_id' | 'callHash'> = {
        decision: 'approve',
        scope,
        ...(options.reason === undefined ? {} : { reason: options.reason }),
        ...(options.rule === undefined ? {} : { rule: options.rule }),
        ...(pattern === undefined ? {} : { pattern }),
      };
      return await followDecision(context, {
        client,
        world,
        approval,
        isDetached: options.detach === true,
        sentence: cardWords.approved(cardWords.scope[scope]),
        decide: () => client.decide(world, approval, decision),
      });
    },
  );
  register<ApprovalFlags>(
    withHelp(inWorld(approvals.command('batch').argument('<ids...>')), help.batch)
      .option('--approve-last', help.batch.last)
      .option('--reason <text>', help.reason)
      .option('--yes', YES),
    async (context, { args, options }) => {
      const client = await context.client();
      const chosen = await Promise.all([...new Set(args)].map((id) => find(client, id, options.world)));
      const { reason, yes, approveLast: last = false } = options;
      if (chosen.length < 2) throw new CommandError(errors.batchOfOneChat, EXIT.usage);
      for (const { approval } of chosen) refuseSettled(approval);
      const show = (approval: ApprovalWithContext): void => showCard(context, approval);
      return await approveTogether(context, client, chosen, { reason, yes, last, show });
    },
  );
  register<ApprovalFlags>(
    withHelp(
      inWorld(approvals.command('answer').argument('<id>').argument('<words...>', help.words)),
      help.answer,
    ).option('--detach', help.detach),
    async (context, { args: [id = '', ...words], options }) => {
      const client = await context.client();
      await checkDetach(context, options.detach === true);
      const { approval, world } = await find(client, id, options.world);
      refuseSettled(approval);
      if (approval.question === undefined) throw new CommandError(errors.isNoQuestion);
      return await followDecision(context, {
        client,
        world,
        approval,
        isDetached: options.detach === true,
        sentence: cardWords.answered,
        decide: () => client.answer(world, { toolCallId: approval.approvalId, content: words.join(' ') }),
      });
    },
  );
  register<ApprovalFlags>(
    withHelp(inWorld(approvals.command('deny').argument('<id>')), help.deny)
      .option('--reason <text>', help.denyReason)
      .addOption(new Option('--changes <text>', help.changes).conflicts('reason'))
      .option('--detach', help.detach),
    async (context, { args, options }) => {
      const { changes, reason = cardWords.noReason } = options;
      const client = await context.client();
      await checkDetach(context, options.detach === true);
      const { approval, world } = await find(client, args[0] ?? '', options.world);
      refuseSettled(approval);
      return await followDecision(context, {
        client,
        world,
        approval,
        isDetached: options.detach === true,
        sentence: cardWords.denied,
        decide: () =>
          client.decide(world, approval, {
            decision: 'deny',
            reason: changes === undefined ? reason : changesReason(changes),
          }),
      });
    },
  );
}

const STATUSES: readonly ApprovalStatus[] = ['pending', 'approved', 'denied', 'expired', 'superseded'];

async function listAll(client: Client, { world, chat }: ApprovalFlags, status: ApprovalStatus): Promise<Listed[]> {
  const all: Listed[] = [];
  for (const { id } of await findWorlds(client, world)) {
    const filter = { status, ...(chat === undefined ? {} : { chat }) };
    const listed = await readAll((page) => client.approvals(id, { ...filter, ...page }));
    all.push(...listed.map((approval) => ({ ...approval, world: id })));
  }
  return all.toSorted((a, b) => (a.requestedAt < b.requestedAt ? -1 : 1));
}

async function chatTitles(client: Client, listed: readonly Listed[]): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  for (const { world, chatId } of listed)
    if (!titles.has(chatId)) titles.set(chatId, (await client.chat(world, chatId)).title);
  return titles;
}

/** Whether a person can sign a call, or has signed it. Without a rule about signers, everyone with the role can. */
function concerns({ needs = [] }: Listed, who: string): boolean {
  const name = who.toLowerCase();
  return (
    needs.length === 0 ||
    needs.some(
      ({ may, mayIds = [], signed }) =>
        mayIds.includes(who) ||
        may.some((each) => each.toLowerCase() === name) ||
        signed.some((each) => each.id === who || each.name.toLowerCase() === name),
    )
  );
}

function waitsFor(approval: Listed, me: Me | undefined): string {
  switch (yourPart(approval, me === undefined ? undefined : readerIn(me, approval.world))) {
    case 'decide':
      return cardWords.forYou;
    case 'signed':
      return cardWords.youSigned;
    case 'deny':
    case 'watch':
    case 'unknown':
      return cardWords.waitsForOthers;
  }
}

/** Undefined if the server doesn't say who sends the requests. */
async function readMe(client: Client): Promise<Me | undefined> {
  try {
    return await client.me();
  } catch (error) {
    if (error instanceof ClientError && error.status === 404) return undefined;
    throw error;
  }
}

async function find(
  client: Client,
  id: string,
  world: string | undefined,
): Promise<{ approval: ApprovalWithContext; world: string }> {
  const known: { id: string; world: string }[] = [];
  for (const { id: where } of await findWorlds(client, world)) {
    try {
      return { approval: await client.approval(where, id), world: where };
    } catch (error) {
      if (!(error instanceof ClientError) || error.status !== 404) throw error;
      const waiting = await readAll((page) => client.approvals(where, page));
      known.push(...waiting.map(({ approvalId }) => ({ id: approvalId, world: where })));
    }
  }
  const what = { what: 'approval', ...(known.length === 0 ? { hint: cardWords.noneWaiting } : {}) };
  const found = findThing(known, id, what);
  return { approval: await client.approval(found.world, found.id), world: found.world };
}

/** Drops the preview, which stays masked, so that the arguments are shown instead. */
async function revealed(
  client: Client,
  { approval, world }: { approval: ApprovalWithContext; world: string },
): Promise<ApprovalWithContext> {
  const { arguments: args } = await client.reveal(world, approval.approvalId);
  const { preview: _masked, ...rest } = approval;
  return { ...rest, arguments: args };
}

/** A call without an effect, or with one that isn't truncated, stays as it is. */
async function withWholeEffect(
  client: Client,
  approval: ApprovalWithContext,
  world: string,
): Promise<ApprovalWithContext> {
  if (approval.effect?.truncated !== true) return approval;
  return { ...approval, effect: await client.wholeEffect(world, approval.approvalId) };
}

function refuseSettled({ status }: ApprovalWithContext): void {
  if (status !== 'pending') throw new CommandError(errors.alreadyDecided(status), EXIT.failed);
}

/** Rejects flags that would be ignored. */
function refuseMixed(
  scope: 'once' | 'session' | 'always',
  { rule, pattern, arguments: edited, host }: ApprovalFlags,
): void {
  if (rule !== undefined && scope !== 'always') throw new CommandError(errors.ruleScope);
  if (pattern !== undefined && scope !== 'session') throw new CommandError(errors.patternScope);
  if ((edited !== undefined || host !== undefined) && scope !== 'once') throw new CommandError(errors.argumentsScope);
}

function showCard(context: CommandContext, approval: QueuedApproval): void {
  const view = viewOfApproval(approval);
  const { position, total } = approval;
  const look = {
    agentName: approval.agentName,
    paint: context.paint,
    columns: context.columns() ?? 100,
    whole: true,
    ...(position === undefined || total === undefined ? {} : { place: { position, total } }),
  };
  context.say(approval.question === undefined ? describeApproval(view, look).text : describeQuestion(view, look));
}
