import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
let folder = '';

beforeEach(async () => {
  // Inside the project, so that `countersign` resolves as in a program that installed it.
  folder = await mkdtemp(join(root, 'node_modules', '.readme-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function example(): Promise<string> {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const block = /```ts\n([\s\S]*?)```/.exec(readme)?.[1];
  if (block === undefined) throw new Error('README.md has no example');
  return block;
}

describe('README.md', () => {
  it('has an example of at most 30 lines that runs as printed, twice on the same file', async () => {
    const code = await example();
    expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
    await writeFile(join(folder, 'example.mjs'), code);
    const printed = [
      'human: Please tidy up.',
      'mason: I would remove one file.',
      'waiting',
      'Mason asks: Remove scratch.tmp?',
      'mason: Done: scratch.tmp is gone.',
      'idle',
      '',
    ].join('\n');
    for (const time of ['first', 'second']) {
      const { stdout, stderr } = await run(process.execPath, ['example.mjs'], { cwd: folder });
      expect({ time, stdout, stderr }).toEqual({ time, stdout: printed, stderr: '' });
    }
  });

  it('is one page: at most 700 words besides its code, and bullets of at most 20 words about the product', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    expect(readme.replaceAll(/```[\s\S]*?```/g, '').split(/\s+/).length).toBeLessThanOrEqual(700);
    const bullets = [...(readme.split('\n## ')[0] ?? '').matchAll(/^- (.*)$/gm)].map(([, bullet = '']) => bullet);
    expect(bullets).toHaveLength(5);
    expect(bullets.filter((bullet) => bullet.split(' ').length > 20)).toEqual([]);
  });

  it('links only to existing files', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\(([^)#]+)\)|src="([^"]+)"/g)].map(([, link, source]) => link ?? source ?? '');
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((link) => !/^https?:/.test(link) && !existsSync(join(root, link)))).toEqual([]);
  });

  it('[TERM1] has a start command that works as described', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    expect(readme).toContain('```sh\nnpm start\n```');
    const manifest = z.object({ scripts: z.object({ start: z.string() }) });
    const { scripts } = manifest.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
    const [node, command = ''] = scripts.start.split(' ');
    expect(node).toBe('node');
    const { stdout } = await run(process.execPath, [join(root, command), '--help']);
    for (const [, option] of readme.matchAll(/npm start -- (--[a-z-]+|[a-z]+)/g))
      expect(stdout + ' --help').toContain(option);
  });
});
