import { readFileSync } from 'node:fs';
import type { GatedAgent } from '../hook-agents.js';
import { isObject } from '../json-text.js';
import { manifestPath } from '../manifest.js';
import { claudeSources } from './claude-sources.js';
import { geminiSources } from './gemini-sources.js';
import type { AgentSession, Source } from './source.js';

export function sourcesOf(agent: GatedAgent, session: AgentSession): readonly Source[] {
  return agent === 'claude' ? claudeSources(session) : geminiSources(session);
}

/** Our hook's command as `gate install` wrote it; undefined if it isn't known. */
export function ownCommand(home: string, agent: GatedAgent): string | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(manifestPath(home, agent), 'utf8'));
    const command = isObject(value) ? value['command'] : undefined;
    return typeof command === 'string' ? command : undefined;
  } catch {
    return undefined;
  }
}
