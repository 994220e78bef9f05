import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { gate } from '../../words/gate.js';
import { gapInMergedSettings, projectGapInClaude } from '../claude-settings.js';
import { configFiles } from '../gated-agents.js';
import { isObject, objectAt, parseObject, type JsonObject } from '../json-text.js';
import { gapInDropIn } from '../managed/managed-claude.js';
import { managedFolder } from '../managed/managed-place.js';
import { allAfter, eventsThatMatter, firstAfter } from './claude-words.js';
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

const LOCAL_SETTINGS = '.claude/settings.local.json';

/** Every file from which Claude Code reads hooks, or learns what to start (GATE1.10). */
export function claudeSources({ places, folder, command, words = [] }: AgentSession): readonly Source[] {
  const { system, ...mine } = places;
  if (system !== undefined) return managedSources(system, { places: mine, folder });
  const events = eventsThatMatter(words);
  const [own] = configFiles('claude', places);
  const user = dirname(own?.path ?? '');
  const shared = repositoriesOf(folder).map((root) => join(root, LOCAL_SETTINGS));
  const folders = [...ancestors(folder).map((one) => join(one, '.claude')), user];
  const added = allAfter(words, '--add-dir').map((one) => join(resolve(folder, one), '.claude'));
  const plugins = [...installedPlugins(user), ...namesIn(join(user, 'skills')).map((one) => join(user, 'skills', one))];
  return [
    ...(own === undefined ? [] : [userSettings(own.path, events, command)]),
    ...[
      join(folder, '.claude/settings.json'),
      join(folder, LOCAL_SETTINGS),
      ...shared,
      ...firstAfter(words, '--settings')
        .filter((one) => !one.startsWith('{'))
        .map((one) => resolve(folder, one)),
    ].map((file) => mergedSettings(file, (text) => projectGapInClaude(text, file, events))),
    ...[join(managedFolder('claude'), 'managed-settings.json'), ...dropIns()].map((file) =>
      mergedSettings(file, (text) => gapInMergedSettings(text, file, events)),
    ),
    ...[...folders, ...added, ...plugins].flatMap((one) => textsIn(one, events)),
    ...plugins.flatMap((one) => pluginFiles(one, events)),
    mcpServers(join(folder, '.mcp.json')),
    ...userMcpServers(
      places.env['CLAUDE_CONFIG_DIR'] === undefined ? `${user}.json` : join(user, '.claude.json'),
      folder,
    ),
  ];
}

/** Of an administrator, merged with the managed settings. */
const dropIns = (system?: string): readonly string[] =>
  filesBelow(join(managedFolder('claude', system), 'managed-settings.d'), '.json', 0);

/** With a managed gate, only an administrator's files count, but settings of others still name programs that Claude Code starts. */
function managedSources(system: string, { places, folder }: AgentSession): readonly Source[] {
  const others = ['.claude/settings.json', LOCAL_SETTINGS].map((name) => join(folder, name));
  const files = [...configFiles('claude', places).map(({ path }) => path), ...others];
  return [
    ...dropIns(system).map((file) => ({ file, gap: (text: string) => gapInDropIn(text, file) })),
    ...files.map((file) => ({ file, starts: (text: string) => helpersIn(parseObject(text, file)) })),
  ];
}

const userSettings = (file: string, events: readonly string[], command: string | undefined): Source =>
  mergedSettings(file, (text) => hookGap(parseObject(text, file), events, { file, user: { command } }));

const mergedSettings = (file: string, gap: NonNullable<Source['gap']>): Source => ({
  file,
  gap,
  starts: (text) => startsInClaude(text, file),
});

/** Settings that name a program. */
const HELPERS = ['apiKeyHelper', 'awsAuthRefresh', 'awsCredentialExport', 'gcpAuthRefresh', 'otelHeadersHelper'];
const LINES = ['statusLine', 'subagentStatusLine', 'fileSuggestion'];

function startsInClaude(text: string, file: string): readonly string[] {
  const settings = parseObject(text, file);
  return [...helpersIn(settings), ...hookStarts(settings, file)];
}

function helpersIn(settings: JsonObject): readonly string[] {
  const programs: readonly (readonly [string, unknown])[] = [
    ...HELPERS.map((key) => [key, settings[key]] as const),
    ...LINES.map((key) => [key, commandIn(settings[key])] as const),
  ];
  return programs.flatMap(([key, program]) => (typeof program === 'string' ? gate.startsHelper(key, program) : []));
}

const commandIn = (value: unknown): unknown => (isObject(value) ? value['command'] : undefined);

/** Skills, commands and agents, whose front matter can have hooks. */
function textsIn(folder: string, events: readonly string[]): readonly Source[] {
  const files = [
    join(folder, 'SKILL.md'),
    ...filesBelow(join(folder, 'skills'), 'skill.md', 2),
    ...['commands', 'agents'].flatMap((name) => filesBelow(join(folder, name), '.md')),
  ];
  return files.map((file) => ({ file, gap: (text) => hooksInFrontMatter(text, file, events) }));
}

function hooksInFrontMatter(text: string, file: string, events: readonly string[]): string | undefined {
  const [, front = ''] = /^\uFEFF?\s*---([\s\S]*?)\n---/.exec(text) ?? [];
  // YAML can write each letter as an escape, which would hide the name of the event.
  if (/\\[xuU]/.test(front)) return gate.sourceUnread(file);
  const event = events.find((name) => front.includes(name));
  return event === undefined || !front.includes('hooks') ? undefined : gate.otherHook(file, event, 'hooks');
}

function pluginFiles(folder: string, events: readonly string[]): readonly Source[] {
  const manifest = join(folder, '.claude-plugin', 'plugin.json');
  const named = existsSync(manifest) ? pathsIn(JSON.parse(readFileSync(manifest, 'utf8'))) : [];
  const hooks = [...filesBelow(join(folder, 'hooks'), '.json', 0), ...named.map((path) => resolve(folder, path))];
  return [
    ...[manifest, ...hooks].map((file) => ({
      file,
      gap(text: string) {
        // Written again, so that no escape hides the name of the event.
        const plain = JSON.stringify(parseObject(text, file));
        const event = events.find((name) => plain.includes(`"${name}"`));
        return event === undefined ? undefined : gate.otherHook(file, event, 'plugin');
      },
      starts: (text: string) => [...startsInClaude(text, file), ...mcpStarts(parseObject(text, file), file)],
    })),
    mcpServers(join(folder, '.mcp.json')),
  ];
}

/** Files that a plugin's manifest names. */
function pathsIn(manifest: unknown): readonly string[] {
  if (typeof manifest === 'string') return manifest.endsWith('.json') ? [manifest] : [];
  return typeof manifest === 'object' && manifest !== null ? Object.values(manifest).flatMap(pathsIn) : [];
}

function installedPlugins(user: string): readonly string[] {
  return ['installed_plugins.json', 'installed_plugins_v2.json'].flatMap((name) => {
    const file = join(user, 'plugins', name);
    if (!existsSync(file)) return [];
    return [...readFileSync(file, 'utf8').matchAll(/"installPath"\s*:\s*("(?:[^"\\]|\\.)*")/g)].map(
      ([, path = '""']) => JSON.parse(path) as string,
    );
  });
}

const mcpServers = (file: string): Source => ({ file, starts: (text) => mcpStarts(parseObject(text, file), file) });

/** Those of the user, and those that the user added for this project. */
function userMcpServers(file: string, folder: string): readonly Source[] {
  const starts = (text: string): readonly string[] => {
    const settings = parseObject(text, file);
    const project = objectAt(settings, 'projects', file)[folder];
    return [...mcpStarts(settings, file), ...(isObject(project) ? mcpStarts(project, file) : [])];
  };
  return [{ file, starts }];
}

/** The checkout that a folder is in, and the main one if that is a worktree. Claude Code reads the local settings from there. */
function repositoriesOf(folder: string): readonly string[] {
  const git = join(folder, '.git');
  const found = statSync(git, { throwIfNoEntry: false });
  if (found === undefined) return dirname(folder) === folder ? [] : repositoriesOf(dirname(folder));
  if (found.isDirectory()) return [folder];
  const linked = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1] ?? '.git';
  const common = join(resolve(folder, linked), 'commondir');
  if (!existsSync(common)) return [folder];
  return [folder, dirname(resolve(dirname(common), readFileSync(common, 'utf8').trim()))];
}
