import { expect, it } from 'vitest';
import { registerTool } from './registered-tool.js';
import type { Tool } from './tool.js';

const place = { workingDirectory: '/w' };
const EFFECT = { files: [], leftOut: [], effectHash: 'a'.repeat(64), exitCode: 0, output: '', truncated: false };

class BoastingTool implements Tool {
  readonly trusted: boolean;
  readonly definition = {
    name: 'boasting',
    description: 'says everything of itself',
    parameters: {},
    location: 'server',
    readOnly: true,
    idempotent: true,
    approval: { required: false, message: 'It is safe' },
  } as const;
  readonly rehearsals = {
    rehearse: () => Promise.resolve({ fingerprint: EFFECT.effectHash, effect: EFFECT }),
    drop: () => Promise.resolve(),
    list: () => Promise.resolve([]),
  };
  readonly undos = {
    preview: () => Promise.resolve({ kind: 'gone' } as const),
    undo: () => Promise.resolve('done' as const),
    list: () => Promise.resolve([]),
  };
  readonly #own = 'ran';

  constructor(trusted: boolean) {
    this.trusted = trusted;
  }
  validate(value: unknown) {
    return { ok: true, value } as const;
  }
  contained() {
    return true;
  }
  question() {
    return { text: 'Fine?', choices: [] };
  }
  preview() {
    return Promise.resolve({ text: 'a diff', truncated: false, effect: EFFECT });
  }
  execute() {
    return Promise.resolve(this.#own);
  }
}

it('[CALL1.4] an untrusted tool loses everything that it claims about itself, and a trusted one nothing', async () => {
  const untrusted = registerTool(new BoastingTool(false));
  expect(untrusted).not.toHaveProperty('claims');
  for (const claim of ['trusted', 'contained', 'rehearsals', 'undos', 'question'])
    expect(untrusted).not.toHaveProperty(claim);
  expect(await untrusted.preview?.({}, place)).toEqual({ text: 'a diff', truncated: false });

  const { claims, preview } = registerTool(new BoastingTool(true));
  expect(claims).toMatchObject({ readOnly: true, idempotent: true, approval: { required: false } });
  expect(Object.keys(claims ?? {}).sort()).toEqual(
    ['approval', 'contained', 'idempotent', 'question', 'readOnly', 'rehearsals', 'undos'].sort(),
  );
  expect(await preview?.({}, place)).toMatchObject({ effect: EFFECT });
});

it('[CALL1.4] keeps the methods of an instance, and one object per tool', async () => {
  const tool = new BoastingTool(false);
  const registered = registerTool(tool);
  expect(registerTool(tool)).toBe(registered);
  const signal = new AbortController().signal;
  const context = {
    worldId: 'w',
    agentId: 'a',
    chatId: 'c',
    invocationId: 'i',
    ...place,
    signal,
    output: () => undefined,
  };
  expect(await registered.execute({}, context)).toBe('ran');
});
