import type { Reason } from './node-kinds.js';
import { baseName, kindOfProgram, type ProgramKind, startsOfCommands } from './programs.js';
import { otherSpellings } from './other-spellings.js';
import type { RedirectReading } from './redirects.js';
import { codeWords } from './code-words.js';

/** A simple command. `exact`: all its words are known literally. */
interface FoundCommand {
  readonly words: readonly string[];
  readonly exact: boolean;
  /** Whether the command's input is the output of another command. */
  readonly piped: boolean;
}

/** The findings from a walk through a syntax tree. */
export interface Findings {
  readonly commands: FoundCommand[];
  /** Commands inside other commands, and other spellings. Only deny and ask rules check them. */
  readonly inner: (readonly string[])[];
  readonly paths: string[];
  readonly reasons: Reason[];
  /** Folders that the commands change to, each relative to the previous one. */
  readonly folders: string[];
  /** The nesting depth of text that runs other text, and the number of such texts that may still be parsed. */
  readonly depth: number;
  readonly left: { texts: number };
}

type Read = (text: string, findings: Findings) => void;

const DEEPEST = 6;
const MAX_TEXTS = 200;
/** How many of a wrapper's words are tried as the start of its command. */
const MAX_STARTS = 32;

export function noFindings(): Findings {
  return { commands: [], inner: [], paths: [], reasons: [], folders: [], depth: 0, left: { texts: MAX_TEXTS } };
}

/** Each reason once, because a command may have thousands. */
export function noteReason({ reasons }: Findings, reason: Reason): void {
  if (!reasons.some((known) => isSameReason(known, reason))) reasons.push(reason);
}

function isSameReason(known: Reason, { why, told }: Reason): boolean {
  // A reason that was told adds nothing to the same one that wasn't.
  if (known.told && !told) return false;
  return known.why.code === why.code && JSON.stringify(known.why) === JSON.stringify(why);
}

export function noteRedirect(findings: Findings, reading: RedirectReading): void {
  if (reading === undefined) return;
  noteReason(findings, reading.reason);
  if (reading.path !== undefined) findings.paths.push(reading.path);
}

export function noteCommand(findings: Findings, command: FoundCommand, read: Read): void {
  const { words } = command;
  const [name = ''] = words;
  const program = baseName(name);
  findings.commands.push(command);
  if (program !== name) {
    noteReason(findings, { why: { code: 'program-path' }, told: true });
    findings.inner.push([program, ...words.slice(1)]);
  }
  const kind = kindOfProgram(program);
  if (kind === undefined) noteRunner(findings, [program, ...words.slice(1)], read);
  else noteSpecial(findings, kind, [program, ...words.slice(1)], read);
}

/** Records text that a shell would run. */
export function noteText(findings: Findings, text: string, read: Read): void {
  if (findings.depth >= DEEPEST || findings.left.texts <= 0) {
    noteReason(findings, { why: { code: 'nested-code' }, told: false });
    return;
  }
  findings.left.texts -= 1;
  const within: Findings = { ...noFindings(), depth: findings.depth + 1, left: findings.left };
  read(text, within);
  const commands = [...within.commands.map(({ words }) => words), ...within.inner];
  findings.inner.push(...commands.filter(([name = '']) => name !== '' && !name.startsWith('-')));
  findings.paths.push(...within.paths, ...pathsInFolders(within));
  for (const { told } of within.reasons) {
    if (!told) noteReason(findings, { why: { code: 'nested-expansion' }, told: false });
  }
}

/** Maximum number of paths reported for commands in other folders. */
const MAX_PATHS = 500;

/** Words as paths relative to the folders that `cd` changes to: a rule about `./secrets/key` also applies to `cd secrets; cat key`. */
export function pathsInFolders({ folders, commands }: Findings): readonly string[] {
  if (folders.length === 0 || commands.length < 2) return [];
  const words = commands.flatMap((command) => command.words.slice(1).filter((word) => !/^[-/~]/.test(word)));
  const paths: string[] = [];
  for (const folder of folders) {
    paths.push(folder);
    for (const word of words) {
      if (paths.length >= MAX_PATHS) return paths;
      paths.push(`${folder}/${word}`);
    }
  }
  return paths.slice(0, MAX_PATHS);
}

function noteSpecial(findings: Findings, kind: ProgramKind, words: readonly string[], read: Read): void {
  const [program = ''] = words;
  switch (kind) {
    case 'wrapper':
    case 'open-wrapper':
      noteReason(findings, { why: { code: 'runs-program', program }, told: kind === 'wrapper' });
      noteStarts(
        findings,
        words,
        words.map((_, at) => at).filter((at) => at > 0),
        read,
      );
      // `env -S 'rm x'` and similar take the command as one word.
      for (const word of words.slice(1)) {
        if (/\s/.test(word)) for (const text of textsIn(word)) noteText(findings, text, read);
      }
      break;
    case 'shell':
      noteShell(findings, words, read);
      break;
    case 'state':
      noteReason(findings, { why: { code: 'changes-commands', program }, told: false });
      for (const word of words.slice(1)) {
        // These two give a program another name.
        const renames = program === 'alias' || program === 'hash';
        if (renames || /\s/.test(word)) noteText(findings, word.replace(/^[A-Za-z_]\w*=/, ''), read);
      }
      break;
    case 'folder':
      noteFolder(findings, words);
      break;
  }
}

function noteShell(findings: Findings, words: readonly string[], read: Read): void {
  const [program = ''] = words;
  const rest = words.slice(1);
  const given = program === 'eval' || rest.some((word) => /^-[A-Za-z]*c/.test(word));
  noteReason(findings, { why: { code: 'runs-text', program }, told: given });
  if (program === 'eval') noteText(findings, rest.join(' '), read);
  else for (const word of rest) if (!word.startsWith('-')) noteText(findings, word, read);
}

function noteFolder(findings: Findings, words: readonly string[]): void {
  const targets = words.slice(1).filter((word) => !/^-./.test(word));
  const [target] = targets;
  if (words[0] === 'popd' || target === undefined || target === '-' || targets.length > 1) {
    noteReason(findings, { why: { code: 'unknown-folder' }, told: false });
    return;
  }
  const before = findings.folders.at(-1);
  findings.folders.push(before === undefined || /^[/~]/.test(target) ? target : `${before}/${target}`);
}

/** Commands that a program runs through its arguments or options. */
function noteRunner(findings: Findings, words: readonly string[], read: Read): void {
  const [program = ''] = words;
  noteStarts(findings, words, startsOfCommands(program, words), read);
  findings.inner.push(...otherSpellings(words));
  if (startsOfCommands(program, words).length > 0) {
    for (const word of words.slice(1)) if (/\s/.test(word)) noteText(findings, word, read);
  }
  for (const at of codeWords(words)) {
    for (const word of [words[at] ?? '', words[at + 1] ?? '']) {
      for (const text of textsIn(word)) if (/\S/.test(text)) noteText({ ...findings, reasons: [] }, text, read);
    }
  }
}

/**
 * The parts of an option that may be a command: after each `=`, right after its letter, in a URL that runs it
 * (`ext::`), after sed's `e`, and in every quoted text, as in `system("rm x")`.
 */
function textsIn(word: string): readonly string[] {
  const values = word.split('=').slice(1);
  const quoted = Array.from(word.matchAll(/"([^"\n]*)"|'([^'\n]*)'/g), ([, double, single]) => double ?? single ?? '');
  const stuck = word.replace(/^-[A-Za-z]/, '');
  const addressed = word.split('::').slice(1);
  const executed = Array.from(word.matchAll(/(?:^|[^A-Za-z])e\s+([^\n]*)/g), ([, text = '']) => text);
  return [...new Set([word, stuck, ...values, ...addressed, ...executed, ...quoted])].map((text) =>
    text.replace(/^\s*!/, ''),
  );
}

function noteStarts(findings: Findings, words: readonly string[], starts: readonly number[], read: Read): void {
  for (const at of starts.slice(0, MAX_STARTS)) {
    const rest = words.slice(at);
    const program = baseName(rest[0] ?? '');
    if (program === '' || program.startsWith('-')) continue;
    findings.inner.push([program, ...rest.slice(1)]);
    if (kindOfProgram(program) === 'shell') noteShell(findings, [program, ...rest.slice(1)], read);
  }
  if (starts.length > MAX_STARTS) {
    noteReason(findings, { why: { code: 'too-long' }, told: false });
  }
}
