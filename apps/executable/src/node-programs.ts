import { isSea } from 'node:sea'

/** A command that runs on Nodes and that no person types. It answers its exit status. */
export type NodeProgram = (words: readonly string[]) => Promise<number>

/** How this program starts itself: the executable is one file, a checkout is a runtime and a module. */
const SELF = isSea() ? [process.execPath] : [process.execPath, process.argv[1] ?? '']
const SQLITE = [...SELF, 'node-sqlite']

/** By its first word. Loaded when it is called: most runs of the executable are command lines. */
export const nodePrograms: Readonly<Record<string, NodeProgram>> = {
  'node-agent': async (words) => (await import('@fleet/agent')).main(words),
  'node-dns': async (words) => (await import('@fleet/node-dns')).main(words),
  'node-report': async (words) => (await import('@fleet/agent')).report(words),
  'node-sqlite': async (words) => (await import('@fleet/database-access/sqlite-program')).main(words, SQLITE),
  'node-sqlite-carry': async (words) =>
    (await import('@fleet/database-access/sqlite-carry-program')).main(words),
  'node-sqlite-copy': async () => (await import('@fleet/database-access/sqlite-copy-program')).main(),
  'node-websocket': async (words) => (await import('@fleet/websocket')).main(words),
}
