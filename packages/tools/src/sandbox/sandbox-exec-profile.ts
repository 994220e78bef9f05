import type { FixedPath } from './find-fixed-paths.js';
import type { Confinement } from './sandbox.js';

/** A profile for macOS. Later rules win, so what is closed again inside the working folder comes last. */
export function sandboxExecProfile(
  { workingDirectory, home, hide, show, network }: Confinement,
  fixed: readonly FixedPath[],
  temporary: string,
): string {
  const folders = (paths: readonly string[]): string => paths.map((path) => `(subpath ${quoted(path)})`).join(' ');
  return [
    '(version 1)',
    '(allow default)',
    ...(network ? [] : ['(deny network*)']),
    // Without these a command could ask programs outside to act for it.
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
    ...(fixed.length === 0 ? [] : [`(deny file-write* ${fixed.map(closed).join(' ')})`]),
    ...(hide.length === 0 ? [] : [`(deny file-read* file-write* ${folders(hide)})`]),
  ].join('\n');
}

/** A pinned folder stays writable inside; it only can't be replaced. */
function closed({ path, how }: FixedPath): string {
  return how === 'pinned' ? `(literal ${quoted(path)})` : `(subpath ${quoted(path)})`;
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
