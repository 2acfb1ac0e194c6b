import { fail } from '@fleet/contract'
import { SshFailure } from '@fleet/ssh'
import type { Call } from '#/call.ts'
import {
  type FoundFile,
  type FoundTestingFile,
  inspectFile,
  inspectTestingFile,
  readFile,
} from '#/environment/commands/inspect-file.ts'
import { type FileWrite, writeFile, writeTestingFile } from '#/environment/commands/write-file.ts'
import { type EnvironmentPlace, filePathOf } from '#/environment/commands/place.ts'
import type { EnvironmentDeps } from '#/environment/deps.ts'
import type { Target } from '#/environment/target.ts'
import { codeOf, withDetails } from '#/error-details.ts'
import { identityOf, type NodeScript, type NodeSession, type ReasonCode } from '#/nodes/api.ts'

/** The `.env` file of one Instance on its Node, under the Instance's lock. Every method is one round trip. */
export interface EnvFile {
  /** For import. Throws `env.source_unsafe`, `env.import_source_missing` and `env.configuration_invalid` for its size. */
  read(): Promise<Buffer>
  /** For synchronization, with everything that must hold before decryption. Throws `env.source_unsafe` and `env.write_failed`. */
  inspect(bytes: number): Promise<FoundFile>
  /** Throws `env.write_failed` with the old file as it was, and `env.sync_unconfirmed` when nobody knows. */
  write(write: Omit<FileWrite, 'place'>): Promise<void>
}

/** Its `.env.testing`, with the same checks. */
export interface TestingFile extends Pick<EnvFile, 'write'> {
  inspect(bytes: number): Promise<FoundTestingFile>
}

export function envFileOf({ nodes }: Pick<EnvironmentDeps, 'nodes'>, call: Call, target: Target): EnvFile {
  const { place } = target
  const { session, broken } = sessionOf(nodes, call, target)
  return {
    read: async () => {
      const found = await placed(place, session.ask(readFile, { place }, broken))
      if (found.kind === 'missing') throw fail('env.import_source_missing')
      return found.content
    },
    inspect: (bytes) => placed(place, session.ask(inspectFile, { place, bytes }, broken)),
    write: (write) => confirmedWrite(session, writeFile, { place, ...write }),
  }
}

export function testingFileOf(
  { nodes }: Pick<EnvironmentDeps, 'nodes'>,
  call: Call,
  target: Target,
): TestingFile {
  const place = { ...target.place, file: '.env.testing' } as const
  const { session, broken } = sessionOf(nodes, call, target)
  // A production home is in no checkout, so no Git has its files.
  const [checkout] = target.environment === 'development' ? place.directory.split('/') : []
  return {
    inspect: (bytes) => placed(place, session.ask(inspectTestingFile, { place, bytes, checkout }, broken)),
    write: (write) => confirmedWrite(session, writeTestingFile, { place, ...write }),
  }
}

function sessionOf(
  nodes: EnvironmentDeps['nodes'],
  call: Call,
  { place, instance: { node } }: Target,
): { readonly session: NodeSession; readonly broken: { readonly broken?: ReasonCode } } {
  const session = nodes.sessions.overTunnel(call, node).as(place.user)
  return { session, broken: place.user === node.user ? {} : { broken: SUDO_MISSING } }
}

const SUDO_MISSING: ReasonCode = [
  'node.capability_missing',
  'The Node does not allow the gateway to act as the production user of the Instance.',
]

/** Says with a file that is unsafe or too large where it is, and whose it should be: in production that is no managed account of the Node. */
async function placed<T>(place: EnvironmentPlace, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const [code, path] = [codeOf(error), filePathOf(place)]
    if (code === 'env.configuration_invalid') throw withDetails(error, { path }, code)
    if (code !== UNSAFE) throw error
    throw withDetails(error, { path, user: place.user }, UNSAFE)
  }
}

const UNSAFE = 'env.source_unsafe'

/** Once the Node may have begun the write, only its own word says how it ended. */
async function confirmedWrite(
  session: NodeSession,
  script: NodeScript<FileWrite, void>,
  write: FileWrite,
): Promise<void> {
  try {
    await session.ask(script, write)
  } catch (error) {
    const isSent = error instanceof Error && error.cause instanceof SshFailure && error.cause.sent
    if (!isSent) throw error
    throw fail('env.sync_unconfirmed', { details: { node: identityOf(session.node) }, cause: error })
  }
}
