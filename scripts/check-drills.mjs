// Installs pinned versions of the coding agents into a cache and drills them (X10). Requires a registry. A platform without a binary is skipped and counted.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, 'node_modules', '.cache', 'countersign-agents');
const command = join(root, 'packages', 'countersign', 'bin', 'countersign.js');
const AGENTS = [
  { agent: 'claude', install: '@anthropic-ai/claude-code@2.1.325', gated: true },
  { agent: 'gemini', install: '@google/gemini-cli@0.61.0', gated: true },
  // `gate install` refuses it. If every row held, it should not.
  { agent: 'codex', install: '@openai/codex@0.166.0', gated: false },
  { agent: 'opencode', install: 'opencode-ai@1.18.18', gated: true },
  { agent: 'gemini', acp: 'gemini', install: '@google/gemini-cli@0.61.0', gated: true },
  // These two need Node 24, which npm installs for them. Over ACP, Codex doesn't ask for commands that only read.
  { agent: 'claude', acp: 'claude-agent-acp', install: '@agentclientprotocol/claude-agent-acp@0.99.1', gated: true },
  { agent: 'codex', acp: 'codex-acp', install: '@agentclientprotocol/codex-acp@2.6.0', gated: false },
];
const NODE = 'node@24.21.0';

let failed = 0;
let skipped = 0;
for (const { agent, acp, install, gated } of AGENTS) {
  const folder = join(cache, acp ?? agent);
  const bin = join(folder, 'node_modules', '.bin', acp ?? agent);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const needsNode = acp?.endsWith('-acp') === true;
  const packages = [install, ...(needsNode ? [NODE] : [])];
  spawnSync('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder, stdio: 'ignore' });
  const PATH = needsNode ? `${dirname(bin)}${delimiter}${process.env['PATH'] ?? ''}` : process.env['PATH'];
  const env = { ...process.env, PATH };
  const runs = existsSync(bin) && spawnSync(bin, ['--version'], { env }).status === 0;
  if (!runs) {
    skipped += 1;
    console.log(`skipped: ${install} does not run on this machine`);
    continue;
  }
  const home = join(cache, 'home');
  const flags = acp === undefined ? [] : ['--acp'];
  const words = [command, 'drill', agent, ...flags, '--bin', bin, '--home', home];
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit', env });
  if (status === (gated ? 0 : 1)) continue;
  failed += 1;
  console.error(`${agent}: expected it to be ${gated ? 'gated' : 'not gated'}`);
}
console.log(`${AGENTS.length - failed - skipped} as expected, ${failed} failed, ${skipped} skipped`);
if (failed > 0) process.exit(1);
