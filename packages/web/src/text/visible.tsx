import { Fragment, type ReactElement } from 'react';
import { visibleParts } from './visible-parts.js';

/** Untrusted text, with invisible characters shown as escapes. */
export function Visible({ text, strict = false }: { text: string; strict?: boolean }): ReactElement {
  const parts = visibleParts(text, strict);
  if (parts.length === 1 && parts[0]?.kind === 'text') return <>{parts[0].text}</>;
  return (
    <>
      {parts.map((part, index) =>
        part.kind === 'text' ? (
          // Parts have no identity: the whole text is replaced at once.
          <Fragment key={`${index}`}>{part.text}</Fragment>
        ) : (
          <span key={`${index}`} className="escape font-mono text-[0.85em]">
            {part.text}
          </span>
        ),
      )}
    </>
  );
}
