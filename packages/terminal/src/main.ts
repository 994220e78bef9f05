import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Console } from './console.js';
import type { gateLocally, LocalPlaces } from './gate/local-agents.js';
import { runProgram } from './program.js';
import type { ServerAccess } from './connection/server-access.js';

/** Values that the installed program passes in. */
export interface Program {
  readonly version: string;
  /** The folder of the built web app, if there is one. */
  readonly webRoot?: string;
}

/** The `countersign` command. Resolves to the exit code; errors are one sentence on standard error. */
export async function runCommand(words: readonly string[], program: Program): Promise<number> {
  const { stdin, stdout, stderr, env } = process;
  const console: Console = { stdin, stdout, stderr, env };
  return await runProgram(words, { console, version: program.version, servers: createServerAccess(program) });
}

/** Loads the server on demand: a command that uses a running one starts ten times faster. */
const load = () => import('@countersign/server');
const loadLocate = () => import('@countersign/server/locate');

/** Loaded on demand: only the page that shows them needs it. */
const loadLocalAgents = () => import('./gate/local-agents.js');

function createLocalAgents(places: LocalPlaces) {
  return {
    list: async () => await (await loadLocalAgents()).listLocalAgents(places),
    gate: async (agent: string, gate: Parameters<typeof gateLocally>[1]) =>
      await (await loadLocalAgents()).gateLocally(agent, gate, places),
  };
}

/** Access to real servers. */
export function createServerAccess({ version, webRoot }: Program): ServerAccess {
  const web = webRoot === undefined ? {} : { webRoot };
  return {
    async defaultHome() {
      const { homeFolder } = await loadLocate();
      return homeFolder(process.env);
    },
    async find(home) {
      const { findServer } = await loadLocate();
      const running = await findServer(home);
      return running === undefined ? undefined : { url: running.url, startedBy: running.startedBy };
    },
    async readToken(home) {
      const { readToken } = await loadLocate();
      return readToken(home);
    },
    async start(home, { unfinished, command }, say) {
      const { createLog, serve } = await load();
      const secrets = [process.env['COUNTERSIGN_TOKEN'] ?? ''].filter((secret) => secret !== '');
      const log = createLog({
        level: 'error',
        isTerminal: true,
        write: (line) => say(line.trimEnd()),
        now: () => Date.now(),
        secrets,
      });
      const serving = await serve({ home, env: process.env, log, port: 0, version, unfinished, command, ...web });
      secrets.push(serving.home.token.value);
      const { engine, token } = serving.home;
      const { scheduler } = engine.runtime;
      return {
        url: serving.url,
        token: token.value,
        isWorking: () => scheduler.running().length > 0,
        settled: () => scheduler.quiet(),
        stalledChats: () => engine.stalledChats(),
        close: () => serving.close(),
      };
    },
    async serve({ logLevel, ...words }) {
      const { LOG_LEVELS, runServe } = await load();
      const level = LOG_LEVELS.find((known) => known === logLevel);
      const { findServer, homeFolder } = await loadLocate();
      const home = resolve(words.home ?? homeFolder(process.env));
      const url = async (): Promise<string | undefined> => (await findServer(home))?.url;
      const localAgents = createLocalAgents({ env: process.env, userHome: homedir(), home, url });
      const more = { localAgents, ...(level === undefined ? {} : { logLevel: level }) };
      return await runServe({ ...words, version, ...web, ...more });
    },
    async migrate(home, words, onProgress) {
      const { migrateHome } = await load();
      return await migrateHome(home, words, onProgress);
    },
    async resetPasskeys(home, name) {
      const { resetPasskeys } = await load();
      return await resetPasskeys(home, process.env, name);
    },
    async receiptCheck(pinned) {
      const { createReceiptCheck } = await load();
      return createReceiptCheck(pinned);
    },
    async verifyCommits(folder, range, { keys, requirePasskey }) {
      const { readCommitKeys, verifyCommits } = await load();
      return await verifyCommits(folder, range, { keys: readCommitKeys(keys), requirePasskey });
    },
    async openBrowser(url) {
      const { hasDisplay, homeFolder, openBrowser } = await load();
      if (hasDisplay(process.env)) openBrowser(url, homeFolder(process.env));
    },
    async probe(home, port) {
      const { diagnose } = await load();
      return await diagnose(home, process.env, port);
    },
    async tryAcpAgent(acp, home) {
      const { tryAcpAgent } = await load();
      return await tryAcpAgent(acp, home, process.env);
    },
    async startModel(options) {
      const { startModel } = await load();
      return await startModel(options);
    },
  };
}
