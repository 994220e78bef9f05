import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { plainLine } from '../../text/plain-text.js';
import { errors } from '../../words/errors.js';
import { withHelp } from '../../words/help.js';
import { mcpHelp as help } from '../../words/help-worlds.js';
import { results } from '../../words/results.js';
import type { Register } from '../register.js';
import { findServer, inWorld, type WorldFlag } from './find-server.js';
import { sayStarting, showTested, tryServer } from './try-server.js';

/** `countersign mcp test`, `log` and `restart`. */
export function addMcpRun(mcp: Command, register: Register): void {
  addTest(mcp, register);
  addLog(mcp, register);
  addRestart(mcp, register);
}

function addTest(mcp: Command, register: Register): void {
  register<WorldFlag>(
    withHelp(inWorld(mcp.command('test').argument('<server>')), help.test),
    async (context, { args, options }) => {
      const { world, name } = await findServer(context, options.world, args[0]);
      const client = await context.client();
      sayStarting(context, (await client.mcpServer(world, name)).value);
      return showTested(context, world, await client.testMcpServer(world, name));
    },
  );
}

function addLog(mcp: Command, register: Register): void {
  register<WorldFlag>(
    withHelp(inWorld(mcp.command('log').argument('<server>')), help.log),
    async (context, { args, options }) => {
      const { world, name } = await findServer(context, options.world, args[0]);
      const { log = [] } = (await (await context.client()).mcpServer(world, name)).value;
      if (context.options.json) context.json({ log });
      else if (log.length === 0) context.note(results.mcpNoLog(name));
      else for (const line of log) context.say(plainLine(line));
    },
  );
}

function addRestart(mcp: Command, register: Register): void {
  register<WorldFlag>(
    withHelp(inWorld(mcp.command('restart').argument('<server>')), help.restart),
    async (context, { args, options }) => {
      const { world, name } = await findServer(context, options.world, args[0]);
      const client = await context.client();
      if (!(await client.mcpServer(world, name)).value.enabled) throw new CommandError(errors.serverOff(name, world));
      const restarted = await client.restartMcpServer(world, name);
      return await tryServer(context, world, restarted, results.mcpRestarted(name, world));
    },
  );
}
