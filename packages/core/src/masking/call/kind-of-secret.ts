import { commandAfter, readOption } from '../scan/command-options.js';
import { secretName } from '../scan/secret-names.js';
import { type CallContext, isShell } from './call-context.js';
import { wordsBefore } from './program-of.js';

/** A possible secret found by the scanner, with its position. */
export interface Candidate {
  text: string;
  start: number;
  end: number;
  /** The nearest key that contains the text. */
  key: string | undefined;
  /** Whether the text is the whole value of a secret key. */
  whole: boolean;
  /** Whether the previous list element is an option that takes a secret. */
  announced: boolean;
}

/** How a secret is introduced. */
export type Kind =
  | { kind: 'pem' | 'header' | 'option' | 'url' | 'value' | 'other' | 'bare' }
  | { kind: 'assignment'; name: string };

/** The number of characters to examine before a secret. */
const BEFORE = 160;

const schemes = /(?:^|[\s"'\\:])(?:bearer|basic|token|digest|apikey|negotiate)\s+["'\\]*$/i;
/** In a command, matches only inside a header: `rm Bearer x` removes x. */
const headerScheme = /[\w-]:\s*["'\\]*(?:bearer|basic|token|digest|apikey|negotiate)\s+["'\\]*$/i;
const named = /(-{0,2})([A-Za-z_$][\w.-]{0,63})["'\\]{0,16}([ \t]{0,8})(?::=|([:=]))([ \t]{0,8})["'\\[]{0,16}$/;
const option = /(?:^|[\s"',[(])(--?[A-Za-z][\w.-]{0,40})["']?[\s,]+["'\\]*$/;
const attached = /(?:^|\s)(-[A-Za-z]{1,2})["'\\]*$/;
const user = /(?:^|[\s"'])(?:-u|--(?:proxy-)?user)[\s=]*["'\\]*[^\s:"'\\]{1,60}:$/;
const statement = /(?:password|passwd|by|token|secret|key|-)["'\\ \t>:]+$|(?:%[0-9A-Fa-f]{2}|[=&+])$/i;

export function kindOf(candidate: Candidate, context: CallContext): Kind {
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

/** Whether an option takes a secret, judging by its name or by its meaning for the program. */
function takesSecret({ text, start }: Candidate, flag: string, { program }: CallContext): boolean {
  if (secretName(flag) !== undefined) return true;
  const command = [program, ...wordsBefore(text, start)].reduce(commandAfter, undefined as string | undefined);
  return readOption(command, flag)?.option === flag;
}
