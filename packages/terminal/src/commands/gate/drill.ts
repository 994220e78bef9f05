import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { EXIT } from '../../exit-codes.js';
import { ACP_AGENTS } from '../../gate/drill/acp/acp-agents.js';
import { runAcpDrill } from '../../gate/drill/acp/run-acp-drill.js';
import { keyOf } from '../../gate/drill/check-drilled.js';
import { DRILL_AGENTS, DRILLED } from '../../gate/drill/drilled-agents.js';
import { findAgent, versionOf } from '../../gate/drill/find-agent.js';
import { isInScene, runInScene } from '../../gate/drill/managed-scene.js';
import { rememberDrill } from '../../gate/drill/remembered.js';
import { runDrill } from '../../gate/drill/run-drill.js';
import type { RowResult } from '../../gate/drill/run-rows.js';
import { plainLine } from '../../text/plain-text.js';
import { drill as texts } from '../../words/gate.js';
import { drillHelp as help } from '../../words/help-gate.js';
import { withHelp } from '../../words/help.js';
import { readChoice } from '../read-flags.js';
import type { Register } from '../register.js';
import { addDrillRun } from './drill-run.js';

interface Flags {
  acp?: true;
  managed?: true;
  bin?: string;
  only?: string;
}

/** `countersign drill` (TERM3). */
export function addDrill(program: Command, register: Register): void {
  const command = withHelp(program.command('drill').argument('<agent>', help.agent), help)
    .option('--acp', help.acp)
    .option('--managed', help.managed)
    .option('--bin <path>', help.bin)
    .option('--only <text>', help.only);
  register<Flags>(command, async (context, { args, options: { acp, managed, bin: given, only } }) => {
    const agent = readChoice(args[0] ?? '', 'agent', DRILL_AGENTS);
    if (managed === true && agent !== 'claude' && agent !== 'gemini')
      throw new CommandError(texts.noManagedDrill(agent));
    if (managed === true && !isInScene()) return await runInScene();
    const startedAt = Date.now();
    const { console, servers, paint } = context;
    const path = console.env['PATH'] ?? '';
    const hooked = agent === 'opencode' || acp === true ? undefined : agent;
    const found = hooked === undefined ? ACP_AGENTS[agent] : { program: hooked, package: DRILLED[hooked].package };
    const bin = await findAgent(found.program, given, path);
    if (bin === undefined) throw new CommandError(texts.notFound(given ?? found.program, found.package));
    const version = await versionOf(bin, { PATH: path, HOME: console.env['HOME'] ?? '' });
    if (version === undefined) throw new CommandError(texts.noVersion(bin));
    if (!context.options.json) context.say(texts.start(agent, version));
    const drill = {
      isManaged: managed === true,
      bin,
      path,
      startModel: (options: Parameters<typeof servers.startModel>[0]) => servers.startModel(options),
      isWanted: (name: string) => only === undefined || name.includes(only),
      onRow: ({ name, held, detail }: RowResult) => {
        if (!context.options.json) context.say(`${held ? paint.green(texts.held) : paint.red(texts.open)}  ${name}`);
        if (detail !== undefined) context.note(plainLine(`    ${detail}`));
      },
    };
    const rows = await (hooked === undefined
      ? runAcpDrill({ ...drill, agent })
      : runDrill({ ...drill, agent: hooked }));
    const gated = only === undefined && rows.length > 0 && rows.every(({ held }) => held);
    if (only === undefined) {
      const home = context.options.home === undefined ? await servers.defaultHome() : resolve(context.options.home);
      await rememberDrill(home, keyOf(agent, { hooked: hooked !== undefined, managed }), { version, gated });
    }
    if (context.options.json)
      context.json({
        ...{ agent, version, rows: rows.map(({ name, held }) => ({ name, held })), gated },
        ...(managed === true ? { managed } : {}),
        ...(hooked === undefined ? { acp: true } : {}),
      });
    else {
      context.say(texts.verdict(agent, version, gated, rows.filter(({ held }) => !held).length));
      context.say(texts.took(rows.length, Math.round((Date.now() - startedAt) / 1000)));
    }
    return gated ? EXIT.ok : EXIT.failed;
  });
  addDrillRun(command, register);
}
