import { readFileSync } from 'node:fs';
import { checkToolApproval, compilePolicy, type Policy } from '@countersign/core';
import { shellCmd } from '@countersign/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

// No command runs here. Without a sandbox, no rule with a star would apply.
const tool = shellCmd({ sandbox: { kind: 'sandbox-exec', program: '/nowhere' } });
const place = { workingDirectory: '/srv/project', home: '/home/ann' };

const caseSchema = z.strictObject({
  command: z.string(),
  parameters: z.array(z.string()).exactOptional(),
  expect: z.enum(['allow', 'not-allow', 'deny', 'not-deny']),
  class: z.string(),
});
const fileSchema = z.strictObject({
  note: z.string().exactOptional(),
  rules: z.array(z.string()),
  cases: z.array(caseSchema),
});

function policyOf(rules: readonly string[]): Policy {
  const compiled = compilePolicy(rules);
  if (!compiled.ok) throw new Error(`${rules[compiled.index]}: ${compiled.error}`);
  return compiled.policy;
}

const none = policyOf([]);

function outcome(policy: Policy, args: { command: string; parameters?: string[] | undefined }): string {
  const checked = tool.validate({ ...args });
  if (!checked.ok) return 'invalid';
  const gate = checkToolApproval({
    call: {
      tool: 'shell_cmd',
      arguments: checked,
      subjects: tool.subjects?.(checked.value, place) ?? [],
      place,
      folder: place.workingDirectory,
    },
    tool,
    agent: { tools: ['*'], policy: none },
    world: { mode: 'ask', policy },
    grants: [],
    decision: undefined,
    contained: false,
    outcomeUnknown: false,
  });
  return gate.kind === 'run' ? 'allow' : gate.kind === 'ask' ? 'ask' : 'deny';
}

function holds(expected: z.infer<typeof caseSchema>['expect'], found: string): boolean {
  switch (expected) {
    case 'allow':
    case 'deny':
      return found === expected;
    case 'not-allow':
      return found === 'ask' || found === 'deny' || found === 'invalid';
    case 'not-deny':
      return found === 'ask' || found === 'allow';
  }
}

describe.each(['given', 'syntax', 'options', 'denied'])('%s commands', (name) => {
  const file = new URL(`../../tools/src/testing/shell-commands/${name}.json`, import.meta.url);
  const { rules, cases } = fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  const policy = policyOf(rules);

  it.each(cases)('[RULE1] $class: $command is $expect', ({ command, parameters, expect: expected }) => {
    const found = outcome(policy, { command, ...(parameters === undefined ? {} : { parameters }) });
    expect({ found, holds: holds(expected, found) }).toMatchObject({ holds: true });
  });
});

describe('realistic rules', () => {
  const file = new URL('../../tools/src/testing/shell-commands/slips.json', import.meta.url);
  const slips = z
    .strictObject({ note: z.string(), cases: z.array(caseSchema.extend({ rules: z.array(z.string()) })) })
    .parse(JSON.parse(readFileSync(file, 'utf8')));

  it.each(slips.cases)('[RULE6] [RULE7] $class: $command is $expect', ({ rules, command, expect: expected }) => {
    const found = outcome(policyOf(rules), { command });
    expect({ found, holds: holds(expected, found) }).toMatchObject({ holds: true });
  });
});
