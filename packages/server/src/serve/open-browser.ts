import { spawn } from 'node:child_process';

/** Whether there is somebody before a screen here. */
export function hasDisplay(env: NodeJS.ProcessEnv, platform: string = process.platform): boolean {
  if (env['CI'] !== undefined || env['SSH_CONNECTION'] !== undefined) return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  return (env['DISPLAY'] ?? '') !== '' || (env['WAYLAND_DISPLAY'] ?? '') !== '';
}

/** Opens an address in the person's browser. Never rejects, and never holds us up: the address is printed as well. */
export function openBrowser(url: string, platform: string = process.platform): void {
  const [program, ...words] = commandFor(url, platform);
  const child = spawn(program, words, { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}

function commandFor(url: string, platform: string): [string, ...string[]] {
  switch (platform) {
    case 'darwin':
      return ['open', url];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler', url];
    default:
      return ['xdg-open', url];
  }
}
