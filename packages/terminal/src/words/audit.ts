import { secondText } from '../text/clock-text.js';

/** Output of `countersign audit`. */
export const auditWords = {
  noRecords: 'The audit log is empty.',
  edited: 'edited',
  serverLog: 'server',
  noHead: (world: string): string => `${world}: no records yet, so there is no head.`,
  notSigned: 'Not signed: no key is configured. Create one with: countersign audit key FILE',
  keyCreated: (file: string, publicFile: string): string => `Created ${file} and ${publicFile}.`,
  keyId: (id: string): string => `Key id: ${id}. Write it down.`,
  keyUse: (file: string): string => `To sign heads with it: export COUNTERSIGN_AUDIT_KEY=${file}`,
  logBroken: (world: string, at: number): string =>
    `The audit log of ${world} is broken at record ${at}, so no head was created. Run: countersign audit verify`,
  noHeadFor: (world: string): string => `There is no head for the world "${world}". Nothing was checked.`,
  keyWithoutHead: '--key requires --head FILE.',
  headInHome: (file: string): string =>
    `${file} is inside the home folder and not signed, so it proves nothing. Store heads elsewhere, or sign them.`,
  checking: (world: string): string => `… ${world}`,
  broken: (world: string, problem: string, at: number, detail: string): string =>
    `${world}: ${problem} at record ${at}. ${detail}`,
  intact: (world: string, records: number): string =>
    `${world}: intact, ${records} ${records === 1 ? 'record' : 'records'}`,

  // Protection by heads stored elsewhere
  headFileBehind: (records: number): string =>
    `The head file in the home folder does not cover ${records === 1 ? 'the first record' : `the first ${records} records`}, because it was missing or new at the time.`,
  noAnchor:
    'No head outside the home folder protects this log: anyone who can write to the store and the home folder can rewrite it. Store heads elsewhere (countersign audit head) and check them with --head.',
  signedWith: (keys: readonly string[]): string =>
    keys.length === 0
      ? 'not signed, so it is only as safe as the place where you stored it'
      : `signed with ${keys.join(', ')}`,
  headCount: (heads: number): string => (heads === 1 ? 'a head' : `${heads} heads, the first`),
  matches: (records: number, heads: string, since: string, signed: string): string =>
    `Records 1 to ${records} match ${heads} from ${secondText(since)}, ${signed}.`,
  afterHead: (records: number): string =>
    `No head protects ${records === 1 ? 'the record' : `the ${records} records`} after that.`,
  head: (at: string, seq: number, key: string | undefined): string =>
    `the head from ${secondText(at)} (record ${seq}, ${key === undefined ? 'not signed' : `signed with ${key}`})`,
  cutOff: (records: number, head: string): string =>
    `The log has only ${records} ${records === 1 ? 'record' : 'records'} and ends before ${head}.`,
  rewritten: (head: string): string => `This record, or one before it, changed after ${head} was created.`,
  otherLog: (head: string): string =>
    `The first record does not match ${head}. The head belongs to another store, or the log was replaced.`,

  // Keys and heads in files
  keyExists: (file: string): string => `${file} already exists. Choose another name.`,
  cannotWriteKey: (file: string, reason: string): string => `Could not write the key to ${file}: ${reason}.`,
  cannotWritePublicKey: (file: string, reason: string): string =>
    `Could not write the public key to ${file}: ${reason}.`,
  relativeKey: (file: string): string => `COUNTERSIGN_AUDIT_KEY must be an absolute path, not "${file}".`,
  readableKey: (file: string): string => `Other users can read the audit key ${file}. Run: chmod 600 ${file}`,
  keyInHome: (file: string, home: string): string =>
    `The audit key ${file} is inside the home folder ${home}. Anyone who can rewrite the log could sign it too. Move the key elsewhere.`,
  cannotReadKey: (file: string, reason: string): string => `Could not read the audit key ${file}: ${reason}.`,
  notAKey: (file: string): string =>
    `${file} is not an Ed25519 key in PEM format. Create one with: countersign audit key FILE`,
  twoKeys: 'COUNTERSIGN_AUDIT_KEY and COUNTERSIGN_AUDIT_COMMAND are both set. Set only one of them.',
  noPublicKey: 'COUNTERSIGN_AUDIT_COMMAND needs COUNTERSIGN_AUDIT_PUBLIC_KEY: the PEM file with its public key.',
  wrongSignature: (id: string): string =>
    `The signature does not match the public key ${id}. Check COUNTERSIGN_AUDIT_PUBLIC_KEY.`,
  commandTimeout: (seconds: number): string => `it did not finish within ${seconds} s`,
  commandEnded: (code: number | null, signal: string | null): string =>
    code === null ? `it was killed by ${signal}` : `it exited with code ${code}`,
  commandFailed: (reason: string): string => `COUNTERSIGN_AUDIT_COMMAND failed: ${reason}. No head was signed.`,
  noSignature: 'COUNTERSIGN_AUDIT_COMMAND did not print an Ed25519 signature in base64. No head was signed.',
  cannotReadHeads: (file: string): string => `Could not read ${file}. Nothing was checked.`,
  noHeads: (file: string): string => `${file} contains no audit head. Nothing was checked.`,
  notAHead: (where: string, reason: string): string => `${where} is not an audit head${reason}. Nothing was checked.`,
  unsignedHead: (where: string): string =>
    `${where}: this head is not signed, but a key was given, so it proves nothing. Nothing was checked.`,
  unknownKey: (where: string, key: string): string =>
    `${where}: this head is signed with the unknown key ${key}. If you trust it, pass its public key with --key FILE.`,
  changedHead: (where: string): string =>
    `${where}: the signature does not match. The head was changed after it was signed.`,
} as const;
