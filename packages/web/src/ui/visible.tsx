import { Fragment, type ReactElement } from 'react';
import { visibleParts } from './visible-parts.js';

/** Text from outside, with what can't be seen shown by its number. */
export function Visible({ text, strict = false }: { text: string; strict?: boolean }): ReactElement {
  const parts = visibleParts(text, strict);
  if (parts.length === 1 && parts[0]?.kind === 'text') return <>{parts[0].text}</>;
  return (
    <>
      {parts.map((part, index) =>
        part.kind === 'text' ? (
          // Parts have no identity of their own: the text they come from is replaced as a whole.
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
