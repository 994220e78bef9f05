import { type ReactElement, type ReactNode, useId } from 'react';

/** A part of a page with its own heading. */
export function Section({
  title,
  lead,
  actions,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}): ReactElement {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mb-8">
      <div className="mb-3 flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h2 id={id} className="font-semibold">
            {title}
          </h2>
          {lead === undefined ? null : <p className="mt-1 max-w-[76ch] text-sm text-ink-2">{lead}</p>}
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}
