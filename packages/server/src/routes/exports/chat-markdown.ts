import { byNumber, HIDDEN_IN_PROSE, type Chat, type Message, type ToolCall } from '@countersign/protocol';
import { z } from 'zod';

// People and agents write most of this file, and other programs render it. What they write stays in a quote or a code block that it can't
// end, so that it can't pass for another speaker, and nothing in it loads an image or is HTML.

const RESERVED = 'client.';
const APPROVAL = 'approval_';
const UNDO = 'undo_';
const HIDDEN = new RegExp(`\\r\\n?|${HIDDEN_IN_PROSE}`, 'gu');

export function headingOf({ title, createdAt }: Chat): string {
  return `# ${inline(title)}\n\nStarted ${timeText(createdAt)}. Secrets are masked.\n`;
}

/** A message with its calls and their results. Empty for a result, which is shown with its call, and for what only asks for an approval. */
export function messageText(message: Message): string {
  const { role, content, tool_calls: all = [] } = message;
  if (role === 'tool') return decisionText(message);
  const calls = all.filter((call) => !call.function.name.startsWith(RESERVED));
  if (content === '' && calls.length === 0) return '';
  const name = inline(message.who?.name ?? message.sender);
  const parts = [`**${name}**${role === 'assistant' ? ' (agent)' : ''} · ${timeText(message.createdAt)}`];
  if (content !== '') parts.push(quoted(content));
  if (message.stoppedBy !== undefined) parts.push(`*Stopped by ${inline(message.stoppedBy.name)}*`);
  for (const call of calls) parts.push(...callText(call, message.toolCallStatus?.[call.id]));
  return `\n---\n\n${parts.join('\n\n')}\n`;
}

function callText({ function: { name, arguments: args } }: ToolCall, status: Status | undefined): string[] {
  if (status?.complete !== true) return [`Call of **${inline(name)}**, not finished`, fenced(args)];
  return [`Call of **${inline(name)}**`, fenced(args), 'Result', fenced(textOf(status.result))];
}

type Status = NonNullable<Message['toolCallStatus']>[string];

/** A decision, a signature, an answer or an undo. Empty for a result, which is shown with its call. */
function decisionText({ content, who, createdAt, tool_call_id: id = '' }: Message): string {
  const about = `${who === undefined ? '' : ` by ${inline(who.name)}`} · ${timeText(createdAt)}`;
  if (id.startsWith(UNDO)) return `\nUndone${about}\n`;
  if (!id.startsWith(APPROVAL)) return '';
  const parsed = decisionSchema.safeParse(jsonOf(content));
  if (!parsed.success) return `\nSignature${about}\n`;
  const { decision, scope, reason, answer, arguments: edited } = parsed.data;
  const why = reason ?? answer;
  const lines = [
    `Decision${about} · ${inline(decision)}, ${inline(scope)}${why === undefined ? '' : `: ${inline(why)}`}`,
  ];
  if (edited !== undefined) lines.push('Edited', fenced(edited));
  return `\n${lines.join('\n\n')}\n`;
}

const decisionSchema = z.object({
  decision: z.string(),
  scope: z.string(),
  reason: z.string().optional(),
  answer: z.string().optional(),
  arguments: z.string().optional(),
});

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}

function timeText(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}

function visible(text: string): string {
  return text.replaceAll(HIDDEN, (hidden) => (hidden.startsWith('\r') ? '\n' : byNumber(hidden)));
}

/** A name or title: one line without formatting. */
function inline(text: string): string {
  return visible(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*[\]<>#!&|]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** A code block whose fence is longer than any in the text. */
function fenced(text: string): string {
  const shown = visible(text);
  let longest = 2;
  // Not spread into `Math.max`: a text with half a million runs would overflow the stack.
  for (const [run] of shown.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${shown}\n${fence}`;
}

/** A fence that starts in the first column always opens or closes a block of the quote. */
const OPENING = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;
/** A line on which only some renderers, or only in some places, see the fence of a block. */
const UNSURE = /^[ \t>*+.)\d-]+(?:`{3}|~{3})/m;

/** Markdown in a quote, without HTML and images outside of its code blocks. */
function quoted(text: string): string {
  const shown = visible(text);
  const isSure = !UNSURE.test(shown);
  let fence: string | undefined;
  const lines = shown.split('\n').map((line) => {
    if (fence !== undefined) {
      if (isClosing(line, fence)) fence = undefined;
      return line;
    }
    const opening = isSure ? OPENING.exec(line) : null;
    fence = opening?.[1] ?? opening?.[2];
    return fence === undefined ? withoutHtml(line) : line;
  });
  return lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
}

function isClosing(line: string, fence: string): boolean {
  const [, run = ''] = /^(`{3,}|~{3,})[ \t]*$/.exec(line) ?? [];
  return run.length >= fence.length && run[0] === fence[0];
}

function withoutHtml(line: string): string {
  return line.replaceAll('<', '&lt;').replaceAll('![', '!\\[');
}
