import type { Clock } from '@countersign/core/ports';
import { whoSchema, whoText, type Signer } from '@countersign/protocol';
import type { AppRequest, Auth } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import type { Authorize } from './authorize.js';
import { addressOf, setHeaders, wrongCredential } from './create-auth.js';
import { createFailedAttempts } from './failed-attempts.js';
import { PROGRAM_TOKEN } from './holders.js';
import { hashSecret, isSecret } from './secrets.js';
import { unauthorized } from './unauthorized.js';

export interface MountedAuthOptions {
  token?: string;
  authorize?: Authorize;
  /** Origins of other sites whose pages may send requests, such as `https://app.example.com`. */
  origins: readonly string[];
  clock: Pick<Clock, 'now'>;
}

/** Authentication inside another program's server, using that program's own check or a token. Requests without a name are rejected. */
export function createMountedAuth({ token, authorize, origins, clock }: MountedAuthOptions): Auth {
  const tokenHash = token === undefined ? undefined : hashSecret(token);
  const attempts = createFailedAttempts(clock);
  const allowed = new Set(origins);

  /** The program's cookies may authenticate a request, so other sites must not be able to send one. */
  function checkSource(c: AppRequest): void {
    const origin = c.req.header('origin');
    if (origin !== undefined && allowed.has(origin)) return;
    const site = c.req.header('sec-fetch-site');
    const isForeign = origin !== undefined && !isSameHost(origin, c.req.header('host'));
    if (isForeign || site === 'cross-site' || site === 'same-site') throw new HttpProblem(403, problemTexts.otherSite);
  }

  async function signerOf(c: AppRequest): Promise<Signer> {
    const bearer = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1];
    if (tokenHash !== undefined && bearer !== undefined) {
      if (isSecret(bearer, tokenHash)) return { who: PROGRAM_TOKEN, via: 'http' };
      if (authorize === undefined) throw wrongCredential(attempts, [addressOf(c)], problemTexts.wrongToken);
    }
    const person: unknown = await authorize?.(c.req.raw, c.env.incoming);
    const named = typeof person === 'string' ? { id: person, name: person } : person;
    // `true` is not a person, and the audit log needs one.
    const who = personSchema.safeParse(named);
    if (who.success) return { who: { kind: 'person', ...who.data }, via: 'http' };
    throw unauthorized(problemTexts.notAuthorized);
  }

  const noSessions = (): never => {
    throw new HttpProblem(404, problemTexts.noSessions);
  };
  return {
    addressOf,
    async guard(c, next) {
      const setLater = setHeaders(c);
      checkSource(c);
      await next();
      setLater();
    },
    async middleware(c, next) {
      const signer = await signerOf(c);
      c.set('signer', signer);
      // The program decides who may use its API.
      c.set('access', { kind: 'program', holder: whoText(signer.who) });
      await next();
    },
    newTicket: noSessions,
    newTicketFor: noSessions,
    newSignInChallenge: noSessions,
    sessionOf: noSessions,
    isOurOrigin: () => false,
    signIn: noSessions,
  };
}

/** The audit log uses these for decisions that no named person made. */
const RESERVED = new Set(['system', 'program', 'human', 'token', 'countersign']);
const isFree = (text: string): boolean => !RESERVED.has(text.toLowerCase());

/** Neither the id nor the name can be mistaken for one of ours. */
const personSchema = whoSchema
  .pick({ name: true })
  .extend({ id: whoSchema.shape.name })
  .refine(({ id, name }) => isFree(id) && isFree(name));

function isSameHost(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
