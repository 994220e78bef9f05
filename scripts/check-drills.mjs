// Installs the newest versions of the coding agents into a cache and drills them (GATE6). Requires a registry. A version without a binary for
// this machine is skipped and named.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, 'node_modules', '.cache', 'countersign-agents');
const command = join(root, 'packages', 'countersign', 'bin', 'countersign.js');
const AGENTS = [
  { agent: 'claude', package: '@anthropic-ai/claude-code', gated: true },
  { agent: 'gemini', package: '@google/gemini-cli', gated: true },
  // `gate install` refuses it. If every row held, it should not.
  { agent: 'codex', package: '@openai/codex', gated: false },
  { agent: 'opencode', package: 'opencode-ai', gated: true },
  { agent: 'gemini', acp: 'gemini', package: '@google/gemini-cli', gated: true },
  // These two need Node 24, which npm installs for them. Over ACP, Codex doesn't ask for commands that only read.
  { agent: 'claude', acp: 'claude-agent-acp', package: '@agentclientprotocol/claude-agent-acp', gated: true },
  { agent: 'codex', acp: 'codex-acp', package: '@agentclientprotocol/codex-acp', gated: false },
];
const NODE = 'node@24';
/** A release without a binary for this machine is usually followed, and preceded, by one that has it. */
const TRIED_VERSIONS = 4;

const wanted = process.env['DRILL_AGENTS'] ?? 'all';
const chosen = AGENTS.filter(({ agent, acp }) => wanted === 'all' || wanted.split(',').includes(acp ?? agent));
let failed = 0;
let skipped = 0;
for (const { agent, acp, package: name, gated } of chosen) {
  const folder = join(cache, acp ?? agent);
  const bin = join(folder, 'node_modules', '.bin', acp ?? agent);
  const needsNode = acp?.endsWith('-acp') === true;
  const PATH = needsNode ? `${dirname(bin)}${delimiter}${process.env['PATH'] ?? ''}` : process.env['PATH'];
  const env = { ...process.env, PATH };
  const version = installNewest(name, { folder, bin, env, others: needsNode ? [NODE] : [] });
  if (version === undefined) {
    skipped += 1;
    console.log(`skipped: no recent version of ${name} runs on this machine`);
    continue;
  }
  const home = join(cache, 'home');
  const flags = acp === undefined ? [] : ['--acp'];
  const words = [command, 'drill', agent, ...flags, '--bin', bin, '--home', home];
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit', env });
  const isGated = status === 0;
  // The border of `countersign run` holds for every agent, gated or not.
  if (acp === undefined || agent === 'opencode') {
    const border = spawnSync(process.execPath, [command, 'drill', 'run', agent, '--bin', bin], {
      stdio: 'inherit',
      env,
    });
    if (border.status !== 0) {
      failed += 1;
      console.error(`${agent}: expected every row of its run to hold`);
    }
  }
  console.log(`drilled: ${name} ${version}${acp === undefined ? '' : ' over ACP'}: ${isGated ? 'gated' : 'not gated'}`);
  if (status === (gated ? 0 : 1)) continue;
  failed += 1;
  console.error(`${agent}: expected it to be ${gated ? 'gated' : 'not gated'}`);
}
console.log(`${chosen.length - failed - skipped} as expected, ${failed} failed, ${skipped} skipped`);
if (failed > 0) process.exit(1);

/**
 * Installs the newest version that runs on this machine, and returns it.
 *
 * @param {string} name
 * @param {{ folder: string, bin: string, env: NodeJS.ProcessEnv, others: readonly string[] }} place
 */
function installNewest(name, { folder, bin, env, others }) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  for (const version of newestVersions(name)) {
    const packages = [`${name}@${version}`, ...others];
    spawnSync('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder, stdio: 'ignore' });
    if (existsSync(bin) && spawnSync(bin, ['--version'], { env }).status === 0) return version;
    console.log(`skipped: ${name} ${version} has no binary for ${process.platform} ${process.arch}`);
  }
  return undefined;
}

/** The newest first: `latest`, and the releases before it. @param {string} name @returns {readonly string[]} */
function newestVersions(name) {
  const { stdout } = spawnSync('npm', ['view', name, 'dist-tags.latest', 'versions', '--json'], { encoding: 'utf8' });
  const found = /** @type {{ 'dist-tags.latest'?: string, versions?: string[] }} */ (JSON.parse(stdout || '{}'));
  const { 'dist-tags.latest': latest = '', versions = [] } = found;
  const released = versions.slice(0, versions.indexOf(latest) + 1).filter((version) => !version.includes('-'));
  return released.slice(-TRIED_VERSIONS).toReversed();
}
