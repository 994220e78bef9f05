import { SERVER_LOG } from '@countersign/core/ports';
import { ROLE_ACTIONS, ROLES, type Action, type TokenScope, whoToAsk } from '@countersign/protocol';
import { actionsAnywhere, actionsOf, limitedProblem, type Access } from '../people/access.js';
import type { AppContext, AppRequest } from './context.js';
import { HttpProblem } from './http-problem.js';
import { problemTexts } from './problem-texts.js';
import type { Route } from './route.js';

/** The only permission check (WHO4.2): throws 403 naming who may, or 404 for a world that the person may not read. */
export async function checkAccess(
  route: Pick<Route, 'needs' | 'params'>,
  c: AppRequest,
  context: AppContext,
  body: unknown,
): Promise<void> {
  if (route.needs === 'no-credential') return;
  // People without a role can still see their account and sign out. A token needs `read` for it.
  if (route.needs === 'account' && c.var.access.scopes === undefined) return;
  const needs = typeof route.needs === 'function' ? route.needs(body) : route.needs;
  const needed: readonly Action[] =
    typeof needs === 'object' ? needs : [needs === 'account' || needs === 'propose' ? 'read' : needs];
  const { access } = c.var;
  const worldId = route.params.includes('world') ? c.req.param('world') : undefined;
  if (route.needs === 'propose') {
    c.set('access', await checkPropose(context, access, worldId ?? ''));
    return;
  }
  if (worldId === undefined) {
    const lacks = needed.find(
      (action) => !(action === 'read' ? actionsAnywhere(access) : actionsOf(access)).has(action),
    );
    if (lacks !== undefined) throw await refusal(context, access, lacks, undefined);
    return;
  }
  await checkInWorld(context, access, worldId, needed);
}

/** Throws like `checkAccess`, for a world that isn't in the path. */
export async function checkInWorld(
  context: AppContext,
  access: Access,
  worldId: string,
  needed: readonly Action[],
): Promise<void> {
  // The server's log has its own route, for admins.
  if (worldId === SERVER_LOG) throw new HttpProblem(404, problemTexts.noWorld(worldId));
  const allowed = actionsOf(access, worldId);
  const lacks = (['read', ...needed] as const).find((needs) => !allowed.has(needs));
  if (lacks === undefined) return;
  if (!allowed.has('read') && !mayReadWithoutScopes(access, worldId)) {
    // The same answer as for a world that doesn't exist.
    throw new HttpProblem(404, problemTexts.noWorld(worldId));
  }
  throw await refusal(context, access, lacks, worldId);
}

/** For what covers all worlds (HTTP2.1): throws 403 if the person may read only some of them. */
export async function checkServerRead(c: AppRequest, context: AppContext): Promise<void> {
  const { access } = c.var;
  if (!actionsOf(access).has('read')) throw await refusal(context, access, 'read', undefined);
}

/**
 * A token of an external agent may not even read its worlds, and no other world exists for it (EXT1). Returns the access with the agent that the
 * token has in this world.
 */
async function checkPropose(context: AppContext, access: Access, worldId: string): Promise<Access> {
  const { external } = access;
  const here = external && [external, ...(external.also ?? [])].find((place) => place.worldId === worldId);
  const isElsewhere = external !== undefined && here === undefined;
  const isHidden = worldId === SERVER_LOG || isElsewhere || !mayReadWithoutScopes(access, worldId);
  if (isHidden) throw new HttpProblem(404, problemTexts.noWorld(worldId));
  if (!actionsOf(access, worldId).has('propose')) throw await refusal(context, access, 'propose', worldId);
  // `also` stays: a body that arrives late is checked again.
  return here === undefined ? access : { ...access, external: { ...external, ...here } };
}

function mayReadWithoutScopes({ holder, kind, person }: Access, worldId: string): boolean {
  const unlimited = { holder, kind, ...(person === undefined ? {} : { person }) };
  return actionsOf(unlimited, worldId).has('read');
}

async function refusal(
  { engine }: AppContext,
  access: Access,
  needs: TokenScope,
  worldId: string | undefined,
): Promise<HttpProblem> {
  const { scopes, ...unlimited } = access;
  if (scopes !== undefined && actionsOf(unlimited, worldId).has(needs))
    return access.limitedBy === 'invitation'
      ? limitedProblem(access)
      : new HttpProblem(403, problemTexts.scopeLacks(scopes, needs));
  const people = await engine.runtime.store.read((reader) => reader.people());
  const names = whoToAsk(people, needs, worldId);
  const least = ROLES.findLast((role) => ROLE_ACTIONS[role].includes(needs)) ?? 'owner';
  return new HttpProblem(403, problemTexts.roleMay(needs, least, worldId !== undefined, names));
}
