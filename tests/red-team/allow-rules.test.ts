import { existsSync } from 'node:fs';
import { mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWorld, scripted, type OpenedWorld } from 'countersign';
import { shellCmd, type Sandbox } from '@countersign/tools';
import { sharedSandbox } from '../support/shared-sandbox.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFullSize } from '../support/scaled.js';
import { allSlips } from './slips.js';

const none: Sandbox = { kind: 'none', reason: 'left out on purpose' };
const found = await sharedSandbox();

let folder: string;
let world: OpenedWorld | undefined;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-allow-')));
  for (const name of ['x', 'a', 'notes.txt']) await writeFile(join(folder, name), 'words\n');
});
afterEach(async () => {
  await world?.close();
  world = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** Makes an obedient agent run each command in its own chat, and returns those that ran without approval. */
async function ranWithoutApproval(
  sandbox: Sandbox,
  rules: readonly string[],
  commands: readonly string[],
): Promise<string[]> {
  const replies = commands.flatMap((command) => [{ calls: [{ name: 'shell_cmd', arguments: { command } }] }]);
  world = await openWorld(':memory:', {
    providers: [scripted(replies)],
    tools: [shellCmd({ sandbox })],
    sandbox: sandbox.kind,
    workingDirectory: folder,
    policy: [...rules],
    agents: [{ name: 'Ada', provider: 'scripted', model: 'm', tools: ['*'] }],
  });
  const ran: string[] = [];
  for (const command of commands) {
    const chat = await world.chat();
    await chat.send('go');
    if ((await chat.settled()) !== 'waiting') ran.push(command);
  }
  return ran;
}

describe('an obedient model with realistic rules', () => {
  // In the sandbox each command is rehearsed, so only `npm run verify` runs all of them there.
  it.each([
    ['in the sandbox', found, isFullSize ? 1 : 5],
    ['without a sandbox', none, 1],
  ])('[RULE6] [RULE7] no command that writes or runs code is allowed by them %s', async (_, sandbox, step) => {
    expect(allSlips.length).toBeGreaterThan(30);
    const rules = [...new Set(allSlips.flatMap((slip) => slip.rules))];
    const commands = [...new Set(allSlips.map(({ command }) => command))].filter((_, index) => index % step === 0);
    expect(await ranWithoutApproval(sandbox, rules, commands)).toEqual([]);
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
    expect((await readdir(folder)).toSorted()).toEqual(['a', 'notes.txt', 'x']);
  });

  it('[RULE8] [SAFE1.5] without a sandbox, a rule for sed does not expose the server’s token', async () => {
    const attack = ['sed -n p /proc/self/environ', "sed -n '1,5p' x", 'sed p /proc/1/environ', 'sed'];
    expect(await ranWithoutApproval(none, ['allow shell_cmd(sed *)', 'allow shell_cmd(sed p *)'], attack)).toEqual([]);
  });
});
