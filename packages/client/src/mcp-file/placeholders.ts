/** `${input:key}`, which editors fill in; `<your-key>` and `YOUR_API_KEY`, which people are expected to replace. */
const VARIABLE = /\$\{[^${}]{1,200}\}/.source;
const BRACKETS = /<[A-Za-z][\w .:/-]{2,60}>/.source;
const YOURS = /(?<![\w-])[Yy][Oo][Uu][Rr][-_][\w-]{1,60}/.source;
const ANY = new RegExp(`${VARIABLE}|${BRACKETS}|${YOURS}`, 'g');
const IN_ARGUMENTS = new RegExp(`${VARIABLE}|${BRACKETS}`, 'g');

/** The placeholders in a value, in order and without duplicates. */
export function placeholdersIn(text: string): string[] {
  return found(text, ANY);
}

/** Like `placeholdersIn`, for a command: a package may be called `your-tools`. */
export function placeholdersInArgument(text: string): string[] {
  return found(text, IN_ARGUMENTS);
}

function found(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([whole]) => whole))];
}

/** Replaces each placeholder once: a value that looks like a placeholder stays unchanged. */
export function fillPlaceholders(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(ANY, (whole) => values.get(whole) ?? whole);
}

/** `${HOME:-/root}` → `/root`. For the working folder, the default is the folder in which the server starts. */
export function defaultOf(placeholder: string): string | undefined {
  if (/^\$\{workspaceFolder(?::[^}]*)?\}$/.test(placeholder)) return '.';
  return /:-(.*)\}$/s.exec(placeholder)?.[1];
}

/** `${input:key}` → `input:key`, `${HOME:-/root}` → `HOME`, `<your-key>` → `your-key`. */
export function nameOfPlaceholder(placeholder: string): string {
  if (placeholder.startsWith('${')) return placeholder.slice(2, -1).replace(/:-.*$/s, '');
  return placeholder.startsWith('<') ? placeholder.slice(1, -1) : placeholder;
}
