import { systemClock } from '@fleet/kernel'
import { run } from '@fleet/shell'
import { askUntil } from '#/install/https.ts'
import { currentVersion } from '#/install/place-release.ts'
import { foreignListeners, takenText, takerOf } from '#/install/taken-port.ts'
import { findTick } from '#/jobs/tick.ts'
import { releasesIn } from '#/upgrade/prune.ts'
import { findFailure, findOutcome, findUpgrade, upgradeText } from '#/upgrade/state.ts'
import { isUpgraderRunning } from '#/upgrade/unit.ts'
import { requireRoot } from './as-gateway.ts'
import { requireWords } from './misuse.ts'
import { GATEWAY_UNIT, PLACES } from './places.ts'
import { attempt } from './programs.ts'
import { installedEnv } from './settings-file.ts'

/** `fleet-gateway status`: how this installation is; status 1 when it does not answer. */
export async function status(words: readonly string[]): Promise<number> {
  requireWords(words, 0)
  requireRoot()
  const env = installedEnv()
  const [{ address, port } = { address: '', port: 0 }] = env.FLEET_LISTEN
  const origin = `https://${address}:${port}`
  const state = await attempt(run('systemctl', 'is-active', GATEWAY_UNIT))
  const why = await askUntil(
    { origin, path: '/gateway/status', home: env.FLEET_HOME },
    (answer) => (answer.status === 200 ? undefined : `it returned ${answer.status}`),
    { clock: systemClock, seconds: 0 },
  )
  const taker =
    why === undefined ? undefined : takerOf(await foreignListeners(), { protocol: 'tcp', port, address })
  const rows = [
    ['version', currentVersion() ?? 'none'],
    ['installed', releasesIn(PLACES.releases).join(', ')],
    ['service', state.stdout.toString('utf8').trim()],
    ['origin', `${origin}  ${taker ? takenText(taker) : (why ?? 'answers')}`],
    ['jobs', `last ran ${findTick(env.FLEET_HOME)?.at.toISOString() ?? 'never'}`],
    ['upgrade', await upgrade()],
  ] as const
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(10)} ${value}\n`)
  return why === undefined ? 0 : 1
}

async function upgrade(): Promise<string> {
  const running = findUpgrade()
  return upgradeText(running, await isUpgraderRunning(), findOutcome(), running && findFailure(running))
}
