// Fixes of bugs that random histories must find: `npm run histories` removes each of them from a bundle.

/**
 * @typedef {object} Change
 * @property {string} file
 * @property {string} text
 * @property {string} by What replaces it.
 */

/** @type {readonly { name: string, changes: readonly Change[] }[]} */
export const REVERSED_FIXES = [
  {
    name: 'one session per person',
    changes: [
      { file: 'packages/core/src/runners/session.ts', text: ', session, who.kind, who.id]', by: ', session]' },
      {
        file: 'packages/core/src/runners/write-external.ts',
        text: 'idsOf(requestersOf(current)) === idsOf(requesters)',
        by: 'true',
      },
    ],
  },
  {
    name: 'calls claimed only by their caller',
    changes: [
      {
        file: 'packages/core/src/runners/claim-external.ts',
        text: 'stored.caller !== callerHash(runtime, caller)',
        by: 'false',
      },
    ],
  },
  {
    name: 'folders locked before a call starts',
    changes: [
      {
        file: 'packages/core/src/call/start.ts',
        text: 'return call.tool?.hold !== undefined && signed?.fingerprint !== undefined;',
        by: 'return false;',
      },
    ],
  },
];
