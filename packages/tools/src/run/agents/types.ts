import type { ModelRoute, Vendor } from '../model/types.js';

export const RUN_AGENTS = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type RunAgentId = (typeof RUN_AGENTS)[number];

/** A file with a credential, such as `.codex/auth.json`. Only its listed fields enter the agent home. */
export interface LoginFile {
  /** Relative to the home folder. */
  readonly path: string;
  /** Its keys that are part of the login. `*`: all of them are. */
  readonly fields: readonly string[] | '*';
  /** Which account it is of, if the file says so. */
  readonly account: (content: unknown) => string | undefined;
}

/** How to run one agent without questions and without its own sandbox. */
export interface RunAgent {
  readonly id: RunAgentId;
  readonly name: string;
  /** The npm package that it comes in, and the version that was tested. */
  readonly package: string;
  readonly testedVersion: string;
  readonly program: string;
  /** Before the person's own arguments. */
  readonly arguments: readonly string[];
  /** The vendors whose models it can use with a key, and the variables in which people keep them. */
  readonly vendors: readonly Vendor[];
  readonly login: LoginFile | undefined;
  /** What it reaches with a login. */
  readonly loginHosts: readonly string[];
  /** Folders and files of the home that are kept after a run. */
  readonly transcripts: readonly string[];
  readonly environment: (scene: AgentScene) => Readonly<Record<string, string>>;
  /** Settings in the agent home, written before each run, by path relative to it. */
  readonly files: (scene: AgentScene) => Readonly<Record<string, string>>;
}

export interface AgentScene {
  /** The working folder. */
  readonly folder: string;
  /** The base URL of the gateway inside, of each vendor with a key. */
  readonly models: Readonly<Partial<Record<Vendor, string>>>;
  readonly hasLogin: boolean;
}

/** What one run of an agent needs, from the person's environment and home. */
export interface PreparedAgent {
  readonly agent: RunAgent;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly models: readonly ModelRoute[];
  readonly loginHosts: readonly string[];
}
