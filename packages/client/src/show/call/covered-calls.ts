import type { CoveredCall, PolicyMatch } from '@countersign/protocol';
import type { ApprovalView } from '../../state/state.js';
import { wholeCallLines } from './describe-call.js';
import { effectText } from './effect-text.js';

/** The request that finds the waiting calls a decision for this chat would cover (CALL5). */
export function grantMatch(
  {
    chatId,
    agentId,
    toolName,
    session: { folder } = { any: false },
  }: Pick<ApprovalView, 'chatId' | 'agentId' | 'toolName' | 'session'>,
  pattern: string | undefined,
): PolicyMatch {
  const where = folder === undefined ? {} : { folder };
  return { chatId, grant: { agentId, toolName, ...(pattern === undefined ? {} : { pattern }), ...where } };
}

/** What "for this chat" grants unless the person widens it. Undefined if it isn't offered: nothing narrower than every call covers this one. */
export function chatPattern({ options, session }: Pick<ApprovalView, 'options' | 'session'>): string | undefined {
  return options.includes('approve_session') ? session?.pattern : undefined;
}

/** What a grant covers: `shell_cmd calls like ls -a ./**`, or `every shell_cmd call`. */
export function chatScopeText(toolName: string, pattern: string, folder?: string): string {
  const calls =
    pattern === '*' ? `every ${toolName} call` : `${toolName} calls like ${pattern.split('\n').join(' or ')}`;
  return calls + inFolderText(folder);
}

/** ` in /srv/other`, or nothing if it is the world's folder. */
export function inFolderText(folder: string | undefined): string {
  if (folder === undefined) return '';
  return folder === 'unknown' ? ' in an unknown folder' : ` in ${folder}`;
}

/** A waiting call in full, and what it will do, in lines that don't contain line breaks. */
type CoveredText = readonly string[];

/** The other calls that a decision would release. */
export function coveredLines(waiting: readonly CoveredCall[], decided: { invocationId: string }): CoveredText[] {
  return otherCalls(waiting, decided).map((call) => [
    ...wholeCallLines(call.toolName, call.arguments),
    ...effectLines(call),
  ]);
}

export function otherCalls(waiting: readonly CoveredCall[], decided: { invocationId: string }): CoveredCall[] {
  return waiting.filter(({ toolCallId }) => toolCallId !== decided.invocationId);
}

function effectLines(call: CoveredCall): CoveredText {
  const text = effectText(call);
  if (text === undefined) return [];
  const files = text.files.map(({ sign, path, about }) => `  ${sign} ${path}${about === '' ? '' : ` (${about})`}`);
  return [`  ${text.sentence}`, ...files, ...text.notes.map((note) => `  ${note}`)];
}

/** `later`: without a long-running server, calls in other chats run when the next one starts. */
export type CoveredWhen = 'now' | 'later';

export function coveredTitle(count: number, when: CoveredWhen = 'now'): string {
  return `Also runs ${coveredText(count, when)}:`;
}

/** `2 waiting calls now` */
export function coveredText(count: number, when: CoveredWhen): string {
  const calls = count === 1 ? '1 waiting call' : `${count} waiting calls`;
  return `${calls} ${when === 'now' ? 'now' : 'once a server is running'}`;
}

/** Groups the covered calls by when they run. `endsSoon`: this process only runs until the decision's chat has settled (TERM4). */
export function coveredGroups(
  waiting: readonly CoveredCall[],
  decided: { invocationId: string; chatId: string },
  { endsSoon }: { endsSoon: boolean },
): readonly { when: CoveredWhen; calls: readonly CoveredText[] }[] {
  const isLater = ({ chatId }: CoveredCall): boolean => endsSoon && chatId !== decided.chatId;
  const now = coveredLines(
    waiting.filter((call) => !isLater(call)),
    decided,
  );
  const later = coveredLines(waiting.filter(isLater), decided);
  const groups = [
    { when: 'now', calls: now },
    { when: 'later', calls: later },
  ] as const;
  return groups.filter(({ calls }) => calls.length > 0);
}
