import { expect, it } from 'vitest';
import { call, openAcpWorld } from './testing/acp-world.js';
import { freshEngines } from './testing/fresh-engines.js';
import { freshFolder } from './testing/fresh-folder.js';

// Registered first, so that the folder is removed after its engines are closed.
const inFolder = freshFolder();
const engines = freshEngines();

async function open(options: Parameters<typeof openAcpWorld>[1] = {}) {
  const t = await openAcpWorld(inFolder('work'), options);
  engines.add(t.engine);
  return t;
}

it('[EXT3.9] an agent that starts in an automatic mode is set to one in which it asks', async () => {
  const t = await open({ flags: ['--modes'] });
  await t.tell('Hello');
  expect(t.read('modes.log')).toEqual(['default']);
  await t.tell([{ mode: 'bypassPermissions' }, { ask: [call('c1', 'rm')] }]);
  expect(await t.lastText()).toContain('in which it runs calls without asking');
  expect(await t.pending()).toEqual([]);
});

it('[EXT3.9] a mode that is only offered as a configuration option counts as one', async () => {
  const t = await open({ flags: ['--options'] });
  await t.tell('Hello');
  expect(t.read('modes.log')).toEqual(['approvals=ask']);
  await t.tell([{ option: 'yolo' }, { ask: [call('c1', 'rm')] }]);
  expect(await t.lastText()).toContain('It switched to the mode "yolo", in which it runs calls without asking');
  expect(await t.pending()).toEqual([]);
});

it.each([
  ['says so when it is set', ['--options', '--stubborn'], 'yolo'],
  ['reports it when it is set', ['--modes', '--stubborn'], 'auto'],
  ['reports it before it has a session', ['--reports=bypassPermissions'], 'bypassPermissions'],
])('[EXT3.9] an agent that stays in such a mode and %s gets no prompt', async (_, flags, mode) => {
  const t = await open({ flags });
  await t.tell('Hello');
  expect(await t.lastText()).toContain(`It stays in the mode "${mode}", in which it runs calls without asking`);
  expect(t.read('prompts.log')).toEqual([]);
});

it('[EXT3.9] a mode that an agent reports before it has a session counts more than the one that it starts in', async () => {
  const t = await open({ flags: ['--modes=default', '--reports=auto'] });
  await t.tell('Hello');
  expect(t.read('modes.log')).toEqual(['default']);
  expect(await t.lastText()).toBe('You said: Hello');
});

it('[EXT3.9] an agent with two options for its mode is set in both', async () => {
  const t = await open({ flags: ['--options=approvals,edits'] });
  await t.tell('Hello');
  expect(t.read('modes.log')).toEqual(['approvals=ask', 'edits=ask']);
  expect(await t.lastText()).toBe('You said: Hello');
});
