// Counts the code: `node scripts/count.mjs [--json]`. A build (`npx tsc -b`) must be up to date, because one gated call is run and covered.
import { readdirSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseSync, Visitor, visitorKeys } from 'oxc-parser';
import { z } from 'zod';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @typedef {{ path: string, kind: 'source' | 'test' | 'kit' | 'script', lines: number, nodes: number, imports: string[] }} Counted */

const files = ['packages', 'tests', 'scripts', 'bench', 'examples'].flatMap(readFolder);
const counts = {
  kinds: /** @type {const} */ (['source', 'test', 'kit', 'script']).map((kind) => {
    const own = files.filter((file) => file.kind === kind);
    return { kind, files: own.length, lines: sum(own, 'lines'), nodes: sum(own, 'nodes') };
  }),
  call: await coverOneCall(),
  sourceLines: quantiles(files.filter(({ kind }) => kind === 'source').map(({ lines }) => lines)),
  longest: longestSource(),
  largeFolders: largeFolders(),
  cycles: findCycles().map((files) => ({ length: files.length, files })),
};

if (process.argv.includes('--json')) console.log(JSON.stringify(counts, undefined, 2));
else print();

/** @param {string} folder @returns {Counted[]} */
function readFolder(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:tsx?|mjs)$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !/(?:^|\/)(?:node_modules|dist|\.cache)\//.test(path))
    .map((path) => ({ path, kind: kindOf(path), ...measure(path) }));
}

/** @param {string} path @returns {Counted['kind']} */
function kindOf(path) {
  if (/\.test\.tsx?$/.test(path)) return 'test';
  if (path.startsWith('tests/') || path.includes('/testing/')) return 'kit';
  return path.startsWith('packages/') ? 'source' : 'script';
}

/** `nodes`: of the syntax tree, so that neither comments nor line breaks count. @param {string} path */
function measure(path) {
  const text = readFileSync(join(root, path), 'utf8');
  const { program, module } = parseSync(path, text);
  const { staticImports, staticExports } = module;
  const requests = [...staticImports, ...staticExports.flatMap(({ entries }) => entries)];
  const imports = requests.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []);
  /** @type {Record<string, () => void>} */
  const counters = {};
  let nodes = 0;
  for (const type of Object.keys(visitorKeys)) counters[type] = () => (nodes += 1);
  new Visitor(counters).visit(program);
  return { lines: text.split('\n').length - 1, nodes, imports: [...new Set(imports)] };
}

/** Files and functions that a call enters from its proposal to its result, with an approval in between, in a warm process. */
async function coverOneCall() {
  // The package's own entry point is a bundle, in which files can't be told apart.
  const built = pathToFileURL(join(root, 'packages/countersign/dist/index.js')).href;
  const { defineTool, openWorld, scripted } = /** @type {typeof import('countersign')} */ (await import(built));
  const pay = {
    name: 'pay',
    description: 'Pays a bill.',
    parameters: z.object({ to: z.string() }),
    execute: () => 'paid',
  };
  const calls = [{ name: 'pay', arguments: { to: 'Bob' } }];
  const world = await openWorld(':memory:', {
    agents: [{ name: 'Ada', provider: 'scripted', model: 'any', tools: ['pay'] }],
    providers: [scripted([{ say: 'One bill.', calls }, 'Paid.', { say: 'Another one.', calls }, 'Paid.'])],
    tools: [defineTool({ ...pay, approval: { required: true } })],
  });
  const chat = await world.chat();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  const turn = async () => {
    await chat.send('Pay.');
    await chat.settled();
    const [approval] = await world.approvals({ chatId: chat.id });
    if (approval === undefined) throw new Error('The call needs no approval.');
    await world.decide(approval, { decision: 'approve', scope: 'once' }, { who: { id: 'u7', name: 'Grace Hopper' } });
    await chat.settled();
  };
  await turn();
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await turn();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  await world.close();
  const ours = result
    .filter(({ url }) => /\/packages\/\w+\/dist\//.test(url))
    .map(({ functions }) => functions.filter(({ ranges: [range] }) => (range?.count ?? 0) > 0).length)
    .filter((entered) => entered > 0);
  return { files: ours.length, functions: ours.reduce((all, entered) => all + entered, 0) };
}

function longestSource() {
  const [longest] = files.filter(({ kind }) => kind === 'source').toSorted((a, b) => b.lines - a.lines);
  return longest === undefined ? undefined : { path: longest.path, lines: longest.lines };
}

/** Folders with more than 20 sources, without those of their subfolders. */
function largeFolders() {
  /** @type {Map<string, number>} */
  const folders = new Map();
  for (const { path } of files.filter(({ kind }) => kind === 'source'))
    folders.set(posix.dirname(path), (folders.get(posix.dirname(path)) ?? 0) + 1);
  return [...folders]
    .map(([folder, sources]) => ({ folder, sources }))
    .filter(({ sources }) => sources > 20)
    .toSorted((a, b) => b.sources - a.sources);
}

/** Groups of sources that import each other, type-only imports included (Tarjan). */
function findCycles() {
  const sources = new Map(files.filter(({ kind }) => kind === 'source').map((file) => [file.path, file]));
  const edges = (/** @type {string} */ path) =>
    (sources.get(path)?.imports ?? []).flatMap((name) => {
      if (!name.startsWith('.')) return [];
      const bare = posix.join(posix.dirname(path), name).replace(/\.js$/, '');
      return [`${bare}.ts`, `${bare}.tsx`].filter((found) => sources.has(found));
    });
  /** @type {Map<string, { index: number, low: number, isOpen: boolean }>} */
  const seen = new Map();
  /** @type {string[]} */
  const open = [];
  /** @type {string[][]} */
  const cycles = [];
  for (const path of sources.keys()) if (!seen.has(path)) visit(path);
  return cycles.toSorted((a, b) => b.length - a.length);

  /** @param {string} path */
  function visit(path) {
    const own = { index: seen.size, low: seen.size, isOpen: true };
    seen.set(path, own);
    open.push(path);
    for (const next of edges(path)) {
      const known = seen.get(next);
      if (known === undefined) own.low = Math.min(own.low, visit(next).low);
      else if (known.isOpen) own.low = Math.min(own.low, known.index);
    }
    if (own.low === own.index) {
      const group = open.splice(open.indexOf(path));
      for (const member of group) /** @type {{ isOpen: boolean }} */ (seen.get(member)).isOpen = false;
      if (group.length > 1) cycles.push(group.toSorted());
    }
    return own;
  }
}

/** @param {number[]} lines */
function quantiles(lines) {
  const sorted = lines.toSorted((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)], p95: sorted[Math.floor(sorted.length * 0.95)] };
}

/** @param {Counted[]} list @param {'lines' | 'nodes'} key */
function sum(list, key) {
  return list.reduce((all, file) => all + file[key], 0);
}

function print() {
  for (const { kind, files, lines, nodes } of counts.kinds)
    console.log(`${kind.padEnd(7)} ${String(files).padStart(5)} files ${number(lines)} lines ${number(nodes)} nodes`);
  console.log(`one gated call: ${counts.call.files} files, ${counts.call.functions} functions`);
  console.log(`lines of a source: median ${counts.sourceLines.median}, p95 ${counts.sourceLines.p95}`);
  console.log(`longest: ${counts.longest?.path}, ${counts.longest?.lines} lines`);
  console.log(`folders over 20 sources: ${counts.largeFolders.length}`);
  for (const { folder, sources } of counts.largeFolders) console.log(`  ${sources} ${folder}`);
  console.log(`import cycles: ${counts.cycles.length}`);
  for (const { files } of counts.cycles)
    console.log(`  ${files.length} ${files.slice(0, 3).join(', ')}${files.length > 3 ? ', …' : ''}`);
}

/** @param {number} value */
function number(value) {
  return value.toLocaleString('en').padStart(9);
}
