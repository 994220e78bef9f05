import { undoCall } from '@countersign/core';
import { defineTool, type UndoState } from '@countersign/core/ports';
import type { Effect, UndoPreview } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { closeApps } from '../testing/app-fixture.js';
import { openHarbour, type Harbour } from '../testing/harbour.js';
import { signInAs } from '../testing/sign-in.js';

afterEach(closeApps);

const effect: Effect = {
  files: [{ path: 'notes.txt', change: 'changed', kind: 'file', bytes: 4 }],
  leftOut: [],
  effectHash: 'ab'.repeat(32),
  exitCode: 0,
  output: '',
  truncated: false,
};

const PATHS = { added: [], changed: ['notes.txt'], removed: [], outward: [], leftOut: [] };

/** A tool whose calls can be undone, without any files. */
function undoable() {
  const states = new Map<string, UndoState>();
  const undone: string[] = [];
  const tool = defineTool({
    name: 'put',
    description: 'Writes something.',
    parameters: z.strictObject({}),
    approval: { required: true },
    undos: {
      preview: async (id) => states.get(id) ?? { kind: 'gone' },
      undo: async (id, hash) => {
        const state = states.get(id) ?? { kind: 'gone' };
        if (state.kind !== 'ready' || state.effect.effectHash !== hash) return state;
        undone.push(id);
        states.set(id, { kind: 'undone' });
        return 'done';
      },
      list: async () => [...states.keys()].map((invocationId) => ({ invocationId, until: 2_000_000_000_000 })),
    },
    execute: (_, { invocationId }) => {
      states.set(invocationId, { kind: 'ready', effect, paths: PATHS });
      return 'written';
    },
  });
  return { tool, states, undone };
}

async function run(t: Harbour): Promise<string> {
  await t.propose({ name: 'put', arguments: {} });
  const [approval] = await t.pending();
  if (approval === undefined) throw new Error('no approval is pending');
  const decision = { tool_call_id: approval.approvalId, decision: 'approve', callHash: approval.callHash };
  expect((await t.api('POST', '/worlds/harbour/tool-results', decision)).status).toBe(200);
  await t.settled();
  return approval.toolCallId;
}

/** Adds an approver and signs them in. Only they themselves can get a credential that signs. */
async function addApprover(t: Harbour, name: string): Promise<Record<string, string>> {
  const { body } = await t.api<{ id: string }>('POST', '/people', { name, role: 'approver' });
  return await signInAs(t, body.id);
}

/** Sends a request with only these credentials. */
async function send(t: Harbour, path: string, headers: Record<string, string>, body?: unknown) {
  const response = await fetch(`${t.url}/api${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { ...headers, 'Content-Type': 'application/json' },
  });
  return { status: response.status, body: await response.json() };
}

describe('[HTTP6.4] undoing a call over HTTP', () => {
  it('[CHANGE10] [CHANGE10.5] lists it, shows what it will do, and undoes it once for a person who may sign', async () => {
    const { tool, undone } = undoable();
    const t = await openHarbour({ tools: [tool] });
    const call = await run(t);
    const path = `/worlds/harbour/calls/${call}/undo`;
    expect((await t.api('GET', '/worlds/harbour/undo')).body).toMatchObject({ items: [{ toolCallId: call }] });
    expect((await t.api<UndoPreview>('GET', path)).body).toEqual({ state: 'ready', effect });
    const { effectHash } = effect;
    expect(await t.api('POST', path, {})).toMatchObject({ status: 422, body: { field: 'effectHash' } });
    expect((await t.api('POST', path, { effectHash: 'cd'.repeat(32) })).status).toBe(409);
    expect((await t.api('POST', path.replace(call, 'call_none'), { effectHash })).status).toBe(404);

    const { body: client } = await t.api<{ clientSecret: string }>('POST', '/worlds/harbour/clients', {
      label: 'agent',
      approvals: false,
    });
    const asClient = { 'X-Countersign-Client': client.clientSecret };
    expect((await t.api('POST', path, { effectHash }, asClient)).status).toBe(403);
    for (const kind of ['agent', 'system'] as const) {
      const signer = { who: { kind, id: 'ada', name: 'Ada' }, via: 'a test' };
      const undoing = undoCall(t.engine.runtime, 'harbour', call, { effectHash }, signer);
      await expect(undoing).rejects.toThrow('Only people can undo calls.');
    }
    expect(undone).toEqual([]);

    const bob = await addApprover(t, 'Bob');
    expect(await send(t, path, bob, { effectHash })).toMatchObject({ status: 200, body: { state: 'undone' } });
    const again = await send(t, path, bob, { effectHash });
    expect(again).toMatchObject({ status: 409, body: { detail: 'This call was already undone.' } });
    expect(undone).toEqual([call]);
    const { items } = (await t.api<{ items: { kind: string; decision: string }[] }>('GET', '/worlds/harbour/audit'))
      .body;
    expect(items.filter(({ kind }) => kind === 'undo')).toMatchObject([
      { decision: 'signed', who: { kind: 'person', name: 'Bob' }, effectHash },
      { decision: 'done', who: { kind: 'person', name: 'Bob' }, effectHash },
    ]);
  });

  it('[CHANGE10.6] refuses a call for which a rule says who must sign, and one that changes while it is undone', async () => {
    const { tool, states, undone } = undoable();
    const t = await openHarbour({ tools: [tool] });
    const other = await run(t);
    const found = tool.undos?.preview.bind(tool.undos);
    expect(await found?.(other)).toMatchObject({ kind: 'ready' });
    states.set(other, { kind: 'conflict', paths: ['notes.txt'] });
    const path = `/worlds/harbour/calls/${other}/undo`;
    const conflict = await t.api('POST', path, { effectHash: effect.effectHash });
    expect(conflict).toMatchObject({ status: 409 });
    expect(JSON.stringify(conflict.body)).toContain('notes.txt');

    const bob = await addApprover(t, 'Bob');
    const tag = (await t.api('GET', '/worlds/harbour/policy')).headers.get('etag') ?? '';
    const ruled = await t.api('PUT', '/worlds/harbour/policy', { rules: ['ask put by @bob'] }, { 'If-Match': tag });
    expect(ruled.status).toBe(200);
    await t.propose({ name: 'put', arguments: {} });
    const [approval] = await t.pending();
    const decision = { tool_call_id: approval?.approvalId, decision: 'approve', callHash: approval?.callHash };
    expect((await send(t, '/worlds/harbour/tool-results', bob, decision)).status).toBe(200);
    await t.settled();
    const signed = `/worlds/harbour/calls/${approval?.toolCallId}/undo`;
    expect((await send(t, signed, bob)).body).toEqual({ state: 'needs-signers' });
    const refused = await send(t, signed, bob, { effectHash: effect.effectHash });
    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).toContain('A rule says who must sign this call');
    expect(undone).toEqual([]);
  });

  it('[CHANGE10.6] [CHANGE10.7] refuses a call if a rule that was added later says who must sign it, or if one denies it meanwhile', async () => {
    const { tool, undone } = undoable();
    const t = await openHarbour({ tools: [tool] });
    const call = await run(t);
    const bob = await addApprover(t, 'Bob');
    const path = `/worlds/harbour/calls/${call}/undo`;
    const setRules = async (...rules: string[]): Promise<void> => {
      const tag = (await t.api('GET', '/worlds/harbour/policy')).headers.get('etag') ?? '';
      const changed = await t.api('PUT', '/worlds/harbour/policy', { rules }, { 'If-Match': tag });
      expect(changed).toMatchObject({ status: 200 });
    };
    for (const rules of [['ask put by @bob'], ['deny put', 'ask * by not requester']]) {
      await setRules(...rules);
      expect((await send(t, path, bob)).body).toEqual({ state: 'needs-signers' });
      expect((await send(t, path, bob, { effectHash: effect.effectHash })).status).toBe(409);
    }
    expect(undone).toEqual([]);
    for (const [rule, state] of [
      ['ask write_file(./notes.txt) by @bob', 'needs-signers'],
      ['deny *(./notes.txt)', 'denied'],
    ] as const) {
      await setRules(rule);
      expect((await send(t, path, bob)).body).toEqual({ state });
      expect((await send(t, path, bob, { effectHash: effect.effectHash })).status).toBe(409);
    }
    expect(undone).toEqual([]);
    // Rules about other calls, and denying rules on their own, keep nobody from undoing what was done.
    await setRules('ask read_file by @bob');
    expect((await send(t, path, bob)).body).toMatchObject({ state: 'ready' });
    await setRules('deny put');
    expect((await send(t, path, bob, { effectHash: effect.effectHash })).status).toBe(200);
    expect(undone).toEqual([call]);
  });
});
