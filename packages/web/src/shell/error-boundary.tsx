import { Component, type ReactNode } from 'react';
import { visibleText } from '../ui/visible-parts.js';

/** What React has no function for: without it one broken view leaves an empty page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { why?: string }> {
  override state: { why?: string } = {};

  static getDerivedStateFromError(error: unknown): { why: string } {
    return { why: error instanceof Error ? error.message : 'unknown' };
  }

  override render(): ReactNode {
    if (this.state.why === undefined) return this.props.children;
    return (
      <main className="mx-auto max-w-lg p-8">
        <h1 className="text-lg font-semibold">This page can’t be shown</h1>
        <p className="mt-2 text-ink-2">
          Nothing was decided and nothing is lost. Load the page again; if that does not help, the terminal shows the
          same world.
        </p>
        <pre className="code mt-3 rounded-md bg-sunken p-3 text-sm text-ink-2">{visibleText(this.state.why)}</pre>
        <button type="button" className="mt-3 text-blue underline" onClick={() => location.reload()}>
          Load again
        </button>
      </main>
    );
  }
}
