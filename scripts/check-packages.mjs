// Checks with publint that each package can be imported after publishing.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const packages = join(dirname(dirname(fileURLToPath(import.meta.url))), 'packages');
let found = 0;

for (const name of readdirSync(packages)) {
  const { messages, pkg } = await publint({ pkgDir: join(packages, name), pack: 'npm', strict: true });
  for (const message of messages) {
    found += 1;
    console.error(`${pkg.name}: ${formatMessage(message, pkg, { color: false })}`);
  }
}

if (found > 0) process.exit(1);
