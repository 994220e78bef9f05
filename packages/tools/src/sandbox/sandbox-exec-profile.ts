import { join } from 'node:path';
import { ENTRIES, type NamedInSettings, SETTINGS } from '@countersign/changes';
import type { Confinement } from './sandbox.js';

/**
 * A profile for macOS. Later rules take precedence, so the denied paths inside the working folder come last: by name, at any depth, existing or
 * not. `named`: further paths that programs run automatically; if Git is missing or fails, all of `.git` is denied.
 */
export function sandboxExecProfile(
  { workingDirectory, home, hide, show, network }: Confinement,
  { paths, known }: NamedInSettings,
  temporary: string,
): string {
  const folders = (paths: readonly string[]): string => paths.map((path) => `(subpath ${quoted(path)})`).join(' ');
  const fixed = [...paths, ...(known ? [] : ['.git'])].map((path) => join(workingDirectory, path));
  return [
    '(version 1)',
    '(allow default)',
    // Our own API and other local services listen on localhost.
    ...(network === 'host' ? ['(deny network-outbound (remote ip "localhost:*"))'] : ['(deny network*)']),
    // Without these rules, a command could ask programs outside the sandbox to act for it.
    '(deny appleevent-send)',
    '(deny mach-lookup (global-name "com.apple.coreservices.launchservicesd"))',
    '(deny process-info* (target others))',
    '(deny signal (target others))',
    '(allow signal (target same-sandbox))',
    '(deny file-write*)',
    `(deny file-read* ${folders(['/Users', '/private/tmp', '/private/var/tmp', '/private/var/run', home])})`,
    `(allow file-read-metadata ${folders(['/Users'])})`,
    ...(show.length === 0 ? [] : [`(allow file-read* ${folders(show)})`]),
    `(allow file-read* file-write* ${folders([workingDirectory, temporary])})`,
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero"))',
    '(deny file-read* file-write* (literal "/dev/tty"))',
    ...runsLaterPatterns(workingDirectory).map(
      ({ effect, pattern }) => `(${effect} file-write* (regex ${quoted(pattern)}))`,
    ),
    ...(fixed.length === 0 ? [] : [`(deny file-write* ${folders(fixed)})`]),
    ...(hide.length === 0 ? [] : [`(deny file-read* file-write* ${folders(hide)})`]),
  ].join('\n');
}

/** Patterns for whole paths, in order. `.git` itself can't be created or replaced; inside it, everything except configuration is writable. */
export function runsLaterPatterns(workingDirectory: string): { effect: 'deny' | 'allow'; pattern: string }[] {
  const inside = `^${escaped(workingDirectory)}/(.*/)?`;
  const settings = [...SETTINGS].map(anyCase).join('|');
  const git = anyCase('.git');
  return [
    { effect: 'deny', pattern: `${inside}${anyCase('HEAD')}$` },
    { effect: 'allow', pattern: `${inside}${git}/(.*/)?${anyCase('HEAD')}$` },
    ...ENTRIES.map(({ entry }) => ({ effect: 'deny' as const, pattern: patternOf(workingDirectory, entry) })),
    { effect: 'deny', pattern: `${inside}${git}(/(${settings})(/.*)?)?$` },
  ];
}

function patternOf(workingDirectory: string, entry: string): string {
  const depth = entry.startsWith('/') ? '' : '(.*/)?';
  const name = entry.replace(/^\//, '').split('*').map(anyCase).join('[^/]*');
  return `^${escaped(workingDirectory)}/${depth}${name}(/.*)?$`;
}

/** Most macOS disks treat `.GIT` and `.git` as the same. */
function anyCase(name: string): string {
  return escaped(name).replaceAll(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
