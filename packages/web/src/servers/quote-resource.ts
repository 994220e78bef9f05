/** The text of a resource as a code block below its address. Mentions in a code block have no effect (WORLD3.3). */
export function quoteResource(uri: string, text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `\`${uri.replaceAll(/[`\s]+/g, ' ')}\`\n${fence}\n${text.replace(/\n$/, '')}\n${fence}\n`;
}
