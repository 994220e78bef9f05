import type { Store, Tool } from '@countersign/core/ports';
import { createFakeClock } from '@countersign/core/testing';
import type { CreatedExternalAgent } from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';
import { afterEach, expect, it } from 'vitest';
import { closeApps, until, type AppFixtureOptions } from '../testing/app-fixture.js';
import { openHarbour, removing, type Harbour } from '../testing/harbour.js';
import { callOf, sendMcp } from '../testing/mcp-client.js';

afterEach(closeApps);

/** A shell whose rehearsals end only when the test ends them. */
function slowShell(): { shell: Tool; ends: (() => void)[]; runs: unknown[] } {
  const ends: (() => void)[] = [];
  const { tool, runs } = removing();
  const noEffect = { reason: 'failed' } as const;
  const shell: Tool = {
    ...tool,
    definition: { ...tool.definition, name: 'shell_cmd' },
    rehearsals: {
      rehearse: () => new Promise((resolve) => ends.push(() => resolve({ fingerprint: undefined, noEffect }))),
      drop: async () => undefined,
      list: async () => [],
    },
  };
  return { shell, ends, runs };
}

interface Gateway extends Harbour {
  agent: CreatedExternalAgent;
  revoke(): Promise<void>;
}

async function openGateway(options: AppFixtureOptions): Promise<Gateway> {
  const t = await openHarbour(options);
  const named = { name: 'Claude Code', program: 'claude', tools: ['*'] };
  const { body: agent } = await t.api<CreatedExternalAgent>('POST', '/worlds/harbour/external/agents', named);
  const revoke = async (): Promise<void> => {
    expect((await t.api('DELETE', `/people/${agent.person}/tokens/${agent.tokenId}`)).status).toBe(204);
  };
  return { ...t, agent, revoke };
}

const command = { command: 'rm a' };

it('[EXT1.12] [EXT2] a call is not written if its token is revoked while it is rehearsed', async () => {
  const { shell, ends, runs } = slowShell();
  const t = await openGateway({ tools: [shell] });
  const answer = sendMcp(`${t.url}/mcp/harbour`, callOf('shell_cmd', command), { token: t.agent.token });
  await until(async () => ends[0], 'the call is rehearsed');
  await t.revoke();
  ends[0]?.();
  expect(JSON.stringify((await answer).messages.at(-1)?.result)).toContain('revoked');
  expect(await t.pending()).toEqual([]);
  expect([runs, t.errors]).toEqual([[], []]);
});

/** A store that can hold the next step that writes a call, before or after it is committed. */
async function openSlowStore() {
  const store = await openSqlite(':memory:', { clock: createFakeClock() });
  let held: { when: 'before' | 'after'; reached: () => void; released: Promise<void> } | undefined;
  const step: Store['step'] = async (...args) => {
    if (args[1].pendingOf === undefined) return await store.step(...args);
    const hold = held;
    held = undefined;
    const pause = async (when: string): Promise<void> => {
      if (hold?.when !== when) return;
      hold.reached();
      await hold.released;
    };
    await pause('before');
    const done = await store.step(...args);
    await pause('after');
    return done;
  };
  function hold(when: 'before' | 'after') {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const reached = new Promise<void>((resolve) => (held = { when, reached: resolve, released }));
    return { reached, release };
  }
  return { store: { ...store, step }, hold };
}

it.each([
  ['before', []],
  ['after', ['TOOL_EXECUTION_STARTED']],
] as const)(
  '[EXT1.12] [EXT2.8] no yes is sent if the token is revoked %s the call is written',
  async (when, written) => {
    const { store, hold } = await openSlowStore();
    const t = await openGateway({ store });
    const { headers } = await t.api('GET', '/worlds/harbour/policy');
    const match = { 'if-match': headers.get('etag') ?? '' };
    await t.api('PUT', '/worlds/harbour/policy', { rules: ['allow claude__Read(/srv/a)'] }, match);
    const states: string[] = [];
    t.engine.runtime.bus.subscribe('harbour', ({ event, data }) => void (event === 'tool' && states.push(data.type)));
    const held = hold(when);
    const permission = { tool_name: 'Read', input: { file_path: '/srv/a' }, tool_use_id: 'toolu_1' };
    const answer = sendMcp(`${t.url}/mcp/harbour`, callOf('permission_prompt', permission), { token: t.agent.token });
    await held.reached;
    await t.revoke();
    held.release();
    const said = JSON.stringify((await answer).messages.at(-1)?.result);
    expect([said.includes('allow'), said.includes('revoked')]).toEqual([false, true]);
    expect(states).toEqual(written);
    expect(t.errors).toEqual([]);
  },
);

it('[EXT1.12] a call is not written if its token is revoked while the request is sent', async () => {
  const sqlite = await openSqlite(':memory:', { clock: createFakeClock() });
  const seen: string[] = [];
  const store: Store = {
    ...sqlite,
    read: (work) =>
      sqlite.read((reader) =>
        work({
          ...reader,
          credential: async (id) => {
            const found = await reader.credential(id);
            seen.push(id);
            return found;
          },
        }),
      ),
  };
  const t = await openGateway({ store });
  seen.length = 0;
  const body = new TransformStream<Uint8Array, Uint8Array>();
  const sent = fetch(`${t.url}/api/worlds/harbour/external/calls`, {
    method: 'POST',
    headers: { authorization: `Bearer ${t.agent.token}`, 'content-type': 'application/json' },
    body: body.readable,
    duplex: 'half',
  });
  sent.catch(() => undefined);
  const call = { session: 's', key: 'k', program: 'claude', tool: 'Bash', arguments: command };
  const [first = '', ...rest] = JSON.stringify(call);
  const writer = body.writable.getWriter();
  await writer.write(new TextEncoder().encode(first));
  await until(async () => seen.find((id) => id === t.agent.tokenId), 'the request is authenticated');
  await t.revoke();
  await writer.write(new TextEncoder().encode(rest.join('')));
  await writer.close();
  expect((await sent).status).toBe(401);
  expect(await t.pending()).toEqual([]);
});
