import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.js';
import { visibleText } from '../text/visible-parts.js';
import { shellWords } from '../words/shell.js';

interface Props {
  children: ReactNode;
  /** Navigating to another page resets the error. */
  where?: string;
}

/** A class, because React has no hook for this. Without it, one broken view would leave an empty page. */
export class ErrorBoundary extends Component<Props, { why?: string | undefined }> {
  override state: { why?: string | undefined } = {};

  static getDerivedStateFromError(error: unknown): { why: string } {
    return { why: error instanceof Error ? error.message : 'unknown' };
  }

  override componentDidUpdate(before: Props): void {
    if (before.where !== this.props.where && this.state.why !== undefined) this.setState({ why: undefined });
  }

  override render(): ReactNode {
    if (this.state.why === undefined) return this.props.children;
    return (
      <div role="alert" className="mx-auto max-w-lg p-8">
        <h1 className="text-lg font-semibold">{shellWords.crashed}</h1>
        <p className="mt-2 text-ink-2">{shellWords.crashedHint}</p>
        <pre className="code mt-3 rounded-md bg-sunken p-3 text-sm text-ink-2">{visibleText(this.state.why)}</pre>
        <div className="mt-3 flex gap-2">
          <Button onClick={() => this.setState({ why: undefined })}>{shellWords.tryAgain}</Button>
          <Button onClick={() => location.reload()}>{shellWords.reload}</Button>
        </div>
      </div>
    );
  }
}
