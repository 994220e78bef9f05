import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { isPlainRemote } from '@countersign/server/channel';
import type { Command } from 'commander';
import { structuredPatch } from 'diff';
import { CommandError } from '../../command-error.js';
import { confirm } from '../../input/confirm.js';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { findWorld } from '../../find-things.js';
import { findAgent } from '../../gate/drill/find-agent.js';
import { readConfig, writeChanges, type FileChange } from '../../gate/config-change.js';
import { checkGated, PROGRAM_NAMES as NAMES } from '../../gate/gated-agents.js';
import { HOOK_AGENTS } from '../../gate/hook-agents.js';
import { removeCreated, revokeToken } from '../../gate/gate-token.js';
import { versionGap } from '../../gate/find-gap.js';
import { hookCommand } from '../../gate/hook-command.js';
import { execCall } from '../../gate/hook/exec-call.js';
import { isDeferring, runHook } from '../../gate/hook/run-hook.js';
import { toJson } from '../../gate/json-text.js';
import { hookConfigPath } from '../../gate/manifest.js';
import { planInstallation } from '../../gate/plan-installation.js';
import { planRemoval } from '../../gate/plan-removal.js';
import { plainLine } from '../../text/plain-text.js';
import { gate, gateHook } from '../../words/gate.js';
import { gateExecHelp as execHelp, gateHelp as help } from '../../words/help-gate.js';
import { FOR, withHelp, WORLD, YES } from '../../words/help.js';
import { readChoice } from '../read-flags.js';
import type { Register } from '../register.js';
import { addStatus } from './status.js';
import { filesOf, homeOf, placesOf } from './places.js';
import { usedBy } from './used-by.js';

interface GateFlags {
  world?: string;
  name?: string;
  for?: string;
  yes?: boolean;
}

/** `countersign gate` (TERM3). */
export function addGate(program: Command, register: Register): void {
  const group = program.command('gate').description(help.about);
  const install = withHelp(group.command('install').argument('<agent>', help.agent), help.install)
    .option('-w, --world <world>', WORLD)
    .option('--name <name>', help.install.name)
    .option('--for <person>', FOR)
    .option('--yes', YES);
  register<GateFlags>(install, async (context, { args, options }) => {
    if (args[0] === 'opencode') throw new CommandError(gate.opencodeOverAcp);
    const agent = checkGated(readChoice(args[0] ?? '', 'agent', HOOK_AGENTS));
    const tooOld = await versionGap(agent, context.console.env);
    if (tooOld !== undefined) throw new CommandError(tooOld);
    const isFound = (await findAgent(agent, undefined, context.console.env['PATH'] ?? '')) !== undefined;
    if (agent === 'claude' && !isFound) context.note(gate.notInPath);
    const home = await homeOf(context);
    const client = await context.client();
    // The hook could not find a server that ends with this command.
    if ((await context.ownServer()) !== undefined) throw new CommandError(gate.needsServer);
    const { id: world } = await findWorld(client, options.world);
    const page = `${client.url.replace(/\/$/, '')}/inbox`;
    const plan = await planInstallation(agent, filesOf(context, agent), {
      home,
      command: hookCommand(agent, home),
      page,
    });
    showChanges(context, plan.changes);
    await confirm(context, { yes: options.yes, what: gate.askInstall(NAMES[agent], world) });
    const created = await client.external.createAgent(world, {
      name: options.name ?? NAMES[agent],
      program: agent,
      tokenName: `${NAMES[agent]} on ${hostname()}`.slice(0, 100),
      ...(await usedBy(client, options.for)),
    });
    const path = hookConfigPath(home, agent);
    const { token, tokenId, person } = created;
    const { url } = client;
    // Without a flag, the command would have refused such a URL.
    const allowed = isPlainRemote(new URL(url)) ? { allowHttp: true } : {};
    const config = { url, token, tokenId, person, world, agent: created.agent, pass: plan.values.pass, ...allowed };
    // First what the hook needs, last what makes the agent use it.
    const hookConfig = { path, before: plan.earlierHook, after: toJson(config), isSecret: true };
    try {
      await writeChanges([hookConfig, ...plan.records, ...plan.changes]);
    } catch (error) {
      await removeCreated(context, world, created);
      throw error;
    }
    // The hook reads its configuration for each call. Only one that waits uses the earlier token, and its call is denied.
    if (hookConfig.before !== undefined) await revokeToken(context, hookConfig.before);
    if (context.options.json) {
      context.json({ agent, world, externalAgent: created.agent, files: plan.changes.map((change) => change.path) });
      return;
    }
    context.say(plainLine(gate.installed(NAMES[agent], world)));
    context.note(gate.drillNext(agent));
  });

  const uninstall = withHelp(group.command('uninstall').argument('<agent>', help.agent), help.uninstall);
  register<GateFlags>(uninstall.option('--yes', YES), async (context, { args, options }) => {
    const agent = checkGated(readChoice(args[0] ?? '', 'agent', HOOK_AGENTS));
    const home = await homeOf(context);
    const { changes, records, unsure } = await planRemoval(agent, filesOf(context, agent), home);
    const isInstalled = changes.length > 0 || records.length > 0;
    const hookConfig = isInstalled ? await readConfig(hookConfigPath(home, agent)) : undefined;
    showChanges(context, changes);
    if (changes.length > 0) await confirm(context, { yes: options.yes, what: gate.askUninstall(NAMES[agent]) });
    await writeChanges([...changes, ...records]);
    if (hookConfig !== undefined) await revokeToken(context, hookConfig);
    for (const path of unsure) context.note(plainLine(gate.leftPermissions(path)));
    if (context.options.json) context.json({ agent, files: changes.map(({ path }) => path) });
    else context.say(isInstalled ? gate.uninstalled(NAMES[agent]) : gate.nothingInstalled(NAMES[agent]));
  });

  addStatus(group, register);

  const exec = withHelp(group.command('exec').argument('<id>', execHelp.id), execHelp);
  register(exec, async (context, { args }) => {
    const { stderr, env } = context.console;
    const say = (line: string): void => void stderr.write(line);
    return await execCall([args[0] ?? '', '--home', await homeOf(context)], env, say);
  });

  const hook = withHelp(group.command('hook').requiredOption('--agent <agent>', help.agent), help.hook);
  register<{ agent: string; world?: string }>(
    hook.option('-w, --world <world>', WORLD),
    async (context, { options }) => {
      const { stdin, stdout, stderr } = context.console;
      const agent = HOOK_AGENTS.find((known) => known === options.agent);
      const { code, ...out } =
        agent === undefined
          ? { code: EXIT.usage, stdout: '', stderr: gateHook.unknownAgent(options.agent) }
          : await runHook(agent, await homeOf(context), await text(stdin), {
              world: options.world,
              defers: isDeferring(context.console.env),
              places: placesOf(context),
            });
      if (out.stderr !== '') stderr.write(`${plainLine(out.stderr)}\n`);
      // In one write at the very end: for some agents, this is a yes whatever happens afterwards.
      if (out.stdout !== '') stdout.write(out.stdout);
      return code;
    },
  );
}

/** On standard error, so that `--json` prints only the result. */
function showChanges({ note }: CommandContext, changes: readonly FileChange[]): void {
  for (const { path, before, after, isSecret } of changes) {
    note(before === after ? gate.unchanged(path) : gate.changes(path));
    if (before === after) continue;
    if (isSecret) note(gate.secretFile);
    else
      for (const { lines } of structuredPatch('', '', before ?? '', after ?? '', '', '', { context: 2 }).hunks)
        for (const line of lines) note(line);
  }
}
