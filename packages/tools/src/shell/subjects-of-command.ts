import type { Subject } from '@countersign/protocol';
import { type Findings, noFindings, pathsInFolders } from '../shell-syntax/findings.js';
import type { Reason } from '../shell-syntax/node-kinds.js';
import { readCommandText } from '../shell-syntax/read-command-text.js';
import { hasUnaccountedText } from '../shell-syntax/unaccounted-text.js';
import { judgeStar } from '../shell-syntax/star/judge-star.js';
import { type JudgedCommand, reasonsOfLine } from '../shell-syntax/star/reasons-of-line.js';
import { joinCommand } from './join-command.js';

/**
 * Control characters, invisible characters and spaces that bash doesn't treat as spaces: they make a command look like a different one.
 * Newlines and tabs are allowed.
 */
const HIDDEN = /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u;

/**
 * The subjects of a command (RULE1) from its syntax tree: every simple command in it, and everything that runs inside those. If part of it is
 * only known at run time, the command is also dynamic, and no rule allows it without approval.
 */
export function subjectsOfCommand(command: string, parameters: readonly string[] = []): readonly Subject[] {
  const text = joinCommand(command, parameters);
  if (latest?.text !== text) latest = { text, subjects: subjectsOfText(text) };
  return latest.subjects;
}

/** A call is judged several times in a row. */
let latest: { text: string; subjects: readonly Subject[] } | undefined;

function subjectsOfText(text: string): readonly Subject[] {
  const findings = noFindings();
  const script = readCommandText(text, findings);
  const reasons = [...findings.reasons, ...reasonsOfText(text), ...reasonsOfFolders(findings)];
  const commands = findings.commands.map(({ words, exact, piped }) => ({
    words,
    exact,
    piped,
    star: judgeStar(words),
  }));
  reasons.push(...reasonsOfLine(commands));
  if (reasons.length === 0 && findings.commands.length === 0) reasons.push({ why: { code: 'no-command' }, told: true });
  if (
    reasons.length === 0 &&
    (script === undefined || hasUnaccountedText(text, script) || !findings.commands.every(({ exact }) => exact))
  ) {
    reasons.push({ why: { code: 'uncertain' }, told: false });
  }
  return [...dynamicFor(reasons), ...toSubjects(findings, commands)];
}

// Reasons contain no part of the command: they are shown unmasked, and a command may contain a secret (SAFE6).
function reasonsOfText(text: string): Reason[] {
  return HIDDEN.test(text) ? [{ why: { code: 'invisible-characters' }, told: true }] : [];
}

/** On its own, `cd` has no effect. Before other commands, it changes what they mean. */
function reasonsOfFolders({ folders, commands }: Findings): Reason[] {
  return folders.length > 0 && commands.length > 1 ? [{ why: { code: 'changes-folder' }, told: true }] : [];
}

function dynamicFor(reasons: readonly Reason[]): readonly Subject[] {
  const reason = reasons.find(({ told }) => !told) ?? reasons[0];
  if (reason === undefined) return [];
  return [{ kind: 'dynamic', why: reason.why, ...(reason.told ? { told: true } : {}) }];
}

function toSubjects(
  findings: Findings,
  commands: readonly (JudgedCommand & { readonly exact: boolean })[],
): readonly Subject[] {
  const found = new Map<string, Subject>();
  for (const { words, exact, star } of commands) {
    const { spell, files } = star;
    const known = { spell, ...(files === undefined ? {} : { files }) };
    found.set(JSON.stringify(words), { kind: 'words', words, ...(exact ? known : {}) });
  }
  for (const words of findings.inner) {
    const key = JSON.stringify(words);
    if (!found.has(key)) found.set(key, { kind: 'words', words, inner: true });
  }
  const paths = new Set([...findings.paths, ...pathsInFolders(findings)]);
  // Each path comes with a reason why the command needs approval, so no allow rule has to match the path.
  return [...found.values(), ...Array.from(paths, (path) => ({ kind: 'path' as const, path }))];
}
