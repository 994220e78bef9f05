import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { confirm } from '../../input/confirm.js';
import { EXIT } from '../../exit-codes.js';
import { readConfig, writeChanges } from '../../gate/config-change.js';
import { checkGated, PROGRAM_NAMES as NAMES } from '../../gate/gated-agents.js';
import { HOOK_AGENTS } from '../../gate/hook-agents.js';
import { revokeToken } from '../../gate/gate-token.js';
import { execCall } from '../../gate/hook/exec-call.js';
import { isDeferring, runHook } from '../../gate/hook/run-hook.js';
import { hookConfigPath } from '../../gate/manifest.js';
import { planRemoval } from '../../gate/plan-removal.js';
import { plainLine } from '../../text/plain-text.js';
import { gate, gateHook } from '../../words/gate.js';
import { gateExecHelp as execHelp, gateHelp as help } from '../../words/help-gate.js';
import { withHelp, WORLD, YES } from '../../words/help.js';
import { readChoice } from '../read-flags.js';
import type { Register } from '../register.js';
import { addHere, addInstall } from './install.js';
import { uninstallManaged } from './managed.js';
import { filesOf, homeOf, placesOf } from './places.js';
import { showChanges } from './show-changes.js';
import { addStatus } from './status.js';

interface GateFlags {
  yes?: boolean;
  managed?: true;
}

/** `countersign gate` (TERM3). */
export function addGate(program: Command, register: Register): void {
  const group = program.command('gate').description(help.about);
  addInstall(group, register);
  addHere(group, register);

  const uninstall = withHelp(group.command('uninstall').argument('<agent>', help.agent), help.uninstall);
  uninstall.option('--managed', help.uninstall.managed).option('--yes', YES);
  register<GateFlags>(uninstall, async (context, { args, options }) => {
    const agent = checkGated(readChoice(args[0] ?? '', 'agent', HOOK_AGENTS));
    if (options.managed === true) return await uninstallManaged(context, agent, options);
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
