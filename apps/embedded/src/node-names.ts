/** A Node as this process makes it, before the store knows it. */
export interface EmbeddedNode {
  readonly name: string
  readonly address: string
}

const FIRST_HOST = 11

/** `node-1` at 127.44.0.11 and so on; the setting's bound keeps the last number below 255. */
export const embeddedNodes = (count: number): readonly EmbeddedNode[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `node-${index + 1}`,
    address: `127.44.0.${FIRST_HOST + index}`,
  }))
