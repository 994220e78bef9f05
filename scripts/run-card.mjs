import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout } from 'node:timers/promises';

const command = fileURLToPath(new URL('../packages/countersign/bin/countersign.js', import.meta.url));
const OLD =
  "import { readFileSync } from 'node:fs';\n\nexport const readLog = (path) => readFileSync(path, 'utf8').split('\\n');\n";
const NEW = OLD.replace(".split('\\n')", '.split(/\\r?\\n/)');
const TEST = `import { expect, it } from 'vitest';
import { parseLog } from './read-log.js';

it('reads lines of both kinds', () => {
  expect(parseLog('a\\r\\nb\\n')).toEqual(['a', 'b', '']);
});
`;
/** What an agent does: edits, tests, commits, and looks for something in the network. */
const WORK = `
cat > src/read-log.js <<'END'
${NEW}END
git commit -qam 'Read logs with Windows line ends'
cat > src/read-log.test.js <<'END'
${TEST}END
mkdir -p node_modules/vitest && echo 1 > node_modules/vitest/index.js
curl -s https://registry.npmjs.org/vitest
exit 0`;

/**
 * Runs a program in a draft, as docs/guide/run.md says, until its card waits. Returns the path of its chat.
 *
 * @param {{ server: import('@countersign/client').Client, home: string, folder: string }} about `folder` is made here.
 */
export async function runCard({ server, home, folder }) {
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, '.gitignore'), 'node_modules/\n');
  writeFileSync(join(folder, 'src', 'read-log.js'), OLD);
  writeFileSync(join(folder, 'fix-logs.sh'), WORK);
  const git = (/** @type {string[]} */ ...words) => execFileSync('git', words, { cwd: folder, stdio: 'ignore' });
  git('init', '-b', 'main');
  git('config', 'user.name', 'Ada Lovelace');
  git('config', 'user.email', 'ada@example.org');
  git('add', '-A');
  git('commit', '-m', 'Read logs');
  const { id: world } = await server.createWorld({ name: 'Log reader', workingDirectory: folder, mode: 'ask' });
  const words = [command, '--home', home, 'run', '-w', world, '--', 'bash', 'fix-logs.sh'];
  const child = spawn(process.execPath, words, { cwd: folder, stdio: 'ignore' });
  const ended = once(child, 'exit');
  for (;;) {
    const { items } = await server.runs.list(world);
    const found = items.find(({ state }) => state === 'waiting');
    if (found !== undefined) {
      child.kill('SIGINT');
      await ended;
      return `/w/${world}/c/${found.chatId}`;
    }
    if (child.exitCode !== null) throw new Error('the run ended without a card');
    await setTimeout(200);
  }
}
