/** The MCP server that a tool belongs to. Its name contains no underscore (HTTP11). */
export function serverOf(tool: string): string | undefined {
  return /^mcp__([a-z0-9-]+)__./.exec(tool)?.[1];
}

/** Stands for all tools of a server in an agent's list, including those that it adds later. */
export function allToolsOf(server: string): string {
  return `mcp__${server}__*`;
}

/** Gives an agent all tools of a server, or takes them away. Single tools of the server are then redundant. */
export function withServer(chosen: readonly string[], server: string, isChosen: boolean): string[] {
  const others = chosen.filter((each) => serverOf(each) !== server);
  return isChosen ? [...others, allToolsOf(server)] : others;
}

/** Whether an agent's list, which may contain globs, has one of these tools. */
export function hasOneOf(list: readonly string[], tools: readonly string[]): boolean {
  const patterns = list.map((entry) => new RegExp(`^${entry.split('*').map(escaped).join('.*')}$`, 's'));
  return tools.some((tool) => patterns.some((pattern) => pattern.test(tool)));
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`);
}
