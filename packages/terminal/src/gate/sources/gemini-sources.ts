import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { gate } from '../../words/gate.js';
import { configFiles } from '../gated-agents.js';
import { problemInGemini } from '../gemini-settings.js';
import { isObject, objectAt, parseObject, type JsonObject } from '../json-text.js';
import { managedFolder } from '../managed/managed-place.js';
import {
  ancestors,
  filesBelow,
  hookGap,
  hookStarts,
  mcpStarts,
  namesIn,
  type AgentSession,
  type Source,
} from './source.js';

/** Every file from which Gemini CLI reads hooks, variables, or what to start (GATE1.10). */
export function geminiSources({ places, folder, command }: AgentSession): readonly Source[] {
  const { env, userHome, system: managed } = places;
  const [policy, own] = configFiles('gemini', places).map(({ path }) => path) as [string, string];
  const mine = configFiles('gemini', { env, userHome })[1]?.path ?? own;
  const user = dirname(mine);
  const system = env['GEMINI_CLI_SYSTEM_SETTINGS_PATH'] ?? join(managedFolder('gemini', managed), 'settings.json');
  const defaults = env['GEMINI_CLI_SYSTEM_DEFAULTS_PATH'] ?? join(dirname(system), 'system-defaults.json');
  return [
    ...(managed === undefined ? systemPolicies() : otherPolicies(policy)),
    settings(own, { command, policy: managed === undefined ? policy : undefined }),
    ...[join(folder, '.gemini', 'settings.json'), mine, system, defaults].map((file) => settings(file)),
    ...namesIn(join(user, 'extensions')).flatMap((name) => extension(join(user, 'extensions', name))),
    ...variables(folder, dirname(user)),
  ];
}

/** Beside a managed gate's policy: their rules have the same tier, so one could come first. */
function otherPolicies(policy: string): readonly Source[] {
  const files = filesBelow(dirname(policy), '.toml', 0).filter((file) => file !== policy);
  return files.map((file) => ({ file, gap: () => gate.otherPolicy(file) }));
}

/** Because of these, Gemini CLI ignores the policies that settings name, and so ours. */
export function systemPolicies(folder = managedFolder('gemini')): readonly Source[] {
  return filesBelow(join(folder, 'policies'), '.toml', 0).map((file) => ({ file, gap: () => gate.systemPolicy(file) }));
}

/** A hook that runs after ours gets the approved call, and can change it. */
function settings(file: string, user?: { command: string | undefined; policy: string | undefined }): Source {
  const other = (text: string): string | undefined =>
    hookGap(parseObject(text, file), ['BeforeTool'], { file, ...(user === undefined ? {} : { user }) });
  return {
    file,
    gap: (text) => problemInGemini(text, file, user?.policy) ?? other(text),
    starts: (text) => startsInGemini(parseObject(text, file), file),
  };
}

function startsInGemini(given: JsonObject, file: string): readonly string[] {
  const commands = ['tools.discoveryCommand', 'tools.callCommand', 'mcp.serverCommand'].flatMap((path) => {
    const [group = '', key = ''] = path.split('.');
    const program = objectAt(given, group, file)[key];
    return typeof program === 'string' ? gate.startsHelper(path, program) : [];
  });
  return [...commands, ...mcpStarts(given, file), ...hookStarts(given, file)];
}

/** Also one that is not active: that can change while the agent runs. */
function extension(folder: string): readonly Source[] {
  const record = join(folder, '.gemini-extension-install.json');
  const { type, source } = existsSync(record) ? objectIn(readFileSync(record, 'utf8')) : {};
  const roots = [folder, ...(type === 'link' && typeof source === 'string' ? [source] : [])];
  return roots.flatMap((root) => {
    const manifest = join(root, 'gemini-extension.json');
    return [
      settings(join(root, 'hooks', 'hooks.json')),
      { file: manifest, starts: (text: string) => mcpStarts(parseObject(text, manifest), manifest) },
    ];
  });
}

/** Variables that move Gemini CLI's own settings and policies, or load code into our hook or an approved command. */
const LOADING = /^(?:GEMINI_CLI_\w+|COUNTERSIGN_\w+|NODE_\w+|LD_\w+|DYLD_\w+|BASH_ENV|ENV|OPENSSL_CONF)$/;

/** The `.env` that Gemini CLI reads: the first one from the folder up. Those of the user are not a project's. */
function variables(folder: string, userHome: string): readonly Source[] {
  const files = ancestors(folder).flatMap((one) => [join(one, '.gemini', '.env'), join(one, '.env')]);
  const file = files.find((one) => existsSync(one));
  if (
    file === undefined ||
    [userHome, homedir()].some((home) => dirname(file) === home || dirname(file) === join(home, '.gemini'))
  )
    return [];
  const gap = (text: string): string | undefined => {
    const names = [...text.matchAll(/^\s*(?:export\s+)?([\w.-]+)\s*[=:]/gm)].map(([, name = '']) => name);
    const found = names.find((name) => LOADING.test(name));
    return found === undefined ? undefined : gate.projectVariable(file, found);
  };
  return [{ file, gap }];
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
}
