import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { findGap, otherProgram, versionGap } from '../../gate/find-gap.js';
import { findRefusal, gateExpiry } from '../../gate/find-refusal.js';
import { checkGated, GATED_AGENTS, PROGRAM_NAMES, type GatedAgent } from '../../gate/gated-agents.js';
import { HOOK_AGENTS } from '../../gate/hook-agents.js';
import { hookCommand } from '../../gate/hook-command.js';
import { readManifest } from '../../gate/manifest.js';
import { sourcesOf } from '../../gate/sources/agent-sources.js';
import { gapsIn, startsIn } from '../../gate/sources/source.js';
import { plainLine } from '../../text/plain-text.js';
import { gate } from '../../words/gate.js';
import { gateHelp as help } from '../../words/help-gate.js';
import { withHelp } from '../../words/help.js';
import { readChoice } from '../read-flags.js';
import type { Register } from '../register.js';
import { filesOf, homeOf, placesOf } from './places.js';

/** `countersign gate status` (GATE2). */
export function addStatus(group: Command, register: Register): void {
  const status = withHelp(group.command('status').argument('[agent]', help.agent), help.status);
  register<{ folder?: string }>(
    status.option('--folder <folder>', help.status.folder),
    async (context, { args, options }) => {
      const folder = resolve(options.folder ?? '.');
      const asked = args[0] === undefined ? GATED_AGENTS : [checkGated(readChoice(args[0], 'agent', HOOK_AGENTS))];
      const items = await Promise.all(asked.map(async (agent) => await statusOf(context, agent, folder)));
      if (context.options.json) context.json({ folder, items });
      else {
        for (const { agent, problem, alsoFound, starts, runsWith, serverProblem, tokenExpires } of items) {
          context.say(plainLine(gate.status(PROGRAM_NAMES[agent], problem)));
          for (const line of [...alsoFound.map(gate.alsoFound), ...starts]) context.say(plainLine(line));
          if (serverProblem !== undefined) context.say(plainLine(gate.refusesAll(serverProblem)));
          if (tokenExpires !== undefined) context.say(plainLine(gate.tokenExpires(tokenExpires)));
          if (runsWith !== undefined) context.say(plainLine(gate.otherProgram(runsWith)));
        }
        if (items.some(({ installed }) => installed)) context.note(plainLine(gate.folderChecked(folder)));
      }
      return items.some(({ installed, intact }) => installed && !intact) ? EXIT.failed : EXIT.ok;
    },
  );
}

interface GateStatus {
  readonly agent: GatedAgent;
  readonly installed: boolean;
  readonly intact: boolean;
  readonly problem?: string;
  /** Further files that change the gate. */
  readonly alsoFound: readonly string[];
  /** What the agent starts in this folder without a call. */
  readonly starts: readonly string[];
  /** Why every call is refused at the moment. */
  readonly serverProblem?: string;
  /** The day on which its token expires, if that is within 14 days. */
  readonly tokenExpires?: string;
  readonly runsWith?: string;
}

async function statusOf(context: CommandContext, agent: GatedAgent, folder: string): Promise<GateStatus> {
  const home = await homeOf(context);
  const known = await readManifest(home, agent);
  const files = filesOf(context, agent);
  const { env } = context.console;
  const places = placesOf(context);
  const sources = known === undefined ? [] : sourcesOf(agent, { places, folder, command: known.command });
  const own = [await findGap(agent, files, { home }), known && (await versionGap(agent, env))];
  const [problem, ...alsoFound] = new Set([...own, ...gapsIn(sources)].filter((gap) => gap !== undefined));
  const serverProblem = known === undefined ? undefined : await findRefusal(home, agent);
  const tokenExpires = known === undefined ? undefined : await gateExpiry(home, agent);
  const runsWith = known === undefined ? undefined : otherProgram(known, hookCommand(agent, home));
  return {
    agent,
    installed: known !== undefined,
    intact: problem === undefined,
    ...(problem === undefined ? {} : { problem }),
    alsoFound,
    starts: startsIn(sources),
    ...(serverProblem === undefined ? {} : { serverProblem }),
    ...(tokenExpires === undefined ? {} : { tokenExpires }),
    ...(runsWith === undefined ? {} : { runsWith }),
  };
}
