import { Component, type ReactNode } from 'react';
import { FoldedText } from '../../text/folded-text.js';

/** Shows the plain text if rendering fails; otherwise one message would break the whole page. */
export class PlainInstead extends Component<{ text: string; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? <FoldedText text={this.props.text} first={4000} /> : this.props.children;
  }
}
