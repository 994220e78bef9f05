import { platform } from 'node:os';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { writeChanges } from '../../gate/config-change.js';
import { configFiles, PROGRAM_NAMES as NAMES, type Places } from '../../gate/gated-agents.js';
import type { GatedAgent } from '../../gate/hook-agents.js';
import { execCommand, hookCommand } from '../../gate/hook-command.js';
import { problemOfPrograms, unsuitableFolder } from '../../gate/managed/check-programs.js';
import { managedFolder, managedHome, SYSTEM } from '../../gate/managed/managed-place.js';
import { manifestPath } from '../../gate/manifest.js';
import { planInstallation } from '../../gate/plan-installation.js';
import { planRemoval } from '../../gate/plan-removal.js';
import { sourcesOf } from '../../gate/sources/agent-sources.js';
import { gapsIn } from '../../gate/sources/source.js';
import { plainLine } from '../../text/plain-text.js';
import { gate } from '../../words/gate.js';
import { confirm } from '../../input/confirm.js';
import { showChanges } from './show-changes.js';

/** Of nobody in particular: what users set is for their own gates. */
const MANAGED: Places = { env: {}, userHome: '/', system: SYSTEM };

/** `countersign gate install --managed`: for every user of this machine (GATE8). */
export async function installManaged(
  context: CommandContext,
  agent: GatedAgent,
  { yes }: { yes?: boolean },
): Promise<void> {
  checkRoot();
  const changeable = problemOfPrograms([process.execPath, process.argv[1] ?? '']);
  if (changeable !== undefined) throw new CommandError(changeable);
  const files = configFiles(agent, MANAGED);
  const folder = unsuitableFolder([...files.map(({ path }) => path), manifestPath(managedHome(), agent)]);
  if (folder !== undefined) throw new CommandError(gate.folderUnsuitable(folder));
  const plan = await planInstallation(agent, files, {
    home: managedHome(),
    command: hookCommand(agent, undefined),
    exec: execCommand(undefined),
    isPublic: true,
  });
  const others = sourcesOf(agent, { places: MANAGED, folder: '/', command: plan.values.command }).filter(({ file }) =>
    file.startsWith(managedFolder(agent)),
  );
  const [conflict] = gapsIn(others.filter(({ file }) => !files.some(({ path }) => path === file)));
  if (conflict !== undefined) throw new CommandError(conflict);
  showChanges(context, plan.changes);
  await confirm(context, { yes, what: gate.askInstallManaged(NAMES[agent]) });
  await writeChanges([...plan.records, ...plan.changes]);
  if (context.options.json) return context.json({ agent, managed: true, files: plan.changes.map(({ path }) => path) });
  context.say(gate.installedManaged(NAMES[agent]));
  context.note(gate.managedNext(agent));
}

export async function uninstallManaged(
  context: CommandContext,
  agent: GatedAgent,
  { yes }: { yes?: boolean },
): Promise<void> {
  checkRoot();
  const { changes, records, unsure } = await planRemoval(agent, configFiles(agent, MANAGED), managedHome());
  showChanges(context, changes);
  if (changes.length > 0) await confirm(context, { yes, what: gate.askUninstallManaged(NAMES[agent]) });
  await writeChanges([...changes, ...records]);
  for (const path of unsure) context.note(plainLine(gate.leftPermissions(path)));
  if (context.options.json) return context.json({ agent, managed: true, files: changes.map(({ path }) => path) });
  context.say(
    changes.length + records.length > 0 ? gate.uninstalled(NAMES[agent]) : gate.nothingInstalled(NAMES[agent]),
  );
}

function checkRoot(): void {
  if (platform() !== 'linux') throw new CommandError(gate.onlyLinux);
  if (process.geteuid?.() !== 0) throw new CommandError(gate.needsRoot);
  // Whatever the mask of root's shell says, every user must be able to read what we write.
  process.umask(0o022);
}
