import { defaultMessage, describeReason, type ExternalVerb, externalVerb, MASK, RUN_TOOL } from '@countersign/protocol';
import type { ApprovalView } from '../../state/state.js';
import { describeCall } from './describe-call.js';
import type { YourPart } from '../people/signing.js';

/** Parses arguments that a person edited. Returns an error message if they are not a JSON object. */
export function readArguments(text: string): { arguments: Record<string, unknown> } | { error: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { arguments: { ...value } };
    return { error: 'Arguments must be a JSON object, such as {"path": "notes.md"}.' };
  } catch (error) {
    return { error: `Not valid JSON: ${error instanceof Error ? error.message : "it can't be read"}` };
  }
}

/** Counts the numbered masks in the displayed text (SAFE6). */
export function maskedCount(shown: string): number {
  return new Set(shown.match(new RegExp(MASK, 'g'))).size;
}

/** `2 secrets are masked…`, for the content of a card. Undefined if there are none. */
export function maskedText(
  shown: Pick<ApprovalView, 'arguments' | 'preview' | 'effect' | 'prediction' | 'message' | 'toolName' | 'question'>,
): string | undefined {
  const { preview, effect, prediction } = shown;
  const texts = [shown.arguments, preview?.text ?? '', effect ?? '', prediction ?? '', toolText(shown) ?? ''];
  const count = maskedCount(JSON.stringify(texts));
  if (count === 0) return undefined;
  return count === 1
    ? '1 secret is masked; the tool gets the real value.'
    : `${count} secrets are masked; the tool gets the real values.`;
}

const MAX_TOOL_WORDS = 500;

/** The approval message that a tool declares (CALL1), with its fields filled in. Undefined if it adds nothing to what the card shows. */
export function toolText({
  message,
  toolName,
  arguments: args,
  question,
}: Pick<ApprovalView, 'message' | 'toolName' | 'arguments' | 'question'>): string | undefined {
  if (question !== undefined || message.trim() === '' || message === defaultMessage(toolName)) return undefined;
  const { kind } = describeCall(toolName, args);
  if (kind === 'shell' || kind === 'write' || kind === 'edit') return undefined;
  return message.length > MAX_TOOL_WORDS ? `${message.slice(0, MAX_TOOL_WORDS)}…` : message;
}

/** `Claude Code no longer waits for this call.` Undefined while it waits, or if that isn't known. */
export function abandonedText({ abandoned, sandbox }: Pick<ApprovalView, 'abandoned' | 'sandbox'>): string | undefined {
  if (abandoned === undefined) return undefined;
  return `${sandbox.detail ?? 'The program'} no longer waits for this call. If you approve it, nothing runs.`;
}

/** Why the arguments can't be edited, if the agent is the reason (EXT3.3). */
export function notEditableText({
  editable,
  effect,
}: Pick<ApprovalView, 'editable'> & Partial<Pick<ApprovalView, 'effect'>>): string | undefined {
  // A run has ended: there is nothing to edit.
  if (editable === undefined || effect?.run !== undefined) return undefined;
  return "You can't edit this call: the agent accepts only a yes or a no. To change it, deny it and give the reason.";
}

/** Of a claim on a card. The rest is on the wire. */
const LONGEST_CLAIM = 300;

/** What the program that proposed the call says about its session, in its own words, which nobody checked (EXT1.21). */
export function contextTexts({
  claimedContext = {},
  sandbox,
}: Pick<ApprovalView, 'sandbox'> & Partial<Pick<ApprovalView, 'claimedContext'>>): readonly {
  lead: string;
  quote: string;
}[] {
  const { prompt, said, subagent } = claimedContext;
  const claims = `${sandbox.detail ?? 'The program'} says`;
  const parts: [string, string | undefined][] = [
    [`${claims} that it was asked:`, prompt],
    [`${claims} that its last words were:`, said],
    [`${claims} that this is a call of its sub-agent`, subagent],
  ];
  return parts.flatMap(([lead, text]) => {
    // Quotes of its own could make the rest look like our words.
    const line = text?.replaceAll(/[“”]/g, '"').replaceAll(/\s+/g, ' ').trim() ?? '';
    if (line === '') return [];
    return [{ lead, quote: line.length > LONGEST_CLAIM ? `${line.slice(0, LONGEST_CLAIM)}…` : line }];
  });
}

const STARTS_AGENTS: ReadonlySet<string> = new Set(['Task', 'Agent', 'task']);

/** For a call that starts a sub-agent of a program outside. Undefined for all others. */
export function subagentText({ toolName, sandbox }: Pick<ApprovalView, 'toolName' | 'sandbox'>): string | undefined {
  if (sandbox.kind !== 'external' || !STARTS_AGENTS.has(toolName.slice(toolName.indexOf('__') + 2))) return undefined;
  return 'This starts a sub-agent. Its calls will need approval as well.';
}

/** `Why you're asked: no rule allows this call` */
export function whyText({ reason }: Pick<ApprovalView, 'reason'>): string {
  return `Why you're asked: ${describeReason(reason)}`;
}

/** Shown with the approval that replaces the one whose arguments a person edited (CALL7.4). Undefined for the agent's own call. */
export function editedText({ edited, effect }: Pick<ApprovalView, 'edited' | 'effect'>): string | undefined {
  if (edited === undefined) return undefined;
  return `This is the edited call. Check ${effect === undefined ? 'it' : 'what it will do'}, then approve it.`;
}

/** Whether the call ran in a draft to find its effect. */
export function isRehearsed({ effect, toolName }: Pick<ApprovalView, 'effect' | 'toolName'>): boolean {
  return effect !== undefined && !isFileTool(toolName);
}

const UNTIL = { you: 'you approve it', others: 'the others have signed', approver: 'an approver has signed' } as const;

/** What is true of a waiting call until somebody signs it: a rehearsal has run it in a draft (CHANGE6, CHANGE9). */
export function nothingRunsText(
  approval: Pick<ApprovalView, 'effect' | 'prediction' | 'toolName'>,
  who: keyof typeof UNTIL,
): string {
  const { prediction } = approval;
  const ran = isRehearsed(approval) || (prediction !== undefined && prediction.ofFiles !== true);
  return ran
    ? `It ran only in a draft. Nothing else happens until ${UNTIL[who]}.`
    : `Nothing runs until ${UNTIL[who]}.`;
}

/** In the place of what approving means, if the call waits for other people. */
export function partText(approval: Parameters<typeof nothingRunsText>[0], part: YourPart): string | undefined {
  switch (part) {
    case 'decide':
      return undefined;
    case 'signed':
      return `You signed. ${nothingRunsText(approval, 'others')}`;
    case 'deny':
      return 'Others must sign this call. You can deny it.';
    case 'watch':
      return nothingRunsText(approval, 'approver');
    case 'unknown':
      return 'Checking who can sign this call…';
  }
}

/** Tools that only write a file, so that their effect is known without a rehearsal (CHANGE7). */
export function isFileTool(toolName: string): boolean {
  return toolName === 'write_file' || toolName === 'edit_file';
}

/** `wants to run`, or `wants to use TOOL` if there is no specific verb. */
export function wantsTo(call: ShownCall): string {
  if (call.toolName === RUN_TOOL) return 'wants to apply what this program changed';
  const verb = verbFor(call);
  return verb === undefined ? `wants to use ${call.toolName}` : `wants to ${verb}`;
}

type ShownCall = Pick<ApprovalView, 'toolName' | 'arguments'> & Partial<Pick<ApprovalView, 'noEffect'>>;

/** The verb for a call that the card shows completely. Undefined if the card has to name the tool. */
export function verbFor({ toolName, arguments: args, noEffect }: ShownCall): ExternalVerb | undefined {
  switch (toolName) {
    case 'shell_cmd':
      return 'run';
    case 'write_file':
      return 'write';
    case 'edit_file':
      return 'change';
    default:
      return describeCall(toolName, args, noEffect).kind === 'fields' ? undefined : externalVerb(toolName);
  }
}
