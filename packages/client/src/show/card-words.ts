import type { ApprovalView } from '../state.js';
import { describeCall } from './describe-call.js';

/** The argument pattern of a rule such as `allow shell_cmd(rm *.tmp)`; undefined when it has none. */
export function patternOf(rule: string): string | undefined {
  const match = /^\s*(?:allow|ask|deny)\s+[^\s(]+\(([^\n]*)\)\s*$/.exec(rule);
  return match?.[1];
}

/** Reads arguments a person edited. Words for the person when they are no JSON object. */
export function readArguments(text: string): { arguments: Record<string, unknown> } | { error: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { arguments: { ...value } };
    return { error: 'Arguments are a JSON object, such as {"path": "notes.md"}.' };
  } catch (error) {
    return { error: `This is not JSON yet: ${error instanceof Error ? error.message : 'it can’t be read'}` };
  }
}

/** `1 secret is masked`, from the numbered stand-ins in what is shown (A15). */
export function maskedCount(shown: string): number {
  return new Set(shown.match(/‹masked (?:number )?\d+›/g)).size;
}

/** `2 secrets are masked…`, of what a card shows and no more. Undefined when none is. */
export function maskedWords(
  shown: Pick<ApprovalView, 'arguments' | 'preview' | 'message' | 'toolName' | 'question'>,
): string | undefined {
  const count = maskedCount(JSON.stringify([shown.arguments, shown.preview ?? '', toolWords(shown) ?? '']));
  if (count === 0) return undefined;
  return count === 1
    ? '1 secret is masked; the tool gets the real value.'
    : `${count} secrets are masked; the tool gets the real values.`;
}

const MOST_TOOL_WORDS = 500;

/**
 * The words a tool declares for its question (A1), with what an agent put into them. Undefined where they tell no more than the
 * card does by itself.
 */
export function toolWords({
  message,
  toolName,
  arguments: args,
  question,
}: Pick<ApprovalView, 'message' | 'toolName' | 'arguments' | 'question'>): string | undefined {
  if (question !== undefined || message.trim() === '' || message === `Run ${toolName}`) return undefined;
  const standard = { shell: 'Run: ', write: 'Write ', edit: 'Change ', fields: undefined, text: undefined };
  const begins = standard[describeCall(toolName, args).kind];
  if (begins !== undefined && message.startsWith(begins)) return undefined;
  return message.length > MOST_TOOL_WORDS ? `${message.slice(0, MOST_TOOL_WORDS)}…` : message;
}

/**
 * What says in a preview that something was left out, each on a line of its own. Lines of a file follow a sign there, so none of them is
 * such a line; a carriage return in one makes no new one.
 */
const LEFT_OUT = [
  String.raw`\[\d+ bytes were left out here\.\]`,
  String.raw`\[\d+ more (?:lines of this change|characters of this line) are not shown\.\]`,
  String.raw`\(a binary file of \d+ bytes is replaced by \d+ bytes of text\)`,
].join('|');
const CUT = new RegExp(`(?:^|\n)(?:${LEFT_OUT})(?:\n|$)`);

/** True when a preview does not show all that would be written: then what the call says has to be shown. */
export function isCutPreview(preview: string): boolean {
  return CUT.test(preview);
}

/** Where a call runs, for every screen. What is not known to keep it from anything is never called safe (A21). */
export function sandboxWords(sandbox: string): { words: string; safe: boolean } {
  if (sandbox === 'none' || sandbox === '')
    return { words: 'not sandboxed: it runs with your own rights', safe: false };
  if (sandbox.startsWith('none: ')) return { words: `not sandboxed: ${sandbox.slice('none: '.length)}`, safe: false };
  const kept = /^(?:bubblewrap|sandbox-exec), (?<network>(?:no |public )?network)(?<more>, .*)?$/su.exec(
    sandbox,
  )?.groups;
  if (kept === undefined) return { words: `not known to be sandboxed: ${sandbox}`, safe: false };
  const more = kept['more'] ?? '';
  // The public network is reached by a proxy; with this one also what listens on this machine for nobody else.
  if (kept['network'] === 'network')
    return { words: `sandboxed, but with all of the network this machine has, itself included${more}`, safe: false };
  return { words: `sandboxed, ${kept['network']}${more}`, safe: true };
}

/** `wants to run`; with the tool's name where there is no word for what it does. */
export function wantsTo(toolName: string): string {
  const verb = verbFor(toolName);
  return verb === 'wants to use' ? `${verb} ${toolName}` : verb;
}

export function verbFor(toolName: string): string {
  switch (toolName) {
    case 'shell_cmd':
      return 'wants to run';
    case 'write_file':
      return 'wants to write';
    case 'edit_file':
      return 'wants to change';
    default:
      return 'wants to use';
  }
}
