import { mkdir, readFile, rename, rmdir } from 'node:fs/promises';
import { existsSync, lstatSync } from 'node:fs';
import { Buffer } from 'node:buffer';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { writeDurably } from '../files/write-durably.js';
import { leftOutSchema, type LeftOut } from '../inspect/left-out.js';
import { layerReader, type LayerReader } from '../plan/layer-entries.js';
import { isGitFolder } from '../runs-later/runs-later.js';
import { readIgnoreRules, type IgnoreRules } from './ask-ignored.js';
import { START } from './refs.js';

/** A file or folder of a draft that is not applied, because the folder's rules ignore it. */
export interface NotApplied {
  readonly path: string;
  readonly files: number;
  /** The command that makes it again. */
  readonly hint?: string;
}

/** Beside `upper`. As a layer above it, it makes the draft whole again. */
export const ASIDE = 'aside';

/**
 * Moves out of a draft what is never applied as files: the Git folder of a repository that was there before, and what the folder's own rules ignore now. The rules in the
 * draft don't count, because the program could have written them. `include`: paths that a person wants applied all the same. What an earlier call has
 * set aside is judged again.
 */
export async function setAside(
  { root, upper, workingDirectory }: { root: string; upper: string; workingDirectory: string },
  include: readonly string[] = [],
): Promise<NotApplied[]> {
  for (const path of await readList(root, ASIDE_LIST, z.string())) await bringBack({ root, upper }, path);
  const rules = await readIgnoreRules(workingDirectory);
  const reader = await layerReader(upper);
  const now: Walking = { root, upper, workingDirectory, rules, include, reader, ignored: [], repositories: [] };
  let folders = [''];
  while (folders.length > 0) folders = await walkLevel(folders, now);
  const paths = now.ignored.toSorted();
  const found: NotApplied[] = [];
  for (const path of paths) found.push(await describe(path, now));
  // First, or a kill in between would hide them from the next card.
  await writeDurably(join(root, ASIDE_LIST), JSON.stringify(paths));
  for (const path of [...now.repositories, ...paths]) await moveAside(path, now);
  return found;
}

/** Makes a draft whole again for another program, with its Git folder. */
export async function bringAllBack(root: string): Promise<void> {
  const place = { root, upper: join(root, 'upper') };
  for (const path of ['.git', ...(await readList(root, ASIDE_LIST, z.string()))]) await bringBack(place, path);
}

const ASIDE_LIST = 'aside.json';
const LEFT_OUT_LIST = 'left-out.json';

/** Keeps what was left out of a draft, which lacks it from now on. Returns all that ever was, for the next card. */
export async function noteLeftOut(root: string, leftOut: readonly LeftOut[]): Promise<LeftOut[]> {
  const before = await readList(root, LEFT_OUT_LIST, leftOutSchema);
  const all = [...new Map([...before, ...leftOut].map((one) => [one.path, one])).values()];
  await writeDurably(join(root, LEFT_OUT_LIST), JSON.stringify(all));
  return all;
}

async function readList<T>(root: string, name: string, schema: z.ZodType<T>): Promise<T[]> {
  const text = await readFile(join(root, name), 'utf8').catch(() => '[]');
  return z.array(schema).parse(JSON.parse(text));
}

/** Moves a path that was set aside back into the draft. Follows no link: the program could have made one that leads outside. */
async function bringBack({ root, upper }: { root: string; upper: string }, path: string): Promise<void> {
  const aside = join(root, ASIDE);
  const from = join(aside, path);
  const isThere = lstatSync(from, { throwIfNoEntry: false }) !== undefined;
  if (!isThere || !leadsThroughFolders(aside, path) || !leadsThroughFolders(upper, path)) return;
  await mkdir(dirname(join(upper, path)), { recursive: true });
  await rename(from, join(upper, path));
}

/** Whether every folder on the way to a path is a folder, or missing. */
function leadsThroughFolders(base: string, path: string): boolean {
  let at = base;
  for (const name of path.split('/').slice(0, -1)) {
    at = join(at, name);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats === undefined) return true;
    if (!stats.isDirectory()) return false;
  }
  return true;
}

interface Walking {
  readonly root: string;
  readonly upper: string;
  readonly workingDirectory: string;
  readonly rules: IgnoreRules | undefined;
  readonly include: readonly string[];
  readonly reader: LayerReader;
  readonly ignored: string[];
  readonly repositories: string[];
}

/** One question to Git for all folders of a level. Returns the folders of the next one. */
async function walkLevel(folders: readonly string[], now: Walking): Promise<string[]> {
  const entries: { path: string; isFolder: boolean }[] = [];
  for (const folder of folders) {
    for (const { name, kind } of await now.reader.read(join(now.upper, folder))) {
      const path = join(folder, name.toString());
      // Inspecting the draft leaves out other names.
      if (!Buffer.from(name.toString()).equals(name)) continue;
      // Inspecting the draft leaves out and names all other Git folders.
      if (isGitFolder(name.toString())) {
        if (path === '.git' && existsSync(join(now.root, START))) now.repositories.push(path);
      } else if (!now.include.includes(path)) entries.push({ path, isFolder: kind === 'folder' });
    }
  }
  const asked = entries.map(({ path, isFolder }) => (isFolder && !isLink(path, now) ? `${path}/` : path));
  const ignored = (await now.rules?.ignored(asked)) ?? new Set();
  const next: string[] = [];
  for (const [at, { path, isFolder }] of entries.entries()) {
    // A file in an ignored folder can be tracked all the same.
    const isAside = ignored.has(asked[at] ?? '') && !(isFolder && (await holdsMore(path, now)));
    if (isAside) now.ignored.push(path);
    else if (isFolder) next.push(path);
  }
  return next;
}

async function holdsMore(path: string, { rules, include }: Walking): Promise<boolean> {
  if (include.some((one) => one.startsWith(`${path}/`))) return true;
  return (await rules?.holdsTracked(path)) === true;
}

async function describe(path: string, { upper, workingDirectory, reader }: Walking): Promise<NotApplied> {
  const hint = hintFor(path, [workingDirectory, upper]);
  const files = await countFiles(join(upper, path), reader);
  return { path, files, ...(hint === undefined ? {} : { hint }) };
}

async function moveAside(path: string, { root, upper, workingDirectory }: Walking): Promise<void> {
  const to = join(root, ASIDE, path);
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await rename(join(upper, path), to);
  await dropEmpty(dirname(path), { upper, workingDirectory });
}

/** A new folder that held only ignored files isn't worth a line. */
async function dropEmpty(path: string, where: { upper: string; workingDirectory: string }): Promise<void> {
  if (path === '.' || existsSync(join(where.workingDirectory, path))) return;
  const isGone = await rmdir(join(where.upper, path)).then(
    () => true,
    () => false,
  );
  if (isGone) await dropEmpty(dirname(path), where);
}

async function countFiles(path: string, reader: LayerReader): Promise<number> {
  if (!lstatSync(path).isDirectory()) return 1;
  let count = 0;
  for (const { name, kind } of await reader.read(path))
    count += kind === 'folder' ? await countFiles(join(path, name.toString()), reader) : 1;
  return count;
}

function isLink(path: string, { workingDirectory }: Walking): boolean {
  return lstatSync(join(workingDirectory, path), { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** A folder, a file beside it, and the command that makes the folder again. */
const HINTS: readonly (readonly [folder: RegExp, beside: string, hint: string])[] = [
  [/^node_modules$/, 'package-lock.json', 'npm ci'],
  [/^node_modules$/, 'pnpm-lock.yaml', 'pnpm install'],
  [/^node_modules$/, 'yarn.lock', 'yarn install'],
  [/^node_modules$/, 'bun.lock', 'bun install'],
  [/^node_modules$/, 'package.json', 'npm install'],
  [/^\.?venv$/, 'uv.lock', 'uv sync'],
  [/^\.?venv$/, 'poetry.lock', 'poetry install'],
  [/^\.?venv$/, 'requirements.txt', 'pip install -r requirements.txt'],
  [/^target$/, 'Cargo.toml', 'cargo build'],
  [/^target$/, 'pom.xml', 'mvn package'],
  [/^vendor$/, 'composer.json', 'composer install'],
  [/^deps$/, 'mix.exs', 'mix deps.get'],
  [/^Pods$/, 'Podfile', 'pod install'],
];

function hintFor(path: string, places: readonly string[]): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const isBeside = (file: string): boolean => places.some((place) => existsSync(join(place, dirname(path), file)));
  return HINTS.find(([folder, file]) => folder.test(name) && isBeside(file))?.[2];
}
