import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { CountersignError } from '@countersign/protocol';
import { start } from './demo/start.js';
import { linesOf } from './demo/talk.js';

/** `countersign`, and `npm start`. For now: the demo world in a plain terminal. */
export async function main(): Promise<void> {
  // Whoever read us has gone, as after `| head`: nothing is lost, and there is nobody to tell.
  process.stdout.on('error', () => process.exit(0));
  const readline = createInterface({ input: process.stdin, output: process.stdout, terminal: process.stdin.isTTY });
  try {
    await start({
      lines: linesOf(readline, (text) => process.stdout.write(text), { person: process.stdin.isTTY }),
      env: process.env,
      folder: process.env['COUNTERSIGN_DEMO_FOLDER'] ?? join(process.cwd(), 'harbour'),
    });
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    process.stderr.write(`countersign: ${error.message}\n`);
    process.exitCode = 1;
  } finally {
    readline.close();
  }
}
