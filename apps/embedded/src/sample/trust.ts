import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Stage } from './stage.ts'
import { timed } from './timed.ts'

/** Compares the root that the gateway hands out with the file that this client trusts. */
export async function showTrust({ client, clock, fleet, screen, stopping }: Stage): Promise<void> {
  const { value, milliseconds } = await timed(clock, () =>
    client.call('gateway:trust', {}, { signal: stopping }),
  )
  const trusted = new X509Certificate(readFileSync(fleet.caFile)).fingerprint256
    .replaceAll(':', '')
    .toLowerCase()
  if (trusted !== value.data.sha256)
    throw new Error('the gateway returned a different root certificate from the one it was started with')
  screen.done(
    'Trust',
    'the certificate of the gateway is signed by the root certificate of this fleet',
    milliseconds,
    [`sha256 ${trusted}`, fleet.caFile],
  )
}
