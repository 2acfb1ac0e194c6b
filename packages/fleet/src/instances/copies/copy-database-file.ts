import { Secret } from '@fleet/kernel'
import { run, withStdin } from '@fleet/shell'
import { type NodeSession, noteExit } from '#/nodes/api.ts'
import { isMissingCommand } from '#/instances/sqlite/missing-command.ts'

/** A SQLite file of one checkout and where another of the same Node gets its copy. Paths are absolute. */
export interface DatabaseFileCopy {
  /** What is copied and the directory that it has to be in, whatever links say; without it the copy is removed. */
  readonly from?: { readonly path: string; readonly root: string }
  readonly to: { readonly path: string; readonly root: string }
}

const MAX_OUTPUT_BYTES = 4096

/**
 * Copies the file of one moment (INS-065), or removes the copy. Answers in a word why it did not: what the program says, `command_missing`
 * or `failed`. Paths are on standard input, as those of statements.
 */
export async function copyDatabaseFile(
  session: NodeSession,
  { from, to }: DatabaseFileCopy,
): Promise<string | undefined> {
  const source = from === undefined ? {} : { from: from.path, fromRoot: from.root }
  const request = { ...source, to: to.path, toRoot: to.root }
  const command = withStdin(run('fleet', 'node-sqlite-copy'), new Secret(JSON.stringify(request)))
  const { exitCode, stdout } = await session.run(command, { maxOutputBytes: MAX_OUTPUT_BYTES })
  noteExit(session, { exitCode })
  if (exitCode !== 0) return isMissingCommand(exitCode) ? 'command_missing' : 'failed'
  const [, problem] = /^\{"problem":"([a-z_]+)"\}\n$/.exec(stdout.toString()) ?? []
  return problem
}
