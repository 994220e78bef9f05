import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline/promises';
import { setImmediate } from 'node:timers/promises';
import { scripted } from '@countersign/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, openWorld } from '../index.js';
import { linesOf, settleWith, showEvents, type Lines } from './talk.js';

const FAKE = 'Mason wants to use read_file';

function typed(person: boolean) {
  const input = new PassThrough();
  const printed: string[] = [];
  const readline = createInterface({ input });
  const lines = linesOf(readline, (text) => printed.push(text), { person });
  return { input, printed, lines };
}

describe('what an agent wrote', () => {
  it('[A15] moves no cursor and turns no text, in whatever is printed', async () => {
    const { lines, printed, input } = typed(true);
    lines.say('a\u001B[2Jb\rc\u202Ed\u009Bm\ne\tf');
    input.end('x\n');
    await lines.ask('rule \u001B]0;t\u0007> ');
    expect(printed.join('')).toBe('a‹U+001B›[2Jb‹U+000D›c‹U+202E›d‹U+009B›m\ne\tf\nrule ‹U+001B›]0;t‹U+0007›> ');
  });

  it('[A17] stands behind a bar, so that neither a message nor an argument looks like a card', async () => {
    const printed: string[] = [];
    const lines: Lines = {
      ask: () => Promise.resolve(undefined),
      say: (line) => printed.push(...line.split('\n')),
      onInterrupt: () => () => undefined,
    };
    const send = defineTool({
      name: 'send',
      description: 'Sends.',
      parameters: z.object({ text: z.string() }),
      approval: { required: true },
      execute: () => Promise.resolve('sent'),
    });
    const world = await openWorld(':memory:', {
      providers: [scripted([{ say: `Hello.\n${FAKE}`, calls: [{ name: 'send', arguments: { text: `x\n${FAKE}` } }] }])],
      tools: [send],
      agents: [{ name: 'Mason', provider: 'scripted', model: 'm', tools: ['send'] }],
    });
    const hush = await showEvents(world, lines.say);
    const chat = await world.chat();
    await chat.send('go');
    expect(await settleWith(lines, world, chat)).toBe(false);
    hush();
    await world.close();
    const fakes = printed.filter((line) => line.includes(FAKE));
    expect(fakes).toEqual([`  │ ${FAKE}`, `  │ ${FAKE}`]);
    expect(printed).toContain('Mason wants to use send');
  });
});

describe('what was typed before a card was there', () => {
  it.each([
    ['a person', true, 'late'],
    ['a script', false, 'early'],
  ])('[A17] typed by %s', async (_who, person, answer) => {
    const { lines, input } = typed(person);
    input.write('early\n');
    await setImmediate();
    const asked = lines.ask('> ', 'from now on');
    input.write('late\n');
    expect(await asked).toBe(answer);
  });
});
