import { unsandboxedText, type Approval, type CallSandbox } from '@countersign/protocol';

/** `confined`: limited by a sandbox. `plain`: our own code, with the stated access only. `warning`: not limited. */
export type SandboxLevel = 'confined' | 'plain' | 'warning';

/** How a call runs, the same on all screens. The level depends only on the fields; `detail` is untrusted text that is only displayed (SAFE1). */
export function sandboxText(sandbox: CallSandbox): { words: string; level: SandboxLevel } {
  const { kind, network, detail } = sandbox;
  switch (kind) {
    case 'bubblewrap':
    case 'sandbox-exec':
      return { words: `sandboxed, ${accessText(sandbox)}`, level: limited(network) ? 'confined' : 'warning' };
    case 'in-process':
      if (network === 'none') return { words: 'runs inside Countersign, no network', level: 'plain' };
      if (network === 'public') return { words: 'not sandboxed, uses the public network', level: 'plain' };
      return { words: 'not sandboxed: it runs with your permissions', level: 'warning' };
    case 'none':
      return { words: withDetail(`not sandboxed: ${unsandboxedText('it')}`, detail), level: 'warning' };
    case 'remote':
      return { words: withDetail('not sandboxed: it runs on another server', detail), level: 'warning' };
    case 'client':
      return { words: 'not sandboxed: it runs in the client that offers this tool', level: 'warning' };
    case 'external':
      return {
        words:
          `not sandboxed: ${detail ?? 'an external program'} runs this itself, outside Countersign's sandbox. ` +
          (sandbox.folder === 'unknown' ? 'It didn’t say in which folder, so relative paths may mean any file. ' : '') +
          'It could use your own credentials to approve its other calls; only rules “with passkey” prevent that',
        level: 'warning',
      };
    case 'unknown':
      return { words: withDetail('not known to be sandboxed', detail), level: 'warning' };
  }
}

/** The folder that a call would run in. Undefined if the program that runs it didn't say. */
export function folderOf({
  workingDirectory,
  sandbox,
}: Pick<Approval, 'workingDirectory' | 'sandbox'>): string | undefined {
  return sandbox.folder === 'unknown' ? undefined : workingDirectory;
}

function limited(network: CallSandbox['network']): boolean {
  return network === 'none' || network === 'listed' || network === 'public';
}

function accessText({ network, hosts, readable }: CallSandbox): string {
  const reaches = {
    none: 'no network',
    listed: `network limited to ${hosts.join(', ')}`,
    public: hosts.length === 0 ? 'public network' : `public network and ${hosts.join(', ')}`,
    all: 'but it can reach every address this machine can, including localhost',
    unknown: 'but its network access is unknown',
  }[network];
  return readable.length === 0 ? reaches : `${reaches}, can also read ${readable.join(', ')}`;
}

function withDetail(words: string, detail: string | undefined): string {
  return detail === undefined || detail === '' ? words : `${words} (${detail})`;
}
