import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeChanges } from '../config-change.js';
import { findGap } from '../find-gap.js';
import { configFiles } from '../gated-agents.js';
import type { GatedAgent } from '../hook-agents.js';
import { execCommand, hookCommand } from '../hook-command.js';
import { planInstallation } from '../plan-installation.js';
import { planRemoval } from '../plan-removal.js';
import { sourcesOf } from '../sources/agent-sources.js';
import { gapsIn } from '../sources/source.js';
import { problemOfPrograms, unsuitableFolder } from './check-programs.js';
import { managedFolder, managedHome, readManaged } from './managed-place.js';

let system = '';
beforeEach(() => {
  system = mkdtempSync(join(tmpdir(), 'countersign-etc-'));
});
afterEach(() => rmSync(system, { recursive: true }));

const places = () => ({ env: {}, userHome: join(system, 'home'), system });
const fileOf = (agent: GatedAgent): string =>
  join(managedFolder(agent, system), agent === 'claude' ? 'managed-settings.json' : 'settings.json');
const install = async (agent: GatedAgent): Promise<void> => {
  const { records, changes } = await planInstallation(agent, configFiles(agent, places()), {
    home: managedHome(system),
    command: hookCommand(agent, undefined),
    exec: execCommand(undefined),
    isPublic: true,
  });
  await writeChanges([...records, ...changes]);
};
const uninstall = async (agent: GatedAgent): Promise<void> => {
  const { changes, records } = await planRemoval(agent, configFiles(agent, places()), managedHome(system));
  await writeChanges([...changes, ...records]);
};
const gap = async (agent: GatedAgent): Promise<string | undefined> =>
  await findGap(agent, configFiles(agent, places()), { home: managedHome(system) });
function write(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
}

const OWN = {
  claude: {
    company: 1,
    allowedMcpServers: [{ serverName: 'docs' }],
    permissions: { deny: ['WebFetch'] },
    env: { PROXY: 'p' },
    hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'log.sh' }] }] },
  },
  gemini: { company: 1, hooksConfig: { notifications: false } },
};

describe('a managed gate', () => {
  it.each(['claude', 'gemini'] as const)(
    '[GATE8] [GATE8.1] [GATE8.2] keeps the settings of the administrator of %s, and restores them',
    async (agent) => {
      const file = fileOf(agent);
      write(file, OWN[agent]);
      chmodSync(file, 0o600);
      const before = readFileSync(file, 'utf8');
      await install(agent);
      const { hooks: _, ...others } = { hooks: {}, ...OWN[agent] };
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject(others);
      expect(readFileSync(file, 'utf8').includes('log.sh')).toBe(agent === 'claude');
      expect(await gap(agent)).toBeUndefined();
      const { command = '', exec } = readManaged(agent, system) ?? {};
      expect(command).toContain(`gate hook --agent ${agent} --managed --id `);
      expect(exec).toContain("'--managed'");
      for (const path of [file, join(managedHome(system), 'gate', `${agent}.files.json`)])
        expect(statSync(path).mode & 0o044).toBe(0o044);
      // A second time, and after somebody else added a setting.
      const written = readFileSync(file, 'utf8');
      await install(agent);
      expect(readFileSync(file, 'utf8')).toBe(written);
      write(file, { ...(JSON.parse(written) as object), later: true });
      await install(agent);
      await uninstall(agent);
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...OWN[agent], later: true });
      write(file, before);
      await install(agent);
      await uninstall(agent);
      expect(readFileSync(file, 'utf8')).toBe(before);
      expect(readdirSync(join(managedHome(system), 'gate'))).toEqual([]);
    },
  );

  it.each([
    { allowManagedHooksOnly: false },
    { disableSideloadFlags: false },
    { allowManagedMcpServersOnly: false },
    { permissions: { denyInsteadOfPrompting: false } },
    { env: { LD_PRELOAD: '/opt/trace.so' } },
    { disableAllHooks: true },
    { hooks: { PermissionRequest: [{ hooks: [{ type: 'command', command: 'yes.sh' }] }] } },
  ])('[GATE8.1] names what contradicts the gate, also in another file of the administrator: %j', async (setting) => {
    write(fileOf('claude'), setting);
    await expect(install('claude')).rejects.toThrow(fileOf('claude'));
    expect(JSON.parse(readFileSync(fileOf('claude'), 'utf8'))).toEqual(setting);
    const other = join(managedFolder('claude', system), 'managed-settings.d', '10.json');
    write(other, setting);
    expect(gapsIn(sourcesOf('claude', { places: places(), folder: '/' }))).toEqual([
      expect.stringContaining(other) as string,
    ]);
  });

  it('[GATE8.1] names other policies of an administrator of Gemini CLI', async () => {
    await install('gemini');
    const about = { places: places(), folder: '/', command: readManaged('gemini', system)?.command };
    expect(gapsIn(sourcesOf('gemini', about))).toEqual([]);
    const other = join(managedFolder('gemini', system), 'policies', 'company.toml');
    write(other, '');
    expect(gapsIn(sourcesOf('gemini', about))).toEqual([expect.stringContaining(other) as string]);
  });

  it('[GATE8.5] notices each of its settings that is gone', async () => {
    await install('claude');
    const whole = JSON.parse(readFileSync(fileOf('claude'), 'utf8')) as Record<string, Record<string, unknown>>;
    const { env, permissions } = whole;
    const damaged: readonly (readonly [string, object])[] = [
      ...['allowManagedHooksOnly', 'allowManagedMcpServersOnly', 'disableSideloadFlags', 'allowedMcpServers'].map(
        (key) => [key, { [key]: undefined }] as const,
      ),
      ['denyInsteadOfPrompting', { permissions: { ...permissions, denyInsteadOfPrompting: undefined } }],
      ...['LD_PRELOAD', 'LD_AUDIT', 'LD_LIBRARY_PATH'].map(
        (key) => [key, { env: { ...env, [key]: '/opt/yes.so' } }] as const,
      ),
    ];
    for (const [key, part] of damaged) {
      write(fileOf('claude'), { ...whole, ...part });
      expect(await gap('claude')).toContain(key);
    }
  });

  // Without root, everything here belongs to a user.
  it.runIf(process.geteuid?.() === 0)('[GATE8.2] finds a program that users could change', () => {
    const program = join(system, 'package', 'bin', 'countersign.js');
    write(program, '');
    write(join(system, 'package', 'package.json'), '{}');
    const hook = join(system, 'package', 'dist', 'hook.cjs');
    write(hook, '');
    for (const folder of ['', 'package', 'package/bin', 'package/dist']) chmodSync(join(system, folder), 0o755);
    const problem = (): string | undefined => problemOfPrograms([process.execPath, program]);
    expect(problem()).toBeUndefined();
    chmodSync(hook, 0o666);
    expect(problem()).toContain(`${hook} can be changed`);
    chmodSync(hook, 0o600);
    expect(problem()).toContain(`can read ${hook}`);
    chmodSync(hook, 0o644);
    chmodSync(dirname(program), 0o777);
    expect(problem()).toContain(`${dirname(program)} can be changed`);
    expect(unsuitableFolder([program])).toBe(dirname(program));
    chmodSync(dirname(program), 0o700);
    expect(unsuitableFolder([program])).toBe(dirname(program));
    chmodSync(dirname(program), 0o755);
    expect(unsuitableFolder([program, join(dirname(program), 'new', 'file')])).toBeUndefined();
    rmSync(program);
    expect(problem()).toContain(program);
  });
});
