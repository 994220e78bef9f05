import { callLine, ClientError, type ApprovalView, type Client } from '@countersign/client';
import type { ToolDecision } from '@countersign/protocol';
import type { CommandContext } from '../context.js';
import { editJson } from '../edit-text.js';
import type { Keyboard, Typed } from '../keyboard.js';
import { behindBar, indented } from '../text/behind-bar.js';
import { cutTo } from '../text/cells.js';
import { plainLine } from '../text/plain-text.js';
import { describeApproval, describeQuestion, type CardLook } from './describe-approval.js';
import { describeChoices, readAnswer, type CardAnswer } from './read-answer.js';

/** How the dialogue about one approval ended. */
export type Asked =
  | { readonly kind: 'approved' | 'denied' | 'answered' }
  /** It was decided elsewhere, or is no longer there. */
  | { readonly kind: 'gone' }
  /** Another one first. */
  | { readonly kind: 'later' }
  /** Nobody knows whether the answer arrived. Nothing that was not signed runs. */
  | { readonly kind: 'lost'; readonly why: string };

export interface Desk {
  readonly context: CommandContext;
  readonly client: Client;
  readonly world: string;
  readonly keyboard: Keyboard;
}

type Look = Omit<CardLook, 'paint' | 'columns' | 'edited' | 'whole'>;

/**
 * Puts one approval before the person and sends what they say. Nothing but a clear yes approves: Enter, Ctrl-C, the end of the input
 * and everything unknown deny (A17). Aborted when it was decided elsewhere.
 */
export async function askApproval(desk: Desk, approval: ApprovalView, look: Look, signal: AbortSignal): Promise<Asked> {
  if (approval.question !== undefined) return await askQuestion(desk, approval, look, signal);
  const { keyboard, context } = desk;
  const { paint } = context;
  let edited: Record<string, unknown> | undefined;
  let whole = false;
  let isShown = false;
  for (;;) {
    const card = describeApproval(approval, { ...look, ...lookOf(context), whole, edited });
    const offers = {
      isCut: card.isCut,
      hasOthers: (look.place?.total ?? 1) > 1,
      isEdited: edited !== undefined,
    };
    const choices = describeChoices(approval, look.agentName, offers).map(
      // The rule of an agent's call stands in one of them: cut, since a line that the terminal wraps begins where a card begins.
      (line) => `  ${cutTo(plainLine(line), columnsOf(context) - 4)}`,
    );
    if (!isShown) keyboard.print(`${card.text}\n`);
    keyboard.print(`${choices.join('\n')}\n`);
    isShown = true;
    const typed = await keyboard.ask({ prompt: paint.amber('  ✍ '), fresh: true, signal });
    const answer = meaningOf(typed, (line) => readAnswer(line, approval, offers));
    if (answer === undefined) return { kind: 'gone' };
    switch (answer.kind) {
      case 'deny':
        if (answer.because === 'unknown') keyboard.print('  That signs nothing: denied.\n');
        return await send(desk, approval, { decision: 'deny', reason: answer.reason });
      case 'approve': {
        const { scope } = answer;
        return await send(desk, approval, {
          decision: 'approve',
          scope,
          ...(edited === undefined ? {} : { arguments: edited }),
        });
      }
      case 'rule':
        return await askRule(desk, approval, signal);
      case 'next':
        return { kind: 'later' };
      case 'more':
        whole = true;
        isShown = false;
        await showContext(desk, approval);
        break;
      case 'edit': {
        const changed = await editArguments(desk, edited ?? approval.arguments, signal);
        if (changed.kind === 'denied') return await send(desk, approval, { decision: 'deny', reason: 'not this one' });
        if (changed.kind === 'gone') return { kind: 'gone' };
        edited = changed.value;
        isShown = false;
        break;
      }
    }
  }
}

function columnsOf({ columns }: CommandContext): number {
  return columns() ?? 80;
}

function lookOf(context: CommandContext): Pick<CardLook, 'paint' | 'columns'> {
  return { paint: context.paint, columns: columnsOf(context) };
}

/** Undefined: it was decided elsewhere. Whoever leaves has not signed. */
function meaningOf(typed: Typed, read: (line: string) => CardAnswer): CardAnswer | undefined {
  switch (typed.kind) {
    case 'line':
      return read(typed.text);
    case 'interrupt':
    case 'end':
      return { kind: 'deny', reason: 'not this one', because: 'empty' };
    case 'cancelled':
      return undefined;
  }
}

/** "Always" writes a rule that outlives the call, so the rule itself is shown, can be changed, and is signed with a word of its own. */
async function askRule(desk: Desk, approval: ApprovalView, signal: AbortSignal): Promise<Asked> {
  const { keyboard, context } = desk;
  let rule = approval.proposedRule ?? '';
  for (;;) {
    keyboard.print(`  This rule will be written into the policy of ${plainLine(desk.world)}:\n`);
    keyboard.print(`${behindBar(rule, context.columns() ?? 80)}\n`);
    await showMatches(desk, approval, rule);
    keyboard.print('  w: write it and approve   e: edit it   Enter: deny\n');
    const typed = await keyboard.ask({ prompt: context.paint.amber('  ✍ '), fresh: true, signal });
    if (typed.kind === 'cancelled') return { kind: 'gone' };
    const word = typed.kind === 'line' ? typed.text.trim().toLowerCase() : '';
    if (word === 'w' && rule !== '') {
      const asked = await send(desk, approval, { decision: 'approve', scope: 'always', rule }, 'try again');
      if (asked !== 'refused') return asked;
      // The rule is not the call's: what was asked still waits.
    } else if (word !== 'e') {
      return await send(desk, approval, { decision: 'deny', reason: 'not this one' });
    }
    const edited = await keyboard.ask({ prompt: '  rule ', prefill: plainLine(rule), signal });
    if (edited.kind === 'cancelled') return { kind: 'gone' };
    rule = edited.kind === 'line' ? edited.text.trim() : '';
    if (rule === '') return await send(desk, approval, { decision: 'deny', reason: 'not this one' });
  }
}

/** What else in this chat the rule would have let through. Asked of the server: a second opinion here could differ from its gate. */
async function showMatches(
  { client, world, keyboard, context }: Desk,
  approval: ApprovalView,
  rule: string,
): Promise<void> {
  const columns = columnsOf(context);
  try {
    const { items, more } = await client.policyMatches(world, { chatId: approval.chatId, rule });
    const others = items.filter(({ toolCallId }) => toolCallId !== approval.invocationId);
    const lines = [...new Set(others.map((each) => callLine(each.toolName, each.arguments)))];
    if (lines.length === 0) return keyboard.print('  It matches nothing else in this chat.\n');
    keyboard.print('  It would also have let through in this chat:\n');
    for (const line of lines.slice(0, MOST_MATCHES)) keyboard.print(`${behindBar(line, columns)}\n`);
    if (more || lines.length > MOST_MATCHES) keyboard.print('  … and more.\n');
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    keyboard.print(`${indented(error.detail, columns)}\n`);
  }
}

const MOST_MATCHES = 5;

type Edited = { kind: 'edited'; value: Record<string, unknown> } | { kind: 'denied' } | { kind: 'gone' };

/** With the person's editor where there is one, else as JSON in a line. What can't be read is asked for again. */
async function editArguments(desk: Desk, args: unknown, signal: AbortSignal): Promise<Edited> {
  const { keyboard, context } = desk;
  const { env } = context.console;
  let text = JSON.stringify(args);
  for (;;) {
    try {
      if ((env['VISUAL'] ?? env['EDITOR'] ?? '') !== '') {
        const value = (await keyboard.lend(() => editJson(context, args, 'arguments.json'))) ?? args;
        return { kind: 'edited', value: recordOf(value) };
      }
      const typed = await keyboard.ask({ prompt: '  arguments ', prefill: text, signal });
      if (typed.kind === 'cancelled') return { kind: 'gone' };
      if (typed.kind !== 'line' || typed.text.trim() === '') return { kind: 'denied' };
      text = typed.text;
      return { kind: 'edited', value: recordOf(JSON.parse(typed.text)) };
    } catch (error) {
      keyboard.print(`${indented(error instanceof Error ? error.message : String(error), columnsOf(context))}\n`);
      if ((env['VISUAL'] ?? env['EDITOR'] ?? '') !== '') return { kind: 'edited', value: recordOf(args) };
    }
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new Error('Arguments are a JSON object, such as {"path": "notes"}.');
}

/** The last messages of the chat, so that a person sees what led to it (A3). */
async function showContext({ client, world, keyboard, context }: Desk, { approvalId }: ApprovalView): Promise<void> {
  const columns = context.columns() ?? 80;
  try {
    const shown = await client.approval(world, approvalId);
    const said = shown.context.filter(({ content, role }) => content !== '' && role !== 'tool');
    if (said.length > 0) keyboard.print('\n  What was said before:\n');
    for (const { sender, content } of said)
      keyboard.print(`${behindBar(`${plainLine(sender)}: ${content}`, columns)}\n`);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    keyboard.print(`${indented(error.detail, columns)}\n`);
  }
}

async function askQuestion(desk: Desk, approval: ApprovalView, look: Look, signal: AbortSignal): Promise<Asked> {
  const { keyboard, context, client, world } = desk;
  const choices = approval.question?.choices ?? [];
  keyboard.print(`${describeQuestion(approval, { ...look, ...lookOf(context) })}\n`);
  keyboard.print(
    `  Answer in words${choices.length > 0 ? ', or with the number of a choice' : ''}. Enter leaves it unanswered.\n`,
  );
  const typed = await keyboard.ask({ prompt: context.paint.amber('  ? '), fresh: true, signal });
  if (typed.kind === 'cancelled') return { kind: 'gone' };
  const words = typed.kind === 'line' ? typed.text.trim() : '';
  if (words === '') return await send(desk, approval, { decision: 'deny', reason: 'not answered' });
  const content = /^\d+$/.test(words) ? (choices[Number(words) - 1] ?? words) : words;
  return await sent(desk, () => client.answer(world, { toolCallId: approval.approvalId, content }), 'answered');
}

async function send(
  desk: Desk,
  approval: ApprovalView,
  decision: Omit<ToolDecision, 'tool_call_id' | 'callHash'>,
): Promise<Asked>;
async function send(
  desk: Desk,
  approval: ApprovalView,
  decision: Omit<ToolDecision, 'tool_call_id' | 'callHash'>,
  ifWrong: 'try again',
): Promise<Asked | 'refused'>;
async function send(
  desk: Desk,
  approval: ApprovalView,
  decision: Omit<ToolDecision, 'tool_call_id' | 'callHash'>,
  ifWrong?: 'try again',
): Promise<Asked | 'refused'> {
  const { client, world } = desk;
  const kind = decision.decision === 'approve' ? 'approved' : 'denied';
  return await sent(desk, () => client.decide(world, approval, decision), kind, ifWrong);
}

function sent(desk: Desk, act: () => Promise<unknown>, kind: 'approved' | 'denied' | 'answered'): Promise<Asked>;
function sent(
  desk: Desk,
  act: () => Promise<unknown>,
  kind: 'approved' | 'denied' | 'answered',
  ifWrong: 'try again' | undefined,
): Promise<Asked | 'refused'>;
async function sent(
  { keyboard, context }: Desk,
  act: () => Promise<unknown>,
  kind: 'approved' | 'denied' | 'answered',
  ifWrong?: 'try again',
): Promise<Asked | 'refused'> {
  try {
    await act();
    return { kind };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    keyboard.print(`${indented(error.detail, columnsOf(context))}\n`);
    if (error.kind !== 'problem') return { kind: 'lost', why: error.detail };
    if (error.status === 422 && ifWrong !== undefined) return 'refused';
    // Settled, expired or changed meanwhile: what is to be asked now is in the queue.
    return error.status === 422 ? { kind: 'later' } : { kind: 'gone' };
  }
}
