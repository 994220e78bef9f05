import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { EXIT } from '../../exit-codes.js';
import { ACP_AGENTS } from '../../gate/drill/acp/acp-agents.js';
import { DRILL_AGENTS, DRILLED, type DrillAgent } from '../../gate/drill/drilled-agents.js';
import { findAgent, versionOf } from '../../gate/drill/find-agent.js';
import { runRunDrill, type RunRow } from '../../gate/drill/run/run-run-drill.js';
import { enterScene, SCENE } from '../../gate/drill/run/scene.js';
import { plainLine } from '../../text/plain-text.js';
import { drill as common } from '../../words/gate.js';
import { drillRunHelp as help } from '../../words/help-gate.js';
import { withHelp } from '../../words/help.js';
import { runDrill as texts } from '../../words/run-drill.js';
import { readChoice } from '../read-flags.js';
import type { Register } from '../register.js';

const run = promisify(execFile);

interface Flags {
  bin?: string;
  only?: string;
}

/** `countersign drill run` (RUN13.1). */
export function addDrillRun(drill: Command, register: Register): void {
  const command = withHelp(drill.command('run').argument('<agent>', help.agent), help)
    .option('--bin <path>', help.bin)
    .option('--only <text>', help.only);
  register(command, async (context, { args }) => {
    // The options of `drill` itself have the same names, and take the values.
    const { bin: given, only } = command.optsWithGlobals<Flags>();
    const agent = readChoice(args[0] ?? '', 'agent', DRILL_AGENTS);
    const { console, servers, paint } = context;
    const { PATH: path = '', HOME: home = '' } = console.env;
    const program = agent;
    const bin = await findAgent(program, given, path);
    if (bin === undefined) throw new CommandError(common.notFound(given ?? program, packageOf(agent)));
    const inScene = console.env[SCENE];
    const isTop = inScene === undefined;
    const folder = inScene ?? (await mkdtemp(join(tmpdir(), 'countersign-drill-')));
    try {
      if (isTop) {
        const code = await enterScene(folder, [dirname(dirname(process.execPath)), packageFolder(), installOf(bin)]);
        if (code !== undefined) return code;
        context.note(texts.noScene);
      }
      const version = await versionOf(bin, { PATH: path, HOME: home });
      if (version === undefined) throw new CommandError(common.noVersion(bin));
      if (!context.options.json) context.say(texts.start(agent, version));
      const rows = await runRunDrill({
        ...{ agent, bin, program, folder, isScene: !isTop },
        startModel: (options) => servers.startModel(options),
        isWanted: (name) => only === undefined || name.includes(only),
        onRow({ name, outcome, detail }: RunRow) {
          const said = { held: paint.green(texts.held), open: paint.red(texts.open), 'not tried': texts.notTried };
          if (!context.options.json) context.say(`${said[outcome]}  ${name}`);
          if (detail !== undefined) context.note(plainLine(`    ${detail}`));
        },
      });
      const count = (wanted: RunRow['outcome']): number => rows.filter(({ outcome }) => outcome === wanted).length;
      const held = only === undefined && count('open') === 0 && count('held') > 0;
      if (context.options.json)
        context.json({ agent, version, rows: rows.map(({ name, outcome }) => ({ name, outcome })), held });
      else context.say(texts.verdict(agent, version, count('open'), count('not tried')));
      return held ? EXIT.ok : EXIT.failed;
    } finally {
      if (isTop) await removeAll(folder);
    }
  });
}

/** Overlays leave folders behind that even their owner can't read. */
async function removeAll(folder: string): Promise<void> {
  await run('chmod', ['-R', 'u+rwX', folder]).catch(() => undefined);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

function packageOf(agent: DrillAgent): string {
  return agent === 'opencode' ? ACP_AGENTS.opencode.package : DRILLED[agent].package;
}

/** The folder of this program, with what it loads. */
function packageFolder(): string {
  const script = resolve(process.argv[1] ?? '.');
  const at = script.lastIndexOf('/packages/');
  return at < 0 ? dirname(dirname(script)) : script.slice(0, at);
}

function installOf(bin: string): string {
  const at = bin.indexOf('/node_modules/');
  return at < 0 ? dirname(bin) : bin.slice(0, at);
}
