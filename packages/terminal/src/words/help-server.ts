import type { Help } from './help.js';

export const programHelp = {
  about: 'Agents propose. You countersign.',
  version: 'print the version',
  help: 'show help',
  helpCommand: 'show help for a command',
  home: 'home folder (COUNTERSIGN_HOME, default ~/.countersign)',
  url: 'URL of a running server (COUNTERSIGN_URL); reads its token from COUNTERSIGN_TOKEN',
  allowHttp: 'allow a URL of another machine without TLS (COUNTERSIGN_ALLOW_HTTP=1)',
  json: 'print JSON',
  verbose: 'print the stack trace of an error',
  after:
    '\nWithout a command, countersign starts the server and opens the browser. It accepts' +
    '\nthe flags of serve: --port, --host, --allow-host, --tls, --tls-port, --no-open and --log-level.' +
    '\nIn a project folder (one with .git, package.json, pyproject.toml, go.mod, Cargo.toml' +
    '\nor similar), countersign without flags opens a chat in a world for that folder.' +
    '\nCommands use the running server for the home folder. If none is running, each' +
    '\ncommand starts one and stops it when it is done.',
};

export const serveHelp = {
  summary: 'Start the server and open the browser (default)',
  about: 'Start the server and open the browser',
  port: 'port to listen on, 0 for any free port (PORT, default 4747)',
  host: 'address to listen on (default 127.0.0.1); any other address accepts connections from other machines. With --tls: address for https (default: all)',
  allowHost: 'another host name that clients may use; repeatable',
  tls: 'also serve https, with a certificate and its private key in PEM format; other machines use only that',
  tlsPort: 'port for https (default 4748)',
  noOpen: "print the URL and don't open the browser",
  logLevel: (levels: readonly string[]): string => `log level: ${levels.join(', ')} (LOG_LEVEL)`,
  notes: [
    'With --json, the first line on standard output is {"url","token","open"}. "token" is omitted if it comes from COUNTERSIGN_TOKEN.',
  ],
  examples: ['countersign serve --port 0 --no-open'],
} satisfies Help;

export const openHelp = {
  about: 'Print a start link for the running server and open it in the browser',
  noOpen: "print the link and don't open the browser",
  notes: ['The link works once, for one minute. With --json: {"open","expiresAt"}.'],
  examples: ['countersign open --no-open'],
  done: 'The link works once, for one minute.',
} satisfies Help;

export const doctorHelp = {
  about:
    'Check this machine: Node.js, home folder, database, API keys (names only), Ollama, sandbox, browser, port, gated agents',
  port: 'port to check',
  exitCodes: '0 the server can start, 1 something it needs is broken',
  examples: ['countersign doctor'],
} satisfies Help;

export const migrateHelp = {
  about: 'Copy all data into an empty store; if it fails, the destination stays empty',
  from: 'source: "home", a file, or postgres://…',
  to: 'destination: "home", a file, or postgres://… (DATABASE_URL)',
  notes: [
    'Other users of this machine can read command lines. Use "env:NAME" to read a URL and its password from a variable.',
  ],
  examples: ['DATABASE_URL=postgres://… countersign migrate --to env:DATABASE_URL'],
} satisfies Help;

export const mcpGatewayHelp = {
  about:
    'Offer the tools of a world to an MCP client over standard input and output; calls need approval as in the world',
  world: 'id of the world',
  tokenFile: 'file with the token of the external agent (default: COUNTERSIGN_GATE_TOKEN)',
  notes: [
    'Configure this command as an MCP server in the client. It needs a running server, and waits for one that is restarted.',
    'Clients that support streamable HTTP can use /mcp/WORLD of the server directly, with the token as "Authorization: Bearer …".',
  ],
  exitCodes: '0 the client disconnected, 1 no server answers or it refuses the token or world, 2 wrong usage',
  examples: [
    'countersign mcp-gateway add Cursor -w ops --tools "read_file,grep,mcp__files__*"',
    'countersign mcp-gateway -w ops --token-file ~/.countersign/gate/mcp-ops-cursor.token',
  ],
  add: {
    about: 'Add an external agent for an MCP client, with a token, and print the configuration for the client',
    tools: 'names or globs of the tools that it may use, separated by commas; an existing agent keeps its list',
    program: 'the program, such as claude for the permission prompt of Claude Code',
    notes: ['The token can only propose calls of this agent. It is written to a file that only you can read.'],
    examples: ['countersign mcp-gateway add Cursor -w ops --tools "read_file,grep,mcp__files__*"'],
  } satisfies Help,
} satisfies Help;

export const completionHelp = {
  about: 'Print a shell completion script',
  examples: [
    'source <(countersign completion bash)',
    'countersign completion zsh > ~/.zfunc/_countersign',
    'countersign completion fish > ~/.config/fish/completions/countersign.fish',
  ],
} satisfies Help;

export const modelHelp = {
  about: 'Start a scripted model with the HTTP APIs of Anthropic, OpenAI and Gemini, to test programs without a vendor',
  script: 'script file (YAML or JSON); docs/guide/testing.md describes it',
  port: 'port to listen on (default: any free port)',
  host: 'address to listen on (default 127.0.0.1); any other address accepts connections from other machines',
  log: 'print a line for each request on standard error',
  notes: ['With --json, the first line on standard output is {"url","env"}. Ctrl-C stops the model.'],
  exitCodes: '0 stopped by Ctrl-C, 1 the port is not available, 2 the script is invalid or missing',
  examples: ['countersign model --script weather.yaml --port 4848 --log'],
} satisfies Help;

export const statsHelp = {
  about: 'Show counts, tokens and latencies for a world',
  person: 'count only the calls that this person (id or name) decided or signed',
  questions: 'show whether the questions of the last 30 days were worth asking',
  examples: ['countersign stats -w harbour', 'countersign stats --person ada', 'countersign stats --questions'],
} satisfies Help;
