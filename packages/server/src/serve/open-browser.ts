import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { withoutSecrets } from '@countersign/protocol';
import { findSystemProgram, SYSTEM_PATH } from '@countersign/tools';
import { writePrivate } from '../home/private-file.js';

/** Whether a person can see a browser here. */
export function hasDisplay(env: NodeJS.ProcessEnv, platform: string = process.platform): boolean {
  if (env['CI'] !== undefined || env['SSH_CONNECTION'] !== undefined) return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  return (env['DISPLAY'] ?? '') !== '' || (env['WAYLAND_DISPLAY'] ?? '') !== '';
}

/**
 * Opens a start link in the browser, through a private file: other users can read a program's arguments. Never throws or blocks; the link is
 * also printed.
 */
export function openBrowser(url: string, home: string, platform: string = process.platform): void {
  let file = '';
  try {
    file = writeRedirect(url, home);
  } catch {
    return;
  }
  const command = browserCommand(file, platform);
  if (command === undefined) return;
  const [program, ...words] = command;
  const env = browserEnvironment(process.env, platform);
  const child = spawn(program, words, { detached: true, stdio: 'ignore', env });
  child.on('error', () => undefined);
  child.unref();
}

const BROWSER_PATH = [SYSTEM_PATH, '/snap/bin', '/var/lib/flatpak/exports/bin'].join(delimiter);

/** Excludes our secrets, because a browser runs for days. Its PATH contains no folder that an agent can write to. */
export function browserEnvironment(env: NodeJS.ProcessEnv, platform: string): NodeJS.ProcessEnv {
  const safe = withoutSecrets(env);
  return platform === 'win32' ? safe : { ...safe, PATH: BROWSER_PATH };
}

/** The file is in the home folder, which sandboxed commands can't see. The ticket works once, for a minute; the next link replaces the file. */
export function writeRedirect(url: string, home: string): string {
  const file = join(home, 'open.html');
  const link = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  writePrivate(
    file,
    `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${link}">
<title>Countersign</title>
<a href="${link}">Open Countersign</a>
`,
  );
  return file;
}

/** Undefined if the platform has no such program. */
export function browserCommand(file: string, platform: string): [string, ...string[]] | undefined {
  switch (platform) {
    case 'darwin':
      return ['/usr/bin/open', file];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler', file];
    default: {
      const program = findSystemProgram('xdg-open');
      return program === undefined ? undefined : [program, file];
    }
  }
}
