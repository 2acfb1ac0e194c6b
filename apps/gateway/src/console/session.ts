import { assemble, type Assembled } from '#/assemble.ts'
import { optionsOf } from '#/options.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { asGateway } from './as-gateway.ts'
import { installedEnv } from './settings-file.ts'

/** The services of the gateway in a process of their own, beside the one that listens. */
export type Session = Assembled & AsyncDisposable

/**
 * Opens the gateway's store for a console command. SQLite's write-ahead log lets two processes share the file, and locks
 * are rows with a lease. Console commands are an owner of their own, so they never end the locks or the Activities of the
 * process that listens, and end those of a console command that died. Use it as the user of the gateway, one at a time.
 */
async function openSession(release: InstalledRelease): Promise<Session> {
  const env = installedEnv()
  const { version } = release.manifest
  const assembled = await assemble(
    { ...optionsOf(env, version, release), listen: [], log: 'silent' },
    {},
    { owner: (gatewayId) => `${gatewayId}:console` },
  )
  return {
    ...assembled,
    async [Symbol.asyncDispose]() {
      assembled.closing.abort()
      await assembled.databases[Symbol.asyncDispose]()
      await assembled.ssh[Symbol.asyncDispose]()
      await assembled.store[Symbol.asyncDispose]()
    },
  }
}

/** Runs one piece of work on a session that ends with it. */
export type InSession = <T>(work: (session: Session) => Promise<T>) => Promise<T>

/** On the store of the installed gateway, with the rights of its process. */
export const inSessionOf =
  (release: InstalledRelease): InSession =>
  (work) =>
    asGateway(async () => {
      await using session = await openSession(release)
      return await work(session)
    })
