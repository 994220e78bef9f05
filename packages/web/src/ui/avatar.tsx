import type { CSSProperties, ReactElement } from 'react';
import { agentLook } from './agent-look.js';
import { cx } from './cx.js';

/** Sets the hue that the `agent-…` classes below it use. */
export function agentHue(id: string): CSSProperties {
  return { '--agent-hue': agentLook(id).hue } as CSSProperties;
}

export function Avatar({ id, name, small = false }: { id: string; name: string; small?: boolean }): ReactElement {
  return (
    <span
      aria-hidden="true"
      style={agentHue(id)}
      className={cx(
        'agent-soft inline-flex shrink-0 items-center justify-center rounded-md font-semibold select-none',
        small ? 'size-5 text-[0.6875rem]' : 'size-7 text-xs',
      )}
    >
      {agentLook(id, name).initials}
    </span>
  );
}

/** Round, so that a person is never mistaken for an agent. */
export function PersonAvatar({ id, name }: { id: string; name: string }): ReactElement {
  return (
    <span
      aria-hidden="true"
      style={agentHue(id)}
      className="agent-soft inline-flex size-7 shrink-0 items-center justify-center rounded-full text-xs font-semibold select-none"
    >
      {agentLook(id, name).initials}
    </span>
  );
}
