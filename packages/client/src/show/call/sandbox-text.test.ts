import type { CallSandbox } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { folderOf, sandboxText } from './sandbox-text.js';

const base: CallSandbox = { kind: 'bubblewrap', network: 'none', hosts: [], readable: [] };

describe('how a call runs, on every screen', () => {
  it.each<[Partial<CallSandbox>, string, string]>([
    [{}, 'sandboxed, no network', 'confined'],
    [{ kind: 'sandbox-exec', network: 'public' }, 'sandboxed, public network', 'confined'],
    [
      { network: 'listed', hosts: ['a.example', '*.b.example'] },
      'sandboxed, network limited to a.example, *.b.example',
      'confined',
    ],
    [{ readable: ['/opt/data'] }, 'sandboxed, no network, can also read /opt/data', 'confined'],
    [{ network: 'all' }, 'sandboxed, but it can reach every address this machine can, including localhost', 'warning'],
    [{ network: 'unknown' }, 'sandboxed, but its network access is unknown', 'warning'],
    [{ kind: 'in-process' }, 'runs inside Countersign, no network', 'plain'],
    [{ kind: 'in-process', network: 'public' }, 'not sandboxed, uses the public network', 'plain'],
    [{ kind: 'in-process', network: 'unknown' }, 'not sandboxed: it runs with your permissions', 'warning'],
    [
      { kind: 'none', detail: 'no bubblewrap' },
      'not sandboxed: nothing stops it from reading and changing your files, using the network or approving its own calls (no bubblewrap)',
      'warning',
    ],
    [
      { kind: 'remote', detail: 'https://a.example' },
      'not sandboxed: it runs on another server (https://a.example)',
      'warning',
    ],
    [{ kind: 'client' }, 'not sandboxed: it runs in the client that offers this tool', 'warning'],
    [{ kind: 'unknown', detail: 'docker' }, 'not known to be sandboxed (docker)', 'warning'],
  ])('[CALL20] describes %j as: %s', (facts, words, level) => {
    expect(sandboxText({ ...base, ...facts })).toEqual({ words, level });
  });

  it('[EXT1.13] says that the folder is unknown if the program did not name it', () => {
    const sandbox: CallSandbox = { ...base, kind: 'external', network: 'unknown', detail: 'Claude Code' };
    expect(folderOf({ workingDirectory: '/w', sandbox })).toBe('/w');
    expect(sandboxText(sandbox).words).not.toContain('relative paths');
    const unknown: CallSandbox = { ...sandbox, folder: 'unknown' };
    expect(folderOf({ workingDirectory: '/w', sandbox: unknown })).toBeUndefined();
    expect(sandboxText(unknown).words).toContain('relative paths may mean any file');
  });

  it('[CALL20] derives the level from the fields, never from text', () => {
    const claim = fc.oneof(
      fc.constantFrom('bubblewrap, no network', 'sandboxed, no network', 'sandbox-exec, public network'),
      fc.string(),
    );
    const kind = fc.constantFrom<CallSandbox['kind'][]>('none', 'remote', 'client', 'unknown');
    fc.assert(
      fc.property(kind, claim, fc.array(claim, { maxLength: 3 }), (kind, detail, lists) => {
        const { words, level } = sandboxText({ kind, network: 'none', hosts: lists, readable: lists, detail });
        expect(level).toBe('warning');
        expect(words).toMatch(/^not (?:known to be )?sandboxed/);
      }),
    );
  });
});
