import { lstat } from 'node:fs/promises';
import type { Clock } from '@countersign/core/ports';
import { bubblewrapArguments, type HiddenPath } from './bubblewrap-arguments.js';
import { type ApplyChange, describeLeftOut, namedInSettings } from '@countersign/changes';
import { openDraft, type Draft } from './draft/open-draft.js';
import { findFixedPaths, pinParents, type FixedPath } from './find-fixed-paths.js';
import { gatewayEnvironment, openGateway, type Gateway } from './gateway/gateway.js';
import { opensLoopback, withPrivateHosts } from './gateway/with-private-hosts.js';
import { checkWorkingFolder, findHidden, movePath } from './find-hidden.js';
import { nameServiceArguments, ownNetworkArguments } from './own-network.js';
import { sandboxExecProfile } from './sandbox-exec-profile.js';
import type { Confinement, Sandbox } from './sandbox.js';
import { startArguments, STATUS_FD } from './start-arguments.js';

/** How to start a sandboxed command, and what to do once all its processes are dead. */
export interface Confined {
  readonly program: string;
  /** Arguments before the command's own program and arguments. */
  readonly before: readonly string[];
  /** Whether all processes die with the command. If not, the caller has to find and kill them. */
  readonly containsProcesses: boolean;
  /** The caller connects this to the sandbox; see `LISTEN`. */
  readonly gateway: Gateway | undefined;
  /** Real paths that rules hide from the command. */
  readonly hiddenByRules: readonly string[];
  /** Whether the command sees a real path, ignoring rules. */
  readonly sees: (path: string) => boolean;
  /** Proxy variables, and variables for the programs it can see. */
  readonly environment: Readonly<Record<string, string>>;
  /** Calls `exceeded` if the draft grows too large while the command runs. Returns a function that stops watching. */
  watch(clock: Clock, exceeded: () => void): () => void;
  /** Applies the draft to the working folder. Returns a message about changes that were left out. */
  accept(apply?: ApplyChange): Promise<string | undefined>;
  /** See `Draft.plan`. Undefined if changes reach the folder while the command runs. */
  plan: Draft['plan'] | undefined;
  /** Must always be called when the command has ended. */
  release(): Promise<void>;
}

/** Rejects with a readable error if a command can't be sandboxed. The command must then not run. */
export async function confine(
  sandbox: Exclude<Sandbox, { kind: 'none' }>,
  confinement: Confinement,
  temporary: string,
): Promise<Confined> {
  switch (sandbox.kind) {
    case 'bubblewrap':
      return await confineByBubblewrap(sandbox, confinement, temporary);
    case 'sandbox-exec': {
      checkWorkingFolder(confinement);
      const { hiddenByRules, sees } = await findHidden(confinement);
      const { shown = [], hidden = [], environment = {} } = confinement.programs ?? {};
      const hiding = {
        ...confinement,
        show: [...confinement.show, ...shown],
        hide: [...confinement.hide, ...hidden, ...hiddenByRules],
      };
      const profile = sandboxExecProfile(hiding, await namedInSettings(confinement.workingDirectory), temporary);
      return {
        program: sandbox.program,
        before: ['-p', profile],
        containsProcesses: false,
        hiddenByRules,
        sees,
        environment,
        ...NOTHING_TO_DO,
      };
    }
  }
}

const NOTHING_TO_DO = {
  gateway: undefined,
  watch: () => () => undefined,
  accept: () => Promise.resolve(undefined),
  plan: undefined,
  release: () => Promise.resolve(),
};

async function confineByBubblewrap(
  sandbox: Extract<Sandbox, { kind: 'bubblewrap' }>,
  confinement: Confinement,
  temporary: string,
): Promise<Confined> {
  const { workingDirectory, network, privateHosts = [], protectedPaths, mayCreate, writes = 'live' } = confinement;
  const { shown = [], links = [] } = confinement.programs ?? {};
  const show = [...confinement.show, ...shown];
  const hidden = await findHidden(confinement, [sandbox.drafting.folder]);
  checkWorkingFolder(confinement, hidden.folders);
  const { copy = workingDirectory } = confinement;
  const rulePaths = (await Promise.all(hidden.hiddenByRules.map(kindOf))).map(({ path, kind }) => ({
    kind,
    path: movePath(path, copy, workingDirectory),
  }));
  const around = network === 'direct' ? ownNetworkArguments(sandbox) : undefined;
  const more = around === undefined ? [] : await nameServiceArguments(temporary);
  const isProtected = (path: string): boolean =>
    protectedPaths?.isProtected(movePath(path, copy, workingDirectory)) === true;
  const draft =
    writes === 'draft'
      ? await openDraft(sandbox.drafting, copy, {
          shownAt: workingDirectory,
          isProtected,
          mayCreate,
          limits: confinement.draftLimits,
          hidden: [...hidden.hiddenByRules, ...hidden.files],
          signal: confinement.signal,
        })
      : undefined;
  const hasWayOut = network === 'public' || network === 'direct';
  const gateway = hasWayOut
    ? openGateway(withPrivateHosts(privateHosts, confinement.outside), { onRefused: confinement.onRefused })
    : undefined;
  const environment = {
    ...confinement.programs?.environment,
    ...(hasWayOut ? gatewayEnvironment(opensLoopback(privateHosts)) : {}),
  };
  const words = bubblewrapArguments(sandbox, {
    workingDirectory,
    place: draft?.place ?? ['--bind', workingDirectory, workingDirectory],
    hiddenFolders: hidden.folders,
    hiddenFiles: hidden.files,
    links,
    // Our own Node opens the gateway from inside the sandbox.
    shown: gateway === undefined ? show : [...show, process.execPath],
    fixed: draft === undefined ? await fixedPaths(workingDirectory, hidden.hiddenByRules) : [],
    hiddenByRules: rulePaths,
    // If bubblewrap already runs in a separate network namespace, it uses that one.
    network: around === undefined ? network : 'host',
    more,
  });
  const { before, after } = await startArguments(temporary);
  const status = ['--json-status-fd', String(STATUS_FD)];
  const all = [...before, ...(around ?? []), ...(draft?.before ?? []), sandbox.program, ...after, ...status, ...words];
  const [program, ...rest] = all as [string, ...string[]];
  const { hiddenByRules, sees } = hidden;
  const view = { gateway, hiddenByRules, sees, environment };
  return { program, before: rest, containsProcesses: true, ...view, ...endingOf(draft, gateway) };
}

async function fixedPaths(workingDirectory: string, hiddenByRules: readonly string[]): Promise<FixedPath[]> {
  const fixed = await findFixedPaths(workingDirectory, await namedInSettings(workingDirectory));
  return pinParents(workingDirectory, fixed, hiddenByRules);
}

function endingOf(
  draft: Draft | undefined,
  gateway: Gateway | undefined,
): Pick<Confined, 'watch' | 'accept' | 'plan' | 'release'> {
  return {
    watch: (clock, exceeded) => draft?.watch(clock, exceeded) ?? (() => undefined),
    accept: async (apply) => (draft === undefined ? undefined : describeLeftOut(await draft.accept(apply))),
    plan: draft === undefined ? undefined : (act) => draft.plan(act),
    async release() {
      gateway?.close();
      await draft?.discard();
    },
  };
}

async function kindOf(path: string): Promise<HiddenPath> {
  return { path, kind: (await lstat(path)).isDirectory() ? 'folder' : 'file' };
}
