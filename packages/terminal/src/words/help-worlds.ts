import { AGENT_TEMPLATE_NAMES } from '@countersign/protocol';
import type { Help } from './help.js';

export const worldsHelp = {
  about: 'Manage worlds; each has its own agents, chats, tools and policy',
  list: { about: 'List worlds', examples: ['countersign worlds list --json'] },
  show: { about: 'Show the settings of a world', examples: ['countersign worlds show harbour --json'] },
  add: { about: 'Create a world', examples: ['countersign worlds add Ops --folder ~/ops --mode ask'] },
  edit: {
    about: 'Edit a world. Without flags, opens it in your editor',
    examples: ['countersign worlds edit ops --mode read'],
  },
  remove: { about: 'Delete a world with its agents and chats', examples: ['countersign worlds remove ops'] },
  name: 'new name',
  description: 'description',
  folder: 'working folder of its agents',
  root: 'folder in which admins of this world can choose folders; repeat for more',
  mode: 'approval mode: read, ask or auto',
  mainAgent: 'agent (id or name) that receives messages without a mention; "none" sends them to all agents',
  turnLimit: 'maximum turns per agent between messages from a person',
  maxIterations: 'maximum model calls per turn',
  maxParallel: 'maximum read-only calls to run in parallel',
  streaming: 'stream answers',
  noStreaming: 'show answers when they are complete',
  unattended: 'what to do with calls when nobody can approve them: wait or deny',
  rehearse: 'rehearse commands that need approval, to show what they will do: on or off',
  approvalTimeout: 'expire approvals after this time, such as 30s or 5m; "none" means never',
} satisfies Record<string, string | Help>;

export const agentsHelp = {
  about: 'Manage the agents of a world: prompt, model and tools',
  list: { about: 'List agents', examples: ['countersign agents list -w harbour'] },
  show: { about: 'Show an agent with its prompt and tools', examples: ['countersign agents show scout -w harbour'] },
  add: {
    about: 'Add an agent to a world',
    examples: [
      'countersign agents add Scout -w ops --provider ollama --model llama3 --tools "read_file,grep"',
      'countersign agents add -w ops --provider ollama --model llama3 --template reviewer',
      'countersign agents add Gemini -w ops --command "gemini --acp" --env GEMINI_API_KEY',
    ],
  },
  edit: {
    about: 'Edit an agent. Without flags, opens it in your editor',
    examples: [
      'countersign agents edit scout -w ops --model llama3.3',
      'countersign agents edit scout -w ops --thinking high --max-tokens 8000',
    ],
  },
  memory: {
    about: 'Show the messages, calls and results that an agent sees in a chat',
    examples: ['countersign agents memory mason -w harbour -c last --json'],
  },
  remove: { about: 'Remove an agent', examples: ['countersign agents remove scout -w ops'] },
  name: 'new name',
  provider: 'model provider (id); countersign providers lists them',
  model: 'model name; countersign providers models lists them',
  template: `ready-made agent: ${AGENT_TEMPLATE_NAMES.join(', ')}`,
  prompt: 'system prompt',
  promptFile: 'read the system prompt from a file',
  tools: "comma-separated tool names or globs; replaces the agent's list",
  rule: "policy rule for this agent; can only be stricter than the world's; repeatable",
  temperature: 'sampling temperature (0–2), or "default"',
  topP: 'nucleus sampling (0–1), or "default"',
  maxTokens: 'maximum tokens per answer, or "default"',
  contextTokens: 'size of the model\'s context window in tokens, or "default"',
  thinking: 'thinking effort: off, low, medium, high, a number of tokens, or "default"',
  parallelCalls: 'allow several tool calls in one answer: on, off or default',
  command:
    'program of an ACP agent with its arguments, such as "gemini --acp"; runs on the server, outside the sandbox. Without bubblewrap, it can read Countersign\'s own files, with its tokens',
  program: 'name of the program in the names of its tools',
  env: "comma-separated names of the server's environment variables that the program gets",
  mode: 'session mode of the program; default: one in which it asks',
  active: 'activate the agent',
  noActive: 'deactivate the agent',
} satisfies Record<string, string | Help>;

export const chatsHelp = {
  about: 'Manage the chats of a world',
  list: { about: 'List chats, newest last', examples: ['countersign chats list -w harbour'] },
  show: { about: 'Show the transcript of a chat', examples: ['countersign chats show last -w harbour'] },
  add: { about: 'Create a chat', examples: ['countersign chats add -w harbour --title "Release notes"'] },
  edit: {
    about: 'Rename a chat, pin it above the others, or archive it',
    examples: [
      'countersign chats edit last -w harbour --title "Release notes"',
      'countersign chats edit last -w harbour --filed archived',
    ],
  },
  filed: 'where lists show it: pinned, archived or none',
  stop: {
    about: 'Stop a chat: kill running calls and deny waiting ones',
    examples: ['countersign chats stop last -w harbour'],
  },
  tell: {
    about: 'Tell the agent of a gated session something; it gets this at its next step, once',
    examples: ['countersign chats tell last "Use rg instead of grep" -w harbour'],
  },
  sentence: 'what it is told, on one line',
  timeline: {
    about: 'Show where the last turns spent their time: models, tools, waiting for people',
    examples: ['countersign chats timeline last -w harbour'],
  },
  attachment: {
    about: 'Save an image or file from a tool result; chats show --json prints the ids',
    examples: ['countersign chats attachment last 5f2c… --out chart.png -w harbour'],
  },
  export: {
    about: 'Save a chat as Markdown or JSON, with its calls and results; secrets are masked',
    examples: ['countersign chats export last --out review.md -w harbour'],
  },
  branches: {
    about: 'List the branches of a chat, after the chat that they come from',
    examples: ['countersign chats branches last -w harbour'],
  },
  branch: {
    about: 'Start a branch of a chat after an answer; continue it with countersign chat -c',
    examples: ['countersign chats branch last -w harbour'],
  },
  answer: 'id of the answer; default: the last one',
  format: 'md or json',
  attachmentId: 'id of the attachment',
  out: 'new file to write',
  remove: { about: 'Delete a chat', examples: ['countersign chats remove last -w harbour'] },
  title: 'title of the chat',
  turn: 'only this turn',
  last: 'number of turns',
} satisfies Record<string, string | Help>;

export const searchHelp = {
  about: 'Search the messages of a world, newest first',
  words: 'words that a message must contain; the last one may be a prefix',
  limit: 'maximum number of results',
  all: 'search all worlds that you may read',
  examples: ['countersign search -w harbour summary', 'countersign search --all summary'],
} satisfies Help;

export const toolsHelp = {
  about: 'List and show the tools of a world',
  list: { about: 'List tools', examples: ['countersign tools list -w harbour'] },
  show: { about: 'Show a tool and its parameters', examples: ['countersign tools show shell_cmd -w harbour'] },
} satisfies Record<string, string | Help>;

export const mcpHelp = {
  about: 'Manage the MCP servers of a world',
  list: { about: 'List MCP servers', examples: ['countersign mcp list -w ops'] },
  show: {
    about: 'Show an MCP server: its tools, recent output and changed tool definitions',
    examples: ['countersign mcp show files -w ops'],
  },
  add: {
    about: 'Add an MCP server (a command or a URL), start it and list its tools',
    exitCodes: '0 it is running (or added disabled), 1 it did not start; it stays in the list so that you can fix it',
    examples: [
      'countersign mcp add files -w ops --allow-host registry.npmjs.org -- npx -y @modelcontextprotocol/server-filesystem .',
      "    (npx downloads the package, so it needs npm's registry)",
      'countersign mcp add wiki -w ops --server-url https://wiki.example/mcp --header "Authorization=Bearer …"',
      "countersign mcp add db -w ops --env TOKEN -- db-server --token '${TOKEN}'",
      '    (asks for the token, encrypts it and fills it in when the server starts)',
    ],
  },
  edit: {
    about: 'Edit an MCP server, restart it and list its tools',
    notes: [
      "Variables and headers that you don't name stay as they are. If you change the command, arguments or host, enter their values again.",
    ],
    exitCodes: '0 it is running (or disabled), 1 it did not start; the change is saved',
    examples: ['countersign mcp edit files -w ops --no-enabled'],
  },
  context: {
    about: 'List the prompts and resources of an MCP server',
    examples: ['countersign mcp context wiki -w ops'],
  },
  prompt: {
    about: 'Print the text of a prompt from an MCP server',
    notes: ['The text comes from the server. Read it before you send it to an agent.'],
    examples: ['countersign mcp prompt wiki summarize -w ops --arg page=Home'],
  },
  promptName: 'name of the prompt',
  arg: 'argument of the prompt; repeatable',
  resource: {
    about: 'Print a text resource from an MCP server',
    notes: ['The text comes from the server. Read it before you send it to an agent.'],
    examples: ['countersign mcp resource wiki wiki://home -w ops'],
  },
  import: {
    about: 'Import MCP servers from a Claude, Cursor or VS Code file',
    notes: [
      'Imported servers are disabled and get no network access unless you pass --allow-host. Prompts for placeholders such as ${input:key} and <your-key>; they are never read from the environment.',
    ],
    exitCodes: '0 imported, 2 the file or a value is invalid; nothing was added',
    examples: [
      'countersign mcp import ~/.cursor/mcp.json -w ops',
      'countersign mcp import .vscode/mcp.json -w ops --value input:region=eu',
    ],
  },
  file: 'JSON file, or - for standard input',
  value: 'value of a placeholder in the file; repeatable',
  test: {
    about: 'Test an MCP server: start it if needed and list its tools',
    exitCodes: '0 it is running, 1 it did not start',
    examples: ['countersign mcp test files -w ops'],
  },
  log: { about: 'Print the latest output of an MCP server', examples: ['countersign mcp log files -w ops'] },
  restart: {
    about: 'Restart an MCP server and list its tools',
    exitCodes: '0 it is running, 1 it did not start',
    examples: ['countersign mcp restart files -w ops'],
  },
  login: {
    about: 'Sign in to a remote MCP server with OAuth',
    notes: [
      'Opens the sign-in page in a browser, or prints its link, and waits. The tokens are stored encrypted and never shown.',
    ],
    exitCodes: '0 you are signed in and it is running, 1 you are not signed in, or it did not start',
    examples: ['countersign mcp login wiki -w ops', 'countersign mcp login wiki -w ops --client-id my-app'],
  },
  logout: {
    about: 'Sign out of a remote MCP server and delete its tokens',
    examples: ['countersign mcp logout wiki -w ops'],
  },
  clientId: "ID of an app that you registered with the authorization server, if it doesn't register apps itself",
  clientSecret: 'prompt for the secret of that app without showing it',
  noOpen: 'only print the link',
  remove: { about: 'Remove an MCP server and its tools', examples: ['countersign mcp remove files -w ops'] },
  command:
    "command to run, after --. If the server has no sandbox, it can read Countersign's own files, with its tokens",
  newCommand: 'new command to run, after --',
  serverUrl: 'URL of an MCP server over HTTP, instead of a command',
  newServerUrl: 'new URL',
  unset: 'environment variable or header to remove; repeatable',
  accept: 'accept its current tool definitions',
  env: 'environment variable; repeatable. With only a name, prompts for the value without showing it',
  header: 'HTTP header; repeatable. With only a name, prompts for the value without showing it',
  folder: 'folder outside the working folder that it may read; repeatable',
  noFolder: 'allow no folders outside the working folder',
  trusted: 'run its read-only tools without approval; its other tools still need approval unless a rule allows them',
  noTrusted: 'require approval for every tool unless a rule allows it',
  enabled: 'enable the server',
  noEnabled: 'disable the server',
  network: 'allow connections to all public hosts from its sandbox',
  allowHost: 'allow connections to this public host, and to no others that are not listed; repeatable',
  noNetwork: 'block network access (default for a new server)',
} satisfies Record<string, string | Help>;

export const importHelp = {
  about: 'Create a world from a YAML file; its allow rules and trust settings are only proposed',
  file: 'YAML file, or - for standard input',
  examples: ['countersign import ops.yaml'],
} satisfies Help;

export const exportHelp = {
  about: 'Export a world as YAML: agents, policy and MCP servers; no chats and no secrets',
  out: 'write to a new file instead of standard output',
  examples: ['countersign export harbour --out harbour.yaml'],
} satisfies Help;
