/** Who takes part in every history, and what each may do. Written by hand: nothing here may come from the code under test. */
export const WORLDS = ['harbour', 'dock'] as const;
export type World = (typeof WORLDS)[number];

export type Right = 'read' | 'chat' | 'propose' | 'sign' | 'admin';
type Role = 'viewer' | 'member' | 'approver' | 'admin';

const RIGHTS: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ['read'],
  member: ['read', 'chat', 'propose'],
  approver: ['read', 'chat', 'propose', 'sign'],
  admin: ['read', 'chat', 'propose', 'sign', 'admin'],
};

/** A person's role on the server, and in each world. */
export interface Roles {
  readonly server?: Role;
  readonly harbour?: Role;
  readonly dock?: Role;
}

export const PEOPLE: Readonly<Record<string, Roles>> = {
  vic: { harbour: 'viewer' },
  mia: { harbour: 'member' },
  max: { harbour: 'member' },
  ann: { harbour: 'approver' },
  abe: { harbour: 'approver', dock: 'viewer' },
  ada: { harbour: 'admin' },
  bob: { dock: 'admin' },
  bea: { dock: 'approver', harbour: 'member' },
  sam: { server: 'approver' },
};

/** The members of the group `finance`. */
export const FINANCE: readonly string[] = ['ann', 'abe', 'ada', 'bob'];

export interface Credential {
  readonly name: string;
  readonly person: string;
  /** Undefined: everything that the person may do. */
  readonly scopes?: readonly Right[];
  /** The token of an external agent acts only for this agent. It names the person who uses it, or nobody. */
  readonly external?: {
    readonly world: World;
    readonly agent: string;
    readonly program: string;
    readonly isPersonal: boolean;
  };
  readonly headers: Readonly<Record<string, string>>;
  /** The id of a token. */
  readonly id?: string;
  /** When it expires, if it does so within a history. */
  readonly expiresAt?: number;
}

/** Whom the log must name for what is done with a credential. Undefined: nobody in particular. */
export function actorOf({ person, external }: Credential): string | undefined {
  return external === undefined || external.isPersonal ? person : undefined;
}

/** What a person may do now, by role. */
export function rightsOf({ server, ...worlds }: Roles, world: World): ReadonlySet<Right> {
  const own = worlds[world];
  return new Set([...(server === undefined ? [] : RIGHTS[server]), ...(own === undefined ? [] : RIGHTS[own])]);
}
