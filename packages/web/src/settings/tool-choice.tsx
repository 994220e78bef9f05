import type { ListedTool } from '@countersign/protocol';
import { type ReactElement, useId } from 'react';
import { Badge } from '../ui/badge.js';
import { Checkbox } from '../form/field.js';
import { Visible } from '../text/visible.js';
import { settingsWords } from '../words/settings.js';
import { isReadOnly } from './read-only-tools.js';
import { allToolsOf, serverOf, withServer } from './server-tools.js';

/** Which tools an agent may call, with their descriptions. */
export function ToolChoice({
  tools,
  chosen,
  onChange,
}: {
  tools: readonly ListedTool[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}): ReactElement {
  const id = useId();
  const all = chosen.includes('*');
  const servers = [...new Set(tools.flatMap(({ name }) => serverOf(name) ?? []))];
  const whole = servers.filter((server) => chosen.includes(allToolsOf(server)));
  const isWhole = (name: string): boolean => whole.includes(serverOf(name) ?? '');
  // Globs, and tools from disabled servers.
  const others = chosen.filter((each) => each !== '*' && !isWhole(each) && !tools.some(({ name }) => name === each));
  const toggle = (name: string, isChosen: boolean): void =>
    onChange(isChosen ? [...chosen, name] : chosen.filter((each) => each !== name));
  return (
    <>
      <Checkbox
        label={settingsWords.allTools}
        checked={all}
        onChange={(event) => onChange(event.target.checked ? ['*'] : [])}
      />
      {servers.map((server) => (
        <Checkbox
          key={server}
          label={settingsWords.allToolsOf(server)}
          hint={settingsWords.allToolsOfHint}
          disabled={all}
          checked={all || whole.includes(server)}
          onChange={(event) => onChange(withServer(chosen, server, event.target.checked))}
        />
      ))}
      <div className="grid gap-x-6 gap-y-2 pl-6 sm:grid-cols-2">
        {[...tools, ...others.map((name) => ({ name, description: '', trusted: false }))].map((tool, index) => (
          <div key={tool.name} className="min-w-0">
            <span className="flex flex-wrap items-center gap-x-2">
              <Checkbox
                label={<code>{tool.name}</code>}
                aria-describedby={`${id}-${index}`}
                disabled={all || isWhole(tool.name)}
                checked={all || isWhole(tool.name) || chosen.includes(tool.name)}
                onChange={(event) => toggle(tool.name, event.target.checked)}
              />
              {isReadOnly(tool) ? <Badge>{settingsWords.readOnly}</Badge> : null}
            </span>
            <p id={`${id}-${index}`} className="line-clamp-2 pl-6 text-[0.8125rem] text-ink-3 [overflow-wrap:anywhere]">
              <Visible text={tool.description} />
            </p>
          </div>
        ))}
      </div>
    </>
  );
}
