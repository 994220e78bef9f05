import { PEOPLE, WORLDS, type Right } from './cast.js';
import { ROOT } from './process.js';
import { ask, someone, type Choose } from './history.js';
import { OWNER } from './ledger.js';
import { RULES } from './rules.js';
import { must, rolesBody } from './set-up.js';

/** An admin of a world changes its rules or its mode. */
export const changeWorld: Choose = (history) => {
  const { random, ledger, home } = history;
  const world = random.chance(0.9) ? 'harbour' : 'dock';
  const by = someone(history, 'admin', world);
  const rules = world === 'dock' || random.chance(0.3) ? undefined : random.pick(RULES);
  const mode = random.pick(['auto', 'ask'] as const);
  const path = `/worlds/${world}${rules === undefined ? '' : '/policy'}`;
  const body = rules === undefined ? { mode } : { rules: rules.lines };
  return {
    text: `${by.name} changes ${path} to ${JSON.stringify(body)}`,
    isAlone: true,
    act: () =>
      ledger.changePolicy(world, rules === undefined ? { isAuto: mode === 'auto' } : { rules }, async () => {
        const version = (await must(home, ROOT, 'GET', path)).headers.get('etag') ?? '';
        const answer = await ask(
          history,
          by,
          { right: 'admin', world, method: rules === undefined ? 'PATCH' : 'PUT', path, body },
          { 'If-Match': version },
        );
        return answer && answer.status === 200;
      }),
  };
};

/** The admin of a world tries to reach beyond it. */
export const reachOut: Choose = (history) => {
  const { random, home, ledger } = history;
  const by = someone(history, 'admin', 'harbour');
  const server = { name: 'out', transport: 'stdio', command: 'true', folders: [home.folders.dock] };
  const tries = [
    ['PATCH', '/worlds/harbour', { workingDirectory: home.folders.dock }],
    ['PUT', '/worlds/harbour/policy', { rules: [`allow sandbox_folder(${home.folders.dock})`] }],
    ['POST', '/worlds/harbour/mcp-servers', server],
    ['PATCH', `/people/${by.person}`, { role: 'admin' }],
    ['POST', '/people', { name: `Friend ${history.nextNumber()}`, role: 'admin' }],
  ] as const;
  const [method, path, body] = random.pick(tries);
  return {
    text: `${by.name} tries ${method} ${path}`,
    async act() {
      const answer = await home.send({ ...by.headers, 'If-Match': '*' }, method, path, body);
      if (answer !== undefined && answer.status < 400)
        ledger.violate(`${method} ${path} by ${by.name} answered ${answer.status}`);
    },
  };
};

/** A credential creates another one. */
export const createToken: Choose = (history) => {
  const { random, ledger, home, credentials } = history;
  const by = random.pick(credentials);
  const all: readonly Right[] = ['read', 'chat', 'sign', 'admin', 'propose'];
  const scopes = all.filter(() => random.chance(0.4));
  const person = random.chance(0.8) ? by.person : random.pick(Object.keys(PEOPLE));
  return {
    text: `${by.name} creates a token for ${person}: ${scopes.join(' ')}`,
    isAlone: true,
    async act() {
      const now = home.clock.now();
      const expiresAt = now + 3_600_000;
      const body = { name: 'made', scopes, expiresAt: new Date(expiresAt).toISOString() };
      const answer = await home.send(by.headers, 'POST', `/people/${person}/tokens`, body);
      if (answer?.status !== 201) return;
      // A token that may manage its person's tokens creates none that may do more than itself (WHO5).
      const isManaging =
        by.scopes?.includes('admin') === true &&
        scopes.every((scope) => by.scopes?.includes(scope)) &&
        WORLDS.some((world) => ledger.may(by, 'admin', world, now));
      const isWhole = (by.scopes === undefined && by.external === undefined) || isManaging;
      const mayAnywhere = scopes.every((scope) => WORLDS.some((world) => ledger.personMay(by.person, scope, world)));
      const isLive = WORLDS.some((world) => ledger.may(by, 'read', world, now));
      if (!isWhole || person !== by.person || !mayAnywhere || !isLive)
        ledger.violate(`${by.name} created a token for ${person} that may ${scopes.join(' ')}`);
      credentials.push({
        name: `made by ${by.name} (${scopes.join(' ')})`,
        person,
        scopes,
        expiresAt,
        headers: { Authorization: `Bearer ${answer.body.token}` },
        id: answer.body.id,
      });
    },
  };
};

/** The owner changes what someone may do. */
export const changePerson: Choose = (history) => {
  const { random, ledger, home, credentials } = history;
  const person = random.pick(Object.keys(PEOPLE));
  const how = random.pick(['role', 'role', 'disable', 'enable', 'revoke'] as const);
  if (how === 'revoke') {
    const token = random.pick(credentials.filter(({ id, person: of }) => id !== undefined && of !== OWNER));
    return {
      text: `the token ${token.name} is revoked`,
      isAlone: true,
      async act() {
        if (ledger.revoked.has(token) || home.clock.now() >= (token.expiresAt ?? Infinity)) return;
        ledger.revoked.add(token);
        await home.send(ROOT, 'DELETE', `/people/${token.person}/tokens/${token.id}`);
      },
    };
  }
  const roles = { harbour: random.pick(['viewer', 'member', 'approver', 'admin'] as const) };
  const body = how === 'role' ? rolesBody(roles) : { status: how === 'disable' ? 'disabled' : 'active' };
  return {
    text: `${person} gets ${JSON.stringify(body)}`,
    isAlone: true,
    async act() {
      await must(home, ROOT, 'PATCH', `/people/${person}`, body);
      if (how === 'role') ledger.roles.set(person, roles);
      else if (how === 'disable') {
        ledger.disabled.add(person);
        // They don't come back with the person.
        for (const each of credentials) if (each.person === person) ledger.revoked.add(each);
      } else ledger.disabled.delete(person);
    },
  };
};
