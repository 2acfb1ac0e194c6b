import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const CHROMIUM = '/usr/bin/chromium'
const CERTUTIL = '/usr/bin/certutil'

/** Why no browser can be started here; undefined where one can. */
export const noBrowser = (): string | undefined =>
  [CHROMIUM, CERTUTIL].every((path) => existsSync(path))
    ? undefined
    : 'needs the Debian packages chromium and libnss3-tools'

/** Opens the page in a browser of its own that trusts the authority besides those it knows. Disposing ends it. */
export function openChromium(url: string, authorityFile: string): AsyncDisposable {
  const home = mkdtempSync(join(tmpdir(), 'fleet-browser-'))
  const database = join(home, '.pki', 'nssdb')
  mkdirSync(database, { recursive: true })
  const certutil = (...words: readonly string[]): void =>
    void execFileSync(CERTUTIL, ['-d', `sql:${database}`, ...words], { stdio: 'ignore' })
  certutil('-N', '--empty-password')
  certutil('-A', '-t', 'C,,', '-n', 'Fleet root', '-i', authorityFile)
  const browser = spawn(CHROMIUM, [...FLAGS, `--user-data-dir=${join(home, 'profile')}`, url], {
    env: { PATH: process.env['PATH'], HOME: home },
    stdio: 'ignore',
    detached: true,
  })
  const closed = once(browser, 'close')
  return {
    [Symbol.asyncDispose]: async () => {
      // The browser is many processes, all of one group.
      if (browser.pid !== undefined && browser.exitCode === null) process.kill(-browser.pid, 'SIGKILL')
      await closed
      rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

/** How Chromium runs without a screen, and asks nobody but who it is sent to. */
export const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
]
