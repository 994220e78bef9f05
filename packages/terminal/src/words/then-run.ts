/** A sentence, then each command on a line of its own, to be copied as is. */
export function thenRun(sentence: string, ...commands: readonly string[]): string {
  return [sentence, ...commands.map((command) => `  ${command}`)].join('\n');
}
