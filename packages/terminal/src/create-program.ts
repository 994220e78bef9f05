import { Command } from 'commander';
import { addAgents } from './commands/agents.js';
import { addApprovals } from './commands/approvals.js';
import { addAudit } from './commands/audit.js';
import { addChat } from './commands/chat.js';
import { addChats } from './commands/chats.js';
import { addCompletion } from './commands/completion.js';
import { addDoctor } from './commands/doctor.js';
import { addGrants } from './commands/grants.js';
import { addImportExport } from './commands/import-export.js';
import { addMcp } from './commands/mcp.js';
import { addMigrate } from './commands/migrate.js';
import { addOpen } from './commands/open.js';
import { addPolicy } from './commands/policy.js';
import { addProviders } from './commands/providers.js';
import { registerWith, type Ends } from './commands/register.js';
import { addSearch } from './commands/search.js';
import { addServe } from './commands/serve.js';
import { addStats } from './commands/stats.js';
import { addTools } from './commands/tools.js';
import { addTui } from './commands/tui.js';
import { addWorlds } from './commands/worlds.js';
import { sizeOf } from './console.js';
import type { Surroundings } from './create-context.js';

/** Every command there is, with its flags and help. Nothing of it runs before it is called. */
export function createProgram({ console: { stdout }, version }: Surroundings, ends: Ends): Command {
  const program = new Command('countersign')
    .description('Agents propose. You countersign.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      // Told by who caught it, as one sentence.
      writeErr: () => undefined,
      getOutHelpWidth: () => (stdout.isTTY ? sizeOf(stdout).columns : 100),
    })
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .option('--home <dir>', 'home folder (COUNTERSIGN_HOME, or ~/.countersign)')
    .option('--url <url>', 'talk to the server at this address (COUNTERSIGN_URL), with the token in COUNTERSIGN_TOKEN')
    .option('--json', 'machine-readable output')
    .option('--verbose', 'print the stack trace of an error')
    .addHelpText(
      'after',
      '\nWithout a command it serves and opens the browser, with the flags of serve: --port, --host, --allow-host, --no-open, --log-level.' +
        '\nCommands use the server that runs on the home folder. If none runs, a command starts its own and stops it at the end.',
    );
  const register = registerWith(ends);
  addServe(program, register);
  addOpen(program, register);
  addChat(program, register);
  addTui(program, register);
  addApprovals(program, register);
  addWorlds(program, register);
  addAgents(program, register);
  addChats(program, register);
  addSearch(program, register);
  addGrants(program, register);
  addTools(program, register);
  addMcp(program, register);
  addPolicy(program, register);
  addAudit(program, register);
  addStats(program, register);
  addProviders(program, register);
  addImportExport(program, register);
  addMigrate(program, register);
  addDoctor(program, register);
  addCompletion(program, register);
  return program;
}
