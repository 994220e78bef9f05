import { delimiter } from 'node:path';
import { realPath } from '@countersign/changes';
import { trustedFolders } from '../shell/trusted-folders.js';

/** The person's variables that a run passes on: language, time zone and how to draw on the terminal. None of them holds a secret. */
const PASSED =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|CI|COLUMNS|LINES)$/;
/** A value that isn't plain could be anything, such as a terminal description with a path. */
const PLAIN = /^[\w.:@+,/-]{0,100}$/;

export interface RunEnvironment {
  readonly values: Readonly<Record<string, string>>;
  /** The names of the variables that come from the person, for the card. */
  readonly passed: readonly string[];
}

/**
 * The complete environment of a run's program. `sees`: whether it sees a real path. `own`: variables that we set for it. `identity`: the person's
 * variables for Git.
 */
export function runEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  {
    home,
    sees,
    own,
    identity,
  }: Readonly<{
    home: string;
    sees: (path: string) => boolean;
    own: Readonly<Record<string, string>>;
    identity: Readonly<Record<string, string>>;
  }>,
): RunEnvironment {
  const plain = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && PASSED.test(name) && PLAIN.test(value) ? [[name, value] as const] : [],
  );
  const given = [...plain, ...Object.entries(identity)];
  const folders = trustedFolders(environment['PATH'] ?? '').filter((folder) => sees(realPath(folder) ?? folder));
  const values = {
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ...Object.fromEntries(given),
    PATH: [...new Set([...folders, ...USUAL_FOLDERS])].join(delimiter),
    HOME: home,
    USER: USER_NAME,
    LOGNAME: USER_NAME,
    SHELL: '/bin/bash',
    TMPDIR: '/tmp',
    COUNTERSIGN_RUN: '1',
    ...own,
  };
  return { values, passed: given.map(([name]) => name).toSorted() };
}

/** The name of the user inside. Programs needn't know the person's own name. */
export const USER_NAME = 'agent';

const USUAL_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin'];
