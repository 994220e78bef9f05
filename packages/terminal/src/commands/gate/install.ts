import { hostname } from 'node:os';
import { ClientError, type Client } from '@countersign/client';
import { isPlainRemote } from '@countersign/server/channel';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { readConfig, writeChanges } from '../../gate/config-change.js';
import { findAgent } from '../../gate/drill/find-agent.js';
import { versionGap } from '../../gate/find-gap.js';
import { removeCreated, revokeToken } from '../../gate/gate-token.js';
import { checkGated, GATED_AGENTS, PROGRAM_NAMES as NAMES } from '../../gate/gated-agents.js';
import { HOOK_AGENTS, type GatedAgent } from '../../gate/hook-agents.js';
import { execCommand, hookCommand } from '../../gate/hook-command.js';
import { placesWith, readHookFile, writeHookFile, type HookFile } from '../../gate/hook-file.js';
import { readPlaces, type HookPlaces } from '../../gate/hook/find-place.js';
import { filesToWrite } from '../../gate/managed/files-to-write.js';
import { hookConfigPath } from '../../gate/manifest.js';
import { planInstallation } from '../../gate/plan-installation.js';
import { confirm } from '../../input/confirm.js';
import { plainLine } from '../../text/plain-text.js';
import { gate } from '../../words/gate.js';
import { gateHelp as help } from '../../words/help-gate.js';
import { FOR, withHelp, WORLD, YES } from '../../words/help.js';
import { readChoice } from '../read-flags.js';
import type { Register } from '../register.js';
import { findGateWorld, findOtherFolders, type GateWorld } from './gate-world.js';
import { homeOf, placesOf } from './places.js';
import { installManaged } from './managed.js';
import { offerReading } from './reading.js';
import { showChanges } from './show-changes.js';
import { usedBy } from './used-by.js';

interface InstallFlags {
  world?: string;
  folder?: string;
  name?: string;
  for?: string;
  anyFolder?: true;
  reading?: true;
  managed?: true;
  yes?: boolean;
}

/** `countersign gate install` (GATE1, GATE7). */
export function addInstall(group: Command, register: Register): void {
  const install = withHelp(group.command('install').argument('<agent>', help.agent), help.install)
    .option('-w, --world <world>', WORLD)
    .option('--folder <folder>', help.install.folder)
    .option('--any-folder', help.install.anyFolder)
    .option('--reading', help.install.reading)
    .option('--managed', help.install.managed)
    .option('--name <name>', help.install.name)
    .option('--for <person>', FOR)
    .option('--yes', YES);
  register<InstallFlags>(install, async (context, { args, options }) => {
    if (args[0] === 'opencode') throw new CommandError(gate.opencodeOverAcp);
    const agent = checkGated(readChoice(args[0] ?? '', 'agent', HOOK_AGENTS));
    const tooOld = await versionGap(agent, context.console.env);
    if (tooOld !== undefined) throw new CommandError(tooOld);
    const isFound = (await findAgent(agent, undefined, context.console.env['PATH'] ?? '')) !== undefined;
    if (agent === 'claude' && !isFound) context.note(gate.notInPath);
    if (options.managed === true) return await installManaged(context, agent, options);
    const home = await homeOf(context);
    const files = await filesToWrite(agent, placesOf(context), home);
    const client = await context.client();
    // The hook could not find a server that ends with this command.
    if ((await context.ownServer()) !== undefined) throw new CommandError(gate.needsServer);
    const place = await findGateWorld(client, { named: options.world, folder: options.folder });
    const elsewhere = options.anyFolder === true ? await findOtherFolders(client) : undefined;
    const page = `${client.url.replace(/\/$/, '')}/inbox`;
    const plan = await planInstallation(agent, files, {
      home,
      command: hookCommand(agent, home),
      exec: execCommand(home),
      page,
    });
    showChanges(context, plan.changes);
    showPlace(context, place);
    context.note(plainLine(elsewhere === undefined ? gate.refusedElsewhere : gate.placedElsewhere(elsewhere.name)));
    await confirm(context, { yes: options.yes, what: gate.askInstall(NAMES[agent], place.name) });
    const about = { name: options.name ?? NAMES[agent], program: agent, ...(await usedBy(client, options.for)) };
    const world = await place.create();
    const tokenName = `${NAMES[agent]} on ${hostname()}`.slice(0, 100);
    const removeWorld = async (): Promise<void> => {
      if (place.id === undefined) await client.deleteWorld(world).catch(() => context.note(gate.worldKept(world)));
    };
    const created = await client.external.createAgent(world, { ...about, tokenName }).catch(async (error: unknown) => {
      await removeWorld();
      throw error;
    });
    const path = hookConfigPath(home, agent);
    const { url } = client;
    const config: HookFile = {
      ...{ url, token: created.token, tokenId: created.tokenId, person: created.person },
      ...{ world, agent: created.agent, pass: plan.values.pass, about },
      folders: place.folders.map((folder) => ({ folder, world, agent: created.agent })),
      // Without a flag, the command would have refused such a URL.
      ...(isPlainRemote(new URL(url)) ? { allowHttp: true } : {}),
    };
    try {
      const known = await keepFolders(context, client, config, plan.earlierHook);
      const other = elsewhere && (await addPlace(client, known, await elsewhere.create()));
      // First what the hook needs, last what makes the agent use it.
      const after = other === undefined ? known : { ...known, elsewhere: other };
      await writeChanges([writeHookFile(path, plan.earlierHook, after), ...plan.records, ...plan.changes]);
    } catch (error) {
      await removeCreated(context, world, created);
      await removeWorld();
      throw error;
    }
    // The hook reads its configuration for each call. Only one that waits uses the earlier token, and its call is denied.
    if (plan.earlierHook !== undefined) await revokeToken(context, plan.earlierHook);
    if (context.options.json) {
      const files = plan.changes.map((change) => change.path);
      context.json({ agent, world, externalAgent: created.agent, files, folders: place.folders });
    } else {
      context.say(plainLine(gate.installed(NAMES[agent], world)));
      context.note(gate.drillNext(agent));
    }
    await offerReading(context, client, { world, agent, adds: options.reading });
  });
}

/** `countersign gate here` (GATE7.1). */
export function addHere(group: Command, register: Register): void {
  const here = withHelp(group.command('here').argument('[agent]', help.here.agent), help.here)
    .option('-w, --world <world>', WORLD)
    .option('--folder <folder>', help.here.folder)
    .option('--reading', help.install.reading)
    .option('--yes', YES);
  register<InstallFlags>(here, async (context, { args, options }) => {
    const home = await homeOf(context);
    const asked = args[0] === undefined ? GATED_AGENTS : [checkGated(readChoice(args[0], 'agent', HOOK_AGENTS))];
    const found: { agent: GatedAgent; text: string }[] = [];
    for (const agent of asked) {
      const text = await readConfig(hookConfigPath(home, agent));
      if (text !== undefined) found.push({ agent, text });
    }
    if (found.length === 0) throw new CommandError(gate.installFirst);
    const client = await context.client();
    if ((await context.ownServer()) !== undefined) throw new CommandError(gate.needsServer);
    const configs = found.map(({ agent, text }) => ({ agent, text, config: readHookFile(text, agent, client.url) }));
    const place = await findGateWorld(client, { named: options.world, folder: options.folder });
    showPlace(context, place);
    const names = configs.map(({ agent }) => NAMES[agent]).join(', ');
    await confirm(context, { yes: options.yes, what: gate.askHere(names, place.name) });
    const world = await place.create();
    for (const { agent, text, config } of configs) {
      const added = await addPlace(client, config, world);
      const folders = place.folders.map((folder) => ({ folder, ...added }));
      await writeChanges([writeHookFile(hookConfigPath(home, agent), text, placesWith(config, folders))]);
    }
    if (context.options.json)
      context.json({ world, folders: place.folders, agents: configs.map(({ agent }) => agent) });
    else context.say(plainLine(gate.addedHere(names, world)));
    for (const { agent } of configs) await offerReading(context, client, { world, agent, adds: options.reading });
  });
}

/** Lets the agent and its token propose in a world. */
async function addPlace(
  client: Client,
  { tokenId, about }: HookFile,
  world: string,
): Promise<{ world: string; agent: string }> {
  const { agent } = await client.external.addWorld(world, { ...about, tokenId });
  return { world, agent };
}

/** A second installation keeps the folders of the first one, whose token it replaces. Worlds that are gone are left out. */
async function keepFolders(
  context: CommandContext,
  client: Client,
  config: HookFile,
  earlier: string | undefined,
): Promise<HookFile> {
  const { folders: own = [] } = config;
  let known: HookPlaces['folders'] = [];
  try {
    if (earlier !== undefined) known = readPlaces(JSON.parse(earlier)).folders ?? [];
  } catch {
    // A damaged configuration has no folders to keep.
  }
  const kept = [...own];
  for (const place of known) {
    const { folder, world } = place;
    if (kept.some((one) => one.folder === folder)) continue;
    try {
      kept.push({ ...place, ...(await addPlace(client, config, world)) });
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      context.note(plainLine(gate.folderDropped(folder, error.detail)));
    }
  }
  return { ...config, folders: kept };
}

function showPlace({ note }: CommandContext, { name, id, folders }: GateWorld): void {
  for (const folder of folders) note(plainLine(gate.placed(folder, name, id === undefined)));
}
