import { isLikelySecret } from '../ports/is-likely-secret.js';
import { type CallContext, isArgumentList, isShell } from './call-context.js';
import { commandAfter, readOption } from './command-options.js';
import { findVendorKeys } from './find-vendor-keys.js';
import { readsAsText } from './reads-as-text.js';
import { secretName } from './secret-names.js';

/** What the scanner took for a secret, and where it stands. */
export interface Candidate {
  text: string;
  start: number;
  end: number;
  /** The key above the text. */
  key: string | undefined;
  /** The text is the whole value of a key that tells that it is a secret. */
  whole: boolean;
  /** The element before it in a list was an option that takes a secret. */
  announced: boolean;
}

type Kind =
  | { kind: 'pem' | 'header' | 'option' | 'url' | 'value' | 'other' | 'bare' }
  | { kind: 'assignment'; name: string };

/** What stands right before a secret is looked at this far back; the words of its command, this far. */
const BEFORE = 160;
const COMMAND = 400;

/** Whether nothing in its call can run this, expand it, or take it for a path or a host. In doubt it is not (A15). */
export function isInert(candidate: Candidate, context: CallContext): boolean {
  const { text, start, end, key } = candidate;
  const secret = text.slice(start, end);
  const found = kindOf(candidate, context);
  if (context.writesCode && found.kind !== 'value') return false;
  if (found.kind === 'pem') return secret.split(/\\[rn]|[\r\n]+/).every((line) => !readsAsText(line));
  if (isWebhook(text, start)) return /^[\w/-]+$/.test(secret);
  if (isAddress(secret) || goesOnAsAddress(text, start, end, found.kind)) return false;
  if (context.isProse(key)) return true;
  const isKey = findVendorKeys(secret).some(([from, to]) => from === 0 && to === secret.length);
  if (found.kind !== 'header' && !isKey && readsAsText(secret)) return false;
  const opaque = isKey || isLikelySecret(secret);
  // A word in small letters is the name of a program rather than a password.
  if (found.kind !== 'url' && /^[a-z]{1,12}$/.test(secret)) return false;
  const isCommand = isShell(key) && found.kind !== 'value';
  const program = programOf(candidate, context);
  // `rm token=x`, `--token x` and `! --token x` take it for a file or a command.
  if (isCommand && (program === 'other' || (program === 'none' && found.kind !== 'assignment'))) return false;
  switch (found.kind) {
    case 'url':
      return opaque || !isCommand || program !== 'script';
    case 'header':
      return opaque || !isCommand || program === 'installed';
    case 'option':
      return opaque || program === 'installed';
    case 'value':
      return opaque || (key !== undefined && secretName(key) !== undefined);
    case 'assignment':
      return context.mentions(found.name) < 2 && opaque;
    case 'other':
      return opaque;
    case 'bare':
      return opaque && !isCommand && isWholeKey(candidate);
  }
}

/** `{ key: 'sk-…' }`: the whole value of an argument that often holds one. */
function isWholeKey({ text, start, end, key }: Candidate): boolean {
  return start === 0 && end === text.length && /(?:^|[_-])(?:key|value|auth)$/i.test(key ?? '');
}

const schemes = /(?:^|[\s"'\\:])(?:bearer|basic|token|digest|apikey|negotiate)\s+["'\\]*$/i;
/** In a command only within a header: `rm Bearer x` removes x. */
const headerScheme = /[\w-]:\s*["'\\]*(?:bearer|basic|token|digest|apikey|negotiate)\s+["'\\]*$/i;
const named = /(-{0,2})([A-Za-z_$][\w.-]{0,63})["'\\]{0,16}([ \t]{0,8})(?::=|([:=]))([ \t]{0,8})["'\\[]{0,16}$/;
const option = /(?:^|[\s"',[(])(--?[A-Za-z][\w.-]{0,40})["']?[\s,]+["'\\]*$/;
const attached = /(?:^|\s)(-[A-Za-z]{1,2})["'\\]*$/;
const user = /(?:^|[\s"'])(?:-u|--(?:proxy-)?user)[\s=]*["'\\]*[^\s:"'\\]{1,60}:$/;
const statement = /(?:password|passwd|by|token|secret|key|-)["'\\ \t>:]+$|(?:%[0-9A-Fa-f]{2}|[=&+])$/i;

function kindOf(candidate: Candidate, context: CallContext): Kind {
  const { text, start, end, whole, announced } = candidate;
  const before = text.slice(Math.max(0, start - BEFORE), start);
  if (/PRIVATE KEY/.test(before) || /[\r\n]/.test(text.slice(start, end))) return { kind: 'pem' };
  if (whole) return { kind: 'value' };
  if (start === 0) return { kind: announced ? 'option' : 'bare' };
  if (text.charAt(end) === '@' && /:\/\/[^/?#\s"'\\]*$/.test(before)) return { kind: 'url' };
  const scheme = isShell(candidate.key) ? headerScheme : schemes;
  if (scheme.test(before) || user.test(before)) return { kind: 'header' };
  const name = named.exec(before);
  if (name !== null) return kindOfNamed(before, name);
  const [, flag] = option.exec(before) ?? attached.exec(before) ?? [];
  if (flag !== undefined) return { kind: takesSecret(candidate, flag, context) ? 'option' : 'bare' };
  return { kind: statement.test(before) ? 'other' : 'bare' };
}

function kindOfNamed(before: string, [, dashes, name = '', left, sign, right]: RegExpExecArray): Kind {
  const inCookie = /cookie["'\\]*:[^\n]*$/i.test(before);
  if (secretName(name) === undefined && !inCookie) return { kind: 'bare' };
  // `TOKEN= rm` runs rm.
  if (sign === '=' && left === '' && right !== '') return { kind: 'bare' };
  if (/:\/\/\S*$/.test(before)) return { kind: 'url' };
  if (dashes !== '') return { kind: 'option' };
  if (inCookie || /-|^authorization$/i.test(name)) return { kind: 'header' };
  return { kind: 'assignment', name: /\w*$/.exec(name)?.[0] ?? name };
}

/** By its name, or because its program is known to take one with it. */
function takesSecret({ text, start }: Candidate, flag: string, { program }: CallContext): boolean {
  if (secretName(flag) !== undefined) return true;
  const command = [program, ...wordsBefore(text, start)].reduce(commandAfter, undefined as string | undefined);
  return readOption(command, flag)?.option === flag;
}

/** A path, a host, a file or an option. */
function isAddress(secret: string): boolean {
  // Also what an option takes from a file, a program or a variable: `@x`, `file:x`, `!x`, `%X%`.
  if (/^[~.@!%-]|[\\]|^[a-z]{2,10}:/.test(secret)) return true;
  if (secret.includes('/')) {
    const words = secret.split('/').some((part) => part === '' || /^[a-z]{2,}$/.test(part) || part.includes('.'));
    return words || !/^[A-Za-z0-9+/]{38,}={0,2}$/.test(secret) || !isLikelySecret(secret);
  }
  return /\.[A-Za-z]\w{0,4}(?::\d+)?$|^\d{1,3}(?:\.\d{1,3}){3}|^(?:[\w-]+\.)+[A-Za-z]{2,24}(?::\d+)?$|:\d{1,5}$/.test(
    secret,
  );
}

/** `./sk-…`, `sk-….sh`: the secret is a part of a longer name. */
function goesOnAsAddress(text: string, start: number, end: number, kind: Kind['kind']): boolean {
  if (kind === 'url') return /^[/\\]/.test(text.charAt(end));
  return /[/\\.~]/.test(text.charAt(start - 1)) || /^(?:[/\\~]|\.\w)/.test(text.slice(end, end + 2));
}

function isWebhook(text: string, start: number): boolean {
  return /(?:^|[\s"'])https:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/webhooks)\/$/.test(
    text.slice(Math.max(0, start - 80), start),
  );
}

const interpreter =
  /^(?:(?:ba|z|da|k|fi|c|tc)?sh|python[\d.]*|node(?:js)?|perl|ruby|php|lua|deno|bun|pwsh|powershell)$/;
/** They set variables for what follows. */
const exports = /^(?:export|readonly|local|setx)$/;
/** What takes words for files, commands or conditions, and no secrets. */
const noSecrets = new Set(
  (
    'rm rmdir unlink shred cp mv ln install ls dir cat tac cd pushd popd touch mkdir chmod chown chgrp stat file head tail less more wc ' +
    'sort uniq cut grep egrep fgrep rg diff cmp tar gzip gunzip xz open start code vim vi nano emacs ed test if then else elif while ' +
    'until for case select function do done time coproc builtin command exec unset pwd rsync scp truncate which type screen tmux ' +
    'chroot unshare flock runuser setpriv systemd-run caffeinate ionice taskset stdbuf script ltrace gdb'
  ).split(' '),
);

/**
 * What the command that this stands in runs. `none`: only variables came before. `script`: one of the folder, which might run what
 * it is given. `other`: something that takes no secrets, or nobody knows what.
 */
function programOf({ text, start, key }: Candidate, context: CallContext): 'none' | 'installed' | 'script' | 'other' {
  const words = wordsBefore(text, start);
  const at = isArgumentList(key) ? -1 : words.findIndex((word) => !/^\w+=/.test(word));
  const program = isArgumentList(key) ? context.program : words[at];
  if (program === undefined || exports.test(program)) return 'none';
  if (noSecrets.has(program)) return 'other';
  if (interpreter.test(program)) {
    // Its first word is the file that it runs.
    const complete = /[\s"']$/.test(text.slice(0, start)) ? words : words.slice(0, -1);
    const hasFile = isArgumentList(key) || complete.slice(at + 1).some((word) => !word.startsWith('-'));
    return hasFile ? 'script' : 'other';
  }
  if (/^[\w./~-]*\/[\w.-]+$/.test(program) || (isArgumentList(key) && /^(?:-|$)/.test(program))) return 'script';
  return /^[A-Za-z][\w+-]*$/.test(program) ? 'installed' : 'other';
}

/** The words of the same command. None of ours if it began too far back. */
function wordsBefore(text: string, start: number): string[] {
  const from = Math.max(0, start - COMMAND);
  const segment =
    text
      .slice(from, start)
      .split(/[\n;()`|]|&&|\s&\s/)
      .at(-1) ?? '';
  if (from > 0 && segment.length === start - from) return ['…'];
  return segment.split(/[\s"']+/).filter((word) => word !== '');
}
