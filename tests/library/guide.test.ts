import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMigratedDatabase } from '../support/postgres-database.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = join(root, 'docs', 'guide', 'library');

interface Program {
  name: string;
  code: string;
  /** What it prints, as the page says. */
  prints: string;
}

const pages = readdirSync(guide).filter((name) => name.endsWith('.md'));
const programs = pages.flatMap((page): Program[] => {
  const text = readFileSync(join(guide, page), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```$)?/gm)].map(
    ([, code = '', prints = ''], at) => ({
      name: `${page.replace('.md', '')}-${at + 1}`,
      code,
      prints,
    }),
  );
});

/** Snippets of other pages. They are only compiled: other tests run the longer ones. */
const others = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((page) => page !== '' && !page.startsWith('docs/guide/library/'))
  .flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^ *```(?:ts|tsx|typescript)\n([\s\S]*?)^ *```$/gm)].map(
      ([, code = ''], at) => ({ name: `${page.replaceAll(/[/.]/g, '-')}-${at + 1}`, code }),
    ),
  );

/** The same tools with both versions of the AI SDK that people use (LIB4.2). */
const aiTypes = ['ai', 'ai6'].map((library) => ({
  name: `types-of-${library}`,
  code: `
import { jsonSchema, tool, zodSchema } from '${library}';
import { fromAiSdk, openWorld } from 'countersign';
import { z } from 'zod';

const tools = fromAiSdk({
  remove: tool({ inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => path }),
  look: tool({ inputSchema: jsonSchema<{ at: string }>({ type: 'object' }), execute: ({ at }) => at }),
  count: tool({ inputSchema: zodSchema(z.object({ to: z.number() })), async *execute({ to }) { yield to; } }),
});
await openWorld(':memory:', {
  tools,
  approve(approval) {
    if (approval.toolName === 'remove') return { decision: approval.arguments.path.startsWith('/') ? 'deny' : 'approve' };
    if (approval.toolName === 'look') return { decision: approval.arguments.at.length > 3 ? 'deny' : 'approve' };
    // @ts-expect-error -- a number, so the types are not \`any\` or \`unknown\`
    if (approval.toolName === 'count') return { decision: approval.arguments.to.length };
    return undefined;
  },
});
`,
}));

let folder = '';

/** One compiler and one process for all programs: starting one for each would take most of the time. */
beforeAll(async () => {
  // Inside the project, so that `countersign` resolves as in a program that installed it.
  folder = await mkdtemp(join(root, 'node_modules', '.guide-'));
  await mkdir(join(folder, 'out'));
  for (const { name, code } of [...programs, ...others, ...aiTypes]) await writeFile(join(folder, `${name}.mts`), code);
  await writeFile(join(folder, 'run-all.mjs'), RUN_ALL);
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Imports each program and collects what it prints. */
const RUN_ALL = `
import { format } from 'node:util';
const printed = {};
for (const name of process.argv.slice(2)) {
  const lines = [];
  console.log = (...words) => lines.push(format(...words));
  try {
    await import(new URL('out/' + name + '.mjs', import.meta.url).href);
  } catch (error) {
    lines.push(String(error?.stack ?? error));
  }
  printed[name] = lines.map((line) => line + '\\n').join('');
}
process.stdout.write(JSON.stringify(printed), () => process.exit());
`;

describe('the library guide', () => {
  it('has programs on every page except the list of pages', () => {
    const without = pages.filter((page) => !programs.some(({ name }) => name.startsWith(page.replace('.md', '-'))));
    expect(without).toEqual(['README.md']);
  });

  it('[LIB2.5] [LIB4.2] has programs that a strict compiler accepts, like all other snippets', async () => {
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const options = ['--ignoreConfig', '--strict', '--noUncheckedIndexedAccess', '--skipLibCheck', '--checkers', '1'];
    const output = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--outDir', join(folder, 'out')];
    expect(others.map(({ name }) => name)).toEqual(expect.arrayContaining(['README-md-1', 'docs-guide-testing-md-1']));
    const files = [...programs, ...others, ...aiTypes].map(({ name }) => join(folder, `${name}.mts`));
    const said = await run(process.execPath, [tsc, ...options, ...output, ...files], { cwd: folder }).then(
      () => '',
      (error: unknown) => (error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)),
    );
    expect(said).toBe('');
  });

  it('has programs that print what it says', async () => {
    const env = { ...process.env, DATABASE_URL: await createMigratedDatabase(), NO_COLOR: '1' };
    const args = [join(folder, 'run-all.mjs'), ...programs.map(({ name }) => name)];
    const { stdout, stderr } = await run(process.execPath, args, { cwd: root, env, maxBuffer: 10_000_000 });
    const printed = JSON.parse(stdout) as Record<string, string>;
    const expected: unknown = Object.fromEntries(programs.map(({ name, prints }) => [name, prints]));
    expect({ printed, stderr }).toEqual({ printed: expected, stderr: '' });
  });

  it('links only to existing pages', () => {
    const broken = pages.flatMap((page) =>
      [...readFileSync(join(guide, page), 'utf8').matchAll(/\]\(([^)#]+)[^)]*\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !/^https?:/.test(link) && !existsSync(join(dirname(join(guide, page)), link)))
        .map((link) => `${page}: ${link}`),
    );
    expect(broken).toEqual([]);
  });
});
