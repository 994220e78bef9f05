import { newAgentSchema, newMcpServerSchema, worldSettingsSchema } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { weakenedPasskeyRule, type PossibleWeakening } from './weakened-passkey-rule.js';

const RULE = 'ask pay with passkey';
const settings = worldSettingsSchema.parse({ workingDirectory: '/srv/bank' });
const program = newMcpServerSchema.parse({ name: 'git', transport: 'stdio', command: 'git-mcp', enabled: false });
const coder = newAgentSchema.parse({ name: 'Coder', provider: 'acp', model: 'x', acp: { command: ['gemini'] } });
const off = { ...coder, active: false };

const weakening: Record<string, PossibleWeakening> = {
  'the rule removed': { kind: 'rules', before: [RULE], after: [] },
  'the rule commented out': { kind: 'rules', before: [RULE], after: [`# ${RULE}`] },
  'the rule narrowed': { kind: 'rules', before: [RULE], after: ['ask pay(amount > 9) with passkey'] },
  'the rule narrowed to an effect': { kind: 'rules', before: [RULE], after: ['ask pay removing * with passkey'] },
  'the world deleted': { kind: 'world-deleted' },
  'another folder': { kind: 'settings', before: settings, after: { ...settings, workingDirectory: '/srv' } },
  'no folder': { kind: 'settings', before: settings, after: worldSettingsSchema.parse({}) },
  'a higher mode': { kind: 'settings', before: settings, after: { ...settings, mode: 'auto' } },
  'a new server': { kind: 'mcp-server', before: undefined, after: program },
  'another program': { kind: 'mcp-server', before: program, after: { ...program, name: 'sh' } },
  'a server turned on': { kind: 'mcp-server', before: program, after: { ...program, enabled: true } },
  'a server trusted': { kind: 'mcp-server', before: program, after: { ...program, trusted: true } },
  'a new agent with a program': { kind: 'agent-program', before: undefined, after: coder },
  'another program of an agent': {
    kind: 'agent-program',
    before: coder,
    after: { ...coder, acp: { command: ['sh'] } },
  },
  'an agent with a program turned on': { kind: 'agent-program', before: off, after: coder },
  'a world in the folder': { kind: 'folder-shared', folder: '/srv/bank', taken: '/srv/bank' },
  'a world above the folder': { kind: 'folder-shared', folder: '/', taken: '/srv/bank' },
  'a world below the folder': { kind: 'folder-shared', folder: '/srv/bank/a', taken: '/srv/bank' },
};
const harmless: Record<string, PossibleWeakening> = {
  'the rule kept': { kind: 'rules', before: [RULE], after: ['allow *', RULE] },
  'another rule removed': { kind: 'rules', before: ['ask pay by @finance', RULE], after: [RULE] },
  'a lower mode': { kind: 'settings', before: { ...settings, mode: 'auto' }, after: { ...settings, mode: 'read' } },
  'other settings': { kind: 'settings', before: settings, after: { ...settings, turnLimit: 9 } },
  'a server turned off': { kind: 'mcp-server', before: { ...program, enabled: true }, after: program },
  'a server no longer trusted': { kind: 'mcp-server', before: { ...program, trusted: true }, after: program },
  'an agent with a program turned off': { kind: 'agent-program', before: coder, after: off },
  'an agent with a program renamed': { kind: 'agent-program', before: coder, after: { ...coder, name: 'Other' } },
  'a new agent without a program': {
    kind: 'agent-program',
    before: undefined,
    after: newAgentSchema.parse({ name: 'Ada', provider: 'scripted', model: 'x' }),
  },
  'a world in a folder with a similar name': { kind: 'folder-shared', folder: '/srv/bank2', taken: '/srv/bank' },
};

describe('[SIGN2.5] [SIGN2.6] [SIGN2.7] a rule with passkey', () => {
  it.each(Object.entries(weakening))('is weakened by %s', (_, change) => {
    expect(weakenedPasskeyRule(change, ['deny rm', RULE])).toBe(RULE);
  });

  it.each(Object.entries(harmless))('is not weakened by %s', (_, change) => {
    expect(weakenedPasskeyRule(change, [RULE])).toBeUndefined();
  });

  it.each(Object.entries(weakening).filter(([, { kind }]) => kind !== 'rules'))(
    'must be in force to be weakened by %s',
    (_, change) => {
      expect(weakenedPasskeyRule(change, ['ask pay', '# ask pay with passkey', 'ask pay by @finance'])).toBeUndefined();
    },
  );
});
