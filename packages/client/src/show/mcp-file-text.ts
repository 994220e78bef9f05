/** Errors and notes about an imported file with MCP servers. */
export const mcpFileText = {
  tooLarge: 'The file is larger than 1 MB.',
  notJson: (reason: string) => `The file is not valid JSON: ${reason}.`,
  unreadable: 'unreadable',
  noServers:
    'The file has no MCP servers. Expected an object "mcpServers", as in Claude and Cursor files, or "servers", as in VS Code files.',
  tooMany: (limit: number) => `The file has more than ${limit} servers.`,
  server: (name: string) => `The server "${name}"`,
  invalid: (name: string, field: string) => `The server "${name}" is invalid${field === '' ? '' : ` at "${field}"`}.`,
  noTarget: (name: string) => `The server "${name}" has neither a command nor a URL.`,
  sse: (name: string) => `"${name}" was left out: it uses the old SSE transport, which is not supported.`,
  renamed: (title: string, name: string) => `"${title}" was renamed to "${name}".`,
  cwd: (name: string) => `"${name}" starts in the working folder of the world; its "cwd" was ignored.`,
  envFile: (name: string) => `"${name}": its "envFile" was not read. Add the variables yourself.`,
};
