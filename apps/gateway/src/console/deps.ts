import type { InstalledRelease } from '#/release/installed-release.ts'
import { requireRoot } from './as-gateway.ts'
import { takeConsole } from './one-at-a-time.ts'
import { type InSession, inSessionOf } from './session.ts'

/** What a command of an installed gateway acts through. */
export interface ConsoleDeps {
  /** Keeps other console commands out. */
  takeConsole(): Disposable
  readonly inSession: InSession
  print(text: string): void
}

/** Of this machine; its commands need root. */
export const depsOf = (release: InstalledRelease): ConsoleDeps => ({
  takeConsole: () => {
    requireRoot()
    return takeConsole()
  },
  inSession: inSessionOf(release),
  print: (text) => void process.stdout.write(text),
})
