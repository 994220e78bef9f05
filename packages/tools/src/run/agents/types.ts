import type { RunAgent as RunAgentId } from '@countersign/protocol';
import type { ModelRoute, Vendor } from '../model/types.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A file in the person's home with the login of an agent. */
export interface LoginFile {
  /** Relative to the home folder. */
  readonly path: string;
  /** The part that an agent needs to stay signed in. Nothing else in the file enters the agent home. */
  readonly loginIn: (content: JsonObject) => JsonObject | undefined;
  /** Keys in the file. They stay outside, as those in variables do. */
  readonly keysIn: (content: JsonObject) => Readonly<Partial<Record<Vendor, string>>>;
  /** Which account it is of, if the file says so. */
  readonly accountIn: (login: JsonObject) => string | undefined;
}

/** A variable in which people keep a key. Inside, it has the placeholder. */
export interface KeyVariable {
  readonly name: string;
  readonly vendor: Vendor;
  readonly header: ModelRoute['credential']['header'];
}

/** How to run one agent without questions and without a sandbox of its own. */
export interface RunAgent {
  readonly name: string;
  /** The npm package that it comes in, and the version that was tested. */
  readonly package: string;
  readonly testedVersion: string;
  readonly program: string;
  /** Before the person's own arguments. */
  readonly arguments: readonly string[];
  /** The first one that is set counts; for an agent with several vendors, the first of each. */
  readonly keys: readonly KeyVariable[];
  /** Variables without secrets that reach the agent, such as the name of a model. */
  readonly passes: readonly string[];
  readonly login: LoginFile;
  /** What it reaches with a login. */
  readonly loginHosts: readonly string[];
  /** Paths in the home of the sessions that are kept after a run. */
  readonly transcripts: { readonly folder: string; readonly files: RegExp };
  /** Any of these words makes it answer once and end. */
  readonly once: readonly string[];
  /** The words that continue its last session with a message. */
  readonly resume: (message: string, isOnce: boolean) => readonly string[];
  readonly environment: (scene: AgentScene) => Readonly<Record<string, string>>;
  /** Settings in the agent home, written before each run, by path relative to it. */
  readonly files: (scene: AgentScene) => Readonly<Record<string, string>>;
}

interface AgentScene {
  /** The working folder. */
  readonly folder: string;
  /** The gateway's base URL for each vendor with a key. Without any, the agent uses its login. */
  readonly models: Readonly<Partial<Record<Vendor, string>>>;
}

/** What one run of an agent needs. No key is in it, except in `models`, which stay outside. */
export interface PreparedAgent {
  readonly agent: RunAgent;
  readonly id: RunAgentId;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Settings in the agent home. */
  readonly files: Readonly<Record<string, string>>;
  readonly models: readonly ModelRoute[];
  /** Whether it uses the login in the person's home. */
  readonly usesLogin: boolean;
  readonly loginHosts: readonly string[];
  /** What people should know before they sign, one sentence each. */
  readonly notes: readonly string[];
}
