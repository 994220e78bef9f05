/** The texts between separators, each once: a list of hundreds of thousands of equal ones blocked the process for a second. */
export function roughCommands(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [command] of text.replaceAll('\\\n', '').matchAll(/[^;&|\n(){}`]+/g)) found.add(command);
  return found;
}
