import { describe, expect, it } from 'vitest';
import { startScriptedModel } from './start-scripted-model.js';
import type { ModelScript } from './types.js';

describe('a script', () => {
  it.each([
    [undefined, 'script: is missing'],
    [[], 'script: must be an object'],
    [{}, 'script: replies: is missing'],
    [{ replies: [] }, 'script: replies: must contain at least one reply'],
    [{ replies: ['hi'], model: 'x' }, 'script: model: unknown key. Did you mean "models"?'],
    [{ replies: [{ say: 'hi' }] }, 'script: replies[0].say: unknown key. Known keys: when, text, thinking, calls'],
    [{ replies: [{ txt: 'hi' }] }, 'script: replies[0].txt: unknown key. Did you mean "text"?'],
    [
      { replies: [{ when: { usr: 'x' }, text: 'hi' }] },
      'script: replies[0].when.usr: unknown key. Did you mean "user"?',
    ],
    [{ replies: [{ text: 42 }] }, 'script: replies[0].text: must be text'],
    [{ replies: [{}] }, 'script: replies[0]: is empty. Add text, thinking, calls, error or connection'],
    [{ replies: [{ calls: [] }] }, 'script: replies[0].calls: must contain at least one call'],
    [
      { replies: [{ calls: [{ name: 'x', arguments: 1 }] }] },
      'script: replies[0].calls[0].arguments: must be an object',
    ],
    [{ replies: [{ error: { status: 200 } }] }, 'script: replies[0].error.status: must be from 400 to 599'],
    [{ replies: [{ text: 'x', error: { status: 500 } }] }, "script: replies[0]: a reply with an error can't have text"],
    [{ replies: [{ connection: 'close' }] }, 'script: replies[0].connection: must be one of hang, drop'],
    [
      { replies: [{ when: { user: '/(/' }, text: 'x' }] },
      'script: replies[0].when.user: is not a valid regular expression',
    ],
    [
      { replies: ['always', { when: { user: 'x' }, text: 'y' }] },
      'script: replies[1]: is never used, because replies[0] has no "when". Move replies[0] to the end',
    ],
  ])('[MODEL6.3] is refused if it is %j', async (script, message) => {
    await expect(startScriptedModel({ script: script as ModelScript })).rejects.toThrow(message);
  });

  it('[MODEL6.3] unknown options are refused', async () => {
    const options = { script: { replies: ['hi'] }, prot: 1 };
    await expect(startScriptedModel(options)).rejects.toThrow('startScriptedModel: unknown key "prot".');
  });
});
