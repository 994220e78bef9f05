const PLACEHOLDER = /\$\{([^${}]{1,200})\}/g;

/** `${input:key}`, `${env:HOME}`, `${HOME:-/root}`, …, in order and without duplicates. */
export function placeholdersIn(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([whole]) => whole))];
}

/** Replaces each placeholder once: a value that looks like a placeholder stays unchanged. */
export function fillPlaceholders(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(PLACEHOLDER, (whole) => values.get(whole) ?? whole);
}

/** `${HOME:-/root}` → `/root`. For the working folder, the default is the folder in which the server starts. */
export function defaultOf(placeholder: string): string | undefined {
  if (/^\$\{workspaceFolder(?::[^}]*)?\}$/.test(placeholder)) return '.';
  return /:-(.*)\}$/s.exec(placeholder)?.[1];
}
