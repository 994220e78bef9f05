import { Command } from 'commander';
import { addAgents } from './commands/worlds/agents.js';
import { addApprovals } from './commands/decide/approvals.js';
import { addAudit } from './commands/decide/audit.js';
import { addChat } from './commands/talk/chat.js';
import { addChats } from './commands/worlds/chats.js';
import { addCompletion } from './commands/machine/completion.js';
import { addDoctor } from './commands/machine/doctor.js';
import { addDrill } from './commands/gate/drill.js';
import { addGate } from './commands/gate/gate.js';
import { addGrants } from './commands/decide/grants.js';
import { addUndo } from './commands/decide/undo.js';
import { addImportExport } from './commands/worlds/import-export.js';
import { addMcp } from './commands/mcp/mcp.js';
import { addMcpGateway } from './commands/mcp/mcp-gateway.js';
import { addMigrate } from './commands/machine/migrate.js';
import { addModel } from './commands/machine/model.js';
import { addOpen } from './commands/machine/open.js';
import { addGroups } from './commands/machine/groups.js';
import { addPeople } from './commands/machine/people.js';
import { addRuns } from './commands/decide/runs.js';
import { addVerify } from './commands/decide/verify.js';
import { addPolicy } from './commands/decide/policy.js';
import { addProviders } from './commands/machine/providers.js';
import { registerWith, type Ends } from './commands/register.js';
import { addRun } from './commands/run/run.js';
import { addSearch } from './commands/worlds/search.js';
import { addServe } from './commands/machine/serve.js';
import { addStats } from './commands/machine/stats.js';
import { addSessions } from './commands/machine/sessions.js';
import { addTokens } from './commands/machine/tokens.js';
import { addTools } from './commands/worlds/tools.js';
import { addTui } from './commands/talk/tui.js';
import { addWorlds } from './commands/worlds/worlds.js';
import { sizeOf } from './console.js';
import type { ProgramInput } from './create-context.js';
import { programHelp as help } from './words/help-server.js';

/** All commands with their flags and help. Runs nothing. */
export function createProgram({ console: { stdout }, version }: ProgramInput, ends: Ends): Command {
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
  addServe(program, register);
  addOpen(program, register);
  addChat(program, register);
  addTui(program, register);
  addRun(program, register);
  addApprovals(program, register);
  addWorlds(program, register);
  addAgents(program, register);
  addChats(program, register);
  addSearch(program, register);
  addGrants(program, register);
  addUndo(program, register);
  addRuns(program, register);
  addVerify(program, register);
  addTools(program, register);
  addMcp(program, register);
  addMcpGateway(program, register);
  addGate(program, register);
  addDrill(program, register);
  addPolicy(program, register);
  addAudit(program, register);
  addStats(program, register);
  addProviders(program, register);
  addPeople(program, register);
  addGroups(program, register);
  addTokens(program, register);
  addSessions(program, register);
  addImportExport(program, register);
  addMigrate(program, register);
  addDoctor(program, register);
  addModel(program, register);
  addCompletion(program, register);
  return program;
}
