import { SESSION_HEADER } from '@countersign/protocol';
import { FINANCE, PEOPLE, WORLDS, type Credential, type Right, type Roles, type World } from './cast.js';
import { OWNER } from './ledger.js';
import type { Answer, Home } from './home.js';
import { ORIGIN, ROOT } from './process.js';

export type Headers = Readonly<Record<string, string>>;

/** Sends a request that must succeed, and that may be sent again if the process dies. */
export async function must(
  home: Home,
  headers: Headers,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  for (;;) {
    const answer = await home.send(headers, method, path, body);
    if (answer !== undefined && answer.status < 300) return answer;
    if (answer !== undefined) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    await home.revive();
  }
}

const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` });

/** Both worlds with an agent each, everyone, and each kind of credential. */
export async function setUp(home: Home): Promise<Credential[]> {
  for (const world of WORLDS) {
    await must(home, ROOT, 'POST', '/worlds', { name: world, rehearse: 'on' });
    const robo = { name: 'Robo', provider: 'scripted', model: 'any', tools: ['*'] };
    await must(home, ROOT, 'POST', `/worlds/${world}/agents`, robo);
  }
  const made: Credential[] = [];
  for (const [person, roles] of Object.entries(PEOPLE)) {
    await must(home, ROOT, 'POST', '/people', { name: person, ...rolesBody(roles) });
    made.push({ name: person, person, headers: await signIn(home, person) });
  }
  await must(home, ROOT, 'PUT', '/groups/finance', { people: FINANCE });
  const tokens: readonly [string, readonly Right[]][] = [
    ['vic', ['read']],
    ['mia', ['read', 'chat']],
    ['max', ['propose']],
    ['ann', ['read', 'chat']],
    ['ann', ['read', 'chat', 'sign']],
    ['abe', ['sign']],
    ['ada', ['read', 'chat', 'admin']],
    ['bob', ['read', 'chat', 'sign', 'admin']],
  ];
  for (const [person, scopes] of tokens) {
    const { headers } = made.find(({ name }) => name === person) as Credential;
    made.push(await newToken(home, headers, person, scopes));
  }
  for (const [world, usedBy] of [
    ['harbour', 'mia'],
    ['harbour', 'max'],
    ['harbour', 'ann'],
    ['harbour', undefined],
    ['dock', 'bea'],
  ] as const)
    made.push(await newAgentToken(home, world, 'claude', usedBy));
  for (const usedBy of ['mia', 'max', undefined] as const)
    made.push(await newAgentToken(home, 'harbour', 'mcp', usedBy));
  return made;
}

export function rolesBody({ server, ...worldRoles }: Roles): { role: string | null; worldRoles: object } {
  return { role: server ?? null, worldRoles };
}

async function newToken(home: Home, headers: Headers, person: string, scopes: readonly Right[]): Promise<Credential> {
  const { body } = await must(home, headers, 'POST', `/people/${person}/tokens`, { name: scopes.join(' '), scopes });
  return { name: `${person} (${scopes.join(' ')})`, person, scopes, headers: bearer(body.token), id: body.id };
}

async function newAgentToken(
  home: Home,
  world: World,
  program: string,
  usedBy: string | undefined,
): Promise<Credential> {
  const asked = {
    name: `${program} agent`,
    program,
    ...(program === 'mcp' ? { tools: ['*'] } : {}),
    ...(usedBy === undefined ? {} : { usedBy }),
  };
  const { body } = await must(home, ROOT, 'POST', `/worlds/${world}/external/agents`, asked);
  return {
    name: `${program} of ${usedBy ?? 'nobody'}`,
    person: usedBy ?? OWNER,
    external: { world, agent: body.agent, program, isPersonal: usedBy !== undefined },
    headers: bearer(body.token),
    id: body.tokenId,
  };
}

/** The same credential again, for one that has ended. */
export async function renew(home: Home, lost: Credential, all: readonly Credential[]): Promise<Credential> {
  const { person, scopes, external } = lost;
  if (external !== undefined)
    return await newAgentToken(home, external.world, external.program, external.isPersonal ? person : undefined);
  if (scopes === undefined) return { ...lost, headers: await signIn(home, person) };
  return await newToken(home, all.find(({ name }) => name === person)?.headers ?? {}, person, scopes);
}

async function signIn(home: Home, person: string): Promise<Headers> {
  const { body } = await must(home, ROOT, 'POST', `/people/${person}/invitations`);
  const invitation = body.open.split('=')[1];
  const { headers, body: opened } = await must(home, { Origin: ORIGIN }, 'POST', '/session', {
    invitation,
  });
  return { cookie: headers.get('set-cookie')?.split(';')[0] ?? '', [SESSION_HEADER]: opened.session };
}
