import { type CallContext, INTERPRETERS, isArgumentList } from './call-context.js';

/** How many characters to look back for the words of a command. */
const COMMAND = 400;

const interpreter = new RegExp(`^(?:${INTERPRETERS})$`);
/** Commands that set variables. */
const exports = /^(?:export|readonly|local|setx)$/;
/** Programs that take files, commands or conditions as arguments, but no secrets. */
const noSecrets = new Set(
  (
    'rm rmdir unlink shred cp mv ln install ls dir cat tac cd pushd popd touch mkdir chmod chown chgrp stat file head tail less more wc ' +
    'sort uniq cut grep egrep fgrep rg diff cmp tar gzip gunzip xz open start code vim vi nano emacs ed test if then else elif while ' +
    'until for case select function do done time coproc builtin command exec unset pwd rsync scp truncate which type screen tmux ' +
    'chroot unshare flock runuser setpriv systemd-run caffeinate ionice taskset stdbuf script ltrace gdb'
  ).split(' '),
);

/**
 * The program of the command around this text. `none`: only variable assignments precede it. `script`: a script, which might execute its
 * arguments. `other`: a program that takes no secrets, or an unknown one.
 */
export function programOf(
  { text, start, key }: { text: string; start: number; key: string | undefined },
  context: CallContext,
): 'none' | 'installed' | 'script' | 'other' {
  const words = wordsBefore(text, start);
  const at = isArgumentList(key) ? -1 : words.findIndex((word) => !/^\w+=/.test(word));
  const program = isArgumentList(key) ? context.program : words[at];
  if (program === undefined || exports.test(program)) return 'none';
  if (noSecrets.has(program)) return 'other';
  if (interpreter.test(program)) {
    // An interpreter's first argument is the file to run.
    const complete = /[\s"']$/.test(text.slice(0, start)) ? words : words.slice(0, -1);
    const hasFile = isArgumentList(key) || complete.slice(at + 1).some((word) => !word.startsWith('-'));
    return hasFile ? 'script' : 'other';
  }
  if (/^[\w./~-]*\/[\w.-]+$/.test(program) || (isArgumentList(key) && /^(?:-|$)/.test(program))) return 'script';
  return /^[A-Za-z][\w+-]*$/.test(program) ? 'installed' : 'other';
}

/** The words of the same command before `start`. Empty if the command starts too far back. */
export function wordsBefore(text: string, start: number): string[] {
  const from = Math.max(0, start - COMMAND);
  const segment =
    text
      .slice(from, start)
      .split(/[\n;()`|]|&&|\s&\s/)
      .at(-1) ?? '';
  if (from > 0 && segment.length === start - from) return ['…'];
  return segment.split(/[\s"']+/).filter((word) => word !== '');
}
