import { describe, expect, it } from 'vitest';
import { createSchemaChecker } from './check-schema.js';
import { mcpTool } from './mcp-tool.js';

function declared(annotations: Record<string, unknown> | undefined) {
  const seen = {
    name: 'do',
    inputSchema: { type: 'object' as const },
    ...(annotations === undefined ? {} : { annotations }),
  };
  const { definition } = mcpTool({
    tool: {
      ...{ worldId: 'w', server: 's', name: 'mcp__s__do', reviewed: false },
      ...{ seen, seenDigest: 'd', accepted: seen, acceptedDigest: 'd' },
    },
    server: { name: 's', transport: 'http', url: 'http://s', headers: {}, trusted: true, enabled: true },
    sandbox: () => ({ kind: 'bubblewrap', network: 'none', hosts: [], readable: [] }),
    unconfined: false,
    checker: createSchemaChecker(),
    run: () => Promise.resolve(undefined),
  });
  return {
    readOnly: definition.readOnly,
    idempotent: definition.idempotent,
    asks: definition.approval?.required === true,
  };
}

describe('[CALL1.5] annotations of a trusted server', () => {
  it('a tool that declares itself read-only needs no approval', () => {
    expect(declared({ readOnlyHint: true })).toEqual({ readOnly: true, idempotent: true, asks: false });
    expect(declared({ readOnlyHint: true, destructiveHint: false })).toMatchObject({ readOnly: true, asks: false });
  });

  it.each([
    undefined,
    {},
    { readOnlyHint: false },
    { readOnlyHint: 'true' },
    { destructiveHint: false },
    { destructiveHint: true },
    // The annotations contradict each other, so the stricter one applies.
    { readOnlyHint: true, destructiveHint: true },
    { idempotentHint: true },
  ])('any other tool needs approval: %o', (annotations) => {
    expect(declared(annotations)).toMatchObject({ readOnly: false, asks: true });
  });

  it('a tool that declares itself idempotent may run again after a crash', () => {
    expect(declared({ idempotentHint: true })).toMatchObject({ idempotent: true });
    expect(declared({ readOnlyHint: true, destructiveHint: true })).toMatchObject({ idempotent: false });
  });
});
