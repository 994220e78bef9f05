import { describe, expect, it } from 'vitest';
import { probeArguments, placeArguments, writeArguments, type Drafting } from './drafting.js';

const folders = { root: '/d', upper: '/d/upper', work: '/d/work', lower: '/d/lower', merged: '/d/merged' };

describe('a draft', () => {
  it('is mounted by a bubblewrap that supports overlays', () => {
    const drafting: Drafting = { how: 'bubblewrap', program: '/usr/bin/bwrap', folder: '/', flock: 'flock' };
    expect(writeArguments(drafting, folders, '/w')).toEqual([]);
    expect(placeArguments(drafting, folders, '/w')).toEqual([
      '--overlay-src',
      '/w',
      '--overlay',
      '/d/upper',
      '/d/work',
      '/w',
    ]);
    const words = probeArguments(drafting, folders, '/w').join(' ');
    expect(words).toContain('--overlay-src /w --overlay-src /d/upper --ro-overlay /d/merged');
  });

  it('is mounted by us, with no path that could be read as an option', () => {
    const drafting: Drafting = {
      how: 'mount',
      unshare: ['/usr/bin/unshare', '--mount'],
      mount: '/usr/bin/mount',
      bash: '/usr/bin/bash',
      options: ',userxattr',
      folder: '/',
      flock: 'flock',
    };
    const words = writeArguments(drafting, folders, '/w,upperdir=/etc');
    expect(words.at(-1)).toBe('lowerdir=lower,upperdir=upper,workdir=work,userxattr');
    expect(words.slice(-4, -1)).toEqual(['/d', '/usr/bin/mount', '/w,upperdir=/etc']);
    expect(placeArguments(drafting, folders, '/w')).toEqual(['--bind', '/d/merged', '/w']);
    expect(probeArguments(drafting, folders, '/w')).toContain('lowerdir=upper:lower,userxattr');
  });
});
