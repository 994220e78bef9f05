/** Whether a command is a program name followed by arguments. A path may contain spaces. */
export function hasArguments(command: string): boolean {
  return /^[^\s/]+\s+\S/.test(command.trim());
}
