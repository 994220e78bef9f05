import { AGENT_TEMPLATE_NAMES, AGENT_TEMPLATES, type AgentTemplateName } from '@countersign/protocol';
import { type ReactElement, useId } from 'react';
import { startWords } from '../words/start.js';

export function TemplateChoice({
  value,
  onChange,
}: {
  value: AgentTemplateName;
  onChange: (template: AgentTemplateName) => void;
}): ReactElement {
  const group = useId();
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{startWords.template}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {AGENT_TEMPLATE_NAMES.map((name) => {
          const { label, description, agents } = AGENT_TEMPLATES[name];
          const tools = [...new Set(agents.flatMap((agent): readonly string[] => agent.tools))];
          return (
            <label
              key={name}
              className="flex items-start gap-2 rounded-lg border border-line-2 bg-surface px-3 py-2.5 text-sm has-checked:border-blue has-checked:bg-blue-soft"
            >
              <input
                type="radio"
                name={group}
                aria-label={label}
                aria-describedby={`${group}-${name}`}
                checked={value === name}
                onChange={() => onChange(name)}
                className="mt-1 size-4 shrink-0 accent-blue"
              />
              <span className="min-w-0">
                <span className="font-semibold">{label}</span>
                <span id={`${group}-${name}`} className="block text-[0.8125rem] text-ink-2">
                  {description}
                  <span className="mt-1 block font-mono text-xs text-ink-3 [overflow-wrap:anywhere]">
                    {tools.join(', ')}
                  </span>
                </span>
              </span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}
