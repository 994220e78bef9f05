import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { drill as texts } from '../../words/gate.js';
import type { Outcome } from './rows.js';

export function describe({ runs, toolResults }: Outcome): string {
  const ran = Object.entries(runs).map(([name, count]) => texts.ran(name, count));
  return texts.results(ran.join(', '), toolResults.map((text) => text.slice(0, 1000)).join(' | '));
}

export async function countLines(path: string): Promise<number> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '').length;
}

export async function writeIn(path: string, text: string, isPublic = false): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: isPublic ? 0o755 : 0o700 });
  await writeFile(path, text, { mode: isPublic ? 0o644 : 0o600 });
}
