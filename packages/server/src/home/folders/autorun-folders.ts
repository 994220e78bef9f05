import { realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { isWithin } from './is-within.js';

/** Folders of the system: programs, libraries, configuration, services and scheduled jobs. */
const SYSTEM = `
  /bin /sbin /lib /lib32 /lib64 /libx32 /usr /etc /boot /dev /proc /sys /nix /snap
  /run/systemd /run/udev /run/dbus /var/lib/systemd /var/lib/dpkg /var/lib/rpm /var/spool/cron /var/spool/at
  /System /Library /Applications
`
  .trim()
  .split(/\s+/);

/** Folders of a home: configuration, programs, services, and what shells, editors and coding agents run when they start. */
const IN_HOME = [
  ...[
    '.config',
    '.local/bin',
    '.local/lib',
    '.local/share/systemd',
    '.local/share/applications',
    '.local/share/dbus-1',
  ],
  ...[
    '.local/share/autostart',
    '.local/share/mise',
    'bin',
    '.bashrc.d',
    '.profile.d',
    '.zsh',
    '.oh-my-zsh',
    '.vim',
    '.emacs.d',
  ],
  ...['.cargo', '.rustup', '.nvm', '.pyenv', '.rbenv', '.asdf', '.volta', '.bun', '.deno', '.sdkman', '.npm-global'],
  ...['.claude', '.codex', '.gemini', '.cursor', '.vscode', '.vscode-server', '.continue', '.git-templates'],
  ...['Library/LaunchAgents', 'Library/Application Support', 'Library/Preferences', 'Library/Scripts'],
];

/**
 * Finds a folder that contains or is inside the given one and whose files other programs run or read when they start (SAFE1.1): writing there is
 * running code as this user. `worlds`, where worlds work by default, is never one.
 */
export function autorunFolders(worlds: string): (real: string, home: string) => string | undefined {
  const pathEntries = (process.env['PATH'] ?? '')
    .split(delimiter)
    // npm adds these for the project that it runs in, and a virtual environment is part of its project.
    .filter((folder) => isAbsolute(folder) && !/\/(?:node_modules|\.?venv)(?:\/|$)/.test(folder))
    .flatMap(withReal);
  const system = SYSTEM.flatMap(withReal);
  let known: { home: string; own: readonly string[] } | undefined;
  const ownOf = (home: string): readonly string[] => {
    if (known?.home !== home) known = { home, own: IN_HOME.flatMap((name) => withReal(join(home, name))) };
    return known.own;
  };
  return (real, home) => {
    const ownWorlds = withReal(worlds);
    if (ownWorlds.some((folder) => isWithin(folder, real))) return undefined;
    const overlaps = (folder: string): boolean => isWithin(folder, real) || isWithin(real, folder);
    const inHome = home !== '/' && isWithin(home, real);
    return (
      ownOf(home).find(overlaps) ??
      (inHome ? undefined : system.find(overlaps)) ??
      pathEntries.find((folder) => isWithin(folder, real))
    );
  };
}

/** A folder, and where its links lead. A folder that doesn't exist yet counts too: someone could create it. */
function withReal(folder: string): string[] {
  try {
    return [...new Set([folder, realpathSync.native(folder)])];
  } catch {
    return [folder];
  }
}
