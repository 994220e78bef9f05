import { hasArguments } from './has-arguments.js';

/** Why a command line can't be split: it needs a shell, because of this text, or a quote is never closed. */
type Refusal = { readonly why: 'shell'; readonly syntax: string } | { readonly why: 'open-quote' };

export type SplitCommand =
  | { readonly ok: true; readonly command: string; readonly args: readonly string[] }
  | ({ readonly ok: false } & Refusal);

/** Operators and expansions of a shell, and variables before the program. `${NAME}` is ours (MCP2.2). */
const SHELL_SYNTAX = /^(?:&&|\|\||>>|<<|\$\(|\$[A-Za-z_]\w*|[|&;<>()`\n])/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** Characters that a backslash escapes within double quotes. */
const ESCAPED = '"\\$`';

/** Splits a pasted `npx -y server /path` into program and arguments, with the quotes of a shell. A path without quotes may contain spaces. */
export function splitCommand(line: string): SplitCommand {
  const text = line.trim();
  if (!hasArguments(text) && !/^["']/.test(text)) return { ok: true, command: line, args: [] };
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if (char === '\\' && next !== '' && (quote === undefined || (quote === '"' && ESCAPED.includes(next)))) {
      word = (word ?? '') + next;
      at += 1;
    } else if (quote !== undefined) {
      if (char === quote) quote = undefined;
      else word = (word ?? '') + char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else {
      const [syntax] = SHELL_SYNTAX.exec(text.slice(at)) ?? [];
      if (syntax !== undefined) return { ok: false, why: 'shell', syntax };
      if (!/\s/.test(char)) word = (word ?? '') + char;
      else if (word !== undefined) {
        words.push(word);
        word = undefined;
      }
    }
  }
  if (quote !== undefined) return { ok: false, why: 'open-quote' };
  if (word !== undefined) words.push(word);
  const [command = '', ...args] = words;
  const [assignment] = ASSIGNMENT.exec(command) ?? [];
  if (assignment !== undefined) return { ok: false, why: 'shell', syntax: assignment };
  return { ok: true, command, args };
}
