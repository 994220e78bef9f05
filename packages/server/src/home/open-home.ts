import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { createRuntime, systemClock, type About, type Engine, type Unfinished } from '@countersign/core';
import { registerOwnFile, type Clock, type Hold, type Provider, type Store, type Tool } from '@countersign/core/ports';
import { CountersignError, unsandboxedText } from '@countersign/protocol';
import { lockFile, openPostgres, openSqlite } from '@countersign/storage';
import { acpAgents, defaultTools, findSandbox, mcpServers, runDrafts, runTool, type Sandbox } from '@countersign/tools';
import { readDraftLimits } from './read-draft-limits.js';
import type { Log } from '../app/context.js';
import { createMetrics, type Metrics } from '../metrics/create-metrics.js';
import { createRegistry, type ProviderRegistry } from '../providers/create-registry.js';
import { findKeychain } from '../providers/keychain.js';
import { prepareSecrets } from '../providers/prepare-secrets.js';
import { createSecretBox } from '../providers/secret-box.js';
import { takeSecretsKey } from '../providers/secrets-key.js';
import { takeOidcSettings, type OidcSettings } from '../oidc/oidc-settings.js';
import { ensureOwner } from '../people/ensure-owner.js';
import { hasDisplay } from '../serve/open-browser.js';
import type { Runs } from '../runs/runs.js';
import { recoverRuns, watchRuns } from '../runs/watch-runs.js';
import { finishApplied } from '../runs/select-run.js';
import { openCommitKey } from '../receipts/commit-key.js';
import type { SessionLifetimes } from '../people/credentials.js';
import type { ExternalLimits } from '../people/external-limiter.js';
import { findProviders } from './find-providers.js';
import { prepareHome, unusableHome } from './home-folder.js';
import { describeOwner, noteOwner } from './home-owner.js';
import { keepToken, type Token } from './keep-token.js';
import { makeDemoWorld } from './demo/make-demo-world.js';
import { processesExposing } from './processes-exposing.js';
import { readAdminRules } from './read-admin-rules.js';
import { createWorkFolders, type WorkFolders } from './folders/work-folders.js';

export interface HomeOptions {
  /** The folder; see `homeFolder`. */
  home: string;
  /**
   * The environment. Secrets are removed from it: `COUNTERSIGN_TOKEN`, `COUNTERSIGN_SECRETS_KEY`, `COUNTERSIGN_OIDC_CLIENT_SECRET`
   * and `DATABASE_URL`.
   */
  env: NodeJS.ProcessEnv;
  log: Log;
  /** Default: true. False if the caller itself tells people that there is no sandbox. */
  logsNoSandbox?: boolean;
  clock?: Clock;
  /** Additional models and tools. */
  providers?: readonly Provider[];
  tools?: readonly Tool[];
  /** Default: the sandbox that this system supports. */
  sandbox?: Sandbox;
  /** Folders with programs for MCP servers that a sandbox would otherwise hide, such as a home or temporary folder. */
  show?: readonly string[];
  ollamaUrl?: string;
  /** The command that the person ran, such as `countersign chat`. Another process that finds the home folder in use names it in its error. */
  command?: string;
  /** What to do with turns that an earlier process left unfinished. Default: resume them. */
  unfinished?: Unfinished;
}

/** Everything that runs in one home folder. */
export interface Home {
  folder: string;
  engine: Engine;
  sandbox: Sandbox;
  token: Token;
  workFolders: WorkFolders;
  metrics: Metrics;
  providers: ProviderRegistry;
  /** Undefined if no OIDC provider is configured. */
  oidc: OidcSettings | undefined;
  runs: Runs;
  externalLimits: ExternalLimits;
  sessionLifetimes: SessionLifetimes;
  /** Push services that the administrator's file names. */
  pushServices: readonly string[];
  /** Hosts that it allows for webhooks. */
  webhookHosts: readonly string[];
  /** By group: how many milliseconds a call waits before its people get a notification (PUSH3.6). */
  tellAfter: Readonly<Record<string, number>>;
  /** Resumes unfinished turns, unless configured otherwise, and creates the demo world on the first run. */
  start(): Promise<void>;
  /** Parks running turns and releases the home folder. */
  close(): Promise<void>;
}

/** The composition root. One process owns a home folder; a second one fails with `store-locked` (STORE4). */
export async function openHome(options: HomeOptions): Promise<Home> {
  const { env, log, clock = systemClock } = options;
  const folder = prepareHome(options.home);
  const unlock = lockHome(folder, options.command);
  try {
    // Detecting the sandbox starts programs, so open the store in the meantime.
    const looking = options.sandbox ?? findSandbox();
    const database = takeDatabase(env);
    const oidc = takeOidcSettings(env);
    const secrets = takeSecretsKey(folder, env, findKeychain(folder, { env }));
    const admin = readAdminRules(folder, env);
    const work = workFolder(env);
    const draftLimits = readDraftLimits(env);
    const store = await openStore(folder, database, clock);
    const sandbox = await looking;
    const isHidden = sandbox.kind !== 'none';
    const token = await orClose(store, () => keepToken(folder, env, isHidden));
    if (sandbox.kind === 'none') {
      if (options.logsNoSandbox !== false)
        log.warn(`no sandbox: ${unsandboxedText('an approved command')}`, { why: sandbox.reason });
      warnOfExposedToken(log, token);
    }
    const found = findProviders(env, options.ollamaUrl);
    // Without a sandbox, commands reach the keychain as easily as the file. Without a display, nobody could unlock it.
    await prepareSecrets(secrets, store, log, { inKeychain: isHidden && hasDisplay(env) });
    await orClose(store, () => ensureOwner(store));
    const ownFiles = [admin.file, auditKeyFile(env), secrets.file].filter((file) => file !== undefined);
    // Registered for the lifetime of the process: another home folder in it may use the same files.
    for (const file of ownFiles) registerOwnFile(file);
    // Commands and MCP servers never see this folder or the files that restrict them (SAFE1).
    const workFolders = createWorkFolders(folder, work);
    const confined = {
      sandbox,
      hide: [folder, ...ownFiles],
      writable: async () => workFolders.all(await store.read((reader) => reader.worlds())),
    };
    const report = (error: unknown, what: string, about: About = {}): void => log.error(what, { ...about, error });
    const own = options.providers ?? [];
    const registry = createRegistry({ store, secrets, found, own });
    const metrics = createMetrics();
    const drafts = runDrafts(sandbox, confined.hide);
    const runs: Runs = { drafts, commitKey: openCommitKey(folder), homes: join(folder, 'agent-homes') };
    const acp = acpAgents({ clock, env, sandbox, hide: confined.hide });
    // Only called while the engine runs a call.
    const onApplied = async (id: string, hold?: Hold): Promise<void> =>
      await finishApplied(
        { engine, runs, report: (error) => report(error, 'failed to ask about the rest of a run') },
        id,
        hold,
      );
    const engine: Engine = await orClose(store, () =>
      createRuntime({
        store,
        clock,
        providers: [...found.providers, ...own, acp.provider],
        providerSource: registry,
        externalTool: acp.externalTool,
        tools: [
          ...defaultTools({ shell: { ...confined, draftLimits } }),
          ...('refused' in drafts ? [] : [runTool(drafts.kept, drafts.undos, onApplied)]),
          ...(options.tools ?? []),
        ],
        mcp: mcpServers({ ...confined, show: options.show ?? [], clock }),
        secretBox: createSecretBox(secrets),
        findPlace: workFolders.findPlace,
        onError: report,
        onMeasured(what) {
          metrics.measured(what);
          const { kind, ...fields } = what;
          log.info(MEASURED[kind], 'ms' in fields ? { ...fields, ms: Math.round(fields.ms) } : fields);
        },
        onListenerFailure: (error, event) => report(error, `a listener failed on ${event.event} ${event.id}`),
        adminRules: admin.rules,
        listedPrograms: admin.programs,
        ownSecrets: [
          token.value,
          ...found.secrets,
          ...[database, oidc?.clientSecret].filter((each) => each !== undefined),
        ],
      }),
    );
    return {
      folder,
      engine,
      sandbox,
      token,
      workFolders,
      metrics,
      providers: registry,
      oidc,
      runs,
      externalLimits: admin.limits,
      sessionLifetimes: admin.lifetimes,
      pushServices: admin.pushServices,
      webhookHosts: admin.webhookHosts,
      tellAfter: admin.tellAfter,
      async start() {
        // Before calls start: one of them may be about a run.
        await recoverRuns({ runs, log });
        await engine.start(options.unfinished);
        if (options.unfinished === undefined || options.unfinished === 'resume') void watchRuns({ engine, runs, log });
        // Skip this on a shared database, where each server would create a demo world.
        if (store.shared === undefined) await makeDemoWorld(engine, (worldId) => workFolders.own(worldId));
      },
      close: () => engine.close().finally(unlock),
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Log messages. */
const MEASURED = { turn: 'turn ended', tool: 'tool ran', model: 'model answered' } as const;

/** Logs which processes expose the token to commands. The token was already removed from our own environment. */
function warnOfExposedToken(log: Log, token: Token): void {
  if (token.source.kind !== 'environment') return;
  const processes = processesExposing(token.value);
  if (processes.length === 0) return;
  log.warn(
    'COUNTERSIGN_TOKEN can be read from the environment of other processes. Start the server directly, not with npm or a script',
    {
      processes,
    },
  );
}

async function orClose<T>(store: Store, make: () => T | Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Uses an operating system file lock instead of a pid file: it can't become stale, and only one of two concurrent starts gets it. */
function lockHome(folder: string, command: string | undefined): () => void {
  const unlock = openLock(folder);
  if (unlock === undefined) {
    const detail = `The home folder ${folder} is in use by ${describeOwner(folder)}. Wait for it to end, stop it, or choose another home with --home.`;
    throw new CountersignError('store-locked', detail);
  }
  const forget = noteOwner(folder, command);
  return once(() => {
    forget();
    unlock();
  });
}

/** Undefined if another process holds the lock. */
function openLock(folder: string): (() => void) | undefined {
  try {
    return lockFile(join(folder, 'lock'));
  } catch (cause) {
    // A full disk has its own error. Otherwise, the file isn't writable, for example in another user's home folder.
    throw cause instanceof CountersignError ? cause : unusableHome(folder, "its lock file can't be opened", cause);
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

/** Removes DATABASE_URL from the environment: it contains a password, and child processes would inherit it. */
export function takeDatabase(env: NodeJS.ProcessEnv): string | undefined {
  const url = env['DATABASE_URL'];
  delete env['DATABASE_URL'];
  if (url === undefined || url === '') return undefined;
  if (/^postgres(?:ql)?:\/\//.test(url)) return url;
  const detail =
    'DATABASE_URL must begin with postgres://. Without it, everything is stored in a file in the home folder.';
  throw new CountersignError('invalid', detail, { field: 'DATABASE_URL' });
}

/** The key that signs audit heads. This process doesn't read it, but prevents agents from reading it (LOG1). */
function auditKeyFile(env: NodeJS.ProcessEnv): string | undefined {
  const file = env['COUNTERSIGN_AUDIT_KEY'] ?? '';
  // If the file is invalid, `audit head` reports that to the person who signs.
  return isAbsolute(file) && existsSync(file) ? realpathSync(file) : undefined;
}

/** The parent of the worlds' default working folders. By default, it is next to the home folder. */
function workFolder(env: NodeJS.ProcessEnv): string | undefined {
  const folder = env['COUNTERSIGN_WORK'];
  if (folder === undefined || folder === '') return undefined;
  if (isAbsolute(folder)) return folder;
  const detail = "COUNTERSIGN_WORK must be an absolute path: the parent of the worlds' working folders.";
  throw new CountersignError('invalid', detail, { field: 'COUNTERSIGN_WORK' });
}

export async function openStore(folder: string, database: string | undefined, clock: Clock): Promise<Store> {
  if (database === undefined) return await openSqlite(join(folder, 'countersign.db'), { clock });
  return await openPostgres(database, { headFile: join(folder, 'audit-heads.json') });
}
