import type {
  PasskeyPublicKey,
  PersonRole,
  PersonStatus,
  QuietHours,
  SignedDecision,
  TokenScope,
} from '@countersign/protocol';

/** A person. Belongs to the store, not to a world. The row of a removed person is kept: the audit log refers to its id. */
export interface PersonRecord {
  /** A slug of the first name that never changes and is never reused. */
  id: string;
  /** Unique, ignoring case, except among removed people. */
  name: string;
  /** Unique in the same way. */
  email: string | null;
  /** The role on the server. Null if the person only has roles in worlds. */
  role: PersonRole | null;
  worldRoles: Readonly<Record<string, PersonRole>>;
  status: PersonStatus;
  /** Incremented by every update. */
  rev: number;
  createdAt: number;
  /** Absent if the person doesn't sign in with OIDC. */
  oidc?: OidcIdentity;
}

/** A person's account at the OIDC provider (WHO8). Its issuer and subject identify it, never a name or email address. */
export interface OidcIdentity {
  issuer: string;
  subject: string;
  /** The person's groups there, at the last check. */
  groups: readonly string[];
  /** When the provider last confirmed the groups. 0: the person must sign in again before any of their credentials works. */
  checkedAt: number;
  /** Encrypted. Absent if the provider issued none. */
  refreshToken?: string;
  /** Until when a process is using the refresh token, which may work only once. */
  checkingUntil?: number;
}

/**
 * `session`: a signed-in browser. `token`: a personal token for programs. `invitation` and `ticket`: single-use links, for a week and for a
 * minute. `passkey`: a public key. `challenge`: what a passkey is asked to sign, once and within minutes. `delegation`: lets someone else sign
 * calls for the person, until it expires (SIGN4). `push`: a device that gets notifications. Nobody can sign in with the last two.
 */
export type CredentialKind =
  | 'session'
  | 'token'
  | 'invitation'
  | 'ticket'
  | 'passkey'
  | 'challenge'
  | 'delegation'
  | 'push';

/** The public part of a passkey. Its private key never leaves the person's device. */
export interface PasskeyData {
  /** The authenticator's id, base64url. */
  credentialId: string;
  publicKey: PasskeyPublicKey;
  /** The host that the passkey belongs to. */
  rpId: string;
  /** The origin at which it was registered. */
  origin: string;
  /** Signatures so far. Always 0 for passkeys that are synced between devices. */
  counter: number;
  /** Whether it may sign calls. Any passkey may sign in. */
  trusted: boolean;
}

/** What a challenge was created for. */
export interface ChallengeData {
  /** A hash of the action and the nonce, because the action may contain secrets. */
  action: string;
  nonce: string;
  /** For a call: what the passkey signs. */
  signed?: SignedDecision;
}

/** To whom, and for what, a person delegated their right to sign. It ends when the credential expires. */
interface DelegationData {
  /** The id of the person who can sign. */
  to: string;
  /** Names of tools, which can contain `*`. Default: all. */
  tools?: readonly string[];
  /** The ids of worlds. Default: all. */
  worlds?: readonly string[];
  /** When it starts. */
  from: number;
}

/** A subscription to notifications on one device (PUSH). It ends with its parent: the session or token that created it. */
export interface PushData {
  /** The endpoint and the keys of the device, encrypted. */
  sealed: string;
  /** The host of the endpoint. */
  service: string;
  /** By world: the approvals that the last notification was about, and when it was sent. */
  told: Readonly<Record<string, PushTold>>;
  quietHours?: QuietHours;
}

export interface PushTold {
  readonly ids: readonly string[];
  readonly at: number;
  /** The process that is sending the next one: until then, no other one does. */
  readonly sending?: { readonly by: string; readonly until: number };
}

interface PairingData {
  /** Of the secret that only this device has. */
  hash: string;
  /** What both devices show. */
  code: string;
  device: string;
  from: string;
  confirmed?: true;
}

/** A world in which the token of an external agent proposes calls, as this agent. */
export interface ExternalPlace {
  worldId: string;
  agentId: string;
}

/** `isPersonal`: its person uses the program, and so requests its calls. Otherwise, nobody is named (SIGN1.6). */
export interface ExternalTokenData extends ExternalPlace {
  isPersonal?: true;
  /** Absent if the token can't get more worlds. */
  program?: string;
  /** Further worlds, of the same program and person (EXT1.32). */
  also?: readonly ExternalPlace[];
}

/** A way to sign in, or a right of a person. Contains only hashes, so reading it doesn't let anyone sign in. */
export interface CredentialRecord {
  /** The public part of the cookie, token or link. */
  id: string;
  personId: string;
  kind: CredentialKind;
  /** The device of a session, or the name of a token. */
  name: string;
  hash: string;
  data: {
    /** The hash of a session's second secret, which only the page has. */
    headerHash?: string;
    /** Limits what the credential may do. If absent, everything the person may do. */
    scopes?: readonly TokenScope[];
    /** The name of the person who created it, if it was someone else. */
    createdBy?: string;
    /** The id of that person. */
    creator?: string;
    /** A token that can only propose the calls of this external agent (EXT1). */
    external?: ExternalTokenData;
    /** The address that last used it. */
    usedFrom?: string;
    /** A ticket for someone who signed in with OIDC. */
    oidc?: true;
    /** A ticket for another device of the same person, or the session opened with it (WHO2). It is not a sign-in. */
    linked?: true;
    /** The device that has opened such a ticket, and waits until it is confirmed. */
    pairing?: PairingData;
    /** A session that a passkey opened that wasn't trusted. */
    untrusted?: true;
    passkey?: PasskeyData;
    challenge?: ChallengeData;
    delegation?: DelegationData;
    push?: PushData;
  };
  /** The token that a session was opened with, or the session that created a link for another device. It ends together with its parent. */
  parentId: string | null;
  createdAt: number;
  usedAt: number | null;
  /** Null: it doesn't expire. */
  expiresAt: number | null;
  endedAt: number | null;
}

/** A credential with its person. */
export interface FoundCredential {
  credential: CredentialRecord;
  person: PersonRecord;
}

/** A named list of people. */
export interface GroupRecord {
  name: string;
  people: readonly string[];
  oidcGroup: string | null;
}
