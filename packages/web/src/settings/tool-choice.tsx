import type { ListedTool } from '@countersign/protocol';
import { type ReactElement, useId } from 'react';
import { Badge } from '../ui/badge.js';
import { Checkbox } from '../ui/field.js';
import { Visible } from '../ui/visible.js';
import { t } from '../words/settings.js';

/** The default tools for a new agent: read-only ones, as declared by us or by a trusted server. */
export function defaultTools(tools: readonly ListedTool[]): string[] {
  return tools.filter(({ readOnly, trusted }) => readOnly === true && trusted).map(({ name }) => name);
}

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
  // Globs, and tools from disabled servers.
  const others = chosen.filter((each) => each !== '*' && !tools.some(({ name }) => name === each));
  const toggle = (name: string, isChosen: boolean): void =>
    onChange(isChosen ? [...chosen, name] : chosen.filter((each) => each !== name));
  return (
    <>
      <Checkbox label={t.allTools} checked={all} onChange={(event) => onChange(event.target.checked ? ['*'] : [])} />
      <div className="grid gap-x-6 gap-y-2 pl-6 sm:grid-cols-2">
        {[...tools, ...others.map((name) => ({ name, description: '', readOnly: false }))].map((tool, index) => (
          <div key={tool.name} className="min-w-0">
            <span className="flex flex-wrap items-center gap-x-2">
              <Checkbox
                label={<code>{tool.name}</code>}
                aria-describedby={`${id}-${index}`}
                disabled={all}
                checked={all || chosen.includes(tool.name)}
                onChange={(event) => toggle(tool.name, event.target.checked)}
              />
              {tool.readOnly === true ? <Badge>{t.readOnly}</Badge> : null}
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
