import { askFor, type TokenScope } from '@countersign/protocol';

const VERBS: Readonly<Record<TokenScope, string>> = {
  read: 'read',
  chat: 'send messages',
  sign: 'sign calls',
  admin: 'change settings',
  propose: 'propose calls',
};

/** Details of problem documents (HTTP1): what happened, then what to do. Errors from core have their own text. */
export const problemTexts = {
  internal: 'Internal server error. The server log has the details. You can send the request again.',

  unknownHost: (host: string) =>
    `This server doesn't accept requests for the host "${host}". To allow it, start the server with --allow-host.`,
  otherSite: "Cross-site requests are not allowed. Open this server's own page instead.",
  noCredential: 'Send the token as "Authorization: Bearer …", or open a start link in a browser.',
  notAuthorized: 'You are not signed in, or may not use this API.',
  noProviders: 'This server has no stored providers.',
  otherOrigin: 'origin: must be the address of this server, as you open it in a browser',
  insecureOrigin:
    'origin: must use HTTPS or a loopback address, because the browser returns there with a code. Open this server as http://localhost or through an HTTPS proxy',
  noSessions: 'This server has no sessions. Sign in to the program that runs it.',
  needsSocket: "This server can't stream events. Poll, or serve the API with its Node handler.",
  wrongToken: 'This token is invalid, expired or revoked.',
  unknownSession: 'This browser session is unknown or has ended. Open a new start link.',
  tooManyCalls: (limit: number, seconds: number) =>
    `This agent or its token proposed more than ${limit} calls within a minute. Nothing ran. Try again in ${seconds} s.`,
  tooManyBytes: (limit: number, seconds: number) =>
    `This agent or its token sent more than ${limit} MB within an hour. Nothing ran. Try again in ${seconds} s.`,
  tooManyChanges: (seconds: number) => `Too many changes. Try again in ${seconds} s.`,
  tooManyAttempts: (seconds: number) => `Too many wrong attempts. Try again in ${seconds} s.`,
  needsToken: "A browser session can't create start links. Send the token, or run countersign open.",
  usedInvitation: 'This invitation was already used, has expired or was replaced. Ask an admin for a new one.',
  noOidc: 'This server has no sign-in with OIDC.',
  oidcOtherBrowser: (name: string) =>
    `This sign-in was started in another tab or browser, or was already used. Sign in with ${name} again here.`,
  oidcTooLate: (name: string) => `The sign-in took longer than ten minutes. Sign in with ${name} again.`,
  oidcRefused: (name: string) => `${name} refused the sign-in, or it was already used. Try again.`,
  oidcInvalid: (name: string) =>
    `The answer from ${name} is invalid, so you are not signed in. Try again. If it happens again, tell an admin: the server log has the details.`,
  oidcUnreachable: (name: string) => `${name} can't be reached. Try again later, or sign in another way.`,
  oidcNoRole: (name: string, admins: readonly string[]) =>
    `None of your groups at ${name} has a role on this server, so you can't sign in.${askFor(admins)}`,
  oidcInactive: (admins: readonly string[]) =>
    `Your account on this server was disabled or removed, so you can't sign in.${askFor(admins)}`,
  oidcExpired: 'Your sign-in has expired, or your groups changed. Sign in again.',
  oidcRole: (name: string) => `${name}'s role comes from groups of the OIDC provider. Change the groups there.`,
  oidcInvitation: (name: string) => `${name} signs in with OIDC and needs no invitation.`,
  noPush: 'This server sends no notifications.',
  insecureEndpoint: 'must be an https URL without a password',
  unknownPushService: (service: string) =>
    `${service} is not a known push service. An administrator can add the line "send pushes to ${service}" to the administrator's file, then restart the server`,
  scheduleNeedsPerson: 'A schedule sends in the name of a person. Sign in as one, or send a personal token.',
  tooManySchedules: (most: number) => `This world already has ${most} schedules. Delete some first.`,
  foreignSchedule: 'This schedule sends in the name of someone else. Only an admin can pause or delete it.',
  scheduleIsSending: 'The message of this schedule is being sent. Nothing was changed. Try again in a minute.',
  emptyQuietHours: 'must differ from the start',
  pushNeedsPerson: 'Notifications are for people. Sign in as a person, or send a personal token.',
  tooManyDevices: (most: number) => `At most ${most} devices can get your notifications. Remove one first.`,
  pushFailed: (service: string, why: string) => `${service} did not take the message (${why}). Try again later.`,
  pushGone: 'This device no longer takes notifications, so it was removed. Turn them on again on the device.',
  noWebhooks: 'This server has no webhooks.',
  unknownWebhook: (id: string) => `There is no webhook "${id}".`,
  tooManyWebhooks: (most: number) => `A server has at most ${most} webhooks. Remove one first.`,
  changedWebhook: 'Someone else changed this webhook at the same time. Try again.',
  badWebhookUrl: (host: string) =>
    `must be an https URL without a password or fragment. An administrator can allow http and private addresses with the line "send webhooks to ${host}" in the administrator's file, then restart the server`,
  unreachableWebhook: (host: string, why: string) =>
    `${why}. If this is intended, an administrator can add the line "send webhooks to ${host}" to the administrator's file, then restart the server`,
  lostWebhook:
    'Its URL and secret were encrypted with another secrets key. Send a new URL and `rotateSecret` together.',
  unknownDelivery: (id: string) => `This webhook has no delivery "${id}" that has ended.`,
  unknownDenial: 'This code is invalid, so nothing was denied. Open the call to decide it.',
  endedDenial: 'This notification can no longer deny the call: your rights or the sign-in of the device have ended.',
  lateDenial: 'The call was already decided or has changed, so nothing was denied. Open it to see its state.',
  usedTicket: 'This ticket was already used or is older than one minute. Open a new start link.',

  notFound: (path: string, docs: string) => `No route matches ${path}. See ${docs} for all routes.`,
  noLocalAgents: 'This server doesn’t manage the agents of its computer.',
  noExternalAgent: (agent: string) => `There is no external agent "${agent}" in this world.`,
  noFile: 'File not found.',
  noWebApp: 'This server has no web app. The API is under /api.',
  getOnly: 'Only GET is supported here.',
  wrongMethod: (method: string, allowed: string) => `${method} is not supported here. Use ${allowed}.`,
  nulInUrl: (part: string) => `The ${part} of the URL contains a NUL character.`,
  urlNotUtf8: (part: string) => `The ${part} of the URL is not percent-encoded UTF-8.`,
  badId: (name: string, longest: number) => `${name}: must have 1 to ${longest} characters`,
  repeated: (name: string) => `${name}: must be given only once`,
  unknownParameter: (name: string) => `${name}: unknown query parameter`,

  wrongType: (type: string) => `Send the body with Content-Type: ${type}.`,
  wrongCharset: 'Send the body as UTF-8.',
  encoded: 'Send the body without Content-Encoding.',
  cutOff: 'The connection closed before the whole body arrived. Send the request again.',
  notUtf8: 'The body is not valid UTF-8.',
  tooLarge: (limit: number) => `The body is too large. The limit is ${limit} bytes.`,
  tooManyValues: (limit: number) => `The body has too many values. The limit is ${limit}.`,
  emptyJson: 'The body is empty. Send a JSON object.',
  notJson: 'The body is not valid JSON.',
  emptyYaml: 'The body is empty. Send a YAML file.',
  notYaml: (problem: string) => `The body is not valid YAML: ${problem}`,
  longYaml: (limit: number) => `The file is too large. The limit is ${limit} characters.`,
  complexYaml: 'The file has too many parts to be an exported world.',
  badCharacter: 'contains a NUL character or an unpaired surrogate',
  badKey: 'has a key that contains a NUL character or an unpaired surrogate',
  deepYaml: 'it is nested too deeply',
  tooDeep: 'is nested too deeply',

  unknownClient: 'Unknown or expired client secret. Register the client again.',
  notForClients: "Clients can't manage providers. Send the request without X-Countersign-Client.",
  rightsChanged: 'What you may do changed in the meantime. This call was not decided. Reload the page.',
  clientOfOneWorld:
    'A client belongs to one world. Use the approvals of that world, or send the request without X-Countersign-Client.',
  cannotApprove: "This client registered with approvals: false, so it can't see or decide approvals.",
  noApproval: (id: string) => `There is no approval "${id}" in this world.`,
  noEffect: 'This call has no effect to show. It was not rehearsed.',
  effectGone:
    'The rest of this effect is no longer available. The call was decided, or another server keeps its rehearsal.',
  noGrant: (id: string) => `There is no active grant "${id}" in this world.`,
  notYourCall: 'Only the client that runs this call can answer it. Send its secret as X-Countersign-Client.',
  /** The same text as for a world that doesn't exist. */
  noWorld: (id: string) => `there is no world "${id}"`,
  scopeLacks: (scopes: readonly string[], needed: string) =>
    `This token has only these scopes: ${scopes.join(', ')}. Use one with the scope ${needed}.`,
  roleMay: (needed: TokenScope, role: string, isInWorld: boolean, names: readonly string[]) =>
    `Only ${role}s can ${VERBS[needed]} ${isInWorld ? 'in this world' : 'on this server'}.${askFor(names)}`,
  badGroupName: (problem: string) => `group: ${problem}`,
  onlyOwners: 'Only an owner can add, change, invite or remove an owner.',
  lastOwner: (name: string) => `${name} is the last active owner. Make someone else an owner first.`,
  ownAccount: (verb: string) => `You can't ${verb} your own account. Ask another admin.`,
  disabledPerson: (name: string) => `${name} is disabled. Enable the account first.`,
  notYours: "Only an admin can see or change other people's sessions, tokens and delegations.",
  limitedCredential:
    "A token without the scope admin, or a session opened with one, can't manage sessions and tokens, and no token can manage passkeys. Sign in with a start link or an invitation.",
  invitedSession:
    'This browser was opened with an invitation from someone else while you were signed in elsewhere, so it can only read and chat. To do more here, open your account where you signed in and choose "Open on another device".',
  noLink: 'This session has no such link to another device, or it has ended.',
  otherCode: 'No device has opened this link and shows this code. Nothing was confirmed.',
  linkNeedsSession: 'Only a browser session can open another device. With a token, send POST /api/tickets.',
  needsPasskeyNow: (doing: string) => `Confirm with a passkey that you want to ${doing}.`,
  needsSignIn: (doing: string) =>
    `To ${doing}, you need a trusted passkey, or a sign-in of the last five minutes in this browser. Sign out, sign in again and try again. A link from another device is not a sign-in.`,
  notYourPasskeys: "Only an admin can see or change other people's passkeys.",
  tooManyPasskeys: (most: number) => `You already have ${most} passkeys. Remove some first.`,
  knownPasskey: 'This passkey is already registered.',
  lastPasskey:
    'This is the last trusted passkey of this server. Register and confirm another one first, or stop the server and run countersign people reset-passkeys.',
  badPasskey: (problem: string) => `The passkey could not be registered: ${problem}.`,
  oldChallenge: 'This took longer than five minutes, or the request was sent twice. Try again.',
  unknownPasskey: 'This passkey is not registered here, or was removed. Sign in another way.',
  passkeyInBrowser: 'Passkeys only work in a browser. Open the web app.',
  passkeySite: (address: string) => `Passkeys of this server only work at ${address}. Open Countersign there.`,
  passkeyNeedsUrl:
    'Passkeys need to know the address of this server. Ask an admin to start it with COUNTERSIGN_PUBLIC_URL.',
  widerScope: (scope: string) => `You can't grant a scope that you don't have: ${scope}.`,
  signsForOthers:
    'Only the person can create a token with the scope sign. Send an invitation instead, or choose other scopes.',
  widerRole: "You can't give someone a role that may sign calls, because your credential may not.",
  roleLacks: (name: string, scope: string) => `${name}'s role doesn't include the scope ${scope}. Choose other scopes.`,
  nobodysPasskeys: 'This credential belongs to nobody in particular, so it has no passkeys. Sign in as a person.',
  nobodysRight:
    'This credential belongs to nobody in particular, so it has no right to sign to delegate. Sign in as a person.',
  nothingToDelegate: "You can't sign calls, so you have no right to delegate.",
  cantSign: (name: string, world?: string) =>
    `${name}'s role can't sign calls${world === undefined ? '' : ` in ${world}`}. An admin can give ${name} the role approver`,
  tooManyDelegations: (most: number) => `You already have ${most} delegations. End some first.`,
  unconfirmedDelegation:
    'You have a trusted passkey, so a delegation needs a confirmation with it. Create the delegation on your account page, in a browser. Nothing was saved.',
  noTrustedPasskey: 'You have no trusted passkey. Register one, and confirm it with a passkey that is already trusted.',
  passkeyElsewhere: (origin: string) => `Your passkeys belong to ${origin}. Open Countersign at that address.`,
  needsPasskey: 'Confirm this with a passkey, in a browser.',
  unknownChallenge: 'This challenge is unknown, used or older than five minutes. Try again.',
  otherChallenge: 'The passkey signed something else. Try again.',
  onlyApproveOnce: 'confirmation: only valid with decision approve and scope once',
  untrustedPasskey: 'This passkey is not one of your trusted passkeys.',
  badSignature: (problem: string) => `The passkey's signature is not valid (${problem}). Try again.`,
  copiedPasskey: "The passkey's counter went back, so it may have been copied. Remove it and register another one.",
  noErrorHere: 'error: only the client that runs a client tool can report one',
  needsIfMatch: 'Read the policy first and send its ETag as If-Match.',

  tooManyStreams: (most: number) => `This credential already has ${most} open streams. Close some and try again.`,
  stopping: 'This server is stopping and did not process the request. Send it again once a server is running.',
  silentStore:
    'This server has been unable to reach its database for a while. Other servers may have taken over its work.',
  unreadableStore: "The server's database can't be read at the moment.",
  unwritableStore:
    'Nothing can be stored at the moment. Check that the disk has room, and that the database can be written.',
  lateStore: "The server's database is not responding.",
} as const;
