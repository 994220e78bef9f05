import type { ToolDefinition } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callHash, type SignedParts, toolDigest } from './hash-call.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const key = bytes('key');

const parts: SignedParts = {
  agentId: 'a',
  chatId: 'c',
  tool: 'd',
  toolName: 'write_file',
  argumentsText: '{"path":"x"}',
  workingDirectory: '/w',
  sandbox: { kind: 'bubblewrap' as const, network: 'none' as const, hosts: [], readable: [] },
};

describe('callHash', () => {
  it('[CALL7.1] is stable for the same call and changes with any part or the key', () => {
    const hash = callHash(key, parts);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(callHash(bytes('key'), { ...parts })).toBe(hash);
    const others = [
      ...Object.keys(parts).map((name) => callHash(key, { ...parts, [name]: 'changed' })),
      callHash(key, { ...parts, sandbox: { ...parts.sandbox, network: 'public' } }),
      callHash(key, { ...parts, sandbox: { ...parts.sandbox, readable: ['/opt'] } }),
      callHash(key, { ...parts, fingerprint: '' }),
      callHash(key, { ...parts, fingerprint: 'old content' }),
      callHash(bytes('other'), parts),
    ];
    expect(new Set([hash, ...others]).size).toBe(others.length + 1);
  });

  it('[CALL7.1] moving text between adjacent parts changes the hash', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\\', '\ud800', '[', 'null'), maxLength: 8 });
    fc.assert(
      fc.property(fc.tuple(text, text), fc.tuple(text, text), (one, other) => {
        const hash = ([agentId, chatId]: [string, string]): string => callHash(key, { ...parts, agentId, chatId });
        expect(hash(one) === hash(other)).toBe(one[0] === other[0] && one[1] === other[1]);
      }),
      { numRuns: 500 },
    );
  });

  it('[CALL7.1] throws without a key', () => {
    expect(() => callHash(new Uint8Array(), parts)).toThrow('needs a key');
  });
});

describe('toolDigest', () => {
  const definition: ToolDefinition = {
    name: 'x',
    description: 'd',
    parameters: { type: 'object', properties: { a: { type: 'string' } } },
    location: 'server',
  };

  it('[CALL7.1] does not depend on the order of keys', () => {
    const turned: ToolDefinition = {
      location: 'server',
      parameters: { properties: { a: { type: 'string' } }, type: 'object' },
      description: 'd',
      name: 'x',
    };
    expect(toolDigest(turned)).toBe(toolDigest(definition));
  });

  it('[CALL7.1] changes with any part of the tool definition', () => {
    const changed: ToolDefinition[] = [
      definition,
      { ...definition, description: 'e' },
      { ...definition, location: 'client' },
      { ...definition, readOnly: true },
      { ...definition, approval: { required: true } },
      { ...definition, parameters: { type: 'object', properties: { a: { type: 'number' } } } },
    ];
    expect(new Set(changed.map(toolDigest)).size).toBe(changed.length);
  });
});
