import { actorOf, WORLDS, type World } from './cast.js';
import { ask, INSIDE, someone, type Choose, type History, type Step } from './history.js';
import { numberIn } from './ledger.js';

function somePath({ random, home }: History, world: World): { path: string; isOutside?: true } {
  if (!random.chance(0.12)) return { path: random.pick(INSIDE) };
  const other = world === 'dock' ? 'harbour' : 'dock';
  const outside = [`../${other}/a.txt`, `${home.folders[other]}/b.txt`, ...(world === 'harbour' ? ['link/a.txt'] : [])];
  return { path: random.pick(outside), isOutside: true };
}

/** A message that makes the model propose calls. */
export const say: Choose = (history) => {
  const { random, ledger, chats } = history;
  const world: World = random.chance(0.85) ? 'harbour' : 'dock';
  const by = someone(history, 'chat', world);
  const chat = random.pick(chats[world]);
  const calls = Array.from({ length: random.chance(0.8) ? 1 : 2 }, () => {
    const tool = random.pick([
      'touch',
      'touch',
      'write_file',
      'write_file',
      'write_file',
      'read_file',
      'put',
      'mcp__shore__stamp',
    ] as const);
    const n = history.nextNumber();
    const mark = `${world}-${n}`;
    const place = somePath(history, world);
    const { path } = place;
    const given = {
      touch: { text: mark },
      write_file: { path, content: mark },
      read_file: { path, limit: n },
      put: { path: mark, text: mark },
      mcp__shore__stamp: { text: mark },
    }[tool];
    const about = tool === 'write_file' ? place : {};
    return {
      call: { name: tool, arguments: given },
      proposal: { n, world, tool, requester: actorOf(by), by, place: chat, ...about },
    };
  });
  return {
    text: `${by.name} says in ${world}: ${JSON.stringify(calls.map(({ call }) => call))}`,
    async act() {
      for (const { proposal } of calls) ledger.propose(proposal);
      const body = { content: JSON.stringify(calls.map(({ call }) => call)) };
      const path = `/worlds/${world}/chats/${chat}/messages`;
      const answer = await ask(history, by, { right: 'chat', world, method: 'POST', path, body });
      if (answer !== undefined && answer.status >= 400)
        for (const { proposal } of calls) ledger.proposals.delete(proposal.n);
    },
  };
};

/** Without calls of earlier histories, which were proposed too late to be stopped with the others. */
async function waitingCalls({ home, ledger }: History): Promise<readonly WaitingCall[]> {
  return await home.store.read(async (reader) => {
    const approvals = await Promise.all(WORLDS.map((world) => reader.approvals(world, { status: 'pending' })));
    const calls = await Promise.all(
      approvals.flat().map(async ({ id, worldId, callHash, invocationId }) => {
        const n = numberIn((await reader.invocation(invocationId))?.arguments ?? '');
        return n === undefined || !ledger.proposals.has(n) ? [] : [{ id, world: worldId as World, callHash, n }];
      }),
    );
    return calls.flat();
  });
}

interface WaitingCall {
  readonly id: string;
  readonly world: World;
  readonly callHash: string;
  readonly n: number;
}

function decideCall(history: History, { id, world, callHash, n }: WaitingCall): Step {
  const { random, ledger } = history;
  const by = someone(history, 'sign', world);
  const decision = random.chance(0.88) ? 'approve' : 'deny';
  const scope = decision === 'approve' && random.chance(0.1) ? 'session' : undefined;
  return {
    text: `${by.name} decides: ${decision} ${world}-${n}${scope === undefined ? '' : ' for the chat'}`,
    async act() {
      const signature = ledger.sign(n, id, by, decision, scope !== undefined);
      const body = { tool_call_id: id, decision, callHash, ...(scope === undefined ? {} : { scope }) };
      const path = `/worlds/${world}/tool-results`;
      const answer = await ask(history, by, { right: 'sign', world, method: 'POST', path, body });
      const isAccepted = answer?.status === 200 && answer.body.kind === 'recorded';
      signature.fate = answer === undefined ? 'unheard' : isAccepted ? 'accepted' : 'refused';
    },
  };
}

/** Someone approves or denies a waiting call. */
export const decide: Choose = async (history) => {
  const waiting = await waitingCalls(history);
  return waiting.length === 0 ? undefined : decideCall(history, history.random.pick(waiting));
};

/** People decide everything that waits, all at the same moment. */
export const decideAll: Choose = async (history) => {
  const steps = (await waitingCalls(history)).map((call) => decideCall(history, call));
  if (steps.length < 2) return undefined;
  return {
    text: steps.map(({ text }) => text).join('  |  '),
    act: async () => void (await Promise.all(steps.map((step) => step.act()))),
  };
};

/** Reads something that people with `read` may see. */
export const read: Choose = (history) => {
  const { random, chats } = history;
  const world = random.pick(WORLDS);
  const by = someone(history, 'read', world);
  const path = `/worlds/${world}${random.pick(['', '/approvals', '/audit?limit=50', '/chats', '/undo', '/policy', '/grants', `/chats/${random.pick(chats[world])}/messages`])}`;
  return {
    text: `${by.name} reads ${path}`,
    async act() {
      const { ledger, home } = history;
      const answer = await ask(history, by, { right: 'read', world, method: 'GET', path });
      const may = ledger.may(by, 'read', world, home.clock.now());
      if (may && answer !== undefined && answer.status !== 200)
        ledger.violate(`${by.name} can't read ${path}: ${answer.status}`);
    },
  };
};

/** A rehearsal in a check of the rules: nothing may run. */
export const rehearse: Choose = (history) => {
  const world = history.random.pick(WORLDS);
  const by = someone(history, 'sign', world);
  const body = { tool: 'put', arguments: { path: 'rehearsed.txt', text: 'nothing' }, rehearse: true };
  return {
    text: `${by.name} rehearses in ${world}`,
    act: async () =>
      void (await ask(history, by, {
        right: 'sign',
        world,
        method: 'POST',
        path: `/worlds/${world}/policy/check`,
        body,
      })),
  };
};

/** Someone undoes a call that wrote a file. */
export const undo: Choose = (history) => {
  const { random, ledger, files } = history;
  const written = ledger.ran.filter(({ run }) => run?.tool === 'write_file' && run.outcome === 'succeeded');
  if (written.length === 0) return undefined;
  const { n, run, policies } = random.pick(written);
  const proposal = ledger.proposals.get(n);
  if (proposal?.path === undefined || run === undefined) return undefined;
  const { world, path: file } = proposal;
  const by = someone(history, 'sign', world);
  const path = `/worlds/${world}/calls/${run.callId}/undo`;
  return {
    text: `${by.name} undoes ${world}-${n} (${file})`,
    isAlone: true,
    async act() {
      const shown = await ask(history, by, { right: 'sign', world, method: 'GET', path });
      if (shown?.status !== 200 || shown.body.state !== 'ready') return;
      const { effectHash } = shown.body.effect;
      const answer = await ask(history, by, { right: 'sign', world, method: 'POST', path, body: { effectHash } });
      if (answer !== undefined && answer.status !== 200) return;
      if (ledger.isProtected(proposal, policies) || ledger.isProtected(proposal, ledger.policiesOf(world)))
        ledger.violate(`${by.name} undid ${world}-${n}, although rules protect it`);
      if (files[world].get(file) !== `${world}-${n}`)
        ledger.violate(`${world}-${n} was undone twice, or after a change`);
      const before = history.replaced.get(n);
      if (answer === undefined) history.unsure.add(`${world}/${file}`);
      if (before === undefined) files[world].delete(file);
      else files[world].set(file, before);
    },
  };
};
