/** What the mention rules need to know of an agent. */
export interface Addressable {
  id: string;
  name: string;
  active: boolean;
}
