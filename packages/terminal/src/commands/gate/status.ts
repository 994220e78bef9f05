import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { DRILL_AGENTS, DRILL_NAMES, type DrillAgent } from '../../gate/drill/drilled-agents.js';
import { findAgent, versionOf } from '../../gate/drill/find-agent.js';
import { findGap, otherProgram, programsOf, versionGap } from '../../gate/find-gap.js';
import { findRefusal, gateExpiry } from '../../gate/find-refusal.js';
import { configFiles, GATED_AGENTS, type ConfigFile, type Places } from '../../gate/gated-agents.js';
import type { GatedAgent } from '../../gate/hook-agents.js';
import { hookCommand } from '../../gate/hook-command.js';
import { problemOfPrograms } from '../../gate/managed/check-programs.js';
import { managedHome, SYSTEM } from '../../gate/managed/managed-place.js';
import { readManifest, type Manifest } from '../../gate/manifest.js';
import { sourcesOf } from '../../gate/sources/agent-sources.js';
import { gapsIn, startsIn } from '../../gate/sources/source.js';
import { plainLine } from '../../text/plain-text.js';
import { gate } from '../../words/gate.js';
import { gateHelp as help } from '../../words/help-gate.js';
import { withHelp } from '../../words/help.js';
import { readChoice } from '../read-flags.js';
import type { Register } from '../register.js';
import { homeOf, placesOf } from './places.js';

/** `countersign gate status` (GATE2). */
export function addStatus(group: Command, register: Register): void {
  const status = withHelp(group.command('status').argument('[agent]', help.agent), help.status);
  register<{ folder?: string }>(
    status.option('--folder <folder>', help.status.folder),
    async (context, { args, options }) => {
      const folder = resolve(options.folder ?? '.');
      const asked = args[0] === undefined ? DRILL_AGENTS : [readChoice(args[0], 'agent', DRILL_AGENTS)];
      const all = await Promise.all(asked.map(async (agent) => await statusesOf(context, agent, folder)));
      const isAsked = args[0] !== undefined;
      // An agent that can't be gated matters only if it is there.
      const items = all.flat().filter((one) => isAsked || isGated(one.agent) || one.version !== undefined);
      if (context.options.json) context.json({ folder, items });
      else {
        for (const { agent, version, managed, ...item } of items) {
          const { problem, alsoFound, starts, runsWith, serverProblem, tokenExpires } = item;
          const name = [DRILL_NAMES[agent], version].filter((word) => word !== undefined).join(' ');
          context.say(plainLine(gate.status(managed === true ? gate.forEveryUser(name) : name, problem)));
          if (item.advice !== undefined) context.say(plainLine(`  ${item.advice}`));
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
  readonly agent: DrillAgent;
  /** Of the program in PATH. */
  readonly version?: string;
  /** The administrator's gate, for every user of this machine. */
  readonly managed?: true;
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
  /** For agents without a gate that holds. */
  readonly advice?: string;
}

const isGated = (agent: DrillAgent): agent is GatedAgent => GATED_AGENTS.some((known) => known === agent);

/** The administrator's gate, if there is one, and the user's. */
async function statusesOf(context: CommandContext, agent: DrillAgent, folder: string): Promise<readonly GateStatus[]> {
  const { PATH = '', HOME = '' } = context.console.env;
  const bin = await findAgent(agent, undefined, PATH);
  const found = bin === undefined ? undefined : await versionOf(bin, { PATH, HOME });
  const version = found === undefined ? {} : { version: found };
  if (!isGated(agent)) {
    const none = { installed: false, intact: false, problem: gate.noGate, alsoFound: [], starts: [] };
    return [{ agent, ...version, ...none, advice: gate.runInstead(agent) }];
  }
  const home = await homeOf(context);
  const places = placesOf(context);
  const own = await readManifest(home, agent);
  const record = await readManifest(managedHome(), agent);
  const refused = { ...(await whyRefused(home, agent)) };
  if (record === undefined) {
    const about = { agent, home, known: own, files: configFiles(agent, places), places, folder };
    return [{ ...version, ...(await statusOf(context, about)), ...(own === undefined ? {} : refused) }];
  }
  const system = { ...places, system: SYSTEM };
  const files = configFiles(agent, system);
  const managed = { agent, home: managedHome(), known: record, files, places: system, folder };
  const rights = problemOfPrograms(programsOf(record.command));
  const item = await statusOf(context, managed, rights);
  return [{ ...version, managed: true, ...item, ...refused }];
}

async function whyRefused(
  home: string,
  agent: GatedAgent,
): Promise<Pick<GateStatus, 'serverProblem' | 'tokenExpires'>> {
  const [serverProblem, tokenExpires] = await Promise.all([findRefusal(home, agent), gateExpiry(home, agent)]);
  return {
    ...(serverProblem === undefined ? {} : { serverProblem }),
    ...(tokenExpires === undefined ? {} : { tokenExpires }),
  };
}

interface Installed {
  readonly agent: GatedAgent;
  /** Where our record of it is. */
  readonly home: string;
  readonly known: Manifest | undefined;
  readonly files: readonly ConfigFile[];
  readonly places: Places;
  readonly folder: string;
}

async function statusOf(
  context: CommandContext,
  { agent, home, known, files, places, folder }: Installed,
  rights?: string,
): Promise<GateStatus> {
  const { env } = context.console;
  const sources = known === undefined ? [] : sourcesOf(agent, { places, folder, command: known.command });
  const own = [await findGap(agent, files, { home }), rights, known && (await versionGap(agent, env))];
  const [problem, ...alsoFound] = new Set([...own, ...gapsIn(sources)].filter((gap) => gap !== undefined));
  const hookHome = places.system === undefined ? home : undefined;
  const runsWith = known === undefined ? undefined : otherProgram(known, hookCommand(agent, hookHome));
  return {
    agent,
    installed: known !== undefined,
    intact: problem === undefined,
    ...(problem === undefined ? {} : { problem }),
    alsoFound,
    starts: startsIn(sources),
    ...(runsWith === undefined ? {} : { runsWith }),
  };
}
