import { ensureMysqlTree, labMissing } from '../../lab/index.ts'

/** The tree with the programs of MySQL, or why this machine can have none. */
export async function mysqlTree(): Promise<{ readonly path: string; readonly missing?: string }> {
  const missing = labMissing()
  if (missing !== undefined) return { path: '', missing }
  try {
    return await ensureMysqlTree()
  } catch (error) {
    return { path: '', missing: `no MySQL: ${error instanceof Error ? error.message : String(error)}` }
  }
}
