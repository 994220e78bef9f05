import type { Help } from './help.js';

const detach = 'return immediately; the running server continues the chat';

export const approvalsHelp = {
  about: 'List, show, approve and deny waiting calls',
  list: { about: 'List waiting calls in all worlds, oldest first', examples: ['countersign approvals list --json'] },
  show: {
    about: 'Show exactly what an approval would run, and the messages before it',
    examples: ['countersign approvals show approval_…', 'countersign approvals show approval_… --all'],
  },
  watch: {
    about: 'Prompt for each call as it arrives; run it in a second terminal',
    notify: 'ring, set the title and send a desktop notice when a call waits for you',
    notes: ['Without a terminal, it only lists new calls; with --json, as JSON Lines.'],
    examples: ['countersign approvals watch'],
  },
  approve: {
    about: 'Approve a call exactly as shown, then wait until the chat is idle or needs you again',
    notes: [
      'Several calls, or --all, are each shown in full and then in a table, and approved once if you confirm. Nothing else is approved, and it does not wait.',
    ],
    exitCodes:
      '0 the call succeeded (with --detach, or if an agent outside runs it: it was approved), 1 it failed, 130 Ctrl-C',
    examples: [
      'countersign approvals approve approval_… --scope once --yes',
      'countersign approvals approve approval_… approval_…',
      'countersign approvals approve --all -w harbour',
    ],
  },
  batch: {
    about: 'Review several calls of one chat together, and approve them as one',
    notes: [
      'They are rehearsed one after another in one draft. What they change together is applied as a whole or not at all, and undone as a whole. It does not wait. With --json and without --yes, it only prints the batch.',
    ],
    examples: ['countersign approvals batch approval_… approval_…'],
    last: "also approve the last call if it can't be rehearsed; it runs after the others",
  },
  answer: {
    about: "Answer an agent's question, then wait until the chat is idle or needs you again",
    notes: ['An answer does not approve any call.'],
    examples: ['countersign approvals answer approval_… "the north quay"'],
  },
  deny: {
    about: 'Deny a call, then wait until the chat is idle or needs you again',
    examples: ['countersign approvals deny approval_… --reason "not in production"'],
  },
  status: 'pending, approved, denied, expired or superseded',
  chat: 'only this chat',
  who: 'only calls that this person can sign or has signed (id or name, or me)',
  reveal: 'show masked secrets; recorded in the audit log',
  all: 'show everything that the call will change, up to 5 MB',
  approveAll: 'approve all calls that wait for you; needs a terminal',
  scope: 'once, session (this chat) or always',
  rule: 'with --scope always: rule to add instead of the proposed one, such as "allow shell_cmd(ls) for 1h"',
  pattern:
    'with --scope session: cover calls that match this instead, such as "rm *.tmp", or "*" for every call of the tool',
  arguments: 'with --scope once: change the arguments; the edited call is shown again before it can be approved',
  host: 'with --scope once: let the command reach these hosts; it is shown again, and then runs without a rehearsal',
  reason: 'reason, for the audit log',
  denyReason: 'reason, shown to the agent',
  changes: 'what the agent should do instead; it is denied with this as the reason',
  words: 'your answer',
  detach,
} satisfies Record<string, string | Help>;

export const undoHelp = {
  about: 'Undo a call or a run: revert the files that it changed. Without one, list those that can be undone',
  notes: [
    'It reverts all files or none, and only if nobody has changed them since. What is needed is kept for 7 days, up to 1 GiB.',
  ],
  examples: ['countersign undo', 'countersign undo call_… -w harbour', 'countersign undo run_…'],
} satisfies Help;

export const runsHelp = {
  about: 'List programs that ran in a draft, and apply or discard what they changed',
  list: { about: 'List runs, newest first', examples: ['countersign runs', 'countersign runs --json'] },
  show: { about: 'Show a run, and everything that applying it will do', examples: ['countersign runs show run_…'] },
  diff: {
    about: 'List the files that a run changed, or show the lines of one of them',
    notes: [
      'Files that programs run by themselves come first. Hidden characters are shown by their number, and in a pipe nothing has colours or is wrapped.',
    ],
    examples: [
      'countersign runs diff run_…',
      'countersign runs diff run_… src/main.ts',
      'countersign runs diff run_… --all | less',
    ],
  },
  file: 'a file or folder of the change, as the list shows it',
  all: 'show the lines of all files',
  apply: {
    about: 'Ask again for approval of a run that was denied, is in conflict or failed',
    notes: [
      'Nothing is applied before somebody approves it. Drafts are kept for 14 days. A run in conflict stays in conflict until the folder is as it was, or with --branch.',
    ],
    exitCodes: '0 it waits for approval or was applied, 1 it is in conflict or failed',
    examples: [
      'countersign runs apply run_…',
      'countersign runs apply run_… --include build/report.html',
      'countersign runs apply run_… --branch agent',
    ],
  },
  include: 'also apply this ignored path, as the card shows it; can be repeated',
  includeLogin: "also write back a renewed login of another account, or of one that can't be compared",
  branch: 'apply all commits to this new branch, and leave the working tree as it is',
  ask: {
    about: 'Ask for changes to a run, in place of signing or denying it',
    notes: [
      'Its draft is kept, and the call that waits is withdrawn. The agent continues where the person who started the run waits for it, or with countersign run --again.',
    ],
    examples: ['countersign runs ask run_… "Keep the old API, and add a test"'],
  },
  select: {
    about: 'Ask about a part of what a run changed, as a run of its own',
    notes: [
      'Applies nothing before somebody approves it. Commits are not part of it. When it was applied, the rest of the run is asked about again.',
    ],
    examples: ['countersign runs select run_… src/main.ts docs', 'countersign runs select run_… --block src/main.ts:2'],
  },
  block: 'one block of changed lines of a file, counted from 1 as in `runs diff`; can be repeated',
  discard: { about: 'Remove the draft of a run', examples: ['countersign runs discard run_… --yes'] },
} satisfies Record<string, string | Help>;

export const verifyHelp = {
  about: 'Verify that each commit in a range has a valid receipt of a signed run',
  notes: [
    'Works offline, in any clone that has fetched refs/notes/countersign. The server keeps its public key in receipt.pub in\nits home folder; those of passkeys are printed by people keys.',
  ],
  exitCodes: '0 all commits are countersigned, 1 at least one is not, or nothing was verified',
  examples: ['countersign verify origin/main..HEAD --keys countersign.keys --require-passkey'],
  keys: 'file with the public keys of servers and passkeys, one per line',
  requirePasskey: 'also require that a given passkey signed the change',
} satisfies Record<string, unknown>;

export const grantsHelp = {
  about: 'List and revoke grants (approvals for a whole chat)',
  list: { about: 'List grants', examples: ['countersign grants list -w harbour'] },
  remove: {
    about: 'Revoke a grant; the next call needs approval again',
    examples: ['countersign grants remove grant_…'],
  },
} satisfies Record<string, string | Help>;

export const policyHelp = {
  about: 'Show, edit and test the rules of a world',
  show: { about: 'Show the rules, one per line', examples: ['countersign policy show -w harbour'] },
  edit: {
    about: 'Edit the rules in your editor, or replace them from a file',
    examples: ['EDITOR=nano countersign policy edit -w harbour'],
  },
  add: {
    about: 'Add a rule, or accept one that an import proposed',
    notes: ['An allow rule can end: write "for 1h", "today" or "until 2027-01-31T18:00Z" (UTC) after it.'],
    examples: [
      'countersign policy add "deny write_file(path=secrets/*)" -w harbour',
      'countersign policy add "allow shell_cmd(npm test) for 1h" -w harbour',
    ],
  },
  remove: {
    about: 'Remove a rule',
    examples: ['countersign policy remove "deny write_file(path=secrets/*)" -w harbour'],
  },
  check: {
    about: 'Show whether a call would run, without running it',
    exitCodes: '0 it would run, 3 it would need approval or be refused',
    examples: [
      `countersign policy check shell_cmd '{"command":"rm -rf build"}' -w harbour`,
      `countersign policy check shell_cmd '{"command":"npm run build"}' --rehearse -w harbour`,
    ],
  },
  matches: {
    about: 'List the calls in a chat that a rule would match',
    examples: ['countersign policy matches "allow shell_cmd(wc *)" -w harbour -c last'],
  },
  file: 'read the rules from a file, one per line; - for standard input',
  yes: 'skip the confirmation, even if new rules run waiting calls',
  removeYes: 'no effect: removing a rule never asks for confirmation',
  arguments: 'arguments as JSON',
  agent: 'agent that makes the call',
  rehearse: 'run the command in a draft first, delete the draft, and judge what it did',
} satisfies Record<string, string | Help>;

export const auditHelp = {
  about: 'Read, verify and export the audit log: who asked, who approved, what ran',
  list: {
    about: 'List the latest records',
    examples: ['countersign audit list -w harbour --last 5', 'countersign audit list --server --who bob'],
  },
  verify: {
    about: 'Verify the hash chains of all worlds and the server, and compare them with heads that you stored elsewhere',
    exitCodes: "0 intact, 1 broken, a signature is invalid, or a head can't be trusted",
    examples: [
      'countersign audit verify',
      'countersign audit verify --head /mnt/elsewhere/heads.jsonl --key audit.key.pub',
      'countersign audit verify --file audit.jsonl --signatures --keys keys.jsonl',
    ],
  },
  head: {
    about: 'Print the signed log head of one or all worlds; store it outside the home folder',
    notes: [
      'Signs with the key file in COUNTERSIGN_AUDIT_KEY, or with COUNTERSIGN_AUDIT_COMMAND, which reads the text on standard\ninput and prints an Ed25519 signature in base64 (its public key: COUNTERSIGN_AUDIT_PUBLIC_KEY).',
    ],
    examples: ['countersign audit head >> /mnt/elsewhere/heads.jsonl'],
  },
  key: {
    about: 'Create a key pair for audit heads: FILE signs, FILE.pub verifies',
    examples: ['countersign audit key /mnt/elsewhere/audit.key'],
  },
  original: {
    about: 'Show the unmasked arguments of a call; recorded in the audit log',
    examples: ['countersign audit original call_… -w harbour'],
  },
  export: {
    about: 'Export the whole log',
    examples: ['countersign audit export -w harbour --format csv --out audit.csv'],
  },
  server: 'the log of the server instead: people, roles, groups, tokens and sessions',
  last: 'number of records',
  kind: (kinds: readonly string[]): string => `only this kind: ${kinds.join(', ')}`,
  agent: 'only records of this agent (id)',
  who: 'only records of this person, agent or token (id or name)',
  find: 'only records that contain these words',
  headFile: 'file with heads that you stored elsewhere (audit head); repeatable',
  keyFile: 'public key that signed the heads; repeatable',
  file: 'verify an export in JSONL format instead, without a server',
  signatures: 'also verify what passkeys signed',
  keys: 'with --signatures: file with the public keys of the passkeys (people keys)',
  newKeyFile: 'new file outside the home folder',
  format: 'jsonl or csv',
  out: 'write to a new file instead of standard output',
};
