import {
  afterSigning,
  get,
  readerId,
  viewOfApproval,
  type ChatState,
  type Client,
  type InvocationStatus,
} from '@countersign/client';
import { EXTERNAL_PROVIDER, type ApprovalWithContext, type ToolResultReply } from '@countersign/protocol';
import { createJsonPrinter } from '../chat/json-printer.js';
import { createPrinter, type Printer } from '../chat/printer.js';
import { openSession, type Session } from '../chat/session.js';
import { showDone } from '../commands/show-list.js';
import { CommandError } from '../command-error.js';
import type { CommandContext } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { plainLine } from '../text/plain-text.js';
import { untilInterrupted } from '../input/until-interrupted.js';
import { cardWords } from '../words/cards.js';
import { chatWords } from '../words/chat.js';
import { errors } from '../words/errors.js';

interface Deciding {
  readonly client: Client;
  readonly world: string;
  readonly approval: ApprovalWithContext;
  /** Return immediately. Requires a running server that continues the chat. */
  readonly isDetached: boolean;
  /** The sentence printed after the decision. */
  readonly sentence: string;
  readonly decide: () => Promise<ToolResultReply>;
}

/**
 * Decides and waits until the chat has settled. Closing our own server earlier would kill the approved call. If a program outside runs the call,
 * waits only until it got the answer: the call may take hours, and nobody may report its end.
 */
export async function followDecision(context: CommandContext, deciding: Deciding): Promise<ExitCode> {
  const { client, world, approval, isDetached, sentence, decide } = deciding;
  const { approvalId, chatId: chat } = approval;
  if (isDetached) {
    const reply = await decide();
    showDone(context, saidAfter(reply, sentence), { ...reply, approvalId });
    return EXIT.ok;
  }
  const isOutside = await runsOutside(deciding);
  const me = await readerId(client);
  const printer = printerFor(context, me);
  const answering = { kind: 'later' } as const;
  const session = await openSession({ context, client, world, chat, printer, answering, isResumed: false });
  const interrupted = untilInterrupted();
  const leaving = new AbortController();
  void interrupted.promise.then(() => leaving.abort());
  try {
    printer.hold();
    const reply = await decide();
    const isMore = reply.state === 'asked';
    if (!context.options.json) context.note(saidAfter(reply, sentence));
    printer.release();
    const isDeferred = approval.deferred === true && reply.state === 'approved';
    if (isDeferred && !context.options.json) context.note(cardWords.runsWhenResumed);
    if (isMore || isDeferred) {
      if (context.options.json) context.json({ ...reply, approvalId, status: session.state().status });
      return EXIT.ok;
    }
    const { invocationId } = viewOfApproval(approval);
    const callOf = (): InvocationStatus | undefined => get(session.state().invocations, invocationId)?.status;
    const isDecided = ({ queue }: ChatState): boolean => !queue.includes(approvalId);
    const settled = await session.settle({
      signal: leaving.signal,
      isHeard: (state) => isDecided(state) && !isUnderWay(callOf()),
      ...(isOutside ? { isEnough: (state) => isDecided(state) && callOf()?.kind !== 'approved' } : {}),
    });
    printer.breakLine();
    const call = callOf();
    const { status } = session.state();
    if (context.options.json) context.json({ ...reply, approvalId, status, ...(call === undefined ? {} : { call }) });
    if (settled === 'given-up') return await leave(context);
    if (isOutside && call?.kind === 'running') context.note(cardWords.agentRuns);
    return tell(context, session, { call, isApproved: reply.state === 'approved' });
  } finally {
    interrupted.end();
    session.close();
  }
}

/** Checks before the decision that a server is running: otherwise, nothing would run the approved call. */
export async function checkDetach(context: CommandContext, isDetached: boolean): Promise<void> {
  if (!isDetached || (await context.ownServer()) === undefined) return;
  throw new CommandError(errors.detachNeedsServer);
}

/** Checks before an approval that the agent can get the answer: it asks the server that was running, and a call that isn't claimed ends. */
export async function checkAgentCanAsk(
  context: CommandContext,
  asked: Pick<Deciding, 'client' | 'world' | 'approval'>,
): Promise<void> {
  if (asked.approval.deferred === true || (await context.ownServer()) === undefined) return;
  if (await runsOutside(asked)) throw new CommandError(errors.agentNeedsServer);
}

/** An ACP agent runs its calls itself, too, but this server follows its turn. */
async function runsOutside({
  client,
  world,
  approval,
}: Pick<Deciding, 'client' | 'world' | 'approval'>): Promise<boolean> {
  if (approval.sandbox.kind !== 'external') return false;
  return (await client.agent(world, approval.agentId)).value.provider === EXTERNAL_PROVIDER;
}

function printerFor(context: CommandContext, me: string | undefined): Printer {
  if (context.options.json) return createJsonPrinter(() => undefined);
  const write = (text: string): void => void context.console.stdout.write(text);
  return createPrinter({ write, paint: context.paint, columns: () => context.columns() ?? 100, me });
}

function saidAfter({ state, kind }: ToolResultReply, sentence: string): string {
  return state === 'asked' ? afterSigning(kind !== 'recorded') : sentence;
}

function isUnderWay(call: InvocationStatus | undefined): boolean {
  return call?.kind === 'approved' || call?.kind === 'running';
}

async function leave(context: CommandContext): Promise<ExitCode> {
  context.leave();
  context.note(chatWords.stoppedWaiting((await context.ownServer()) === undefined));
  return EXIT.interrupted;
}

function failedWords({ outcome, error }: Extract<InvocationStatus, { kind: 'failed' }>): string {
  if (outcome === 'not-claimed') return cardWords.callNotClaimed;
  return outcome === 'stopped' ? cardWords.callStopped : cardWords.callFailed(plainLine(error));
}

function tell(
  context: CommandContext,
  session: Session,
  { call, isApproved }: { call: InvocationStatus | undefined; isApproved: boolean },
): ExitCode {
  // A chat also waits while a program outside runs a call.
  if (session.state().status === 'waiting' && session.state().queue.length > 0) context.note(cardWords.chatWaits);
  if (!isApproved || call === undefined) return EXIT.ok;
  switch (call.kind) {
    case 'failed':
      context.note(failedWords(call));
      return EXIT.failed;
    case 'denied':
    case 'expired':
      context.note(cardWords.callDidNotRun(plainLine(call.reason)));
      return EXIT.failed;
    case 'asked':
      context.note(cardWords.callChanged);
      return EXIT.failed;
    case 'proposed':
    case 'approved':
    case 'running':
    case 'succeeded':
      return EXIT.ok;
  }
}
