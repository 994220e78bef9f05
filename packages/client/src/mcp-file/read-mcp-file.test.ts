import { expect, it } from 'vitest';
import { fillMcpServer, readMcpFile, type McpFileServer } from './read-mcp-file.js';

function serversOf(text: string): { servers: readonly McpFileServer[]; notes: readonly string[] } {
  const file = readMcpFile(text);
  if (!file.ok) throw new Error(file.problem);
  return file;
}

const CLAUDE = `{ "mcpServers": {
  "filesystem": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."], "env": { "MODE": 1 } },
  "Git Hub": { "type": "http", "url": "https://api.example.com/mcp", "headers": { "Authorization": "Bearer \${TOKEN:-none}" } },
  "old": { "type": "sse", "url": "https://old.example.com/sse" } } }`;

it('[HTTP11.2] reads files from Claude and Cursor', () => {
  const { servers, notes } = serversOf(CLAUDE);
  expect(servers.map(({ name }) => name)).toEqual(['filesystem', 'git-hub']);
  expect(servers[0]).toMatchObject({ connection: { transport: 'stdio', env: { MODE: '1' } }, inputs: [] });
  expect(servers[1]?.inputs).toEqual([
    { placeholder: '${TOKEN:-none}', label: 'TOKEN', isSecret: true, default: 'none' },
  ]);
  expect(notes).toEqual([
    '"Git Hub" was renamed to "git-hub".',
    '"old" was left out: it uses the old SSE transport, which is not supported.',
  ]);
});

it('[HTTP11.2] reads files from VS Code, with comments and inputs', () => {
  const vscode = `{
    // The key is asked for.
    "inputs": [{ "type": "promptString", "id": "key", "description": "API key", "password": true },
      { "type": "pickString", "id": "region", "description": "Region", "options": ["eu", "us"], "default": "eu" }],
    "servers": { "notes": { "type": "stdio", "command": "node",
      "args": ["\${workspaceFolder}/notes.js", "--region=\${input:region}", "https://x/*not a comment*/"],
      "env": { "KEY": "\${input:key}", "ME": "\${env:USER}" }, "cwd": "/", }, },
  }`;
  const { servers, notes } = serversOf(vscode);
  expect(servers[0]?.inputs).toEqual([
    { placeholder: '${workspaceFolder}', label: 'workspaceFolder', isSecret: false, default: '.' },
    { placeholder: '${input:region}', label: 'Region', isSecret: false, default: 'eu', choices: ['eu', 'us'] },
    { placeholder: '${input:key}', label: 'API key', isSecret: true },
    { placeholder: '${env:USER}', label: 'env:USER', isSecret: true },
  ]);
  expect(notes).toEqual(['"notes" starts in the working folder of the world; its "cwd" was ignored.']);
  expect(serversOf(`{ "mcp": ${vscode} }`).servers).toEqual(servers);
});

it('[HTTP11.2] recognizes values that people are expected to replace', () => {
  const { servers } = serversOf(`{ "mcpServers": {
    "git": { "command": "npx", "args": ["-y", "your-tools", "<path to repo>", "--api-key=<API_KEY>", "a<b>c"],
      "env": { "GIT_TOKEN": "<your-token>", "OTHER": "ghp_YOUR_PAT", "PLAN": "yours", "KEY": "YOUR_API_KEY_HERE" } },
    "web": { "url": "https://your-site.example.com/mcp", "headers": { "Authorization": "Bearer <token>" } } } }`);
  expect(servers[0]?.inputs).toEqual([
    { placeholder: '<path to repo>', label: 'path to repo', isSecret: false },
    { placeholder: '<API_KEY>', label: 'API_KEY', isSecret: true },
    { placeholder: '<your-token>', label: 'GIT_TOKEN', isSecret: true },
    { placeholder: 'YOUR_API_KEY_HERE', label: 'KEY', isSecret: true },
  ]);
  expect(servers[1]?.inputs.map(({ placeholder }) => placeholder)).toEqual(['your-site', '<token>']);
  const [git] = servers;
  const filled =
    git &&
    fillMcpServer(
      git,
      new Map([
        ['<your-token>', 'abc'],
        ['<path to repo>', '.'],
        ['<API_KEY>', 'k-1'],
      ]),
    );
  expect(filled).toMatchObject({
    args: ['-y', 'your-tools', '.', '--api-key=${API_KEY}', 'a<b>c'],
    env: { GIT_TOKEN: 'abc', API_KEY: 'k-1' },
  });
});

it('[HTTP11.2] imported servers are off and have no access; values are filled in once', () => {
  const { servers } = serversOf(
    '{ "mcpServers": { "a": { "command": "x", "args": ["${A}", "${B}"], "env": { "E": "${A}" }, "disabled": false, "trusted": true } } }',
  );
  const [server] = servers;
  if (server === undefined) throw new Error('no server');
  const values = new Map([
    ['${A}', '${B}'],
    ['${B}', 'b'],
  ]);
  expect(fillMcpServer(server, values)).toEqual({
    name: 'a',
    transport: 'stdio',
    command: 'x',
    args: ['${A}', 'b'],
    env: { E: '${B}', A: '${B}' },
    network: false,
    trusted: false,
    enabled: false,
  });
});

it('[HTTP11.2] names stay valid and unique', () => {
  const names = ['A very long name of a server indeed', 'a-very-long-name-of-a-server', '日本', '?', 'Überlänge'];
  const file = `{"servers":{${names.map((name) => `${JSON.stringify(name)}:{"command":"x"}`).join()}}}`;
  const made = serversOf(file).servers.map(({ name }) => name);
  expect(new Set(made).size).toBe(names.length);
  for (const name of made) expect(name).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,22}[a-z0-9])?$/);
});

it('[HTTP11.2] an invalid file gets a clear error', () => {
  const problem = (text: string): string => {
    const file = readMcpFile(text);
    return file.ok ? '' : file.problem;
  };
  expect(problem('{')).toMatch(/^The file is not valid JSON: /);
  for (const text of ['[]', '{}', '"x"', 'null', '{"mcpServers":[]}', '{"servers":{}}'])
    expect(problem(text)).toMatch(/^The file has no MCP servers\./);
  expect(problem('{"servers":{"a":{}}}')).toBe('The server "a" has neither a command nor a URL.');
  expect(problem('{"servers":{"a":{"command":"x","args":"y"}}}')).toBe('The server "a" is invalid at "args".');
  expect(problem('{"servers":{"a":7}}')).toBe('The server "a" is invalid.');
  // Each of these took hours: an unclosed string or comment was searched again from every quote.
  for (const text of ['\\"', '/* ', '"\\', ','])
    expect(problem(text.repeat(300_000))).toMatch(/^The file is not valid/);
  expect(problem(' '.repeat(1_000_001))).toBe('The file is larger than 1 MB.');
  const [server] = serversOf('{"servers":{"a":{"url":"${X}"}}}').servers;
  if (server === undefined) throw new Error('no server');
  expect(() => fillMcpServer(server, new Map([['${X}', 'nowhere']]))).toThrow('must be a valid URL');
});

it('[MCP2.3] secrets in arguments and URLs become variables and headers', () => {
  const { servers } = serversOf(`{
    "inputs": [{ "id": "pin", "password": true }],
    "servers": {
      "a": { "command": "npx", "args": ["mcp-remote", "--header", "Authorization:\${AUTH}", "--pin", "\${input:pin}", "--token", "abc"],
        "env": { "AUTH": "Bearer x" } },
      "b": { "url": "https://x.dev/mcp?api_key=a%26b&pin=\${input:pin}" } } }`);
  // The file has the value of `AUTH`.
  expect(servers.map(({ inputs }) => inputs.map(({ placeholder }) => placeholder))).toEqual([
    ['${input:pin}'],
    ['${input:pin}'],
  ]);
  const [a, b] = servers.map((server) => fillMcpServer(server, new Map([['${input:pin}', '1234']])));
  expect(a).toMatchObject({
    args: ['mcp-remote', '--header', 'Authorization:${AUTH}', '--pin', '${PIN}', '--token', '${TOKEN}'],
    env: { AUTH: 'Bearer x', PIN: '1234', TOKEN: 'abc' },
  });
  expect(b).toMatchObject({
    url: 'https://x.dev/mcp?api_key=${API_KEY}&pin=${PIN}',
    headers: { API_KEY: 'a&b', PIN: '1234' },
  });
});
