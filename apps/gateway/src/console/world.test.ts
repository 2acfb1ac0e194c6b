import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assemble } from '#/assemble.ts'
import { readEnv } from '#/env.ts'
import { optionsOf } from '#/options.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import type { ConsoleDeps } from './deps.ts'
import type { InSession } from './session.ts'

/** A release that nothing reads. */
export const RELEASE: InstalledRelease = {
  folder: '/nowhere',
  manifest: { product: 'fleet', format: 1, version: 'v1', commit: null, architecture: 'x86_64', files: [] },
}

/** The services of a gateway whose home is a new folder, as its console commands open them. */
export async function openConsole() {
  const home = mkdtempSync(join(tmpdir(), 'fleet-console-'))
  const options = optionsOf(readEnv({ FLEET_HOME: home }), 'v1', undefined)
  const assembled = await assemble({ ...options, listen: [], log: 'silent' })
  const { store, databases, ssh, closing } = assembled
  const close = async (): Promise<void> => {
    closing.abort()
    await databases[Symbol.asyncDispose]()
    await ssh[Symbol.asyncDispose]()
    await store[Symbol.asyncDispose]()
    rmSync(home, { recursive: true })
  }
  const session = { ...assembled, [Symbol.asyncDispose]: close }
  const inSession: InSession = (work) => work(session)
  const lines: string[] = []
  /** How many commands keep others out now. */
  let held = 0
  const deps: ConsoleDeps = {
    takeConsole: () => {
      held += 1
      return { [Symbol.dispose]: () => void (held -= 1) }
    },
    inSession: (work) => {
      if (held !== 1) throw new Error('another console command could run at the same time')
      return inSession(work)
    },
    print: (text) => void lines.push(text),
  }
  return {
    session,
    store,
    inSession,
    deps,
    lines,
    held: () => held,
    activities: () => store.db.selectFrom('activities').selectAll().orderBy('id').execute(),
    [Symbol.asyncDispose]: close,
  }
}
