import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { findSystemProgram, SYSTEM_PATH } from '@countersign/tools';

/** Whether there is somebody before a screen here. */
export function hasDisplay(env: NodeJS.ProcessEnv, platform: string = process.platform): boolean {
  if (env['CI'] !== undefined || env['SSH_CONNECTION'] !== undefined) return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  return (env['DISPLAY'] ?? '') !== '' || (env['WAYLAND_DISPLAY'] ?? '') !== '';
}

/** Opens an address in the person's browser. Never rejects, and never holds us up: the address is printed as well. */
export function openBrowser(url: string, platform: string = process.platform): void {
  const command = browserCommand(url, platform);
  if (command === undefined) return;
  const [program, ...words] = command;
  // What xdg-open starts in turn must not come from a folder on our PATH where an agent writes.
  const env = platform === 'win32' ? process.env : { ...process.env, PATH: BROWSER_PATH };
  const child = spawn(program, words, { detached: true, stdio: 'ignore', env });
  child.on('error', () => undefined);
  child.unref();
}

const BROWSER_PATH = [SYSTEM_PATH, '/snap/bin', '/var/lib/flatpak/exports/bin'].join(delimiter);

/** Undefined: there is no program for it. */
export function browserCommand(url: string, platform: string): [string, ...string[]] | undefined {
  switch (platform) {
    case 'darwin':
      return ['/usr/bin/open', url];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler', url];
    default: {
      const program = findSystemProgram('xdg-open');
      return program === undefined ? undefined : [program, url];
    }
  }
}
