/** A command that runs on Nodes and that no person types. It answers its exit status. */
export type NodeProgram = (words: readonly string[]) => Promise<number>

/** By its first word. Loaded when it is called: most runs of the executable are command lines. */
export const nodePrograms: Readonly<Record<string, NodeProgram>> = {
  'node-agent': async (words) => (await import('@fleet/agent')).main(words),
  'node-dns': async (words) => (await import('@fleet/node-dns')).main(words),
  'node-websocket': async (words) => (await import('@fleet/websocket')).main(words),
}
