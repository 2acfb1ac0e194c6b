import { parseArgs } from 'node:util'
import { renewFleetRoot } from '@fleet/fleet'
import { readRootCertificate } from '@fleet/pki'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { type ConsoleDeps, depsOf } from './deps.ts'
import { asGatewayCommand } from './maintenance.ts'
import { requireWords } from './misuse.ts'
import { Refusal } from './refusal.ts'
import type { Session } from './session.ts'

const LAST_YEAR_MILLISECONDS = 365 * 86_400_000

/** `fleet-gateway renew-root [--force]`: the root of the fleet is valid for ten more years, with the same key (decision 0348). */
export async function renewRoot(
  words: readonly string[],
  release: InstalledRelease,
  deps: ConsoleDeps = depsOf(release),
): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { force: { type: 'boolean', default: false } },
  })
  requireWords(positionals, 0)
  const root = await asGatewayCommand(
    deps,
    'gateway:renew-root',
    async ({ store, clock, caDirectory }, call) => {
      const renewed = await renewFleetRoot({ store, clock, caDirectory })
      call.note.property('sha256', renewed.sha256)
      return renewed
    },
    (session) => {
      if (!values.force) requireLastYear(session)
    },
  )
  deps.print(
    `The root certificate of the fleet is valid until ${day(root.notAfter)}. Its key is the same, its SHA-256 fingerprint is\n` +
      `${root.sha256}\n` +
      'Restart the gateway (systemctl restart fleet-gateway), give the certificate to each Node (fleet node:converge NODE --force),\n' +
      'have each client trust it (fleet gateway:trust --accept-change), and make a backup.\n',
  )
  return 0
}

function requireLastYear({ caDirectory, clock }: Session): void {
  const { notBefore, notAfter } = readRootCertificate(caDirectory)
  // Renewed by a clock that is behind, it would be another wrong one.
  if (clock.now() < notBefore)
    throw new Refusal(
      `The root certificate is not valid before ${notBefore.toISOString()}: the clock of this machine was ahead when it was made, or is behind now.`,
      'Compare the clock with another one: date -u. If it is right: fleet-gateway renew-root --force',
    )
  const from = new Date(notAfter.getTime() - LAST_YEAR_MILLISECONDS)
  if (clock.now() >= from) return
  throw new Refusal(
    `The root certificate is valid until ${day(notAfter)} and is renewed in its last year, from ${day(from)} on.`,
    'fleet-gateway renew-root --force',
  )
}

const day = (date: Date): string => date.toISOString().slice(0, 10)
