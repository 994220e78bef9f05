import { Command } from 'commander';
import { registerWith, type Ends, type Register } from './commands/register.js';
import { sizeOf } from './console.js';
import type { ProgramInput } from './create-context.js';
import { programHelp as help } from './words/help-server.js';

interface Part {
  /** The commands that it adds, with '' for the default. None if it needs the whole program. */
  readonly names: readonly string[];
  readonly load: () => Promise<(program: Command, register: Register) => void>;
}

/** In the order of the help. */
const PARTS: readonly Part[] = [
  { names: ['serve', ''], load: async () => (await import('./commands/machine/serve.js')).addServe },
  { names: ['open'], load: async () => (await import('./commands/machine/open.js')).addOpen },
  { names: ['chat'], load: async () => (await import('./commands/talk/chat.js')).addChat },
  { names: ['tui'], load: async () => (await import('./commands/talk/tui.js')).addTui },
  { names: ['run'], load: async () => (await import('./commands/run/run.js')).addRun },
  { names: ['approvals'], load: async () => (await import('./commands/decide/approvals.js')).addApprovals },
  { names: ['worlds'], load: async () => (await import('./commands/worlds/worlds.js')).addWorlds },
  { names: ['agents'], load: async () => (await import('./commands/worlds/agents.js')).addAgents },
  { names: ['chats'], load: async () => (await import('./commands/worlds/chats.js')).addChats },
  {
    names: ['schedules'],
    load: async () => (await import('./commands/worlds/schedules.js')).addSchedules,
  },
  { names: ['search'], load: async () => (await import('./commands/worlds/search.js')).addSearch },
  { names: ['grants'], load: async () => (await import('./commands/decide/grants.js')).addGrants },
  { names: ['undo'], load: async () => (await import('./commands/decide/undo.js')).addUndo },
  { names: ['runs'], load: async () => (await import('./commands/decide/runs.js')).addRuns },
  { names: ['verify'], load: async () => (await import('./commands/decide/verify.js')).addVerify },
  { names: ['tools'], load: async () => (await import('./commands/worlds/tools.js')).addTools },
  { names: ['mcp'], load: async () => (await import('./commands/mcp/mcp.js')).addMcp },
  { names: ['mcp-gateway'], load: async () => (await import('./commands/mcp/mcp-gateway.js')).addMcpGateway },
  { names: ['gate'], load: async () => (await import('./commands/gate/gate.js')).addGate },
  { names: ['drill'], load: async () => (await import('./commands/gate/drill.js')).addDrill },
  { names: ['policy'], load: async () => (await import('./commands/decide/policy.js')).addPolicy },
  { names: ['audit'], load: async () => (await import('./commands/decide/audit.js')).addAudit },
  { names: ['stats'], load: async () => (await import('./commands/machine/stats.js')).addStats },
  { names: ['providers'], load: async () => (await import('./commands/machine/providers.js')).addProviders },
  { names: ['people'], load: async () => (await import('./commands/machine/people.js')).addPeople },
  { names: ['groups'], load: async () => (await import('./commands/machine/groups.js')).addGroups },
  { names: ['tokens'], load: async () => (await import('./commands/machine/tokens.js')).addTokens },
  { names: ['webhooks'], load: async () => (await import('./commands/machine/webhooks.js')).addWebhooks },
  { names: ['sessions'], load: async () => (await import('./commands/machine/sessions.js')).addSessions },
  {
    names: ['import', 'export'],
    load: async () => (await import('./commands/worlds/import-export.js')).addImportExport,
  },
  { names: ['migrate'], load: async () => (await import('./commands/machine/migrate.js')).addMigrate },
  { names: ['doctor'], load: async () => (await import('./commands/machine/doctor.js')).addDoctor },
  { names: ['model'], load: async () => (await import('./commands/machine/model.js')).addModel },
  // It lists all of them.
  { names: [], load: async () => (await import('./commands/machine/completion.js')).addCompletion },
];

/**
 * The commands with their flags and help. Runs nothing. Of a program for certain words, it loads only the command that they name, because loading all
 * of them takes longer than most commands.
 */
export async function createProgram(
  { console: { stdout }, version }: ProgramInput,
  ends: Ends,
  words?: readonly string[],
): Promise<Command> {
  const named = words === undefined ? undefined : nameIn(words);
  const own = PARTS.filter(({ names }) => named !== undefined && names.includes(named));
  const isVersion = named === '-v' || named === '--version';
  const parts = own.length === 0 && !isVersion ? PARTS : own;
  const program = new Command('countersign')
    .description(help.about)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      // The caller prints errors as one sentence.
      writeErr: () => undefined,
      getOutHelpWidth: () => (stdout.isTTY ? sizeOf(stdout).columns : 100),
    })
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .version(version, '-v, --version', help.version)
    .helpOption('-h, --help', help.help)
    // Groups inherit the description; the program itself has no help command.
    .helpCommand('help [command]', help.helpCommand)
    .helpCommand(false)
    .option('--home <dir>', help.home)
    .option('--url <url>', help.url)
    .option('--allow-http', help.allowHttp)
    .option('--json', help.json)
    .option('--verbose', help.verbose)
    .addHelpText('after', help.after);
  const register = registerWith(ends);
  for (const add of await Promise.all(parts.map(({ load }) => load()))) add(program, register);
  return program;
}

/** The first word after flags that every command has: a command, another flag or nothing. */
function nameIn([first = '', ...rest]: readonly string[]): string {
  if (/^--(?:home|url)$/.test(first)) return nameIn(rest.slice(1));
  if (/^--(?:home=.*|url=.*|allow-http|json|verbose)$/.test(first)) return nameIn(rest);
  return first;
}
