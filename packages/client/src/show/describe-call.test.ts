import { describe, expect, it } from 'vitest';
import { callLine, describeCall, namedCallLine } from './describe-call.js';

describe('how a call is shown', () => {
  it('shows a command with its parameters quoted', () => {
    const args = { command: 'ls -l', parameters: ['my file'] };
    expect(describeCall('shell_cmd', args)).toEqual({ kind: 'shell', command: 'ls -l', parameters: ['my file'] });
    expect(callLine('shell_cmd', args)).toBe('ls -l "my file"');
    expect(namedCallLine('shell_cmd', args)).toBe('ls -l "my file"');
    expect(namedCallLine('mcp__ledger__pay', { amount: 70 })).toBe('mcp__ledger__pay amount: 70');
  });

  it('shows unknown fields', () => {
    const shape = describeCall('shell_cmd', { command: 'ls', env: { LD_PRELOAD: 'x' } });
    expect(shape).toMatchObject({ kind: 'fields', fields: [{ name: 'command' }, { name: 'env' }] });
    expect(describeCall('write_file', { path: 'a', content: 'b', mode: 511 }).kind).toBe('fields');
  });

  it('shows truncated arguments as text', () => {
    expect(describeCall('shell_cmd', '{"command": "rm')).toEqual({ kind: 'text', text: '{"command": "rm' });
    expect(describeCall('x', null)).toEqual({ kind: 'text', text: 'null' });
  });

  it('indicates further lines', () => {
    expect(callLine('shell_cmd', { command: 'echo a\nrm -rf b' })).toBe('echo a …');
    expect(callLine('x', 'y'.repeat(10_000_000)).length).toBeLessThan(300);
  });
});
