import { expect, it } from 'vitest';
import { knownTool } from '../testing/known-tool.js';
import { checkToolApproval, type GateInput } from './check-tool-approval.js';
import { policy } from '../testing/policy-calls.js';

const definition = {
  name: 'mcp__s__t',
  description: 'A tool',
  parameters: {},
  location: 'server',
  readOnly: true,
} as const;

function input(change: Partial<GateInput> = {}): GateInput {
  return {
    call: {
      tool: 'mcp__s__t',
      arguments: { ok: true, value: {} },
      subjects: [],
      place: { workingDirectory: '/w', home: '/h' },
      folder: '/w',
    },
    tool: knownTool(definition, { trusted: false }),
    changed: 'its description changed from "a" to "b"',
    agent: { tools: ['*'], policy: policy() },
    world: { mode: 'ask', policy: policy('allow mcp__s__*') },
    grants: [{ id: 'grant' }],
    decision: undefined,
    contained: true,
    outcomeUnknown: false,
    ...change,
  };
}

it('[CALL1.6] [CALL2] a tool that differs from the accepted one always needs approval, despite grants, allow rules, trust and modes', () => {
  const trusted = knownTool(definition);
  const auto = { mode: 'auto', policy: policy('allow *') } as const;
  for (const change of [{}, { tool: trusted }, { world: auto }]) {
    const gate = checkToolApproval(input(change));
    expect(gate).toMatchObject({ kind: 'ask', options: ['deny', 'approve_once'] });
    const difference = 'its description changed from "a" to "b"';
    expect(gate).toMatchObject({ reason: { code: 'tool-changed', tool: 'mcp__s__t', difference } });
    expect(gate).not.toHaveProperty('proposedRule');
  }
});

it('[CALL2] a deny rule still denies a changed tool, and a person may still approve a single call to it', () => {
  const denied = { mode: 'ask', policy: policy('deny mcp__s__t') } as const;
  expect(checkToolApproval(input({ world: denied }))).toMatchObject({ kind: 'refuse' });
  expect(checkToolApproval(input({ decision: 'approved' }))).toEqual({ kind: 'run', because: 'decision' });
});
