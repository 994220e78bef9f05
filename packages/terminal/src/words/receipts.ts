/** What is wrong with the signatures of an audit record (SIGN2.10). */
const problems = {
  malformed: 'The receipt is malformed.',
  'unknown-passkey': "The passkey's public key is not among the given keys.",
  'not-an-assertion': 'The receipt is for something other than a signature.',
  'other-challenge': 'The passkey signed something else.',
  'other-site': 'The passkey signed on another site.',
  embedded: 'The passkey signed on a page embedded in another site.',
  'no-person': 'Nobody was present when the passkey signed.',
  'not-verified': 'The passkey did not identify its person.',
  'wrong-signature': 'The signature does not match the public key.',
  'other-call': 'The passkey signed another call.',
  'other-decision': 'The passkey signed another decision.',
  'other-signer': "The passkey is not that of the record's signer.",
  'used-before': 'This receipt belongs to an earlier record.',
  'not-signed': 'The rule requires a passkey, but not enough people signed this approval with one.',
} as const;

export type ReceiptProblem = keyof typeof problems;

/** Output of `countersign audit verify --signatures`. */
export const receiptWords = {
  problems,
  invalid: 'invalid signature',
  valid: (receipts: number): string =>
    receipts === 0
      ? 'No record was signed with a passkey.'
      : `${receipts === 1 ? 'The signature of one record is' : `The signatures of ${receipts} records are`} valid.`,
  pinned: (file: string): string => `The public keys come from ${file}.`,
  notPinned:
    'The public keys come from the log itself, so someone who rewrote it could have replaced them. Store the keys elsewhere (countersign people keys) and check with --keys.',
  keysWithoutSignatures: '--keys requires --signatures.',
  fileOrWorld: 'Use either --file or --world and --server, not both.',
  keysInHome: (file: string): string =>
    `${file} is inside the home folder, so it proves nothing. Store the public keys elsewhere.`,
  cannotRead: (file: string, reason: string): string => `Could not read ${file}: ${reason}. Nothing was checked.`,
  notAKey: (where: string): string =>
    `${where} is not a public key from "countersign people keys". Nothing was checked.`,
  noKeys: (file: string): string => `${file} contains no public key. Nothing was checked.`,
  notARecord: (where: string): string =>
    `${where} is not an audit record. Export the log with: countersign audit export --format jsonl`,
  noRecords: (file: string): string => `${file} contains no audit record. Nothing was checked.`,
} as const;

/** Why a commit isn't countersigned (RUN29). */
const commitProblems = {
  missing: 'It has no receipt.',
  malformed: 'Its receipt is malformed.',
  'unknown-key': 'Its receipt is signed with a key that is not among the given keys.',
  'wrong-signature': 'The signature of its receipt does not match.',
  'other-commit': 'Its receipt is for another commit, so it was amended, rebased or squashed.',
  'no-passkey': 'No given passkey signed the change that it belongs to.',
} as const;

export type CommitProblem = keyof typeof commitProblems;

/** Output of `countersign verify`. */
export const commitWords = {
  problems: commitProblems,
  valid: (count: number): string =>
    count === 1 ? 'The commit is countersigned.' : `All ${count} commits are countersigned.`,
  none: 'The range contains no commit, so nothing was verified.',
  failed: (count: number, all: number): string => `Not countersigned: ${count} of ${all} commits.`,
  cannotVerify: (reason: string): string => `Could not verify anything: ${reason}`,
} as const;
