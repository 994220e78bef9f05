import { actorOf, type Credential } from './cast.js';
import { ask, INSIDE, someone, type Choose, type History } from './history.js';
import type { Proposal } from './ledger.js';

const CLAIMS = ['one', 'two', undefined] as const;

/** A program outside proposes a call, or the same call again. */
export const propose: Choose = (history) => {
  const { random, ledger, sessions, credentials } = history;
  const world = random.chance(0.9) ? 'harbour' : 'dock';
  const by = someone(history, 'propose', world);
  const claim = random.pick(CLAIMS);
  const n = history.nextNumber();
  const agent =
    by.external?.agent ??
    credentials.find(({ external }) => external?.world === world && external.program === 'claude')?.external?.agent;
  const body = {
    session: random.pick(sessions),
    key: `key-${n}`,
    program: 'claude',
    tool: 'Bash',
    arguments: { command: `touch ${world}-${n}` },
    cwd: '/tmp',
    reports: true,
    // A hook ends, and comes back after the decision.
    ...(random.chance(0.3) ? { waits: 'days' } : {}),
    ...(agent === undefined ? {} : { agent }),
    ...(claim === undefined ? {} : { claim }),
  };
  const made = {
    n,
    world,
    tool: 'claude__Bash',
    requester: actorOf(by),
    by,
    place: `${body.session} of ${actorOf(by)}`,
    ...(claim === undefined ? {} : { claim }),
  } as const;
  return {
    text: `${by.name} proposes ${world}-${n} in ${body.session}, claim ${claim}`,
    async act() {
      const proposal = ledger.propose(made);
      const answer = await ask(history, by, {
        right: 'propose',
        world,
        method: 'POST',
        path: `/worlds/${world}/external/calls`,
        body,
      });
      if (answer === undefined) return;
      if (answer.status !== 201) return void ledger.proposals.delete(n);
      proposal.id = answer.body.id;
      if (answer.body.state === 'allowed') allowed(history, proposal, by, claim);
    },
  };
};

/** The only answer that lets a program run a call. */
function allowed({ ledger }: History, proposal: Proposal, by: Credential, claim: string | undefined): void {
  const { n, world } = proposal;
  if (proposal.by !== by || proposal.claim !== claim)
    ledger.violate(
      `${by.name} with claim ${claim} may run ${world}-${n}, which ${proposal.by.name} proposed with claim ${proposal.claim}`,
    );
  if (!proposal.isAllowed) ledger.start(n, world, undefined);
  proposal.isAllowed = true;
}

/** A credential, usually the right one, asks about a call of a program. */
function outside(
  history: History,
): { proposal: Proposal & { id: string }; by: Credential; claim: string | undefined } | undefined {
  const { random, ledger } = history;
  const known = [...ledger.proposals.values()].filter(
    (each): each is Proposal & { id: string } => each.tool === 'claude__Bash' && each.id !== undefined,
  );
  if (known.length === 0) return undefined;
  const proposal = random.pick(known);
  const by = random.chance(0.5) ? proposal.by : someone(history, 'propose', proposal.world);
  return { proposal, by, claim: random.chance(0.75) ? proposal.claim : random.pick(CLAIMS) };
}

/** A program asks for the verdict on a call. */
export const claim: Choose = (history) => {
  const found = outside(history);
  if (found === undefined) return undefined;
  const { proposal, by, claim } = found;
  const { world, id, n } = proposal;
  return {
    text: `${by.name} asks for the verdict on ${world}-${n}, claim ${claim}`,
    async act() {
      const path = `/worlds/${world}/external/calls/${id}${claim === undefined ? '' : `?claim=${claim}`}`;
      const answer = await ask(history, by, { right: 'propose', world, method: 'GET', path });
      if (answer === undefined) proposal.isUnsure = true;
      // It was allowed, and its result was reported at the same moment.
      if (answer?.status === 200 && answer.body.state === 'ended') proposal.isAllowed = true;
      if (answer?.status === 200 && answer.body.state === 'allowed') allowed(history, proposal, by, claim);
    },
  };
};

/** A program fetches a call that it may run, or reports how it ended. */
export const useCall: Choose = (history) => {
  const found = outside(history);
  if (found === undefined) return undefined;
  const { proposal, by, claim } = found;
  const { world, id, n } = proposal;
  const how = history.random.pick(['fetch', 'result'] as const);
  return {
    text: `${by.name} sends ${how} for ${world}-${n}, claim ${claim}`,
    async act() {
      const { ledger } = history;
      const path = `/worlds/${world}/external/calls/${id}/${how}`;
      const body = {
        ...(how === 'result' ? { content: `done by ${by.name}` } : {}),
        ...(claim === undefined ? {} : { claim }),
      };
      const answer = await ask(history, by, { right: 'propose', world, method: 'POST', path, body });
      if (answer === undefined || answer.status >= 400) return;
      if (proposal.by !== by || proposal.claim !== claim)
        ledger.violate(`${by.name} sent ${how} for ${world}-${n} of ${proposal.by.name}, and it was accepted`);
      if (proposal.isUnsure === true) allowed(history, proposal, by, claim);
      if (how === 'result') proposal.isReported = true;
      else if ((proposal.fetched += 1) > 1) ledger.violate(`${world}-${n} was fetched twice`);
    },
  };
};

export const endSession: Choose = (history) => {
  const world = 'harbour';
  const by = someone(history, 'propose', world);
  const path = `/worlds/${world}/external/sessions/${history.random.pick(history.sessions)}/end`;
  const body = by.external === undefined ? { agent: 'claude-agent' } : {};
  return {
    text: `${by.name} sends ${path}`,
    act: async () => void (await ask(history, by, { right: 'propose', world, method: 'POST', path, body })),
  };
};

/** An MCP client calls a tool, and waits for the result. */
export const callMcp: Choose = (history) => {
  const { random, ledger, home, credentials } = history;
  const world = 'harbour';
  const by = someone(history, 'propose', world);
  const n = history.nextNumber();
  const tool = random.pick(['touch', 'write_file'] as const);
  const mark = `${world}-${n}`;
  const file = random.pick(INSIDE);
  const args = tool === 'touch' ? { text: mark } : { path: file, content: mark };
  const agent = by.external?.agent ?? credentials.find(({ external }) => external?.program === 'mcp')?.external?.agent;
  const message = { jsonrpc: '2.0', id: n, method: 'tools/call', params: { name: tool, arguments: args } };
  const session = random.pick([undefined, ...history.sessions]);
  return {
    text: `${by.name} calls ${tool} ${mark} over MCP`,
    async act() {
      const place = `MCP session ${session} of ${actorOf(by)}`;
      const about = tool === 'touch' ? {} : { path: file };
      ledger.propose({ n, world, tool, requester: actorOf(by), by, place, ...about });
      const headers = {
        ...by.headers,
        accept: 'application/json, text/event-stream',
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      };
      const may = ledger.may(by, 'propose', world, home.clock.now());
      // Not awaited: it may wait for a decision, and is never answered if the process dies.
      void home.send(headers, 'POST', `/mcp/${world}?agent=${agent}`, message, 'background').then((answer) => {
        if (answer === undefined) return;
        const others = [...answer.text.matchAll(/\b(?:harbour|dock)-(\d+)\b/g)].filter(([, of]) => Number(of) !== n);
        if (others.length > 0) ledger.violate(`${by.name} called ${mark} over MCP, and got ${answer.text}`);
        if (answer.status < 400 && !may) ledger.violate(`${by.name} called ${mark} over MCP`);
      });
    },
  };
};
