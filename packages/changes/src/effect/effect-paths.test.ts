import { describe, expect, it } from 'vitest';
import { effectPaths } from './effect-paths.js';
import type { Change } from './list-changes.js';

const put = (path: string, more: Partial<Extract<Change, { do: 'put' }>> = {}): Change => ({
  do: 'put',
  path,
  kind: 'file',
  mode: 0o644,
  uid: 0,
  gid: 0,
  bytes: 0,
  hash: '',
  target: '',
  sameAs: '',
  was: '',
  ...more,
});
const folder = (path: string, before: number, mode: number): Change => ({
  do: 'keep',
  path,
  was: { dev: '1', ino: '2', mode: before },
  mode,
});

describe('[RULE10.1] the paths of an effect', () => {
  it('include everything in a removed folder, changed permissions and both ends of a move', () => {
    const changes = [
      folder('', 0o755, 0o777),
      folder('src', 0o755, 0o755),
      folder('bin', 0o755, 0o700),
      put('src/new'),
      put('src/old', { was: '1 2 3 4 5 6' }),
      {
        do: 'remove',
        path: 'tmp',
        was: [
          ['', '1 2 3'],
          ['a/b', '1 2 3 4 5 6'],
        ],
      } as const,
    ];
    expect(effectPaths(changes, [{ path: '.git/hooks/x', why: 'runs-later' }])).toEqual({
      added: ['src/new'],
      changed: ['.', 'bin', 'src/old'],
      removed: ['tmp', 'tmp/a/b'],
      outward: [],
      leftOut: ['.git/hooks/x'],
    });
  });

  it.each([
    ['a', 'b', false],
    ['dist/a', '../src/b', false],
    ['node_modules/.bin/x', '../x/bin.js', false],
    ['dist/a', './b//c/.', false],
    ['a', '/etc/passwd', true],
    ['a', '..', true],
    ['dist/a', '../../b', true],
    ['dist/a', 'link/../../b', true],
    ['dist/a', 'link/../b', true],
  ])('%s -> %s may lead out: %s', (path, target, leads) => {
    expect(effectPaths([put(path, { kind: 'link', target })], [])?.outward).toEqual(leads ? [path] : []);
  });

  it('are unknown if there are too many', () => {
    expect(effectPaths([put('a'), put('b')], [], 1)).toBeUndefined();
  });
});
