import type { McpRecords } from '@countersign/core/ports';
import type { Outside } from '../../sandbox/gateway/gateway.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { describeView, type ProcessPlace } from '../transport/start-server-process.js';
import type { OpenedByRules } from './describe-sandbox.js';

export interface PlaceOptions {
  sandbox: Sandbox;
  hide: readonly string[];
  show: readonly string[];
  writable?: () => Promise<readonly string[]>;
  outside?: Outside;
}

/** What a server sees of the disk and the network. It is fixed when the server starts. */
export interface ServerView {
  /** Where a server started now would run, and remembers what it would see. */
  take(wanted: string | undefined): Promise<ProcessPlace>;
  /** Whether the rules, or the files they name, have changed since the server started. */
  isOutdated(wanted: string): Promise<boolean>;
  /** Whether the server was started with this access. */
  isFor(grants: Partial<OpenedByRules> | undefined): boolean;
}

interface ViewOptions {
  place: () => ReturnType<McpRecords['place']>;
  options: PlaceOptions;
  isConfined: () => boolean;
}

export function createView({ place, options, isConfined }: ViewOptions): ServerView {
  let view = '';
  let opened = '';

  async function placeNow(wanted: string | undefined): Promise<ProcessPlace> {
    const { sandbox, hide, show, writable, outside } = options;
    return {
      sandbox,
      hide,
      show,
      ...(writable === undefined ? {} : { writable }),
      ...(outside === undefined ? {} : { outside }),
      ...(await place()),
      ...(wanted === undefined ? {} : { workingDirectory: wanted }),
    };
  }

  return {
    async take(wanted) {
      const now = await placeNow(wanted);
      // Read before the start: a file created in between is missed here, but found by the next call.
      opened = describeOpened(now.grants);
      view = isConfined() ? await describeView(now) : '';
      return now;
    },
    async isOutdated(wanted) {
      return isConfined() && (await describeView(await placeNow(wanted))) !== view;
    },
    isFor: (grants) => !isConfined() || opened === describeOpened(grants),
  };
}

function describeOpened({ folders = [], privateHosts = [] }: Partial<OpenedByRules> = {}): string {
  return JSON.stringify([folders, privateHosts]);
}
