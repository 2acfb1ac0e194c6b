import { ensureServerTree, labMissing, type TreeServer } from '../../lab/index.ts'

/** The tree with the programs of a server, or why this machine can have none. */
export async function serverTree(
  server: TreeServer,
): Promise<{ readonly path: string; readonly missing?: string }> {
  const missing = labMissing()
  if (missing !== undefined) return { path: '', missing }
  try {
    return await ensureServerTree(server)
  } catch (error) {
    return { path: '', missing: `no ${server}: ${error instanceof Error ? error.message : String(error)}` }
  }
}
