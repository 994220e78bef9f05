import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { inodeOf, placeOf, readPlaces, startFolder } from './find-place.js';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-places-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const at = (name: string): string => join(root, name);
for (const name of ['code/a/src', 'code/b', 'code-2', 'other']) mkdirSync(at(name), { recursive: true });
symlinkSync(at('code/b'), at('other/link'));

const folders = [
  { folder: at('code'), world: 'code', agent: 'x' },
  { folder: at('code/a'), world: 'a', agent: 'y' },
];
const places = { world: 'code', agent: 'x', folders };
const world = (path: string | undefined, known = places): string | undefined => placeOf(known, path)?.world;

it('[GATE7.2] [GATE7.7] the nearest folder with a world decides, by real paths', () => {
  expect(world(at('code/a/src'))).toBe('a');
  expect(world(at('code/b'))).toBe('code');
  for (const path of [at('code-2'), at('other'), '/', at('code/a/../../other'), at('code/gone'), '', undefined])
    expect(world(path)).toBeUndefined();
  const elsewhere = { world: 'others', agent: 'z' };
  expect(placeOf({ ...places, elsewhere }, at('other'))).toEqual(elsewhere);
  expect(placeOf({ ...places, elsewhere }, undefined)).toEqual(elsewhere);
  // Renamed by the agent that was started there, which had the rules of another world.
  for (const gone of [at('code/gone'), at('gone')]) expect(placeOf({ ...places, elsewhere }, gone)).toBeUndefined();
  expect(placeOf({ world: 'w', agent: 'a' }, at('other'))).toEqual({ world: 'w', agent: 'a' });
});

it('[GATE7.8] calls from a folder that was replaced, by a link or by another folder, go nowhere', () => {
  const path = at('projects');
  for (const name of ['strict/src', 'lenient/src']) mkdirSync(join(path, name), { recursive: true });
  const of = (name: string) => ({
    folder: join(path, name),
    inode: inodeOf(join(path, name)),
    world: name,
    agent: 'x',
  });
  const known = {
    world: 'strict',
    agent: 'x',
    folders: [of('strict'), of('lenient')],
    elsewhere: { world: 'others', agent: 'z' },
  };
  const start = join(path, 'strict/src');
  expect(world(start, known)).toBe('strict');
  const move = (from: string, to: string) => renameSync(join(path, from), join(path, to));
  move('strict/src', 'strict/before');
  symlinkSync(join(path, 'lenient'), start);
  expect(world(start, known)).toBeUndefined();
  rmSync(start);
  move('strict/before', 'strict/src');
  expect(world(start, known)).toBe('strict');
  move('strict', 'before');
  symlinkSync(join(path, 'lenient'), join(path, 'strict'));
  expect([world(start, known), world(join(path, 'strict'), known)]).toEqual([undefined, undefined]);
  rmSync(join(path, 'strict'));
  move('lenient', 'strict');
  expect(world(start, known)).toBeUndefined();
  // What an earlier version wrote has no inodes.
  expect(
    world(start, { ...known, folders: known.folders.map(({ folder, world, agent }) => ({ folder, world, agent })) }),
  ).toBe('strict');
});

it('[GATE7.2] the folder in which the agent was started decides, not the one of the call', () => {
  const env = { CLAUDE_PROJECT_DIR: '/a', GEMINI_PROJECT_DIR: '/b' };
  const in_ = (agent: 'claude' | 'gemini' | 'codex', given: Record<string, string> = env) =>
    startFolder(agent, '/cwd', { env: given, userHome: '/' });
  expect([in_('claude'), in_('gemini'), in_('codex'), in_('claude', {})]).toEqual(['/a', '/cwd', '/cwd', '/cwd']);
  expect(in_('claude', { CLAUDE_PROJECT_DIR: '../b' })).toBe('/cwd');
});

it('[GATE7.2] a damaged configuration sends calls nowhere', () => {
  expect(readPlaces({ ...places, token: 't' })).toEqual(places);
  const numbered = { ...places, folders: [{ ...folders[0], inode: '7' }] };
  expect(readPlaces(numbered)).toEqual(numbered);
  const damaged = [
    undefined,
    [],
    {},
    { world: 'w' },
    { ...places, folders: {} },
    { ...places, folders: [{ folder: '/' }] },
    { ...places, folders: [{ ...folders[0], inode: 7 }] },
  ];
  for (const value of [...damaged, { ...places, folders: ['/'] }, { ...places, elsewhere: 'w' }])
    expect(() => readPlaces(value)).toThrow(TypeError);
});
