// Writes the library's API reference to docs/api: `npm run docs`.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCommand } from './bundle-command.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const tool = join(root, 'scripts', 'docs');
const types = join(root, 'packages', 'countersign', 'dist', 'bundle', 'types');

await bundleCommand();
if (!existsSync(join(tool, 'node_modules', 'typedoc'))) {
  execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: tool, stdio: 'inherit' });
}
// TypeScript 6 reads the published declarations, whichever compiler produced them.
const config = join(tool, 'tsconfig.json');
const entries = ['index', 'server'].flatMap((name) => ['--entryPoints', join(types, 'countersign', `${name}.d.ts`)]);
const options = [
  '--name',
  'Countersign',
  '--readme',
  'none',
  '--disableSources',
  '--excludeExternals',
  '--skipErrorChecking',
  '--logLevel',
  'Error',
];
const typedoc = join(tool, 'node_modules', 'typedoc', 'bin', 'typedoc');
execFileSync(
  process.execPath,
  [typedoc, ...entries, ...options, '--tsconfig', config, '--out', join(root, 'docs', 'api')],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
